"""
The command reference, written from the program's own help.

``python -m trailprint.cli.reference docs/reference/commands.md`` writes it; with ``--check`` it
only says whether the file is up to date. The text depends on the commands alone, not on a terminal.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from trailprint.cli.app import build_app

WIDTH = 100

_INDENT = 2
_LONGEST_NAME = 28
_KINDS = {bool: "", int: "NUMBER", float: "NUMBER", str: "TEXT"}
_HEAD = """\
# Commands

This page is written from the program's own help by `make reference`; a test fails when the two
differ. Every command also understands `--help` (or `-h`). Exit codes: 0 for success, 2 for input or
options that cannot be used (one sentence on standard error), 1 for a defect of Trailprint.
"""


def render() -> str:
    """The whole reference as Markdown."""
    program: Any = typer.main.get_command(build_app())
    sections = [_HEAD, _section(_title(program), _program(program))]
    for name, command in _commands(program):
        sections.append(_section(f"{_title(program)} {name}", _command(program, command)))
    return "\n".join(sections)


def without_help() -> list[str]:
    """Commands, arguments and options that say nothing about themselves."""
    program: Any = typer.main.get_command(build_app())
    silent = [] if program.help else [_title(program)]
    for name, command in [("", program), *_commands(program)]:
        if not command.help:
            silent.append(name)
        silent += [f"{name} {_names(p)}".strip() for p in command.params if not p.help]
    return silent


def _title(program: Any) -> str:
    return str(program.name)


def _commands(program: Any) -> Iterator[tuple[str, Any]]:
    return ((name, command) for name, command in program.commands.items() if not command.hidden)


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", "", "```text", *lines, "```", ""])


def _program(program: Any) -> list[str]:
    commands = [(name, command.help) for name, command in _commands(program)]
    options = [(_names(parameter), parameter.help) for parameter in program.params]
    return [
        f"Usage: {program.name} [OPTIONS] COMMAND …",
        "",
        *_wrap(program.help),
        *_panel("Options", options),
        *_panel("Commands", commands),
    ]


def _command(program: Any, command: Any) -> list[str]:
    lines = [*_usage(program, command), "", *_wrap(_first_paragraph(command.help))]
    hints = _hints(command.name)
    for panel, parameters in _panels(command).items():
        rows = [(_with_kind(p, hints), _with_rule(p)) for p in parameters]
        lines += _panel(panel, rows)
    return [*lines, "", *_example(command.epilog)] if command.epilog else lines


def _example(epilog: str) -> list[str]:
    """The example on lines that can be pasted into a shell."""
    pieces = _wrap(epilog, WIDTH - 2, indent=10)
    return [piece + " \\" for piece in pieces[:-1]] + pieces[-1:]


def _wrap(text: str, width: int = WIDTH, indent: int = 0) -> list[str]:
    """Lines of at most ``width``; a word such as ``--active-both`` stays whole."""
    return textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def _first_paragraph(text: str) -> str:
    return inspect.cleandoc(text).split("\n\n")[0]


def _usage(program: Any, command: Any) -> list[str]:
    """How the command is typed: its arguments and the options it cannot do without."""
    words = [f"Usage: {program.name} {command.name}"]
    hints = _hints(command.name)
    for parameter in command.params:
        if _is_argument(parameter):
            name = _names(parameter)
            words.append(name if parameter.required else f"[{name}]")
    for parameter in command.params:
        if not _is_argument(parameter) and parameter.required:
            words.append(_with_kind(parameter, hints))
    return _wrap(" ".join([*words, "[OPTIONS]"]), indent=4)


def _panels(command: Any) -> dict[str, list[Any]]:
    """Parameters by the panel of the help they stand in, in the order they are declared."""
    panels: dict[str, list[Any]] = {}
    for parameter in command.params:
        if not parameter.hidden:
            usual = "Arguments" if _is_argument(parameter) else "Options"
            panels.setdefault(parameter.rich_help_panel or usual, []).append(parameter)
    return panels


def _is_argument(parameter: Any) -> bool:
    return not parameter.opts[0].startswith("-")


def _names(parameter: Any) -> str:
    """``DATA`` or ``--at``; an argument's brackets belong to the usage line."""
    if _is_argument(parameter):
        return str(parameter.metavar or parameter.name.upper()).strip("[]")
    return ", ".join([*parameter.opts, *parameter.secondary_opts])


def _with_kind(parameter: Any, hints: dict[str, Any]) -> str:
    if _is_argument(parameter):
        return _names(parameter)
    kind = parameter.metavar or _KINDS[_plain(hints[parameter.name])]
    return f"{_names(parameter)} {kind}".rstrip()


def _with_rule(parameter: Any) -> str:
    notes = [parameter.help or ""]
    if parameter.required:
        notes.append("Required.")
    if parameter.show_default and parameter.default not in (None, False):
        notes.append(f"Default: {parameter.default}.")
    return " ".join(notes)


def _hints(name: str) -> dict[str, Any]:
    """The types a command declares for its parameters."""
    declared = next(known for known in build_app().registered_commands if known.name == name)
    assert declared.callback is not None  # Every command has a function.
    return typing.get_type_hints(declared.callback)


def _plain(hint: Any) -> type:
    """``int`` for ``int | None``."""
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
    return typing.cast(type, hint)


def _panel(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    """Two columns: names on the left, what they mean wrapped on the right."""
    if not rows:
        return []
    left = min(max(len(name) for name, _ in rows), _LONGEST_NAME) + _INDENT + 2
    lines = ["", f"{title}:"]
    for name, meaning in rows:
        wrapped = _wrap(meaning, WIDTH - left) or [""]
        lines.append(f"{' ' * _INDENT}{name:<{left - _INDENT}}{wrapped[0]}".rstrip())
        lines += [f"{' ' * left}{line}" for line in wrapped[1:]]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the reference; the exit code."""
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
