"""The chart of a risk that several results share."""

from __future__ import annotations

from trailprint.display.plots import Plot, draw_bars
from trailprint.evaluation.risk import Risk


def plot_risk(risk: Risk) -> Plot:
    """Draw the share of people linked correctly, next to chance."""
    low, high = risk.accuracy_interval or (None, None)
    rows = [
        {"name": "linked correctly", "share": risk.accuracy, "low": low, "high": high},
        {"name": "by chance", "share": risk.chance},
    ]
    return draw_bars([row for row in rows if row["share"] is not None], "name", "share")
