"""The worst case: who is linked by any attack, and whether attacks link the same people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trailprint.audit.results.attacks import Agreement, WorstCase
from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import lower_first
from trailprint.report.blocks import Block, Figure, Prose, Section, Table
from trailprint.report.charts import draw_bars
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import BarRow
from trailprint.report.wording import (
    NOT_SHOWN,
    capital,
    count,
    interval,
    join,
    percent,
    plural,
)
from trailprint.studies.small_counts import hide_small
from trailprint.values import MaskedCount

_FEW = "together with other figures of this page it would reveal the size of a small group."


def write_worst_case(found: Findings) -> Section:
    """Write who is linked by any attack, and whether attacks link the same people."""
    worst = found.worst_case
    if worst is None or not worst.people:
        blocks: list[Block] = [Prose("No attack could be scored, so there is no worst case.")]
        return Section("Worst case and agreement", blocks, "worst-case")
    told = (
        f"{_describe_linked(worst)} {_describe_tried(worst, found.attack_titles)} "
        "An adversary who could check their guesses would come this far."
    )
    blocks = [Prose(told), *_describe_added(found, worst)]
    if any(isinstance(own.people, int) for own in worst.by_attacks):
        blocks.append(_draw_counts(worst))
    elif worst.by_attacks:
        blocks.append(Prose(f"How many attacks link the same person is not shown: {_FEW}"))
    return Section("Worst case and agreement", [*blocks, *_compare_attacks(found)], "worst-case")


def _describe_added(found: Findings, worst: WorstCase) -> list[Block]:
    """Say how many people the other attacks add to the strongest one, if both counts are shown."""
    known = [attack for attack in found.attacks if attack.name in worst.attacks and attack.correct]
    best = max(known, key=lambda attack: attack.accuracy or 0.0, default=None)
    if best is None or len(worst.attacks) < 2 or best.people != worst.people:
        return []
    if not isinstance(best.correct, int) or not isinstance(worst.linked, int):
        return []
    added = hide_small(worst.linked - best.correct)
    return [
        Prose(
            f"The strongest of them, {lower_first(best.title)}, links {count(best.correct)}; the "
            f"others add {plural(added, 'person', 'people')}."
        )
    ]


def _describe_linked(worst: WorstCase) -> str:
    people = f"{count(worst.people)} people"
    if worst.linked == "hidden":
        return f"How many of {people} are linked by at least one attack is not shown: {_FEW}"
    if worst.share is None:
        return f"{capital(count(worst.linked))} of {people} are linked by at least one attack."
    return (
        f"{count(worst.linked)} of {people} ({percent(worst.share)}; "
        f"95 % interval {interval(worst.interval)}) are linked by at least one attack."
    )


def _describe_tried(worst: WorstCase, titles: Mapping[str, str]) -> str:
    """Say whom the worst case counts: people on whom every attack was tried."""
    names = join(lower_first(titles.get(name, name)) for name in worst.attacks)
    told = f"This counts people who were attacked by {names}"
    if not worst.not_tried:
        return f"{told}: everybody."
    return (
        f"{told}; {plural(worst.not_tried, 'person', 'people')} not attacked by all of them "
        f"{'is' if worst.not_tried == 1 else 'are'} left out."
    )


def _draw_counts(worst: WorstCase) -> Figure:
    rows: list[BarRow] = [
        {
            "label": plural(own.attacks, "attack", "attacks") if own.attacks else "No attack",
            "value": 0 if isinstance(own.people, str) else own.people,
            "text": count(own.people),
            "series": "a" if own.attacks else "f",
        }
        for own in worst.by_attacks
    ]
    return Figure(
        title="People by the number of attacks that link them correctly",
        summary=" ".join(f"{row['label']}: {row['text']} people." for row in rows),
        drawing=draw_bars(rows, Axis("People")),
        reading="People in the lower bars are linked by several attacks that look at different "
        "things: protecting against one of them would not be enough for them."
        f"{_describe_hidden(row['text'] for row in rows)}",
        table=Table(
            columns=("Linked by", "People"), rows=[(row["label"], row["text"]) for row in rows]
        ),
    )


def _describe_hidden(counts: Iterable[str]) -> str:
    """Explain why some counts are not shown."""
    if NOT_SHOWN not in counts:
        return ""
    return " Counts are not shown where the size of a small group would follow from them."


def _compare_attacks(found: Findings) -> list[Block]:
    """Agreement of pairs of attacks; for pairs without any shown count, only their number."""
    if not found.agreement:
        told = "Fewer than two attacks could be compared, so their agreement is not known."
        return [Prose(told)]
    disclosed_pairs = [pair for pair in found.agreement if _is_shown(pair)]
    n_left = len(found.agreement) - len(disclosed_pairs)
    blocks: list[Block] = (
        [_tabulate(disclosed_pairs, found.attack_titles)] if disclosed_pairs else []
    )
    if n_left:
        blocks.append(Prose(_describe_left(n_left, len(found.agreement))))
    return blocks


def _is_shown(pair: Agreement) -> bool:
    return any(isinstance(n, int) for n in _counts(pair))


def _counts(pair: Agreement) -> tuple[MaskedCount, ...]:
    return pair.both, pair.only_first, pair.only_second, pair.neither


def _describe_left(n_left: int, n_pairs: int) -> str:
    which = "the two attacks" if n_pairs == 1 else f"{n_left} of {n_pairs} pairs of attacks"
    return f"How many people {which} both link is not shown: {_FEW}"


def _tabulate(pairs: Sequence[Agreement], titles: Mapping[str, str]) -> Table:
    rows = [
        (
            titles.get(pair.first, pair.first),
            titles.get(pair.second, pair.second),
            *map(count, _counts(pair)),
        )
        for pair in pairs
    ]
    return Table(
        columns=("First attack", "Second attack", "Both", "Only first", "Only second", "Neither"),
        rows=rows,
        caption="Agreement: people linked correctly by two attacks, of those both were tried on."
        f"{_describe_hidden(cell for row in rows for cell in row)}",
        text_columns=2,
    )
