"""
Python child processes: they run only installed code, and end when their parent does.

A child has the module path of its parent without the current folder, whose files are not trusted.
It holds one end of a pipe; when its parent ends, for whatever reason, the system closes the other
end and stops the child, even in the middle of a computation.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from trailprint.system import temporary

_PROGRAM = (
    "import json, sys; path, *rest = json.loads(sys.argv[1]); sys.path[:] = path; "
    f"from {__name__} import _begin; _begin(*rest)"
)


class ChildProcess:
    """
    A process that calls one function without arguments.

    Parameters
    ----------
    module, function : str
        The function to call.
    streams
        Streams, as for `subprocess.Popen`.
    """

    def __init__(self, module: str, function: str, **streams: Any) -> None:
        lifeline, self._held = os.pipe()
        listener = temporary.get_listener()
        passed = [lifeline] if listener is None else [lifeline, listener]
        order = json.dumps([_module_path(), lifeline, listener, module, function])
        try:
            with _interrupts_blocked():
                self.process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _PROGRAM, order],
                    env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
                    pass_fds=passed,
                    **streams,
                )
        except BaseException:
            os.close(self._held)
            raise
        finally:
            os.close(lifeline)

    def wait(self) -> None:
        """Wait until the process ends."""
        self.process.wait()
        self._release()

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.wait()

    def _release(self) -> None:
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)


def _module_path() -> list[str]:
    """Return the module search path of this process without the current folder."""
    here = os.path.realpath(os.getcwd()) if _has_current_folder() else None
    path = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    # If this package itself is in the current folder, it is still found, after everything else.
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return path if own in path else [*path, own]


def _has_current_folder() -> bool:
    with contextlib.suppress(FileNotFoundError):
        return bool(os.getcwd())
    return False


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C, which reaches every process of a terminal: children leave it to the parent."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(lifeline: int, listener: int | None, module: str, function: str) -> None:
    end_with_parent(lifeline)
    temporary.announce_to(listener)
    getattr(import_module(module), function)()


def end_with_parent(lifeline: int) -> None:
    """Stop this process when the other end of a pipe is closed."""
    if sys.platform == "linux":
        import fcntl

        # The kernel sends SIGIO, which ends the process without any Python thread having to run.
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
        if select.select([lifeline], [], [], 0)[0]:
            os._exit(1)
    else:
        threading.Thread(target=_exit_at_end, args=(lifeline,), daemon=True).start()


def _exit_at_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)
