"""The first screen: the result, what to compare it with, its assumption, the cost of protection."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.data import DataFacts
from trailprint.audit.results.findings import Findings, Headline
from trailprint.audit.results.protections import HeadlineProtection, ProtectionPoint
from trailprint.audit.summary import list_left_out
from trailprint.audit.wording import failed_controls_sentence
from trailprint.report.about import About
from trailprint.report.blocks import Block, Facts, Figure, Note, Prose, Table, Tile, Tiles
from trailprint.report.chapters.next_steps import write_next
from trailprint.report.charts import draw_people
from trailprint.report.charts.rows import PeopleRow
from trailprint.report.wording import (
    UNKNOWN,
    capital,
    count,
    date,
    in_a_hundred,
    interval,
    percent,
    sentence,
    share_or_most,
    times,
)

_NO_VERDICT = (
    "These are lower bounds: what the attacks that were run achieve with the knowledge that was "
    "assumed. A low number does not make the data anonymous."
)


def write_eyebrow(about: About) -> str:
    """The line above the heading: type of document and date."""
    return " · ".join(filter(None, ("Re-identification risk report", about.written)))


def write_title(found: Findings) -> str:
    """The page's heading: the user's title, or how many people were linked."""
    return found.title or _describe_linked(found.headline)


def _describe_linked(headline: Headline) -> str:
    if _most(headline) is None:
        return "How many people could be linked could not be measured"
    linked, people = capital(count(headline.linked)), count(headline.people)
    if headline.linked == 0:
        return f"None of {people} people was linked by these attacks"
    return f"{linked} of {people} people could be linked to their own records"


def write_lead(found: Findings, about: About) -> list[Block]:
    """Write the blocks below the heading."""
    lead: list[Block] = [Prose(sentence(found.headline.sentence))]
    n_failed = sum(not control.passed for control in found.controls)
    if n_failed:
        lead.append(_warn(found, n_failed))
    is_measured = _most(found.headline) is not None
    return [
        *lead,
        *([_show_tiles(found)] if is_measured else []),
        *_describe_singled_out(found),
        *write_next(found, about),
        *([_draw_hundred(found.headline)] if is_measured else []),
        Facts([*_list_facts(found), *_name_sources(about)]),
        Note(_NO_VERDICT, title="Not a verdict"),
    ]


def _describe_singled_out(found: Findings) -> list[Block]:
    if found.points is None or not found.points.sentence:
        return []
    return [Prose(f"Singling out is a different question from linking. {found.points.sentence}")]


def _name_sources(about: About) -> list[tuple[str, str]]:
    return [("Read from", sentence(source.describe())) for source in about.sources]


def _most(scored: Headline | HeadlineProtection) -> float | None:
    """The share that is linked, or its upper bound if it is masked."""
    return scored.at_most if scored.share is None else scored.share


def _warn(found: Findings, n_failed: int) -> Note:
    told = failed_controls_sentence(found.controls, found.attack_titles)
    return Note(
        f"{n_failed} of {len(found.controls)} controls did not come out as expected. {told} The "
        "chapter on controls says more.",
        kind="caution",
        title="A control failed",
    )


def _show_tiles(found: Findings) -> Tiles:
    headline, worst = found.headline, found.worst_case
    tiles = [
        Tile(
            "Linked by the strongest attack",
            share_or_most(headline.share, headline.at_most),
            f"{count(headline.linked)} of {count(headline.people)} people"
            f"{_ends(headline.interval)}",
        ),
        Tile("Linked by guessing", percent(headline.chance), _compare(headline)),
    ]
    if worst is not None and worst.people:
        detail = f"{count(worst.linked)} of {count(worst.people)} people"
        if worst.not_tried:
            detail += f" tried by every attack; {count(worst.not_tried)} were not"
        share = "—" if worst.share is None else percent(worst.share)
        tiles.append(Tile("Linked by at least one attack", share, detail))
    tried = () if found.protections is None else found.protections.points
    return Tiles([*tiles, _price(headline.protection, tried)])


def _ends(ends: Interval | None) -> str:
    return "" if ends is None else f"; 95 % interval {interval(ends)}"


def _draw_hundred(headline: Headline) -> Figure:
    rows = [
        _row("As the data is", headline.share, headline.at_most),
        _row("By guessing", headline.chance, None),
    ]
    if headline.protection is not None:
        rows.append(_row("Protected", headline.protection.share, headline.protection.at_most))
    known = [row for row in rows if row is not None]
    return Figure(
        title="Of a hundred people like these",
        summary="; ".join(f"{row['label']}: {row['words']}" for row in known) + ".",
        drawing=draw_people(known),
        reading="Each dot is one of a hundred people. The dark ones are linked to their record.",
        table=Table(
            columns=("", "Linked"),
            rows=[(row["label"], row["rate"]) for row in known],
        ),
    )


def _row(label: str, exact: float | None, at_most: float | None) -> PeopleRow | None:
    share = at_most if exact is None else exact
    if share is None:
        return None
    words = in_a_hundred(share)
    if exact is None:
        words = f"at most {words.removeprefix('fewer than ')}"
    return {
        "label": label,
        "share": share,
        "text": words.replace("fewer than ", "<"),
        "words": words,
        "rate": share_or_most(exact, at_most),
    }


def _compare(headline: Headline) -> str:
    if headline.share is None:
        return "too few people are linked to compare"
    if headline.times_chance is None:
        return "no ratio: guessing links nobody"
    return f"the attack links {times(headline.times_chance)} as many"


def _price(protection: HeadlineProtection | None, tried: Sequence[ProtectionPoint]) -> Tile:
    if protection is None:
        return Tile("Linked after a protection", "—", _describe_none(tried))
    detail = f"{protection.label}, at a loss of {percent(protection.loss)}"
    left = share_or_most(protection.share, protection.at_most)
    return Tile("Linked after the cheapest effective protection", left, detail)


def _describe_none(tried: Sequence[ProtectionPoint]) -> str:
    """Explain why no protection is shown."""
    if not tried:
        return "none was tested"
    if not any(point.judged_by_all for point in tried):
        return f"no time to let every attack judge the {len(tried)} tested"
    return f"none of {len(tried)} tested was effective enough"


def _list_facts(found: Findings) -> list[tuple[str, str]]:
    headline = found.headline
    facts = [
        ("Strongest attack", headline.attack_title or UNKNOWN),
        ("Assumption", sentence(headline.assumption) or UNKNOWN),
        ("Data", describe_data(found.data)),
    ]
    outside, left_out = found.data.outside, list_left_out(found)
    if outside is not None:
        told = f"{count(outside.people)} of {count(outside.of)} people: {outside.why}."
        facts.append(("Not covered by any rate", told))
    if left_out:
        facts.append(("Left out", f"{capital('; '.join(left_out))}. The chapters say why."))
    protection = headline.protection
    if protection is not None:
        facts.append(("Cheapest protection", _describe_protection(protection)))
    return facts


def _describe_protection(protection: HeadlineProtection) -> str:
    return (
        f"{protection.label}: {share_or_most(protection.share, protection.at_most)} are still "
        f"linked{_ends(protection.interval)}. Loss {percent(protection.loss)}. "
        f"{sentence(protection.loss_meaning)}"
    )


def _describe_events(data: DataFacts) -> str:
    """Number of events on both sides together, and the period they cover."""
    sides = (data.released, data.auxiliary)
    told = f"{count(sum(side.events for side in sides))} events"
    first = min((side.first for side in sides if side.first), default=None)
    last = max((side.last for side in sides if side.last), default=None)
    return f"{told} from {date(first)} to {date(last)}" if first and last else told


def describe_data(data: DataFacts) -> str:
    """Describe in a few sentences what was attacked."""
    people, places = count(data.common_users), count(data.locations)
    told = f"{people} people on both sides, {places} places, {_describe_events(data)}. "
    told += (
        sentence(data.split.description)
        if data.sides == "split" and data.split is not None
        else "Released and auxiliary data are two separate datasets."
    )
    if data.sampled is not None:
        drawn = data.sampled
        told += f" {count(drawn.users)} of {count(drawn.of)} people were drawn at random."
    if data.knows is not None:
        told += f" {data.knows.reading} {data.knows.note or ''}".rstrip()
    return told
