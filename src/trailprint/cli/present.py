"""Output for the user: tables on a terminal, or one JSON object."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from trailprint.display.fact_tables import show
from trailprint.display.numbers import format_percent, to_json

_WIDE = 200
"""Width in columns if the output is not a terminal, such as a file or a pipe."""

_SHORT = 16
"""Cells up to this length, such as ``5.4 % to 11.6 %``, are not wrapped."""


def print_json(result: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output, where nothing else is printed."""
    sys.stdout.write(to_json(result) + "\n")


def open_console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or 200 columns without one."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console


def print_line(console: Console, text: str, style: str) -> None:
    """Print a line of prose, wrapped between words on a terminal, else on one line."""
    console.print(Text(text), style=style, soft_wrap=not console.is_terminal)


def print_command(title: str, command: str) -> None:
    """Print a command on one line of any length: a wrapped one could not be copied."""
    console = open_console()
    console.print(Text(f"{title}\n{command}"), soft_wrap=True)


def print_table(
    title: str,
    rows: Iterable[tuple[str, object]],
    notes: Iterable[str] = (),
    *,
    is_prose: bool = False,
) -> None:
    """Print names and values side by side, with notes below; prose is left-aligned."""
    console = open_console()
    print_line(console, title, "bold")
    shown = [(name, show(value)) for name, value in rows]
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", min_width=_least_width(name for name, _ in shown))
    table.add_column(
        justify="left" if is_prose else "right",
        min_width=_least_width(value for _, value in shown),
    )
    for name, value in shown:
        table.add_row(Text(name), Text(value))
    console.print(table, crop=False)
    for note in notes:
        print_line(console, note, "dim")


def print_rows(title: str, rows: Sequence[Mapping[str, object]], *, most: int) -> None:
    """Print a table of many columns; rows beyond ``most`` are only in --json."""
    console = open_console()
    print_line(console, title, "bold")
    table = Table(box=None, pad_edge=False)
    shown = [[show(value) for value in row.values()] for row in rows[:most]]
    for number, name in enumerate(rows[0]):
        heading = name.replace("_", " ")
        least = _least_width([*heading.split(), *(row[number] for row in shown)])
        table.add_column(heading, justify="right", min_width=least)
    for row in shown:
        table.add_row(*map(Text, row))
    console.print(table, crop=False)
    if len(rows) > most:
        print_line(console, f"… and {len(rows) - most:,} more rows with --json", "dim")


def _least_width(cells: Iterable[str]) -> int:
    """Width that keeps short cells whole, and the words of long ones."""
    pieces = (piece for cell in cells for piece in _pieces(cell))
    return max(map(cell_len, pieces), default=0)


def _pieces(cell: str) -> list[str]:
    return [cell] if len(cell) <= _SHORT else cell.split()


def percent(share: float | None) -> str:
    """A share in percent."""
    return "—" if share is None else format_percent(share)
