"""How the risk is distributed over people."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import lower_first
from trailprint.evaluation.per_user import RiskBin
from trailprint.report.blocks import Block, Figure, Prose, Section, Table
from trailprint.report.charts import draw_histogram
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import HistogramRow
from trailprint.report.wording import count, percent, sentence

_TITLE = "Risk from person to person"


def write_people(found: Findings) -> Section:
    """Write the distribution of per-user risk."""
    per_user = found.per_user
    if per_user is None or not per_user.bins:
        missing: list[Block] = [Prose("The risk of single people was not measured.")]
        return Section(_TITLE, missing, "people")
    blocks: list[Block] = [
        Prose(
            "An average hides people: the same rate may mean a small risk for everybody, or "
            f"certainty for a few. Risk here means {lower_first(sentence(per_user.meaning))}"
        ),
        _draw(per_user.bins, found.privacy.small_count_threshold),
    ]
    return Section(_TITLE, blocks, "people")


def _draw(bins: Sequence[RiskBin], threshold: int) -> Figure:
    rows: list[HistogramRow] = [
        {"low": b.low, "high": b.high, "value": b.people, "text": count(b.people)} for b in bins
    ]
    last = bins[-1]
    cells = [(f"{percent(b.low)} to {percent(b.high)}", count(b.people)) for b in bins]
    return Figure(
        title="How many people run which risk",
        summary=f"{len(bins)} bars from {percent(bins[0].low)} to {percent(last.high)} risk; "
        f"the tallest holds {count(last.people)} people.",
        drawing=draw_histogram(rows, Axis("Risk of being linked", unit="percent"), Axis("People")),
        reading="Each bar counts the people whose risk lies in its range. Bars at the far right "
        f"are people who are nearly always linked. {_describe_joined(bins, threshold)}".strip(),
        table=Table(columns=("Risk", "People"), rows=cells, caption="People by their risk"),
    )


def _describe_joined(bins: Sequence[RiskBin], threshold: int) -> str:
    widths = {round(b.high - b.low, 9) for b in bins}
    if len(widths) == 1:
        return ""
    return f"Wide bars join neighbouring ranges, so that none counts fewer than {threshold} people."
