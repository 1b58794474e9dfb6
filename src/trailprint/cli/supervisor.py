"""
Run the program as two processes: a worker, and a supervisor that handles signals.

Compilers, compiled loops and other libraries cannot be interrupted at any moment, and Python runs
no signal handler while they hold its lock. So on a signal the supervisor kills the worker and
removes the temporary files that the worker had announced. Results worth keeping are complete on
disk by then.

Until signals are handled, only modules that Python loads anyway are imported.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

from trailprint.cli.failure_file import write_failure
from trailprint.cli.memory import MEMORY, is_memory_limited

#: Signals that ask to stop.
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Seconds to wait for the worker's descendants to end after it.
_PATIENCE_S = 1.0
_ENDED = b"="
_PR_SET_CHILD_SUBREAPER = 36
_CLEAR_LINE_SHOW_CURSOR = b"\r\x1b[2K\x1b[?25h"


def supervise() -> None:
    """
    Fork a worker process, in which this returns.

    The first process waits for the worker and exits with its exit code, or with 128 plus the
    number of the signal that stopped it.
    """
    signals = _Signals()
    _find_temporary_folder()
    announced, announcing = os.pipe()
    lifeline, held = os.pipe()
    try:
        child = os.fork()
    except OSError:
        # No second process can be started: work without a supervisor.
        signals.close()
        return
    if child == 0:
        signals.close()
        os.close(announced)
        os.close(held)
        _attach(announcing, lifeline)
        _silence_libraries()
        return
    os.close(announcing)
    os.close(lifeline)
    code, message = _Watch(child, signals, announced).wait()
    if message:
        say(message)
        write_failure(code, message)
    os._exit(code)


def _find_temporary_folder() -> None:
    """
    Let Python choose its temporary folder before there is a process that can be killed.

    Python tests the folder by writing a file, which is not announced, and caches the result.
    """
    import tempfile

    with contextlib.suppress(OSError):
        tempfile.gettempdir()


def say(message: str) -> None:
    """Write one line to standard error; ignore errors."""
    with contextlib.suppress(OSError):
        os.write(2, f"trailprint: {message}\n".encode(errors="backslashreplace"))


def say_ended() -> None:
    """Tell the supervisor that the worker ends by itself and has printed its own message."""
    from trailprint.system import temporary

    listener = temporary.get_listener()
    if listener is not None:
        with contextlib.suppress(OSError):
            os.write(listener, _ENDED + b"\0")


def fail_for_memory() -> None:
    """Exit with a message; at once if supervised, because libraries short of memory may hang."""
    from trailprint.system import temporary

    say_ended()
    print(f"trailprint: {MEMORY}", file=sys.stderr, flush=True)  # noqa: T201
    write_failure(2, MEMORY)
    if temporary.get_listener() is None:
        sys.exit(2)
    os._exit(2)


def _silence_libraries() -> None:
    """
    Reserve standard error for the program's own messages.

    Libraries that fail, mostly for lack of memory, print their own messages there, and any library
    might print data that it reads.
    """
    if os.environ.get("TRAILPRINT_DEBUG") or sys.stderr is None:
        return
    try:
        ours, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:
        return
    kind = sys.stderr.encoding, sys.stderr.errors
    sys.stderr = os.fdopen(ours, "w", 1, *kind)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _attach(announcing: int, lifeline: int) -> None:
    """In the worker: announce temporary files to the supervisor, and never outlive it."""
    from trailprint.system import temporary
    from trailprint.system.child_process import end_with_parent

    end_with_parent(lifeline)
    temporary.announce_to(announcing)


class _Signals:
    """Signals as bytes in a pipe: none is lost, and none interrupts running code."""

    def __init__(self) -> None:
        self.mailbox, self._entry = os.pipe()
        os.set_blocking(self.mailbox, False)
        os.set_blocking(self._entry, False)
        signal.set_wakeup_fd(self._entry, warn_on_full_buffer=False)
        # The parent process may want a signal ignored, as nohup does.
        asked = [n for n in _STOPPING if signal.getsignal(n) is not signal.SIG_IGN]
        self._before = {n: signal.signal(n, _do_nothing) for n in (*asked, signal.SIGCHLD)}

    def received(self) -> bytes:
        """Numbers of the signals received since the last call."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.mailbox, 64)
        return b""

    def close(self) -> None:
        """Restore the default action of the signals, which ends the process, and close the pipe."""
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.close(self.mailbox)
        os.close(self._entry)


def _do_nothing(number: int, frame: object) -> None:
    """Do nothing: Python writes a signal's number to the pipe only if it has a handler."""


class _Watch:
    """Waits for the worker, hears its announcements and cleans up after it."""

    def __init__(self, child: int, signals: _Signals, announced: int) -> None:
        self._child, self._signals, self._announced = child, signals, announced
        self._leftovers = Leftovers()

    def wait(self) -> tuple[int, str]:
        """Wait for the worker, then clean up; return the exit code and a message to print."""
        asked, code = 0, None
        is_heard = True
        while code is None:
            waiting = [self._signals.mailbox, *([self._announced] if is_heard else [])]
            ready, _, _ = select.select(waiting, [], [])
            if self._announced in ready:
                is_heard = self._hear()
            stopping = [n for n in self._signals.received() if n in _STOPPING]
            if stopping and not asked:
                asked = stopping[0]
                _adopt_orphans()
                os.kill(self._child, signal.SIGKILL)
            code = self._exit_code()
        self._tidy(is_heard)
        return _explain(code, asked, self._leftovers.has_ended)

    def _hear(self) -> bool:
        """Read announcements from the pipe; return whether there may be more."""
        received = os.read(self._announced, 1 << 16)
        self._leftovers.hear(received)
        return bool(received)

    def _exit_code(self) -> int | None:
        ended, status = os.waitpid(self._child, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if ended else None

    def _tidy(self, is_heard: bool) -> None:
        """Wait for the worker's descendants, which hold the pipe too; then remove leftovers."""
        end = time.monotonic() + _PATIENCE_S
        while is_heard and (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self._announced], [], [], left)
            is_heard = not ready or self._hear()
        self._leftovers.remove()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants: another process may be slow to reap them."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Leftovers:
    """
    Temporary files and folders that were announced but not released.

    Attributes
    ----------
    has_ended : bool
        Whether the worker said that it ends by itself; if not, a library ended it.
    """

    def __init__(self) -> None:
        self._paths: dict[bytes, None] = {}
        self._unread = b""
        self.has_ended = False

    def hear(self, received: bytes) -> None:
        """Process announcements from the pipe, in chunks of any length."""
        *messages, self._unread = (self._unread + received).split(b"\0")
        for message in messages:
            if message == _ENDED:
                self.has_ended = True
            elif message[:1] == b"+":
                self._paths[message[1:]] = None
            else:
                self._paths.pop(message[1:], None)

    def remove(self) -> None:
        """Remove the remaining files and folders."""
        for path in self._paths:
            if os.path.isdir(path) and not os.path.islink(path):
                import shutil

                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _explain(code: int, asked: int, has_ended: bool) -> tuple[int, str]:
    """The exit code and message for the end of the worker."""
    if code != 0 and not asked and not has_ended and is_memory_limited():
        return 2, MEMORY
    if code >= 0:
        return code, ""
    ended_by = asked or -code
    if os.isatty(2):
        with contextlib.suppress(OSError):
            os.write(2, _CLEAR_LINE_SHOW_CURSOR)
    if ended_by in _STOPPING:
        return 128 + ended_by, "Stopped."
    if ended_by == signal.SIGKILL or is_memory_limited():
        return 2, MEMORY
    name = signal.Signals(ended_by).name
    return 1, f"A defect of Trailprint or of a library it uses ({name}). Please report it."
