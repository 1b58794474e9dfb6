"""Descriptions of rates and their differences in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.points import SharedPart, UnicityPoint, WorstPoint
from trailprint.audit.wording import lower_first, percent, share_or_most
from trailprint.comparison.results import (
    ComparedPoints,
    ComparedSinglingOut,
    FamilyDifference,
    Pairs,
    Rate,
)

_LEAST_P = 0.001
_NOT_SHOWN = "how many changed is not shown, as few people would follow"


def describe_rate(rate: Rate) -> str:
    """A rate or its upper bound, with the number of people if these are not all."""
    told = share_or_most(rate.share, rate.at_most)
    return told if rate.of is None else f"{told} (of {rate.people:,} people drawn)"


def describe_points(difference: float | None) -> str:
    """A difference of rates in percentage points."""
    if difference is None:
        return "not shown"
    return f"{_signed(difference)} points"


def describe_interval(ends: Interval) -> str:
    """An interval of a difference, in percentage points."""
    low, high = map(_signed, ends)
    return f"{low} to {high} points"


def _signed(difference: float) -> str:
    """A difference in percentage points with its sign; none has no sign."""
    points = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if points[1:] == "0.0" else points


def describe_test(pairs: Pairs | None) -> str:
    """The p-value of the paired test, or why there is none."""
    if pairs is None:
        return "not paired"
    if pairs.p_value is None:
        return "not shown"
    if pairs.p_value < _LEAST_P:
        return f"p < {_LEAST_P:g}"
    return f"p {'=' if pairs.p_value_is == 'exact' else '≤'} {pairs.p_value:.3f}"


def describe_reading(
    title: str, first: Rate, second: Rate, ends: Interval, pairs: Pairs | None
) -> str:
    """One attack in two audits, in a sentence or two."""
    low, high = ends
    which = "no clear difference" if low <= 0 <= high else ("less" if high < 0 else "more")
    rates = f"{describe_rate(first)} in the first audit, {describe_rate(second)} in this one"
    told = f"{title}: {rates}; {which} (95 % interval {describe_interval(ends)}"
    if pairs is None:
        return f"{told}, the people are not paired)."
    told += f"; of the same {pairs.people:,} people, exact McNemar {describe_test(pairs)})."
    return told if pairs.p_value_is == "exact" else f"{told} In the table, {_NOT_SHOWN}."


def describe_strongest(reference: str, audit: str, found: FamilyDifference) -> str:
    """The comparison of the strongest attacks in one sentence."""
    first, second = found.first, found.second
    attacks = f"by {lower_first(found.title)}"
    ends = f"95 % interval of the difference {describe_interval(found.interval)}"
    test = "" if found.pairs is None else f"; exact McNemar {describe_test(found.pairs)}"
    shares = [share_or_most(rate.share, rate.at_most) for rate in (first, second)]
    return (
        f"{shares[1]} of {second.people:,} people are linked in {audit}, "
        f"{shares[0]} of {first.people:,} in {reference}, {attacks} ({ends}{test})."
    )


def describe_loss(loss: float | None) -> str:
    """A loss in percent."""
    return "not known" if loss is None else percent(loss)


def list_singled_out(found: ComparedSinglingOut) -> list[tuple[str, tuple[str, ...]]]:
    """List each kind of knowledge with the share it singles out in each audit."""
    told = [dict(_name_measures(audit)) for audit in found.audits]
    names = dict.fromkeys(name for one in told for name in one)
    return [
        (
            name,
            tuple(
                "not measured" if name not in one else _describe_singled_out(one[name])
                for one in told
            ),
        )
        for name in names
    ]


def _name_measures(
    audit: ComparedPoints,
) -> Iterator[tuple[str, UnicityPoint | WorstPoint | SharedPart]]:
    for drawn in audit.unicity:
        yield f"{_count_points(drawn.points)} drawn at random", drawn
    for worst in audit.worst_case:
        yield f"the {_count_points(worst.k, 'most revealing ')}", worst
    for part in audit.singling_out:
        yield f"all of: {part.label}", part


def _count_points(number: int, which: str = "") -> str:
    return f"{number} {which}point{'' if number == 1 else 's'}"


def _describe_singled_out(found: UnicityPoint | WorstPoint | SharedPart) -> str:
    return share_or_most(found.share, found.at_most)
