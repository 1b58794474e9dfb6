"""Ctrl-C at a bad moment waits for a better one.

While Numba compiles or loads kernels, Python code is called from within LLVM. An exception raised
there is lost, or worse, so the signal is sent again until the compiler has finished.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

AGAIN_S = 0.05


def handle_interrupts() -> None:
    """Answer Ctrl-C as Python does, but not in the middle of compiling."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _is_compiling():
        signal.default_int_handler(number, frame)
    later = threading.Timer(AGAIN_S, os.kill, (os.getpid(), number))
    later.daemon = True
    later.start()


def _is_compiling() -> bool:
    """Whether this thread holds Numba's compiler; what was never imported cannot."""
    compiler = sys.modules.get("numba.core.compiler_lock")
    return compiler is not None and bool(compiler.global_compiler_lock.is_locked())
