"""Where the program starts: signals are answered first, then everything else is loaded."""

from __future__ import annotations

import os
import signal
import sys

from trailprint.cli import stopwatch
from trailprint.errors import TrailprintError
from trailprint.platforms import require_private_files


def main(arguments: list[str] | None = None) -> None:
    """
    Run the program, and exit with 0 for success, 2 for bad input, 1 for a defect of ours.

    Parameters
    ----------
    arguments : list of str, optional
        Run them in this very process, whose affair signals then are. By default those of the
        command line are run in a process of their own, and SIGINT, SIGTERM and SIGHUP end it with
        130, 143 and 129.
    """
    stopwatch.start()
    _check_system()
    if arguments is None:
        # Until there are handlers, Ctrl-C ends the program without a traceback.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from trailprint.cli.supervisor import supervise

        # Threads for linear algebra take memory each, and there is next to none of it.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        supervise()
    _load()
    from trailprint.cli.app import run
    from trailprint.cli.supervisor import say_ended

    try:
        run(arguments)
    finally:
        say_ended()


def _check_system() -> None:
    try:
        require_private_files()
    except TrailprintError as error:
        sys.stderr.write(f"trailprint: {error}\n")
        sys.exit(2)


def _load() -> None:
    """Load everything else, or say that there is too little memory for it."""
    from trailprint.cli import memory, supervisor

    before = memory.limit_loading()
    try:
        import trailprint.cli.app  # noqa: F401
    except Exception as error:
        if not (memory.is_short_of_memory(error) or memory.is_memory_limited()):
            raise
        supervisor.fail_for_memory()
    memory.end_loading(before)
