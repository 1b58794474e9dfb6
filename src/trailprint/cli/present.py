"""What a person sees: tables on a terminal, one JSON object when asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_json(result: Mapping[str, Any]) -> None:
    """One JSON object on standard output, and nothing else there."""
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_table(title: str, rows: Iterable[tuple[str, object]], notes: Iterable[str] = ()) -> None:
    """Names and values, side by side; notes below."""
    console = Console(highlight=False)
    table = Table(title=title, title_justify="left", show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    for name, value in rows:
        table.add_row(Text(name), Text(show(value)))
    console.print(table)
    for note in notes:
        console.print(Text(note), style="dim")


def show(value: object) -> str:
    """A value as people write it."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"
    return str(value)


def percent(share: float | None) -> str:
    """A share in percent, with one digit."""
    return "—" if share is None else f"{100 * share:.1f} %"
