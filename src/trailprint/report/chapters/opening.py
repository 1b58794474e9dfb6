"""The first screen: what was found, compared with what, under which assumption, at what price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trailprint.report.blocks import Block, Facts, Figure, Note, Prose, Table, Tile, Tiles
from trailprint.report.charts import draw_people
from trailprint.report.wording import (
    UNKNOWN,
    capital,
    count,
    highest,
    in_a_hundred,
    interval,
    percent,
    rate,
    sentence,
    times,
)

_NO_VERDICT = (
    "These are lower bounds: what the attacks that were run achieve with the knowledge that was "
    "assumed. A low number does not make the data anonymous."
)


def write_title(result: Mapping[str, Any]) -> str:
    """The page's heading: how many of how many."""
    headline = result["headline"]
    if highest(headline, "share") is None:
        return "How many people could be linked could not be measured"
    linked, people = capital(count(headline["linked"])), count(headline["people"])
    if headline["linked"] == 0:
        return f"None of {people} people was linked by these attacks"
    return f"{linked} of {people} people could be linked to their own records"


def write_lead(result: Mapping[str, Any]) -> list[Block]:
    """What stands below the heading."""
    lead: list[Block] = [Prose(sentence(result["headline"]["sentence"]))]
    failed = [control for control in result["controls"] if not control["passed"]]
    if failed:
        lead.append(_warn(len(failed), len(result["controls"])))
    if highest(result["headline"], "share") is not None:
        lead += [_show_tiles(result), _draw_hundred(result["headline"])]
    return [*lead, Facts(_list_facts(result)), Note(_NO_VERDICT, title="Not a verdict")]


def _warn(n_failed: int, n_controls: int) -> Note:
    return Note(
        f"{n_failed} of {n_controls} controls did not come out as expected. Read the chapter on "
        "controls before you use any figure of this page.",
        kind="caution",
        title="A control failed",
    )


def _show_tiles(result: Mapping[str, Any]) -> Tiles:
    headline, worst = result["headline"], result["worst_case"]
    tiles = [
        Tile(
            "Linked by the strongest attack",
            rate(headline, "share"),
            f"{count(headline['linked'])} of {count(headline['people'])} people{_ends(headline)}",
        ),
        Tile("Linked by guessing", percent(headline["chance"]), _compare(headline)),
    ]
    if worst and worst["people"]:
        detail = f"{count(worst['linked'])} of {count(worst['people'])} people"
        if worst["not_tried"]:
            detail += f" tried by every attack; {count(worst['not_tried'])} were not"
        share = "—" if worst["share"] is None else percent(worst["share"])
        tiles.append(Tile("Linked by at least one attack", share, detail))
    n_tested = len((result["protections"] or {}).get("points") or ())
    return Tiles([*tiles, _price(headline["protection"], n_tested)])


def _ends(scored: Mapping[str, Any]) -> str:
    if scored["interval"] is None:
        return ""
    return f"; 95 % interval {interval(scored['interval'])}"


def _draw_hundred(headline: Mapping[str, Any]) -> Figure:
    rows = [_row("As the data is", headline), _row("By guessing", {"share": headline["chance"]})]
    if headline["protection"] is not None:
        rows.append(_row("Protected", headline["protection"]))
    known = [row for row in rows if row["share"] is not None]
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


def _row(label: str, scored: Mapping[str, Any]) -> dict[str, Any]:
    share = highest(scored, "share")
    words = in_a_hundred(share)
    if scored["share"] is None and share is not None:
        words = f"at most {words.removeprefix('fewer than ')}"
    return {
        "label": label,
        "share": share,
        "text": words.replace("fewer than ", "<"),
        "words": words,
        "rate": rate(scored, "share"),
    }


def _compare(headline: Mapping[str, Any]) -> str:
    if headline["share"] is None:
        return "too few people are linked to compare"
    if headline["times_chance"] is None:
        return "no ratio: guessing links nobody"
    return f"the attack links {times(headline['times_chance'])} as many"


def _price(protection: Mapping[str, Any] | None, n_tested: int) -> Tile:
    if protection is None:
        why = f"none of {n_tested} tested was effective enough" if n_tested else "none was tested"
        return Tile("Linked after a protection", "—", why)
    detail = f"{protection['label']}, at a loss of {percent(protection['loss'])}"
    return Tile("Linked after the cheapest effective protection", rate(protection, "share"), detail)


def _list_facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    headline = result["headline"]
    facts = [
        ("Strongest attack", headline["attack_title"] or UNKNOWN),
        ("Assumption", sentence(headline["assumption"]) or UNKNOWN),
        ("Data", describe_data(result["data"])),
    ]
    protection = headline["protection"]
    if protection is not None:
        facts.append(("Cheapest protection", _describe_protection(protection)))
    return facts


def _describe_protection(protection: Mapping[str, Any]) -> str:
    return (
        f"{protection['label']}: {rate(protection, 'share')} are still linked"
        f"{_ends(protection)}. Loss {percent(protection['loss'])}. "
        f"{sentence(protection['loss_meaning'])}"
    )


def describe_data(data: Mapping[str, Any]) -> str:
    """What was attacked, in a sentence or three."""
    people, places = count(data["common_users"]), count(data["locations"])
    told = f"{people} people on both sides, {places} places. "
    told += (
        sentence(data["split"]["description"])
        if data["sides"] == "split" and data["split"]
        else "Released and auxiliary data are two separate datasets."
    )
    if data["sampled"]:
        drawn = data["sampled"]
        told += f" {count(drawn['users'])} of {count(drawn['of'])} people were drawn by lot."
    return told
