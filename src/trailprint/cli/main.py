"""Entry point: set up signal handling first, then load everything else."""

from __future__ import annotations

import os
import sys

from trailprint.cli import stopwatch
from trailprint.cli.failure_file import write_failure
from trailprint.cli.front import answer


def main(arguments: list[str] | None = None) -> None:
    """
    Run the program; exit with 0 for success, 2 for bad input, 1 for an internal error.

    Parameters
    ----------
    arguments : list of str, optional
        Arguments to run in this process, which then handles signals itself. By default, those of
        the command line run in a separate process, which SIGINT, SIGTERM and SIGHUP end with exit
        codes 130, 143 and 129.
    """
    stopwatch.start()
    given = sys.argv[1:] if arguments is None else arguments
    if answer(given):
        sys.exit(0)
    import signal

    _check_system()
    if arguments is None:
        # Until handlers are set, Ctrl-C ends the program without a traceback.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from trailprint.cli.supervisor import supervise

        # Each linear algebra thread takes memory, and there is hardly any linear algebra.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        supervise()
    _load(given)
    from trailprint.cli.program import run
    from trailprint.cli.supervisor import say_ended

    try:
        run(arguments)
    finally:
        say_ended()


def _check_system() -> None:
    from trailprint.errors import TrailprintError
    from trailprint.system.platforms import require_private_files

    try:
        require_private_files()
    except TrailprintError as error:
        sys.stderr.write(f"trailprint: {error.for_command_line()}\n")
        write_failure(2, error.for_command_line())
        sys.exit(2)


def _load(arguments: list[str]) -> None:
    """Load what the command needs, or exit with an error if there is too little memory."""
    from trailprint.cli import memory, supervisor

    before = memory.limit_loading()
    try:
        from trailprint.cli.program import find_program

        find_program(arguments)
    except Exception as error:
        if not (memory.is_short_of_memory(error) or memory.is_memory_limited()):
            raise
        supervisor.fail_for_memory()
    memory.end_loading(before)
