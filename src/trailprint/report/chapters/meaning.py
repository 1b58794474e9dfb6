"""What the figures mean in regulators' terms, what they assume, and what they do not prove."""

from __future__ import annotations

from dataclasses import fields

from trailprint.audit.results.data import DataFacts
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import PointsFinding, SharedPart
from trailprint.audit.wording import lower_first
from trailprint.report.blocks import Block, Bullets, Facts, Heading, Prose, Section, Table
from trailprint.report.wording import (
    count,
    date,
    interval,
    join,
    people_and_share,
    percent,
    rate,
    seconds,
    sentence,
    share_or_most,
)

_NOT_PROVEN = (
    "That the data is anonymous. No figure of this page, however low, is a verdict.",
    "That people who were not linked are safe. Another attack, more data, or somebody who knows "
    "the person may find them.",
    "What a particular adversary would achieve. They may know less than was assumed here and find "
    "fewer people, or know home addresses and find more.",
    "The risk in a larger or smaller release, or in one of another period. Risk falls with the "
    "number of people and rises with the time observed.",
    "What harm a link would do. That depends on what the data says about a person.",
    "That the true rate lies in the interval whatever else changes. An interval covers the people "
    "who happened to be in the data, not the choice of split, attack or settings.",
)
_SURE = 0.95
"""Links with at least this precision are called sure."""
_TRUTHS = {
    "same-ids": "Equal ids on both sides are taken for the same person.",
    "file": "Who is who was given in a separate file.",
    "none": "Who is who is not known, so links could not be scored.",
}


_LITTLE = (("points", 4), ("home-work", None))
"""What a neighbour or a newspaper may know about a person."""
_IMPACT = (
    "A data protection impact assessment (DPIA, Article 35 of the GDPR) weighs how likely a harm "
    "is and how severe. This page speaks of the first only: how likely people are to be singled "
    "out or linked."
)


def write_regulators(found: Findings) -> Section:
    """Write on recital 26, singling out, linkability, inference, motivated intruder and DPIA."""
    facts = [
        ("Means reasonably likely to be used", _describe_means(found)),
        ("Singling out", _describe_singling_out(found)),
        ("Linkability", _describe_linkability(found)),
        (
            "Inference",
            "Not measured. Whether attributes of a person can be deduced without linking their "
            "record is another question; protections that hide people in groups do not settle it.",
        ),
        ("Motivated intruder", _describe_intruder(found)),
        ("Impact assessment", _IMPACT),
    ]
    intro = (
        "Recital 26 of the GDPR calls data anonymous only where nobody can be identified by means "
        "reasonably likely to be used. Guidance on it (Article 29 Working Party, opinion 05/2014, "
        "WP216) asks about three risks: singling out, linkability and inference. The British "
        "regulator (ICO) asks whether a motivated intruder would succeed."
    )
    return Section("In regulators' words", [Prose(intro), Facts(facts)], "regulators")


def write_assumptions(found: Findings) -> Section:
    """Write the assumptions on the data, the adversary and each attack."""
    data = found.data
    blocks: list[Block] = [Heading("The data"), _tabulate(data), Bullets(_list_data(data))]
    for attack in found.attacks:
        if attack.ran and attack.assumptions:
            blocks += [
                Heading(attack.title),
                Bullets([sentence(a) for a in attack.assumptions]),
            ]
    if found.points is not None and found.points.ran:
        blocks.append(Heading(found.points.title))
        blocks.append(Bullets([sentence(a) for a in found.points.assumptions]))
    return Section("Assumptions", blocks, "assumptions")


def write_limits() -> Section:
    """Write what the numbers do not prove."""
    return Section("What the numbers do not prove", [Bullets(_NOT_PROVEN)], "limits")


def _describe_means(found: Findings) -> str:
    """Describe the factors of recital 26: cost, time and technology."""
    parts = {} if found.seconds is None else found.seconds.parts
    spent = parts.get(f"attack/{found.headline.attack}")
    took = f" The strongest attack took {seconds(spent)}." if spent else ""
    return (
        "Cost, time and available technology decide which means are likely. The attacks of this "
        f"page are published and need no special computer.{took} Whether somebody is likely to "
        "have the knowledge that was assumed is yours to judge."
    )


def _describe_singling_out(found: Findings) -> str:
    told = "Can a person's record be told apart from all others in the release? "
    points = found.points
    if points is None or not points.ran:
        why = "" if points is None else f" {sentence(points.why_not)}"
        return f"{told}This was not measured.{why}"
    alone = [
        f"{lower_first(one.label)} {share_or_most(one.share, one.at_most)}"
        for one in _whole(points)
    ]
    shared = f" Shared by nobody: {join(alone)} of the people." if alone else ""
    return (
        f"{told}{points.sentence}{shared} This assumes that points of the released trace itself "
        "are known; it is not re-identification in a second period."
    )


def _whole(points: PointsFinding) -> list[SharedPart]:
    """Findings on whole traces, sets of places and the two most visited places."""
    return [one for one in points.singling_out if one.what in ("trace", "places", "top-2")]


def _describe_sure(found: Findings) -> list[str]:
    """Describe what reveals people and how sure links are."""
    told: list[str] = []
    rare = None if found.why is None else found.why.one_rare_location
    if rare is not None:
        told.append(f"One rare location gives away {people_and_share(rare)}.")
    curve = () if found.strongest is None else found.strongest.coverage
    sure = [p for p in curve if p.precision is not None and p.precision >= _SURE]
    if sure:
        most = max(sure, key=lambda point: point.coverage)
        told.append(
            f"The surest links, for {percent(most.coverage)} of the people, are right in "
            f"{percent(most.precision)} of cases."
        )
    elif curve:
        told.append(f"However few links are kept, fewer than {percent(_SURE)} of them are right.")
    return told


def _describe_linkability(found: Findings) -> str:
    told = "Can records of one person in two datasets be linked? "
    headline, worst = found.headline, found.worst_case
    if isinstance(headline.linked, str):
        return told + (
            f"Yes for {count(headline.linked)} of {count(headline.people)} people "
            f"({share_or_most(headline.share, headline.at_most)}) by the strongest attack; "
            f"guessing would link {percent(headline.chance)}."
        )
    if headline.share is None:
        return told + "Links were made but could not be scored, because who is who is not known."
    told += (
        f"Yes for {count(headline.linked)} of {count(headline.people)} people "
        f"({percent(headline.share)}; 95 % interval {interval(headline.interval)}) by the "
        f"strongest attack; guessing would link {percent(headline.chance)}."
    )
    if worst is not None and worst.share is not None:
        told += (
            f" At least one attack links {percent(worst.share)} of the "
            f"{count(worst.people)} people every attack was tried on."
        )
    return " ".join([told, *_describe_sure(found)])


def _describe_intruder(found: Findings) -> str:
    told = "Somebody without special skills but with time and public tools. "
    told += f"What it takes is knowledge. Assumed here: {_assumed(found)} "
    knowledge = found.growth.knowledge
    if knowledge is not None and knowledge.points:
        least = min(knowledge.points, key=lambda point: point.x)
        known = percent(least.x)
        told += f"If they know only {known} of the people, they link {rate(least)} of those. "
    told += _describe_less_known(found)
    return told.strip()


def _describe_less_known(found: Findings) -> str:
    """Describe the risk from little knowledge of each person, by the attack of that study."""
    study = found.growth.amount_known
    little = [] if study is None else [p for p in study.points if (p.kind, p.amount) in _LITTLE]
    told = [f"{rate(point)} with {point.label} of each person" for point in little]
    if study is None or not told:
        return ""
    title = found.attack_titles.get(study.attack or "", "the attack of that study")
    return f"By {lower_first(title)} they link {join(told)}."


def _assumed(found: Findings) -> str:
    return lower_first(sentence(found.headline.assumption)) or "nothing is recorded."


def _tabulate(data: DataFacts) -> Table:
    sides = (data.released, data.auxiliary)
    lines = (
        ("People", [count(side.users) for side in sides]),
        ("Locations", [count(side.locations) for side in sides]),
        ("Events", [count(side.events) for side in sides]),
        ("First day", [date(side.first) for side in sides]),
        ("Last day", [date(side.last) for side in sides]),
        ("Days covered", [count(side.days) for side in sides]),
        ("Active days, median", [count(side.active_days_median) for side in sides]),
    )
    return Table(
        columns=("", "Released", "Auxiliary"),
        rows=[(name, *cells) for name, cells in lines],
        caption="The two sides: what would be released, and what the adversary knows",
    )


def _list_data(data: DataFacts) -> list[str]:
    has = [item.name for item in fields(data.has) if getattr(data.has, item.name)]
    overlap = {
        True: "The two sides' periods overlap, so they may share events: the risk is overstated.",
        False: "Nobody has events of the same day on both sides.",
        None: "Without times it is not known whether the two sides' periods overlap.",
    }
    told = [
        "" if data.split is None else sentence(data.split.description),
        f"{count(data.common_users)} people are on both sides; rates are shares of them.",
        _TRUTHS[data.truth],
        overlap[data.periods_overlap],
        f"The data has {join(has)}." if has else "The data has neither times nor positions.",
        f"{count(data.rows_skipped)} rows could not be read." if data.rows_skipped else "",
        *(
            f"{count(n)} rows were left out on purpose: {reason}."
            for reason, n in data.rows_left_out.items()
        ),
    ]
    return [text for text in told if text]
