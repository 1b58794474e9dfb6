"""
The program as two processes: one does the work, the other waits for it and answers signals.

Compilers, compiled loops and other libraries cannot be asked to stop at any moment, and Python runs
no handler while they keep its lock. So nothing is asked: on a signal the working process is killed,
and the waiting one removes the temporary files that it had announced. What is worth keeping is on
disk by then, whole.

Until signals are answered, only modules that Python loads anyway are imported.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

from trailprint.cli.memory import MEMORY, is_memory_limited

#: Signals that ask to stop.
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: How long descendants of a process that has ended may take to follow it.
_PATIENCE_S = 1.0
_ENDED = b"="
_PR_SET_CHILD_SUBREAPER = 36
_CLEAR_LINE_SHOW_CURSOR = b"\r\x1b[2K\x1b[?25h"


def supervise() -> None:
    """
    Go on in a second process, where this returns.

    The first one waits for its end and exits as it does, or with 128 and the number of the signal
    that stopped it.
    """
    signals = _Signals()
    _find_temporary_folder()
    announced, announcing = os.pipe()
    lifeline, held = os.pipe()
    try:
        child = os.fork()
    except OSError:
        # There is room for one process only: it works without being watched.
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
    os._exit(code)


def _find_temporary_folder() -> None:
    """
    Look where temporary files go before there is a process that can be killed.

    Python looks by writing a file, which nobody announces, and keeps what it found.
    """
    import tempfile

    with contextlib.suppress(OSError):
        tempfile.gettempdir()


def say(message: str) -> None:
    """One line on standard error, if anybody reads it."""
    with contextlib.suppress(OSError):
        os.write(2, f"trailprint: {message}\n".encode(errors="backslashreplace"))


def say_ended() -> None:
    """Say in the working process that it ends by itself, and has said what is to be said."""
    from trailprint.system import temporary

    listener = temporary.get_listener()
    if listener is not None:
        with contextlib.suppress(OSError):
            os.write(listener, _ENDED + b"\0")


def fail_for_memory() -> None:
    """Exit with a sentence; at once where somebody tidies up: libraries without memory may hang."""
    from trailprint.system import temporary

    say_ended()
    print(f"trailprint: {MEMORY}", file=sys.stderr, flush=True)  # noqa: T201
    if temporary.get_listener() is None:
        sys.exit(2)
    os._exit(2)


def _silence_libraries() -> None:
    """
    Keep standard error for what the program itself says.

    Libraries that fail, mostly for want of memory, print there in their own words, and so might
    any that prints what it reads.
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
    """Tell the waiting process of temporary files, and never outlive it."""
    from trailprint.system import temporary
    from trailprint.system.child_process import end_with_parent

    end_with_parent(lifeline)
    temporary.announce_to(announcing)


class _Signals:
    """Signals as bytes in a pipe: none is lost, none comes in the middle of anything."""

    def __init__(self) -> None:
        self.mailbox, self._entry = os.pipe()
        os.set_blocking(self.mailbox, False)
        os.set_blocking(self._entry, False)
        signal.set_wakeup_fd(self._entry, warn_on_full_buffer=False)
        # Whoever started us may want a signal ignored, as nohup does.
        asked = [n for n in _STOPPING if signal.getsignal(n) is not signal.SIG_IGN]
        self._before = {n: signal.signal(n, _do_nothing) for n in (*asked, signal.SIGCHLD)}

    def received(self) -> bytes:
        """Numbers of the signals that came since."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.mailbox, 64)
        return b""

    def close(self) -> None:
        """Let signals do what the system lets them do: end the process."""
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.close(self.mailbox)
        os.close(self._entry)


def _do_nothing(number: int, frame: object) -> None:
    """Python writes a signal's number to the pipe only if it has a handler."""


class _Watch:
    """Waits for the working process."""

    def __init__(self, child: int, signals: _Signals, announced: int) -> None:
        self._child, self._signals, self._announced = child, signals, announced
        self._leftovers = Leftovers()

    def wait(self) -> tuple[int, str]:
        """Until everything has ended and is tidy; the exit code, and what is to be said."""
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
        """Take in what was announced; whether there may be more."""
        received = os.read(self._announced, 1 << 16)
        self._leftovers.hear(received)
        return bool(received)

    def _exit_code(self) -> int | None:
        ended, status = os.waitpid(self._child, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if ended else None

    def _tidy(self, is_heard: bool) -> None:
        """Processes that the working one started hold the pipe too, until they have ended."""
        end = time.monotonic() + _PATIENCE_S
        while is_heard and (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self._announced], [], [], left)
            is_heard = not ready or self._hear()
        self._leftovers.remove()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _adopt_orphans() -> None:
    """Let processes whose parent ends become ours: who else takes note of their end may be slow."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Leftovers:
    """
    Temporary files and folders that were announced and not released.

    Attributes
    ----------
    has_ended : bool
        Whether the working process said that it ends by itself: else a library ended it.
    """

    def __init__(self) -> None:
        self._paths: dict[bytes, None] = {}
        self._unread = b""
        self.has_ended = False

    def hear(self, received: bytes) -> None:
        """Take what came through the pipe, in pieces of any length."""
        *messages, self._unread = (self._unread + received).split(b"\0")
        for message in messages:
            if message == _ENDED:
                self.has_ended = True
            elif message[:1] == b"+":
                self._paths[message[1:]] = None
            else:
                self._paths.pop(message[1:], None)

    def remove(self) -> None:
        """Remove whatever is left."""
        for path in self._paths:
            if os.path.isdir(path) and not os.path.islink(path):
                import shutil

                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _explain(code: int, asked: int, has_ended: bool) -> tuple[int, str]:
    """The exit code and the message for the end of the working process."""
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
