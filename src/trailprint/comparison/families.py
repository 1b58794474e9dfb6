"""One audit compared with the first: whether this is possible, and the difference by attack."""

from __future__ import annotations

from trailprint.audit.results.attacks import AttackFinding, Interval
from trailprint.audit.results.findings import Findings
from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.pairing import Paired, disclose_pairs, pair_people
from trailprint.comparison.results import FamilyDifference, Rate, Versus
from trailprint.comparison.wording import describe_reading
from trailprint.evaluation.differences import newcombe_interval, tango_interval
from trailprint.studies.small_counts import SMALL

_STRONGEST = "strongest"
_MANY_MORE = 1.1
"""From this ratio on, the difference in the number of people alone changes the risk."""
_SIDES = {
    "split": "cut one dataset in two",
    "two": "attacked with separate data",
}


def compare_with(first: OpenedAudit, second: OpenedAudit) -> Versus:
    """Compare an audit with the first one, or say why this is not possible."""
    why_not = _refuse(first.findings, second.findings)
    if why_not is not None:
        return Versus(audit=second.label, why_not=why_not)
    shared = _list_shared(first.findings, second.findings)
    strongest = _compare_strongest(first, second)
    return Versus(
        audit=second.label,
        why_not=None,
        cautions=tuple(_list_cautions(first.findings, second.findings)),
        why_unpaired=_explain_unpaired(first, second, strongest),
        strongest=strongest,
        families=tuple(_compare(first, second, (one, other), one.title) for one, other in shared),
    )


def _refuse(first: Findings, second: Findings) -> str | None:
    """Reason why two audits cannot be compared; None if they can."""
    if first.data.sides != second.data.sides:
        one, other = _SIDES[first.data.sides], _SIDES[second.data.sides]
        return f"One {one}, the other {other}, so the adversaries differ."
    if first.strongest is None or second.strongest is None:
        return "In one of them no attack ran."
    if not _list_shared(first, second):
        return "No attack ran in both of them."
    return None


def _list_shared(first: Findings, second: Findings) -> list[tuple[AttackFinding, AttackFinding]]:
    """Attacks that ran in both audits, in the order of the first."""
    others = {attack.name: attack for attack in second.attacks if attack.ran and attack.people}
    return [
        (attack, others[attack.name])
        for attack in first.attacks
        if attack.ran and attack.people and attack.name in others
    ]


def _compare_strongest(first: OpenedAudit, second: OpenedAudit) -> FamilyDifference | None:
    one, other = first.findings.strongest, second.findings.strongest
    if one is None or other is None:
        return None
    title = one.title if one.name == other.name else "the strongest attack of each"
    return _compare(first, second, (one, other), title, attack=_STRONGEST)


def _compare(
    first: OpenedAudit,
    second: OpenedAudit,
    attacks: tuple[AttackFinding, AttackFinding],
    title: str,
    *,
    attack: str | None = None,
) -> FamilyDifference:
    rates = (
        describe_rate(attacks[0], first.findings),
        describe_rate(attacks[1], second.findings),
    )
    paired = _pair(first, second, (attacks[0].name, attacks[1].name))
    pairs = None if paired is None else disclose_pairs(paired)
    is_shown = paired is not None and paired.is_shown
    if paired is not None and is_shown:
        difference: float | None = paired.counts.difference
        ends = tango_interval(paired.counts)
    else:
        difference, ends = _unpaired_difference(*rates), _unpaired_interval(*rates)
    return FamilyDifference(
        attack=attack or attacks[0].name,
        title=title,
        first=rates[0],
        second=rates[1],
        difference=difference,
        interval=ends,
        method="Tango, paired" if is_shown else "Newcombe, unpaired",
        pairs=pairs,
        reading=describe_reading(title, *rates, ends, pairs),
    )


def describe_rate(attack: AttackFinding, found: Findings) -> Rate:
    """The published rate of an attack that ran."""
    n_tried, n_people = attack.people or 0, found.data.common_users or 0
    return Rate(
        attack=attack.name,
        people=n_tried,
        of=n_people if n_tried < n_people else None,
        linked=attack.correct or 0,
        share=attack.accuracy,
        interval=attack.interval,
        at_most=attack.at_most,
        chance=attack.chance,
    )


def _pair(first: OpenedAudit, second: OpenedAudit, attacks: tuple[str, str]) -> Paired | None:
    one, other = first.outcomes, second.outcomes
    if one is None or other is None:
        return None
    if attacks[0] not in one.linked or attacks[1] not in other.linked:
        return None
    return pair_people(one, other, attacks)


def _unpaired_difference(first: Rate, second: Rate) -> float | None:
    return None if first.share is None or second.share is None else second.share - first.share


def _unpaired_interval(first: Rate, second: Rate) -> Interval:
    """Newcombe's interval; if a count is masked, wide enough for every value it may have."""
    ends = [
        newcombe_interval(one, first.people, other, second.people)
        for one in _possible(first)
        for other in _possible(second)
    ]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _possible(rate: Rate) -> tuple[int, ...]:
    """The smallest and the largest count that the published value allows."""
    if isinstance(rate.linked, int):
        return (rate.linked,)
    return 1, min(SMALL - 1, rate.people)


def _explain_unpaired(
    first: OpenedAudit, second: OpenedAudit, found: FamilyDifference | None
) -> str | None:
    """Reason why people are not paired; None if they are."""
    without = [audit.label for audit in (first, second) if audit.outcomes is None]
    if without:
        return (
            f"People are not paired: the folder of {' and '.join(without)} holds no outcomes "
            "that you kept."
        )
    if found is not None and found.pairs is None:
        return (
            "People are not paired: the audits have nobody in common by their ids. After a "
            "release with new ids, give its key file with --keys."
        )
    return None


def _list_drawn(first: Findings, second: Findings) -> list[str]:
    """Titles of attacks that either audit tried on only some of its people."""
    return [
        one.title
        for one, other in _list_shared(first, second)
        if any(describe_rate(attack, found).of for attack, found in ((one, first), (other, second)))
    ]


def _list_cautions(first: Findings, second: Findings) -> list[str]:
    """Causes of a difference that have nothing to do with protection."""
    told = []
    n, m = sorted((first.data.common_users or 0, second.data.common_users or 0))
    if m >= _MANY_MORE * max(n, 1):
        told.append(
            f"One audit is of {n:,} people and the other of {m:,}: among fewer people, more are "
            "linked."
        )
    told += [
        f"{title} was tried on some of the people only: with fewer people to confuse, more are "
        "linked."
        for title in _list_drawn(first, second)
    ]
    kinds = [None if one.data.split is None else one.data.split.kind for one in (first, second)]
    if kinds[0] != kinds[1]:
        told.append("The data was cut in two in different ways, so the adversaries differ.")
    if first.version != second.version:
        told.append("The audits were made by different versions of Trailprint.")
    return told
