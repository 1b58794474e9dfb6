"""How risk changes with the number of people (2016 paper, Figure 5), with extrapolation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
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
from trailprint.studies.growth.findings import Fit, UsersGrowth, UsersPoint
from trailprint.studies.growth.fit import fit_growth
from trailprint.studies.people import Attack, Features
from trailprint.studies.small_counts import describe_rate, mask_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthOptions:
    """
    Which numbers of people are tried, and how often.

    Attributes
    ----------
    n_points : int
        Number of sample sizes, evenly spaced on a logarithmic scale.
    smallest : int
        Smallest sample size; the largest is all people.
    n_runs : int, optional
        Number of random draws (default: enough to draw each person about twice, 3 to 20).
    extrapolate : tuple of int
        Multiples of the number of people to extrapolate the curve to.
    n_bootstrap : int
        Number of bootstrap samples for the interval of the extrapolation.
    seed : int
        Random seed of draws and samples.
    """

    n_points: int = 7
    smallest: int = 10
    n_runs: int | None = None
    extrapolate: tuple[int, ...] = (2, 5, 10)
    n_bootstrap: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("n_points", 2), ("smallest", 2), ("n_bootstrap", 20)):
            if getattr(self, name) < least:
                raise OptionError(
                    f"{name} must be at least {least}, got {getattr(self, name)} instead."
                )
        if self.n_runs is not None and self.n_runs < 1:
            raise OptionError(f"n_runs must be at least 1, got {self.n_runs} instead.")
        if any(factor <= 1 for factor in self.extrapolate):
            raise OptionError("extrapolate must be multiples above 1, such as 2, 5, 10.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UserStudy(Discreet):
    """Accuracy by number of people; ``why_not`` says why it is missing."""

    groups: tuple[Draws, ...] = ()
    fit: Fit | None = None
    why_not: str | None = None

    def to_finding(self) -> UsersGrowth | None:
        """Return points and curve for publication, or None if the study was not possible."""
        if self.why_not is not None:
            return None
        spread = pooled_spread(self.groups)
        points = tuple(_make_point(group, spread) for group in self.groups)
        return UsersGrowth(
            title="Risk by number of people",
            points=points,
            fit=self.fit,
            reading=_read(points[0], points[-1], self.fit),
        )


def _read(first: UsersPoint, last: UsersPoint, fit: Fit | None) -> str:
    text = (
        f"Among {first.x:,} people {describe_rate(first)} are linked correctly, among all "
        f"{last.x:,} {describe_rate(last)}. Both sides hold the same people, drawn at random"
    )
    if fit is None or not fit.extrapolation:
        return f"{text}."
    far = fit.extrapolation[-1]
    band = f"between {far.low:.0%} and {far.high:.0%}"
    return f"{text}. Continued to {far.x:,} people the curve lies {band}."


def _make_point(group: Draws, spread: float) -> UsersPoint:
    accuracy = float(group.accuracies.mean())
    rate = mask_rate(accuracy, interval_of(group, spread), group.n_found, group.n_drawn)
    return UsersPoint(
        x=group.size,
        runs=len(group.draws),
        accuracy=rate.accuracy,
        low=rate.low,
        high=rate.high,
        at_most=rate.at_most,
    )


def grow_users(
    attack: Attack[Features],
    released: Features,
    auxiliary: Features,
    truth: Truth,
    options: GrowthOptions | None = None,
    *,
    progress: Progress | None = None,
) -> UserStudy:
    """
    Attack random samples of the people on both sides, of growing size.

    Features are not rebuilt: a sample is a subset of their rows. The last point is all people on
    both sides.
    """
    options = options or GrowthOptions()
    if truth.n_common < 2:
        return UserStudy(why_not="Fewer than two people are on both sides.")
    report = progress or (lambda what, done: None)
    groups = []
    sizes = list_sizes(truth.n_common, options)
    for number, size in enumerate(sizes):
        report("Drawing fewer people", number / len(sizes))
        n_runs = 1 if size == truth.n_common else options.n_runs
        draws = tuple(
            _attack_some(
                attack,
                (released, auxiliary),
                truth,
                draw_people(truth.n_common, size, (options.seed, size, run)),
            )
            for run in range(n_runs or count_runs(size, truth.n_common))
        )
        groups.append(Draws(size=size, draws=draws))
    beyond = tuple(factor * truth.n_common for factor in options.extrapolate)
    fit = fit_growth(tuple(groups), beyond, n_bootstrap=options.n_bootstrap, seed=options.seed)
    return UserStudy(groups=tuple(groups), fit=fit)


def list_sizes(n_people: int, options: GrowthOptions) -> list[int]:
    """Return the sample sizes to try, ending with all people."""
    smallest = min(options.smallest, max(2, n_people // 2), n_people)
    return sorted({round(n) for n in np.geomspace(smallest, n_people, options.n_points)})


def _attack_some(
    attack: Attack[Features],
    sides: tuple[Features, Features],
    truth: Truth,
    people: np.ndarray,
) -> Draw:
    """Attack a subset of the people, with the same person in row i of both sides."""
    linkage = attack(
        sides[0].select(truth.released[people]),
        sides[1].select(truth.auxiliary[people]),
    )
    found = np.zeros(len(people), dtype=bool)
    found[linkage.released[linkage.released == linkage.auxiliary]] = True
    return Draw(people=people, found=found, n_links=linkage.n_links)
