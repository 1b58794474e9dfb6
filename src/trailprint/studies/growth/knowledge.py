"""How risk changes with the share of people the adversary knows (2016 paper, Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Ints
from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.progress import Progress
from trailprint.studies.draws import (
    Draw,
    Draws,
    count_runs,
    draw_people,
    interval_of,
    pooled_spread,
)
from trailprint.studies.growth.findings import KnowledgeGrowth, KnowledgePoint
from trailprint.studies.people import Attack, Features, restrict_truth
from trailprint.studies.small_counts import describe_rate, mask_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareKnownOptions:
    """
    Which shares of the auxiliary people are known, and how often they are drawn.

    Attributes
    ----------
    shares : tuple of float
        Above 0 and up to 1, in ascending order; shares of fewer than two people are left out.
    n_runs : int, optional
        Number of random draws (default: enough to draw each person about twice, 3 to 20).
    seed : int
        Random seed of the draws.
    """

    shares: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    n_runs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.shares or not all(0 < share <= 1 for share in self.shares):
            raise OptionError(
                f"shares must be above 0 and at most 1, got {self.shares!r}. Try 0.1, 0.5, 1."
            )
        if list(self.shares) != sorted(set(self.shares)):
            raise OptionError("shares must grow, each named once. Try 0.1, 0.5, 1.")
        if self.n_runs is not None and self.n_runs < 1:
            raise OptionError(f"n_runs must be at least 1, got {self.n_runs} instead.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnowledgeStudy(Discreet):
    """Accuracy by share of people known; ``why_not`` says why it is missing."""

    shares: tuple[float, ...] = ()
    groups: tuple[Draws, ...] = ()
    why_not: str | None = None

    def to_finding(self) -> KnowledgeGrowth | None:
        """Return the points for publication, or None if the study was not possible."""
        if self.why_not is not None:
            return None
        spread = pooled_spread(self.groups)
        points = tuple(
            _make_point(share, group, spread)
            for share, group in zip(self.shares, self.groups, strict=True)
        )
        return KnowledgeGrowth(points=points, reading=_read(points[0], points[-1]))


def _read(first: KnowledgePoint, last: KnowledgePoint) -> str:
    text = (
        f"An adversary who knows {first.x:.0%} of the people finds {describe_rate(first)} of "
        f"them in the released data; one who knows {last.x:.0%} finds {describe_rate(last)}."
    )
    if last.low is not None and first.accuracy is not None and last.low > first.accuracy:
        return (
            f"{text} Knowing others helps to tell people apart: a person's risk depends on what "
            "is known of everybody."
        )
    return f"{text} An adversary who knows only a few people finds them about as well."


def _make_point(share: float, group: Draws, spread: float) -> KnowledgePoint:
    n_links = sum(draw.n_links for draw in group.draws)
    accuracy = float(group.accuracies.mean())
    rate = mask_rate(accuracy, interval_of(group, spread), group.n_found, group.n_drawn)
    is_shown = n_links and rate.accuracy is not None
    precision = group.n_found / n_links if is_shown else None
    return KnowledgePoint(
        x=share,
        precision=precision,
        accuracy=rate.accuracy,
        low=rate.low,
        high=rate.high,
        at_most=rate.at_most,
    )


def grow_knowledge(
    attack: Attack[Features],
    released: Features,
    auxiliary: Features,
    truth: Truth,
    options: ShareKnownOptions | None = None,
    *,
    progress: Progress | None = None,
) -> KnowledgeStudy:
    """
    Attack the whole release with a part of the auxiliary records.

    Accuracy is relative to the known people who are in the released data, precision to the links
    made. Auxiliary records of people who are not in the released data are drawn like the others.
    """
    options = options or ShareKnownOptions()
    if truth.n_common < 2:
        return KnowledgeStudy(why_not="Fewer than two people are on both sides.")
    report = progress or (lambda what, done: None)
    shares, groups = [], []
    for number, share in enumerate(options.shares):
        report("Knowing fewer people", number / len(options.shares))
        group = _draw_known(attack, (released, auxiliary), truth, share, options)
        if group is not None:
            shares.append(share)
            groups.append(group)
    if not groups:
        return KnowledgeStudy(why_not="Too few people are known at any of these shares.")
    return KnowledgeStudy(shares=tuple(shares), groups=tuple(groups))


def _draw_known(
    attack: Attack[Features],
    sides: tuple[Features, Features],
    truth: Truth,
    share: float,
    options: ShareKnownOptions,
) -> Draws | None:
    """Return all draws of one share, or None if too few people are known."""
    n_users = len(sides[1].users)
    size = round(share * n_users)
    if size < 2:
        return None
    n_runs = 1 if size == n_users else options.n_runs or count_runs(size, n_users)
    found = [
        _attack_known(attack, sides, truth, draw_people(n_users, size, (options.seed, size, run)))
        for run in range(n_runs)
    ]
    draws = tuple(draw for draw in found if len(draw.people))
    n_known = round(float(np.mean([len(draw.people) for draw in draws]))) if draws else 0
    return Draws(size=n_known, draws=draws) if draws else None


def _attack_known(
    attack: Attack[Features], sides: tuple[Features, Features], truth: Truth, known: Ints
) -> Draw:
    everybody = np.arange(len(sides[0].users))
    linkage = attack(sides[0], sides[1].select(known))
    own = restrict_truth(truth, everybody, known)
    right = linkage.released[correct_links(linkage, own)]
    return Draw(people=own.released, found=np.isin(own.released, right), n_links=linkage.n_links)
