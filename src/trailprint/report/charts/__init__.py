"""
Charts of a page: tidy rows in, a drawing out.

Rows are plain dicts of the types in `rows`. Every function documents the keys it reads; if a key
is missing or None, its part is not drawn. Charts are described as Vega-Lite in plain dicts.
"""

from trailprint.report.charts.axes import Axis
from trailprint.report.charts.bars import draw_bars
from trailprint.report.charts.frame import Mark, Rows
from trailprint.report.charts.heat import draw_heat
from trailprint.report.charts.histogram import draw_histogram
from trailprint.report.charts.lines import draw_lines
from trailprint.report.charts.people import draw_people
from trailprint.report.charts.scatter import draw_scatter

__all__ = [
    "Axis",
    "Mark",
    "Rows",
    "draw_bars",
    "draw_heat",
    "draw_histogram",
    "draw_lines",
    "draw_people",
    "draw_scatter",
]
