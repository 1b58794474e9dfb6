"""
The program's version and top-level help, printed without loading anything else.

Printing them takes little longer than starting the interpreter.
"""

from __future__ import annotations

import os
import sys

# Not from typing: only modules that Python itself has loaded are imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = "trailprint"
ABOUT = "How many people in a behavioural dataset could be re-identified, and why."
VERSION_HELP = "Print the version and stop."

#: Description of each command, in the order of the help; a test checks that they match.
COMMANDS = {
    "demo": "Simulate a small campus, audit it and write a report: nobody in it exists.",
    "audit": "Audit a dataset: every attack, controls, growth, protections and one report.",
    "inspect": "Say what is in a dataset: users, locations, events, span, and what could not be "
    "read.",
    "split": "Cut one dataset in two: what would be released, and what an adversary might know.",
    "match": "Match two datasets by their users' habits: how many could be re-identified?",
    "trails": "Match lists of pseudonyms and lists of names by the places they appear at.",
    "correlate": "Match a few days of a person's visits to a log: which record is theirs?",
    "points": "Say what a few known places and times reveal: unicity, worst case, singling out.",
    "protect": "Apply protections in order: what do they cost, and which risk remains?",
    "compare": "Compare audits: risk with paired tests, loss, what changed, growth.",
    "app": "Open a page in the browser: choose data, audit, watch, read, protect, compare.",
    "simulate": "Make a synthetic population: no real people, and the true matches are known.",
    "reproduce": "Run experiments of the papers, on simulated people or on your own copies of "
    "the data.",
    "layouts": "List the known research layouts, for --layout.",
}
_OPTIONS = {
    "--version": VERSION_HELP,
    "--install-completion": "Let the current shell complete commands and options.",
    "--show-completion": "Print what --install-completion would install.",
    "--help, -h": "Show this message and exit.",
}
#: Environment variable set by a shell that requests completions.
COMPLETING = "_TRAILPRINT_COMPLETE"
_USUAL_WIDTH = 100


def answer(arguments: Sequence[str]) -> bool:
    """Handle ``--version``, ``--help`` and empty arguments; return False for all others."""
    if COMPLETING in os.environ:
        return False
    if not arguments or list(arguments) in (["--help"], ["-h"]):
        return _print(write_help(terminal_width()))
    if list(arguments) == ["--version"]:
        from trailprint import __version__

        return _print(f"{__version__}\n")
    return False


def write_help(width: int) -> str:
    """The top-level help text."""
    lines = [f"Usage: {NAME} [OPTIONS] COMMAND …", "", *_wrap(ABOUT, width)]
    for title, rows in (("Options", _OPTIONS), ("Commands", COMMANDS)):
        left = max(map(len, rows)) + 4
        lines += ["", f"{title}:"]
        for name, meaning in rows.items():
            first, *others = _wrap(meaning, width - left)
            lines += [f"  {name:<{left - 2}}{first}", *(" " * left + line for line in others)]
    more = f"{NAME} COMMAND --help says what a command takes, with an example."
    return "\n".join([*lines, "", *_wrap(more, width), ""])


def _wrap(text: str, width: int) -> Iterator[str]:
    """Lines of whole words; a word longer than a line stands alone."""
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def terminal_width() -> int:
    """Width for text: that of the terminal, between 50 and 100 columns."""
    try:
        wanted = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        wanted = _USUAL_WIDTH
    return min(max(wanted, 50), _USUAL_WIDTH)


def _print(text: str) -> bool:
    """Print text; return False on failure, so that the full program reports the error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        return False
    return True
