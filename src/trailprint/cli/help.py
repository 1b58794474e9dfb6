"""
A command's help: its arguments and flags under their headings, as plain lines.

The command reference uses the same lines, so the help and the documentation cannot differ.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from trailprint.cli.front import terminal_width, write_help
from trailprint.errors import OptionError

_INDENT = 2
_LONGEST_NAME = 28
_HELP = ("--help, -h", "Show this message and exit.")


#: A shell may expand a pattern to files that are named after people: do not print them.
_TOO_MANY = (
    "A command takes only the files its help names, but more words were given. Put a pattern such "
    "as 'data/*.csv' in quotes, so that the shell leaves it as it is."
)


class PlainProgram(TyperGroup):
    """The program, whose help is always that of `write_help`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help in the width of the terminal."""
        formatter.write(write_help(terminal_width()))


class PlainCommand(TyperCommand):
    """A command that shows its help as `render_command` writes it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; the error on words that are left over does not repeat them."""
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            raise OptionError(_TOO_MANY)
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help in the width of the terminal."""
        program = ctx.parent.info_name if ctx.parent else "trailprint"
        formatter.write("\n".join(render_command(program, self, terminal_width())) + "\n")


def render_command(program: str, command: Any, width: int) -> list[str]:
    """Lines of at most ``width``: usage, description, flags by heading, an example."""
    lines = [*_usage(program, command, width), "", *wrap(_first_paragraph(command.help), width)]
    for title, parameters in _panels(command).items():
        lines += render_panel(title, [(_with_kind(p), _with_rule(p)) for p in parameters], width)
    lines += render_panel("Help", [_HELP], width)
    return [*lines, "", *_example(command.epilog, width)] if command.epilog else lines


def render_panel(title: str, rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Lines of two columns: names on the left, wrapped descriptions on the right."""
    if not rows:
        return []
    left = min(max(len(name) for name, _ in rows), _LONGEST_NAME) + _INDENT + 2
    lines = ["", f"{title}:"]
    for name, meaning in rows:
        first, *others = wrap(meaning, width - left) or [""]
        lines.append(f"{' ' * _INDENT}{name:<{left - _INDENT}}{first}".rstrip())
        lines += [f"{' ' * left}{line}" for line in others]
    return lines


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """Lines of at most ``width``; a word such as ``--active-both`` stays whole."""
    return textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def names_of(parameter: Any) -> str:
    """Name of a parameter, such as ``DATA`` or ``--at``, without brackets."""
    if _is_argument(parameter):
        return str(parameter.metavar or parameter.name.upper()).strip("[]")
    return ", ".join([*parameter.opts, *parameter.secondary_opts])


def _example(epilog: str, width: int) -> list[str]:
    """The example, wrapped into lines that can be pasted into a shell."""
    pieces = wrap(epilog, width - 2, indent=10)
    return [piece + " \\" for piece in pieces[:-1]] + pieces[-1:]


def _first_paragraph(text: str) -> str:
    return inspect.cleandoc(text).split("\n\n")[0]


def _usage(program: str, command: Any, width: int) -> list[str]:
    """The usage line: arguments and required options."""
    words = [f"Usage: {program} {command.name}"]
    for parameter in filter(_is_argument, command.params):
        name = names_of(parameter)
        words.append(name if parameter.required else f"[{name}]")
    for parameter in command.params:
        if not _is_argument(parameter) and parameter.required:
            words.append(_with_kind(parameter))
    return wrap(" ".join([*words, "[OPTIONS]"]), width, indent=4)


def _panels(command: Any) -> dict[str, list[Any]]:
    """Parameters by panel of the help, in the order of declaration."""
    panels: dict[str, list[Any]] = {}
    for parameter in command.params:
        if not parameter.hidden:
            usual = "Arguments" if _is_argument(parameter) else "Options"
            panels.setdefault(parameter.rich_help_panel or usual, []).append(parameter)
    return panels


def _is_argument(parameter: Any) -> bool:
    return not parameter.opts[0].startswith("-")


def _with_kind(parameter: Any) -> str:
    """A flag with the placeholder of its value; a switch has none."""
    if _is_argument(parameter):
        return names_of(parameter)
    return f"{names_of(parameter)} {parameter.metavar or ''}".rstrip()


def _with_rule(parameter: Any) -> str:
    return f"{parameter.help or ''}{' Required.' if parameter.required else ''}"
