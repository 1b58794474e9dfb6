"""
The kinds of chart a page may hold: tidy rows in, a drawing out.

Rows are plain dicts. Every function says which keys it reads; a key that is missing or None leaves
its part undrawn. Descriptions are Vega-Lite, written as the dicts they are.
"""

from trailprint.report.axes import Axis
from trailprint.report.chart_bars import draw_bars
from trailprint.report.chart_frame import Mark, Rows
from trailprint.report.chart_heat import draw_heat
from trailprint.report.chart_histogram import draw_histogram
from trailprint.report.chart_lines import draw_lines
from trailprint.report.chart_people import draw_people
from trailprint.report.chart_scatter import draw_scatter

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
