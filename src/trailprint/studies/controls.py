"""
Negative controls: checks that an attack does not use the order of rows or overstate confidence.

``absent``: some people are removed from the released data while their auxiliary records stay.
Any confident link of such a person is wrong.

``permuted``: the rows of both sides are shuffled and their ids replaced by numbers. A sound attack
links the same people as before, except for ties, and scores at chance when its links are
scored as if the order had not changed. Weights learnt beforehand must not change when the ids
of released people are exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import bdtrc

from trailprint.arrays import Flags
from trailprint.attacks.trail_facts import promises_no_false_link
from trailprint.display.numbers import format_percent
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.per_user import confidence_for
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage
from trailprint.studies.findings import ControlFinding
from trailprint.studies.people import (
    Attack,
    Features,
    hide_ids,
    restrict_truth,
)
from trailprint.studies.small_counts import describe_count, hide_small, is_close, is_small

#: Significance level: a control fails if chance alone would do so less often than this.
UNLIKELY = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlOptions:
    """
    Options of the controls.

    Attributes
    ----------
    held_out : float
        Absent: share of the people on both sides who are removed from the released data.
    precision : float
        Absent: a link counts as confident if, among equally confident links of people who are
        present, this share is correct.
    allowed : float
        Absent: largest share of absent people that may be linked with such confidence.
    seed : int
        Random seed for the people removed and for the order of rows.
    """

    held_out: float = 0.2
    precision: float = 0.9
    allowed: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.held_out < 1:
            raise OptionError(
                f"held_out must be a share between 0 and 1, got {self.held_out!r}. Try 0.2."
            )
        for name in ("precision", "allowed"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(
                    f"{name} must be a share from 0 to 1, got {getattr(self, name)!r} instead."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """
    Result of a control.

    Attributes
    ----------
    attack, kind, title : str
        The attack, and the kind and title of the control.
    people, links : int
        Number of people examined, and the links among them that the control counts. `to_finding`
        and ``reading`` hide small counts.
    share, interval : float, (float, float)
        Links per person, with Wilson's 95 % interval; None if there are no people.
    expected : float, optional
        Value the share is compared with; None if it would reveal a small count.
    passed : bool
        Whether the control passed.
    reading : str
        The result in words.
    """

    attack: str
    kind: Literal["absent", "permuted"]
    title: str
    people: int
    links: int
    share: float | None
    interval: tuple[float, float] | None
    expected: float | None
    passed: bool
    reading: str

    def to_finding(self) -> ControlFinding:
        """Return the control for publication, with small counts masked."""
        is_shown = self.interval is not None and not (
            is_small(self.people) or is_close(self.links, self.people)
        )
        return ControlFinding(
            attack=self.attack,
            kind=self.kind,
            title=self.title,
            people=hide_small(self.people),
            links=hide_small(self.links, of=self.people),
            share=self.share if is_shown else None,
            interval=self.interval if is_shown else None,
            expected=self.expected,
            passed=self.passed,
            reading=self.reading,
        )


def control_absent(
    name: str,
    attack: Attack[Features],
    released: Features,
    auxiliary: Features,
    truth: Truth,
    options: ControlOptions | None = None,
) -> Control:
    """
    Run an attack on a release from which some people were removed.

    A link of an absent person counts if its confidence reaches the threshold at which the required
    share of links of present people is correct (calibrated as in `per_user`). Where REIDIT with
    the released side reserved guarantees its links, no absent person may be linked at all.
    """
    options = options or ControlOptions()
    is_absent = _draw_absent(truth, options)
    kept = np.setdiff1d(np.arange(len(released.users)), truth.released[is_absent])
    everybody = np.arange(len(auxiliary.users))
    linkage = attack(released.select(kept), auxiliary)
    confident, margin = _confident_links(
        linkage, restrict_truth(truth, kept, everybody), options.precision
    )
    absent = truth.auxiliary[is_absent]
    n_linked = len(np.intersect1d(linkage.auxiliary, absent))
    n_false = len(np.intersect1d(linkage.auxiliary[confident], absent))
    expected = 0.0 if promises_no_false_link(linkage) else options.allowed
    # Test for chance instead of comparing the share: a few people prove nothing.
    passed = float(bdtrc(n_false - 1, len(absent), expected)) >= UNLIKELY
    return Control(
        attack=name,
        kind="absent",
        title="People who are not there",
        people=len(absent),
        links=n_false,
        share=n_false / len(absent) if len(absent) else None,
        interval=wilson(n_false, len(absent)),
        expected=expected,
        passed=passed,
        reading=_read_absent((len(absent), n_linked, n_false), margin, expected, passed),
    )


def _draw_absent(truth: Truth, options: ControlOptions) -> Flags:
    """Draw the people to remove: with two or more people at least one, and never all."""
    n_people = truth.n_common
    n_absent = min(max(round(options.held_out * n_people), 1), n_people - 1)
    chosen = np.zeros(n_people, dtype=bool)
    random = np.random.default_rng([options.seed, 1])
    chosen[random.permutation(n_people)[: max(n_absent, 0)]] = True
    return chosen


def _confident_links(
    linkage: Linkage, truth: Truth, precision: float
) -> tuple[Flags, float | None]:
    """Links above the confidence at which ``precision`` of present people's links are correct."""
    own = np.isin(linkage.auxiliary, truth.auxiliary)
    margin = confidence_for(linkage.confidence[own], correct_links(linkage, truth)[own], precision)
    if margin is None:
        return np.zeros(linkage.n_links, dtype=bool), None
    return linkage.confidence >= margin, margin


def _read_absent(
    counts: tuple[int, int, int], margin: float | None, expected: float, passed: bool
) -> str:
    n_absent, n_linked, n_false = counts
    if not n_absent:
        return "There are too few people on both sides to leave some out."
    text = (
        f"Of the people on both sides, {describe_count(n_absent)} were removed from the released "
        f"data; the attack linked {describe_count(n_linked, of=n_absent)} of them to another "
        "record."
    )
    if margin is None:
        return f"{text} No link of this attack is confident enough to count."
    verdict = "passed" if passed else "failed; its confidence is misleading"
    return (
        f"{text} It was confident about {describe_count(n_false, of=n_absent)} of them (limit: "
        f"{100 * expected:.0f} %, allowing for luck): {verdict}."
    )


def control_permuted(
    name: str,
    attack: Attack[Features],
    released: Features,
    auxiliary: Features,
    truth: Truth,
    options: ControlOptions | None = None,
    *,
    linkage: Linkage | None = None,
) -> tuple[Control, Control]:
    """
    Run an attack on shuffled rows, and score it with the true and with a wrong ground truth.

    ``linkage`` is the attack's result in the original order, if it is already known.
    """
    options = options or ControlOptions()
    linkage = attack(released, auxiliary) if linkage is None else linkage
    random = np.random.default_rng([options.seed, 2])
    orders = random.permutation(len(released.users)), random.permutation(len(auxiliary.users))
    sides = [
        hide_ids(side.select(order))
        for side, order in zip((released, auxiliary), orders, strict=True)
    ]
    shuffled = attack(sides[0], sides[1])
    after = truth.holds(orders[0][shuffled.released], orders[1][shuffled.auxiliary])
    found = (
        np.isin(truth.released, linkage.released[correct_links(linkage, truth)]),
        np.isin(truth.released, orders[0][shuffled.released[after]]),
    )
    # A correct link whose two rows happen to share a position says nothing about the order.
    as_if_kept = int(np.count_nonzero(correct_links(shuffled, truth) & ~after))
    n_pairs = len(orders[0]) * len(orders[1])
    chance = shuffled.n_links / n_pairs if n_pairs else 0.0
    return _compare_orders(name, *found), _compare_chance(name, as_if_kept, truth.n_common, chance)


def _compare_orders(name: str, before: Flags, after: Flags) -> Control:
    """
    Fail if shuffling loses correct links: McNemar's exact test, one-sided.

    Random ties between equal records lose and win people alike; a leak only loses them.
    """
    n_people, n_found = len(before), int(np.count_nonzero(after))
    n_lost, n_won = np.count_nonzero(before & ~after), np.count_nonzero(~before & after)
    luck = float(bdtrc(n_lost - 1, n_lost + n_won, 0.5)) if n_lost else 1.0
    passed = luck >= UNLIKELY
    n_before = int(np.count_nonzero(before))
    expected = None if is_close(n_before, n_people) else n_before / max(n_people, 1)
    verdict = (
        "the order of rows gives nothing away"
        if passed
        else "the attack draws on the order of rows or on ids, and its accuracy cannot be trusted"
    )
    return Control(
        attack=name,
        kind="permuted",
        title="Rows in another order",
        people=n_people,
        links=n_found,
        share=n_found / n_people if n_people else None,
        interval=wilson(n_found, n_people),
        expected=expected,
        passed=passed,
        reading=(
            "With the rows of both sides in random order and without ids, "
            f"{describe_count(n_found, of=n_people)} of {describe_count(n_people)} people are "
            f"linked correctly, against {describe_count(n_before, of=n_people)} before: {verdict}."
        ),
    )


def _compare_chance(name: str, n_right: int, n_people: int, chance: float) -> Control:
    """Fail if links that should be correct only by chance are correct too often."""
    luck = float(bdtrc(n_right - 1, n_people, min(chance, 1.0)))
    passed = luck >= UNLIKELY
    return Control(
        attack=name,
        kind="permuted",
        title="A shuffled truth",
        people=n_people,
        links=n_right,
        share=n_right / n_people if n_people else None,
        interval=wilson(n_right, n_people),
        expected=chance,
        passed=passed,
        reading=(
            "Scored as if the rows had kept their order, "
            f"{describe_count(n_right, of=n_people)} of {describe_count(n_people)} people are "
            f"linked correctly; chance would link {format_percent(chance)}: "
            f"{'no more' if passed else 'far more'} than chance explains."
        ),
    )


def control_weights(name: str, is_same: bool) -> Control:
    """Return the control that weights stay the same when ids of released people are exchanged."""
    verdict = (
        "are the same: the released side has no part in them"
        if is_same
        else "differ: they depend on the released side, and the accuracy cannot be trusted"
    )
    return Control(
        attack=name,
        kind="permuted",
        title="Weights without the released side",
        people=0,
        links=0,
        share=None,
        interval=None,
        expected=None,
        passed=is_same,
        reading=(
            "With the ids of the released people exchanged, the weights of views that are learnt "
            f"{verdict}."
        ),
    )
