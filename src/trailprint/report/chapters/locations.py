"""Which locations give people away."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.findings import Findings
from trailprint.report.blocks import Block, Figure, Prose, Section, Table
from trailprint.report.charts import draw_bars
from trailprint.report.charts.axes import Axis
from trailprint.report.wording import count, people_and_share, percent, sentence, within
from trailprint.studies.findings import LocationFinding, RareLocation

_TITLE = "The most revealing locations"
_MOST = 12


def write_locations(found: Findings) -> Section:
    """Contributions to correct links, and people given away by one rare place."""
    why = found.why
    if why is None:
        return Section(_TITLE, [Prose("What drives the risk was not measured.")], "locations")
    blocks: list[Block] = [Prose(sentence(why.reading))] if why.reading else []
    if why.one_rare_location:
        blocks.append(Prose(_tell_rare(why.one_rare_location)))
    if why.locations:
        blocks.append(_draw(why.locations))
    else:
        blocks.append(Prose("No location contributed to a correct link."))
    if not found.privacy.locations_named:
        blocks.append(Prose("Locations are numbered here; their names were not asked for."))
    return Section(_TITLE, blocks, "locations")


def _tell_rare(rare: RareLocation) -> str:
    return (
        f"One rare location alone gives away {people_and_share(rare)}. Counted are "
        f"{within(sentence(rare.meaning))}"
    )


def _draw(locations: Sequence[LocationFinding]) -> Figure:
    rows = [
        {
            "label": location.label,
            "value": location.contribution,
            "text": percent(location.contribution),
        }
        for location in locations[:_MOST]
    ]
    cells = [
        (
            location.label,
            count(location.users),
            percent(location.contribution),
            signed_change(location.leave_one_out),
        )
        for location in locations
    ]
    shown = f"The {len(rows)} most revealing of {len(cells)} locations listed"
    return Figure(
        title="Locations by what they contribute to correct links",
        summary=f"{shown}. The first contributes {rows[0]['text']}.",
        drawing=draw_bars(rows, Axis("Share of the evidence for correct links", unit="percent")),
        reading="A longer bar means that more of what made correct links stand out happened there. "
        "A few long bars can be removed; many short ones mean that the habits themselves identify.",
        table=Table(
            columns=("Location", "People", "Contribution", "Trail links without it"),
            rows=cells,
            caption="The last column is how the share of people linked by trail matching changes "
            "when the location is left out.",
        ),
    )


def signed_change(change: float | str | None) -> str:
    """A change of a share; a veiled one in words."""
    if change is None:
        return "not measured"
    if isinstance(change, str):
        return count(change) if change == "hidden" else f"{count(change)} people"
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return f"{sign}{percent(abs(change))}"
