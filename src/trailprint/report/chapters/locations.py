"""Which locations identify people."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import lower_first
from trailprint.report.blocks import Block, Figure, Prose, Section, Table
from trailprint.report.charts import draw_bars
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.maps import draw_map
from trailprint.report.charts.rows import BarRow
from trailprint.report.wording import count, people_and_share, percent, sentence
from trailprint.studies.findings import LocationFinding, LocationMap, MapPlace, RareLocation

_TITLE = "The most revealing locations"
_MOST = 12


def write_locations(found: Findings) -> Section:
    """Write contributions to correct links, and people identified by one rare place."""
    why = found.why
    if why is None:
        return Section(_TITLE, [Prose("What drives the risk was not measured.")], "locations")
    blocks: list[Block] = [Prose(sentence(why.reading))] if why.reading else []
    if why.one_rare_location:
        blocks.append(Prose(_describe_rare(why.one_rare_location)))
    if why.locations:
        blocks.append(_draw(why.locations, _title_without(found)))
    else:
        blocks.append(Prose("No location contributed to a correct link."))
    if why.map is not None and why.map.places:
        blocks += _draw_maps(why.map, found.privacy.small_count_threshold)
    if not found.privacy.locations_named:
        blocks.append(Prose("Locations are numbered here; --name-locations shows their names."))
    return Section(_TITLE, blocks, "locations")


def _describe_rare(rare: RareLocation) -> str:
    return (
        f"One rare location alone gives away {people_and_share(rare)}. These are "
        f"{lower_first(sentence(rare.meaning))}"
    )


def _title_without(found: Findings) -> str | None:
    """Return the title of the attack whose links are counted without each location, if any."""
    attack = None if found.why is None else found.why.leave_one_out_attack
    return None if attack is None else lower_first(found.attack_titles.get(attack, attack))


def _draw(locations: Sequence[LocationFinding], without: str | None) -> Figure:
    rows: list[BarRow] = [
        {
            "label": location.label,
            "value": location.contribution,
            "text": percent(location.contribution),
        }
        for location in locations[:_MOST]
    ]
    shown = f"The {len(rows)} most revealing of {len(locations)} locations listed"
    return Figure(
        title="Locations by what they contribute to correct links",
        summary=f"{shown}. The first contributes {rows[0]['text']}.",
        drawing=draw_bars(rows, Axis("Share of the evidence for correct links", unit="percent")),
        reading="A longer bar means that more of what made correct links stand out happened there. "
        "A few long bars can be removed; many short ones mean that the habits themselves identify.",
        table=_list_locations(locations, without),
    )


def _list_locations(locations: Sequence[LocationFinding], without: str | None) -> Table:
    """List locations, with the change without each of them if an attack measured it."""
    rows = [(one.label, count(one.users), percent(one.contribution)) for one in locations]
    columns = ("Location", "People", "Contribution")
    if without is None:
        return Table(columns=columns, rows=rows, caption="What each location contributes")
    changes = [signed_change(location.leave_one_out) for location in locations]
    return Table(
        columns=(*columns, "Linked without it"),
        rows=[(*row, change) for row, change in zip(rows, changes, strict=True)],
        caption=f"The last column is how the share of people linked by {without} changes when the "
        "location is left out.",
    )


def _draw_maps(shown: LocationMap, fewest: int) -> list[Block]:
    """Draw where people are, and where correct links come from."""
    most = max(place.people for place in shown.places)
    rest = f" {count(shown.left_out)} more are not drawn." if shown.left_out else ""
    maps: list[Block] = [
        Figure(
            title="Where people are",
            summary=f"{count(len(shown.places))} places; the darkest has {count(most)} people.",
            drawing=draw_map(
                [{"lat": p.lat, "lon": p.lon, "share": p.people / most} for p in shown.places],
                cell_m=shown.cell_m,
            ),
            reading="North is up; the darker, the more people of the release were there. Places of "
            f"fewer than {fewest} people are not drawn.{rest}",
            table=_list_places(shown.places[:_MOST], "The places with most people."),
        )
    ]
    telling = [place for place in shown.places if place.contribution]
    return [*maps, _draw_telling(telling, shown.cell_m, fewest)] if telling else maps


def _draw_telling(telling: Sequence[MapPlace], cell_m: float | None, fewest: int) -> Figure:
    owed = [place.contribution or 0.0 for place in telling]
    rows = [
        {"lat": place.lat, "lon": place.lon, "share": own / max(owed)}
        for place, own in zip(telling, owed, strict=True)
    ]
    ranked = sorted(telling, key=lambda place: -(place.contribution or 0.0))
    return Figure(
        title="Where correct links come from",
        summary=f"{count(len(telling))} of the most revealing places; the darkest contributes "
        f"{percent(max(owed))}.",
        drawing=draw_map(rows, cell_m=cell_m),
        reading="The darker, the more of the evidence for correct links is from there. Only places "
        f"of {fewest} people or more are drawn.",
        table=_list_places(ranked[:_MOST], "The places that contribute most."),
    )


def _list_places(places: Sequence[MapPlace], caption: str) -> Table:
    return Table(
        columns=("Latitude, longitude", "People", "Contribution"),
        rows=[
            (
                f"{place.lat:.3f}, {place.lon:.3f}",
                count(place.people),
                "—" if place.contribution is None else percent(place.contribution),
            )
            for place in places
        ],
        caption=f"{caption} — marks places that are not among the most revealing.",
    )


def signed_change(change: float | str | None) -> str:
    """Format a change of a share in percentage points, with its sign; a masked one in words."""
    if change is None:
        return "not measured"
    if isinstance(change, str):
        return count(change) if change == "hidden" else f"{count(change)} people"
    sign = "−" if change < 0 else "+" if change > 0 else ""
    return f"{sign}{percent(abs(change)).removesuffix('%')}points"
