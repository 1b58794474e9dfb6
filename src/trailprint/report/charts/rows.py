"""
Types of the rows of each kind of chart.

Rows are plain dicts, as Vega-Lite reads them; these types let the type checker see which numbers
reach a chart, and under which name.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class BarRow(TypedDict):
    """A bar: its length, the text at its end, an interval, and a reference value."""

    label: str
    value: float | None
    text: NotRequired[str]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    mark: NotRequired[float | None]
    series: NotRequired[str]


class PeopleRow(TypedDict):
    """A share of a hundred people: how it is drawn, and written in words and as a rate."""

    label: str
    share: float
    text: str
    words: NotRequired[str]
    rate: NotRequired[str]


class LineRow(TypedDict):
    """A point of a line, with its band; ``guess`` is true if it is extrapolated."""

    x: float
    y: float | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    series: NotRequired[str]
    guess: NotRequired[bool]


class ScatterRow(TypedDict):
    """A point with an interval of y and a short label; ``others`` are drawn small at the same x."""

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
    """A cell: its position on two axes of names, a share from 0 to 1, and its text."""

    x: str
    y: str
    share: float
    text: str


class HistogramRow(TypedDict):
    """A bar over the interval it counts."""

    low: float
    high: float
    value: float
    text: NotRequired[str]
