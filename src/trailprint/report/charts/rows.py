"""
What a row of each kind of chart holds.

Rows are plain dicts, as Vega-Lite reads them; these types let the type checker see which numbers
reach a chart, and under which name.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class BarRow(TypedDict):
    """A bar: its length, what is written at its end, an interval, and a value to compare with."""

    label: str
    value: float | None
    text: NotRequired[str]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    mark: NotRequired[float | None]
    series: NotRequired[str]


class PeopleRow(TypedDict):
    """A share of a hundred people: how it is drawn, and how it is told in words and as a rate."""

    label: str
    share: float
    text: str
    words: NotRequired[str]
    rate: NotRequired[str]


class LineRow(TypedDict):
    """A point of a line, with its band; ``guess`` beyond the measurements."""

    x: float
    y: float | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    series: NotRequired[str]
    guess: NotRequired[bool]


class ScatterRow(TypedDict):
    """A point with an interval of y and a short label; ``others`` are drawn small above it."""

    x: float | None
    y: float | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    label: NotRequired[str]
    series: NotRequired[str]
    on_line: NotRequired[bool]
    stressed: NotRequired[bool]
    others: NotRequired[list[float | None]]


class HeatRow(TypedDict):
    """A cell: its place on two axes of names, a share from 0 to 1, and what is written in it."""

    x: str
    y: str
    share: float
    text: str


class HistogramRow(TypedDict):
    """A bar that stands on the interval it counts."""

    low: float
    high: float
    value: float
    text: NotRequired[str]
