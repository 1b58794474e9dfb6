"""Where the program starts: signals are answered first, then everything else is loaded."""

from __future__ import annotations

from trailprint.cli.supervisor import supervise


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
    if arguments is None:
        supervise()
    from trailprint.cli.app import run

    run(arguments)
