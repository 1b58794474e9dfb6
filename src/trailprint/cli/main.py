"""Where the program starts: signals are answered first, then everything else is loaded."""

from __future__ import annotations

import sys

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
    _check_system()
    if arguments is None:
        from trailprint.cli.supervisor import supervise

        supervise()
    from trailprint.cli.app import run

    run(arguments)


def _check_system() -> None:
    try:
        require_private_files()
    except TrailprintError as error:
        sys.stderr.write(f"trailprint: {error}\n")
        sys.exit(2)
