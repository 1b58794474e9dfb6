"""
The command reference, written from the program's own help.

``python -m trailprint.cli.reference docs/reference/commands.md`` writes it; with ``--check`` it
only says whether the file is up to date. The text depends on the commands alone, not on a terminal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trailprint.cli.front import write_help
from trailprint.cli.help import names_of, render_command
from trailprint.cli.program import build_program

WIDTH = 100

_HEAD = """\
# Commands

This page is written from the program's own help by `make reference`; a test fails when the two
differ. Every command also understands `--help` (or `-h`). Exit codes: 0 for success, 2 for input or
options that cannot be used (one sentence on standard error), 3 for a risk above `--fail-above`,
1 for a defect of Trailprint, and 129, 130 or 143 when SIGHUP, SIGINT (Ctrl-C) or SIGTERM ends it.
"""


def render() -> str:
    """The whole reference as Markdown."""
    program: Any = build_program()
    sections = [_HEAD, _section(_title(program), write_help(WIDTH).splitlines())]
    for name, command in _commands(program):
        sections.append(
            _section(f"{_title(program)} {name}", render_command(_title(program), command, WIDTH))
        )
    return "\n".join(sections)


def without_help() -> list[str]:
    """Commands, arguments and options without help."""
    program: Any = build_program()
    silent = [] if program.help else [_title(program)]
    for name, command in [("", program), *_commands(program)]:
        if not command.help:
            silent.append(name)
        silent += [f"{name} {names_of(p)}".strip() for p in command.params if not p.help]
    return silent


def _title(program: Any) -> str:
    return str(program.name)


def _commands(program: Any) -> Iterator[tuple[str, Any]]:
    return ((name, command) for name, command in program.commands.items() if not command.hidden)


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", "", "```text", *lines, "```", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the reference; return the exit code."""
    parser = argparse.ArgumentParser(description="Write the command reference from the help.")
    parser.add_argument("file", type=Path, help="where the reference goes")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args(arguments)
    text = render()
    if not given.check:
        given.file.parent.mkdir(parents=True, exist_ok=True)
        given.file.write_text(text, encoding="utf-8")
        return 0
    if given.file.is_file() and given.file.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{given.file} must equal the program's help: run make reference.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
