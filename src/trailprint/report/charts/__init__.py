"""
The kinds of chart a page may hold: tidy rows in, a drawing out.

Rows are plain dicts of the types in `rows`. Every function says which keys it reads; a key that is
missing or None leaves its part undrawn. Descriptions are Vega-Lite, written as the dicts they are.
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
