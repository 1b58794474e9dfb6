"""Risk against how much an adversary knows of each person."""

from __future__ import annotations

from trailprint.report.blocks import Figure, Key, Table
from trailprint.report.charts import Mark, draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import LineRow
from trailprint.report.wording import (
    capital,
    count,
    describe_masked,
    highest,
    percent,
    rate,
    rate_interval,
    sentence,
)
from trailprint.studies.growth.findings import AmountGrowth, AmountPoint

_SERIES = {"points": "a", "days": "b", "top": "c", "home-work": "d"}
_NAMES = {
    "a": "Events drawn at random",
    "b": "Days drawn at random",
    "c": "Most visited places",
    "d": "Home and work",
}


def draw_amount(study: AmountGrowth) -> Figure:
    """Draw a line for each kind of knowledge, and full knowledge as a reference line."""
    drawn = [point for point in study.points if point.kind in _SERIES]
    rows: list[LineRow] = [
        {
            "x": point.x,
            "y": highest(point),
            "low": point.low,
            "high": point.high,
            "series": _SERIES[point.kind],
        }
        for point in drawn
    ]
    used = sorted({_SERIES[point.kind] for point in drawn})
    first, last = study.points[0], study.points[-1]
    return Figure(
        title=study.title,
        summary=f"From {first.label} ({rate(first)} linked) to {last.label} ({rate(last)} linked).",
        drawing=draw_lines(
            rows,
            Axis("Events known of a person, on average", kind="log"),
            Axis("People linked", unit="percent"),
            marks=_mark_everything(study),
        ),
        reading=f"{sentence(study.reading)} The band is the 95 % interval. This is linking with "
        "less knowledge of another period, and can be compared with the attacks on this page."
        f"{describe_masked(study.points)}",
        table=Table(
            columns=(
                "Known",
                "Events, mean",
                "People linked",
                "95 % interval",
                "People with fewer",
            ),
            rows=[_cells(point) for point in study.points],
            caption="“People with fewer” have fewer events, days or places than the row says: "
            "everything about them is known",
        ),
        legend=[Key(series, _NAMES[series]) for series in used],
    )


def _mark_everything(study: AmountGrowth) -> list[Mark]:
    whole = [point for point in study.points if point.kind == "everything"]
    return [
        Mark(share, f"Everything: {percent(share)}")
        for share in map(highest, whole)
        if share is not None
    ]


def _cells(point: AmountPoint) -> tuple[str, ...]:
    ends = None if point.low is None or point.high is None else (point.low, point.high)
    return (
        capital(point.label),
        f"{point.x:,.1f}",
        rate(point),
        rate_interval(ends, point.at_most),
        count(point.people_with_less),
    )
