"""Small tables of names and values for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from trailprint.display.numbers import format_number


def write_facts(rows: Iterable[tuple[str, object]], notes: Iterable[str] = ()) -> str:
    """Return an HTML table of names and values with notes below it; all text is escaped."""
    lines = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f"<td>{escape(show(value))}</td></tr>"
        for name, value in rows
    )
    below = "".join(f"<p><small>{escape(note)}</small></p>" for note in notes)
    return f"<table>{lines}</table>{below}"


def show(value: object) -> str:
    """Return a value formatted for people."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value)
    return str(value)
