"""Risk by attack: with intervals, baseline and chance; precision and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.audit.results.attacks import AttackFinding, Baseline
from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import lower_first
from trailprint.display.numbers import format_number
from trailprint.report.blocks import Block, Figure, Heading, Key, Note, Prose, Row, Section, Table
from trailprint.report.chapters.views import write_views
from trailprint.report.charts import draw_bars, draw_lines
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import BarRow, LineRow
from trailprint.report.charts.style import SERIES
from trailprint.report.wording import (
    capital,
    count,
    highest,
    interval,
    join,
    percent,
    plural,
    rate,
    rate_interval,
    sentence,
)

Attacks = Sequence[AttackFinding]
Scored = tuple[str, AttackFinding | Baseline, str]
_LINKED = Axis("People linked to their own record", unit="percent")
_PROVEN = 1e-6
"""A gap below this is rounding error: the matching is optimal."""


def write_attacks(found: Findings) -> Section:
    """Write how many people each attack links."""
    scored = [attack for attack in found.attacks if _is_scored(attack)]
    n_people = found.data.common_users or 0
    blocks: list[Block] = [_draw_risk(scored, n_people)] if scored else []
    for attack in found.attacks:
        blocks += [Heading(attack.title), *_describe(attack)]
    return Section("Risk by attack", blocks, "attacks")


def write_confidence(found: Findings) -> Section:
    """Write how sure an adversary can be: precision against coverage, and top-k."""
    n_people = found.data.common_users or 0
    attacks = [
        (SERIES[i], replace(attack, title=_name(attack, n_people)))
        for i, attack in enumerate(found.attacks)
        if _is_scored(attack)
    ]
    figures = [
        *_draw_coverage([(series, a) for series, a in attacks if _has_coverage(a)]),
        *_draw_ranks(attacks),
    ]
    blocks: list[Block] = [Row(figures)] if figures else []
    blocks += _describe_missing([attack for attack in found.attacks if _is_scored(attack)])
    if not attacks:
        blocks.append(Prose("No attack could be scored, so nothing can be said about confidence."))
    return Section("How sure an adversary can be", blocks, "confidence")


def _is_scored(attack: AttackFinding) -> bool:
    return attack.ran and highest(attack) is not None


def _has_coverage(attack: AttackFinding) -> bool:
    return any(point.precision is not None for point in attack.coverage)


def _describe_missing(attacks: Attacks) -> list[Block]:
    """Say which attacks lack which of the two curves."""
    without = {
        "precision against coverage": [a.title for a in attacks if not _has_coverage(a)],
        "rank curve": [a.title for a in attacks if a.ranks is None],
    }
    return [
        Prose(f"There is no {name} for {join(lower_first(title) for title in titles)}.")
        for name, titles in without.items()
        if titles
    ]


def _draw_risk(attacks: Attacks, n_people: int) -> Figure:
    scored = [
        one for index, attack in enumerate(attacks) for one in _list_scored(index, attack, n_people)
    ]
    best = max(attacks, key=lambda attack: highest(attack) or 0.0)
    columns = ("Attack", "People linked", "95 % interval", "By guessing")
    cells = [
        (label, rate(one), rate_interval(one.interval, one.at_most), percent(one.chance))
        for label, one, _ in scored
    ]
    return Figure(
        title="Share of people linked to their own record, by attack",
        summary=f"{best.title} links most: {rate(best)} of the people it was "
        f"tried on. {len(scored)} bars, attacks and other methods they were tried with.",
        drawing=draw_bars([_risk_row(*one) for one in scored], _LINKED),
        reading="A longer bar means more people linked correctly. The thin line is the 95 % "
        "interval. Grey bars are other methods of the same attack, which link no more people; the "
        f"dark tick is what guessing would achieve.{_warn_of_draws(attacks, n_people)}",
        table=Table(columns=columns, rows=cells, caption="People linked, by attack"),
        legend=(
            Key("f", "Another method of the same attack", "bar"),
            Key("ink", "95 % interval", "whisker"),
            Key("ink", "Guessing", "tick"),
        ),
    )


def _is_of_some(attack: AttackFinding, n_people: int) -> bool:
    """Whether an attack was tried on only some of the people."""
    return (attack.people or 0) < n_people


def _name(attack: AttackFinding, n_people: int) -> str:
    """An attack's title, with its number of people if these are not all."""
    of = f" (of {count(attack.people)} people)" if _is_of_some(attack, n_people) else ""
    return f"{attack.title}{of}"


def _warn_of_draws(attacks: Attacks, n_people: int) -> str:
    """Explain why bars of some people are not comparable with bars of all."""
    if not any(_is_of_some(attack, n_people) for attack in attacks):
        return ""
    return (
        f" Bars that name a number are of that many people, not of all {count(n_people)}: with "
        "fewer people to confuse, more of them are linked."
    )


def _list_scored(index: int, attack: AttackFinding, n_people: int) -> list[Scored]:
    """An attack and its baseline, each with its label and its colour series."""
    name, other = _name(attack, n_people), attack.baseline
    scored: list[Scored] = [(name, attack, SERIES[index])]
    if other is None:
        return scored
    of = name.removeprefix(attack.title)
    return [*scored, (f"Also tried: {other.title}{of}", other, "f")]


def _risk_row(label: str, scored: AttackFinding | Baseline, series: str) -> BarRow:
    low, high = scored.interval or (None, None)
    return {
        "label": label,
        "value": highest(scored),
        "text": rate(scored),
        "low": low,
        "high": high,
        "mark": scored.chance,
        "series": series,
    }


def _describe(attack: AttackFinding) -> list[Block]:
    blocks: list[Block] = [Prose(attack.question)]
    if not attack.ran:
        return [
            *blocks,
            Note(sentence(attack.why_not) or "No reason is recorded.", title="Not run"),
        ]
    blocks.append(Prose(" ".join([_describe_score(attack), *_describe_method(attack)])))
    views = [] if attack.views is None else write_views(attack.views)
    return [*blocks, *(Prose(sentence(note)) for note in attack.notes), *views]


def _describe_score(attack: AttackFinding) -> str:
    made = plural(attack.matched, "link was made", "links were made")
    if isinstance(attack.correct, str):
        return (
            f"{capital(count(attack.correct))} of {count(attack.people)} people were linked "
            f"correctly ({rate(attack)}; {percent(attack.chance)} by guessing). {made}."
        )
    if attack.accuracy is None:
        return f"{made}. Without knowing who is who, none can be called right or wrong."
    right = "" if attack.precision is None else f"; {percent(attack.precision)} of them are right"
    return (
        f"{count(attack.correct)} of {count(attack.people)} people were linked correctly "
        f"({percent(attack.accuracy)}; 95 % interval {interval(attack.interval)}; "
        f"{percent(attack.chance)} by guessing). {made}{right}."
    )


def _describe_method(attack: AttackFinding) -> list[str]:
    told = [f"Method: {lower_first(sentence(attack.variant))}"] if attack.variant else []
    gap = attack.proof.optimality_gap
    if gap is not None and gap < _PROVEN:
        told.append("The matching is proven to be the best possible of its kind.")
    elif gap is not None:
        told.append(
            f"The matching is proven to be within {format_number(gap)} of the best possible."
        )
    return told


def _draw_coverage(attacks: Sequence[tuple[str, AttackFinding]]) -> list[Figure]:
    if not attacks:
        return []
    rows: list[LineRow] = [
        {"x": point.coverage, "y": point.precision, "series": series}
        for series, attack in attacks
        for point in attack.coverage
        if point.precision is not None
    ]
    cells = [
        (attack.title, percent(p.coverage), percent(p.precision), count(p.links))
        for _, attack in attacks
        for p in attack.coverage
    ]
    x = Axis("Share of people linked, surest first", unit="percent", high=1.0)
    return [
        Figure(
            title="Precision against coverage",
            summary="Share of links that are right when only the surest are kept, for "
            f"{join(lower_first(attack.title) for _, attack in attacks)}.",
            drawing=draw_lines(rows, x, Axis("Links that are right", unit="percent"), size="half"),
            reading="Start at the left: the few links the attack is surest of. Where a line starts "
            "high, an adversary knows which of their links to trust.",
            table=Table(columns=("Attack", "Coverage", "Precision", "Links"), rows=cells),
            legend=[Key(series, attack.title) for series, attack in attacks],
            size="half",
        )
    ]


def _draw_ranks(attacks: Sequence[tuple[str, AttackFinding]]) -> list[Figure]:
    ranked = [(series, a.title, a.ranks) for series, a in attacks if a.ranks is not None]
    if not ranked:
        return []
    rows: list[LineRow] = [
        {"x": point.k, "y": point.share, "series": series}
        for series, _, ranks in ranked
        for point in ranks.curve
    ]
    cells = [
        (title, count(point.k), percent(point.share))
        for _, title, ranks in ranked
        for point in ranks.curve
    ]
    medians = join(f"{count(ranks.median)} for {lower_first(title)}" for _, title, ranks in ranked)
    return [
        Figure(
            title="Rank of the right person",
            summary="Share of people whose own record is among the k best guesses. Median rank: "
            f"{medians}.",
            drawing=draw_lines(
                rows,
                Axis("Guesses allowed, k", kind="log"),
                Axis("Own record among them", unit="percent"),
                size="half",
            ),
            reading=f"At k = 10, how many would be found if the adversary may look at ten "
            f"candidates each. The median rank is {medians}.",
            table=Table(columns=("Attack", "k", "Own record among them"), rows=cells),
            legend=[Key(series, title) for series, title, _ in ranked],
            size="half",
        )
    ]
