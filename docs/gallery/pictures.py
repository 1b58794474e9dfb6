"""Charts of the report, shown in a notebook: one picture with a title and a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trailprint.report.blocks import Figure, Key, Table
from trailprint.report.charts import Axis, draw_bars, draw_lines, draw_scatter
from trailprint.report.charts.svg import Drawing
from trailprint.report.papers_figure import write_svg

SHARE = Axis("people linked correctly", unit="percent", low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A drawing that notebooks show."""

    title: str
    drawing: Drawing
    keys: dict[str, str] = field(default_factory=dict)

    def _repr_svg_(self) -> str:
        legend = [Key(series, label) for series, label in self.keys.items()]
        figure = Figure(
            title=self.title,
            summary=self.title,
            drawing=self.drawing,
            reading="",
            table=Table(columns=(), rows=()),
            legend=legend,
        )
        return write_svg(figure)


def bars(title: str, rows: list[dict[str, Any]], axis: Axis = SHARE) -> Picture:
    """One bar for each row; see `draw_bars`."""
    return Picture(title=title, drawing=draw_bars(rows, axis))


def lines(title: str, rows: list[dict[str, Any]], x: Axis, y: Axis = SHARE, **keys: str) -> Picture:
    """Lines through points; ``keys`` names the series. See `draw_lines`."""
    return Picture(title=title, drawing=draw_lines(rows, x, y), keys=keys)


def points(title: str, rows: list[dict[str, Any]], x: Axis, y: Axis = SHARE) -> Picture:
    """Points with a short text each; see `draw_scatter`."""
    return Picture(title=title, drawing=draw_scatter(rows, x, y))
