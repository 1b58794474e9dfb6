"""A hundred people as dots: how many of them an adversary links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from trailprint.report.charts.rows import PeopleRow
from trailprint.report.charts.style import FONT_SIZES, WIDTHS, light
from trailprint.report.charts.svg import Drawing, Picture, isolate

_HUNDRED = 100
_DOT = 0.74
_SPECK = 0.3
"""Widths of a dot and of the speck for less than one person in a hundred, as shares of a step."""
_TEXT_HEIGHT = 40
"""Height of the two lines of text above the dots, in pixels."""


class _Crowd(NamedTuple):
    """Layout of a hundred dots: the number of columns, and the distance between dots."""

    n_columns: int
    step: float


_CROWDS = {"wide": _Crowd(20, 11.5), "narrow": _Crowd(10, 10.5)}


def draw_people(rows: Sequence[PeopleRow]) -> Drawing:
    """
    Draw a hundred dots for each row, side by side; at most three rows fit a phone.

    Reads ``label``, ``text`` (the share in words) and ``share`` (how many dots are dark). If the
    share is positive but rounds to zero dots, one dot has a dark speck.
    """
    return Drawing(pictures=tuple(_draw(rows, variant) for variant in _CROWDS))


def _draw(rows: Sequence[PeopleRow], variant: str) -> Picture:
    crowd, width = _CROWDS[variant], WIDTHS[variant]
    panel = width / max(len(rows), 1)
    inside = [
        f'<g transform="translate({index * panel:.1f},0)">{_write(row, crowd, variant)}</g>'
        for index, row in enumerate(rows)
    ]
    height = _TEXT_HEIGHT + crowd.step * (_HUNDRED // crowd.n_columns)
    return Picture(variant=variant, width=width, height=height, inside=Markup("".join(inside)))


def _write(row: PeopleRow, crowd: _Crowd, variant: str) -> str:
    n_dark = round(_HUNDRED * row["share"])
    part_of_one = row["share"] > 0 and n_dark == 0
    size = FONT_SIZES[variant]
    return (
        _text(row["label"], size, "normal", "muted", y=size)
        + _text(row["text"], size, "bold", "ink", y=2.3 * size)
        + _dots(range(n_dark, _HUNDRED), crowd, "line")
        + _dots(range(n_dark), crowd, "a")
        + (_dots(range(1), crowd, "a", fill=_SPECK) if part_of_one else "")
    )


def _text(text: str, size: float, weight: str, part: str, *, y: float) -> str:
    look = f'font-size="{size}" font-weight="{weight}" fill="{light(part)}" class="f-{part}"'
    return f'<text y="{y:.1f}" {look}>{Markup.escape(isolate(text))}</text>'


def _dots(numbers: range, crowd: _Crowd, part: str, *, fill: float = _DOT) -> str:
    """Draw dots in one path, as lines of zero length with round ends."""
    places = [divmod(number, crowd.n_columns) for number in numbers]
    if not places:
        return ""
    path = "".join(
        f"M{(column + 0.5) * crowd.step:g},{_TEXT_HEIGHT + (row + 0.5) * crowd.step:g}h0"
        for row, column in places
    )
    look = f'stroke-width="{fill * crowd.step:.1f}" stroke-linecap="round" stroke="{light(part)}"'
    return f'<path d="{path}" {look} class="s-{part}"></path>'
