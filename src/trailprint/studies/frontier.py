"""
Risk against loss: one parameter of a chain of protections swept, and the cheapest that suffices.

What comes before the swept protection is done once and shared by all points, histograms included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import InputError, OptionError, TrailprintError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.linkage import Linkage
from trailprint.progress import Progress
from trailprint.protections.chain import (
    Stage,
    build_sides,
    check_order,
    protect_events,
    protect_histograms,
    start,
)
from trailprint.protections.loss import Loss
from trailprint.protections.microaggregate import equal_rows
from trailprint.protections.protection import HistogramProtection, Protection
from trailprint.studies.options import SweepOptions, TrialOptions

_MOST_STEPS = 12
_CLOSE = 1.02
"""Bisection of a real parameter ends when what suffices and what does not are this near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """
    What one attack achieves against a protected release.

    Attributes
    ----------
    attack : str
        Its name.
    user_accuracy : float
        Share of the people on both sides who are linked to their own record.
    cluster_accuracy : float
        Share who are linked to their own record or to one equal to it (2016 paper, V-B2).
    expected_user_accuracy : float
        The user-level accuracy over all ways to draw lots between equal records.
    accuracy_interval, cluster_interval : tuple of float
        Wilson's 95 % intervals.
    chance : float
        The user-level accuracy of as many links drawn at random.
    """

    attack: str
    user_accuracy: float
    cluster_accuracy: float
    expected_user_accuracy: float
    accuracy_interval: tuple[float, float]
    cluster_interval: tuple[float, float]
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of the swept parameter: what it costs and what the strongest attack achieves."""

    parameters: Mapping[str, Any]
    loss: Loss
    strongest: Success
    attacks: tuple[Success, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A value that cannot be had with this data, such as a k of more users than there are."""

    parameters: Mapping[str, Any]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """
    A sweep, and what it takes to come below a target.

    Attributes
    ----------
    points : tuple of Point
        The values asked for, in order.
    left_out : tuple of LeftOut
        Those of them that this data does not allow.
    searched : tuple of Point
        Further values tried while looking for the target.
    target : Point, optional
        Of all points at or below the target risk the one with the least loss, whichever lots
        are drawn between equal records; None where there is none, or no target.
    n_people : int
        People on both sides before any protection: those the rates are shares of.
    """

    points: tuple[Point, ...]
    searched: tuple[Point, ...]
    target: Point | None
    n_people: int
    left_out: tuple[LeftOut, ...] = ()


def find_swept(protections: Sequence[Protection], parameter: str) -> int:
    """Which protection of a chain has this parameter; exactly one must."""
    places = [
        place
        for place, step in enumerate(protections)
        if parameter in {item.name for item in fields(step)}
    ]
    if len(places) != 1:
        names = ", ".join(item.name for step in protections for item in fields(step)) or "nothing"
        raise OptionError(
            f"A sweep needs a parameter that exactly one protection has ({names}), "
            f"got {parameter!r}."
        )
    return places[0]


def sweep(
    released: Events,
    auxiliary: Events,
    protections: Sequence[Protection],
    options: SweepOptions,
    *,
    counting: HistogramOptions | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """
    Protect, attack and measure at every value of one parameter.

    Equal ids on both sides are taken for equal people. Rates are shares of the people on both
    sides before any protection, so that leaving people out lowers them. A value this data does
    not allow is left out, unless none is allowed.
    """
    place = find_swept(protections, options.parameter)
    # A value that no protection takes is refused before any work is done.
    swept = {
        value: replace(protections[place], **{options.parameter: value}) for value in options.values
    }
    bench = _Bench(released, auxiliary, protections, options, counting, n_threads)
    bench.start_sweep(place, options.parameter)
    tell = progress or (lambda what, done: None)
    points: dict[Any, Point] = {}
    refused: list[tuple[Any, TrailprintError]] = []
    for number, value in enumerate(options.values):
        tell(f"Sweeping {options.parameter}", number / len(options.values))
        try:
            points[value] = bench.point(value)
        except (InputError, OptionError) as error:
            refused.append((value, error))
    if not points:
        raise refused[0][1]
    searched: list[Point] = []
    if options.target_risk is not None:
        tell("Looking for the target", None)
        searched = bench.search(points)
    return Frontier(
        points=tuple(points.values()),
        searched=tuple(searched),
        target=_cheapest([*points.values(), *searched], options.target_risk),
        n_people=bench.n_people,
        left_out=tuple(
            LeftOut(parameters=swept[value].parameters(), why=error.for_command_line())
            for value, error in refused
        ),
    )


def measure_chain(
    released: Events,
    auxiliary: Events,
    protections: Sequence[Protection],
    options: TrialOptions,
    *,
    counting: HistogramOptions | None = None,
    n_threads: int | None = None,
) -> Frontier:
    """
    Protect as written down, attack and measure: one point; without protections, the data as is.

    The point's parameters are those of the first protection.
    """
    bench = _Bench(released, auxiliary, protections, options, counting, n_threads)
    point = bench.measure(tuple(protections), protections[0].parameters() if protections else {})
    return Frontier(
        points=(point,),
        searched=(),
        target=_cheapest([point], options.target_risk),
        n_people=bench.n_people,
    )


def _cheapest(points: Sequence[Point], target_risk: float | None) -> Point | None:
    enough = [point for point in points if _suffices(point, target_risk)]
    return min(enough, key=lambda point: point.loss.information_loss, default=None)


def _suffices(point: Point, target_risk: float | None) -> bool:
    """Neither the lots drawn nor those that could have been may exceed the target."""
    found = point.strongest
    risk = max(found.user_accuracy, found.expected_user_accuracy)
    return target_risk is not None and risk <= target_risk


class _Bench:
    """What all points of a sweep share."""

    def __init__(
        self,
        released: Events,
        auxiliary: Events,
        protections: Sequence[Protection],
        options: TrialOptions,
        counting: HistogramOptions | None,
        n_threads: int | None,
    ) -> None:
        check_order(protections)
        self._chain = tuple(protections)
        self._options = options
        self._counting = counting
        self._n_threads = n_threads
        self._prices: dict[MatchOptions, NDArray[np.float64]] = {}
        self._place, self._parameter = 0, ""
        self._stage = start(released, auxiliary, counting)
        self._sides: tuple[Histograms, Histograms] | None = None
        self.n_people = _n_common(self._stage, auxiliary)
        if not self.n_people:
            raise OptionError("A sweep needs people on both sides, but no user id is on both.")

    def start_sweep(self, place: int, parameter: str) -> None:
        """Do what comes before the swept protection."""
        self._place, self._parameter = place, parameter
        self._stage = protect_events(self._stage, self._chain[:place], self._options.seed)
        if isinstance(self._chain[self._place], HistogramProtection):
            self._sides = build_sides(self._stage, self._counting)

    def _with(self, value: Any) -> Protection:
        return replace(self._chain[self._place], **{self._parameter: value})

    def point(self, value: Any) -> Point:
        """Protect with one value, attack, measure."""
        swept = self._with(value)
        chain = (*self._chain[: self._place], swept, *self._chain[self._place + 1 :])
        return self.measure(chain, swept.parameters())

    def measure(self, chain: Sequence[Protection], parameters: Mapping[str, Any]) -> Point:
        """Protect with a chain that begins as the sweep's, attack, measure."""
        stage, sides = self._stage, self._sides
        if sides is None:
            stage = protect_events(stage, chain, self._options.seed, self._place)
            sides = build_sides(stage, self._counting)
        change = protect_histograms(sides[0], chain, self._options.seed, self._n_threads)
        results = tuple(
            self._attack(change.histograms, sides[1], attack) for attack in self._options.attacks
        )
        return Point(
            parameters=parameters,
            loss=stage.measure(change),
            strongest=max(results, key=lambda done: done.expected_user_accuracy),
            attacks=results,
            facts={**stage.facts, **change.facts},
        )

    def _attack(
        self, released: Histograms, auxiliary: Histograms, options: MatchOptions
    ) -> Success:
        options = replace(options, seed=self._options.seed)
        known = self._prices.get(options)
        linkage = match_histograms(
            released,
            auxiliary,
            options,
            n_threads=self._n_threads,
            start=known if known is not None and len(known) == auxiliary.n_users else None,
        )
        if linkage.prices is not None:
            self._prices[options] = linkage.prices
        truth = truth_from_ids(released.users, auxiliary.users)
        n_users, n_clusters, expected = _count_right(released, linkage, truth)
        name = f"{options.method} {options.metric}"
        return Success(
            attack=name,
            user_accuracy=n_users / self.n_people,
            cluster_accuracy=n_clusters / self.n_people,
            expected_user_accuracy=expected / self.n_people,
            accuracy_interval=wilson(n_users, self.n_people) or (0.0, 1.0),
            cluster_interval=wilson(n_clusters, self.n_people) or (0.0, 1.0),
            chance=linkage.n_links / (linkage.n_released * linkage.n_auxiliary),
        )

    def search(self, known: Mapping[Any, Point]) -> list[Point]:
        """Points between the weakest and the strongest value that close in on the target."""
        sense = self._chain[self._place].monotone.get(self._parameter)
        if sense is None:
            return []
        weak = [v for v in known if not _suffices(known[v], self._options.target_risk)]
        strong = [v for v in known if _suffices(known[v], self._options.target_risk)]
        if not weak or not strong:
            return []
        # The strongest value that does not suffice, and the weakest beyond it that does.
        low = max(weak, key=lambda value: sense * value)
        beyond = [value for value in strong if sense * value > sense * low]
        if not beyond:
            return []
        return self._bisect(low, min(beyond, key=lambda value: sense * value))

    def _bisect(self, low: Any, high: Any) -> list[Point]:
        found: list[Point] = []
        for _ in range(_MOST_STEPS):
            middle = _between(low, high)
            if middle is None:
                break
            point = self.point(middle)
            found.append(point)
            if _suffices(point, self._options.target_risk):
                high = middle
            else:
                low = middle
        return found


def _between(low: Any, high: Any) -> Any | None:
    """A value in the middle; None where the two are next to each other."""
    if isinstance(low, int) and isinstance(high, int):
        middle = (low + high) // 2
        return None if middle in (low, high) else middle
    if low > 0 and high > 0:
        return None if max(low / high, high / low) < _CLOSE else math.sqrt(low * high)
    return None if abs(high - low) < 0.01 * max(abs(low), abs(high)) else (low + high) / 2


def _n_common(stage: Stage, auxiliary: Events) -> int:
    """How many users have events on both sides."""
    users = auxiliary.engine.arrow(
        f'SELECT DISTINCT CAST("user" AS VARCHAR) AS who FROM ({auxiliary.query})'
    )["who"]
    return int(
        pc.sum(pc.is_in(stage.original.users, value_set=users.combine_chunks())).as_py() or 0
    )


def _count_right(released: Histograms, linkage: Linkage, truth: Truth) -> tuple[int, int, float]:
    """Links to the right record, links to it or one equal to it, and the former on average."""
    right = truth.holds(linkage.released, linkage.auxiliary)
    classes = equal_rows(released.matrix)
    own = np.full(
        int(max(linkage.auxiliary.max(initial=0), truth.auxiliary.max(initial=0))) + 1, -1
    )
    own[truth.auxiliary] = classes[truth.released]
    same = classes[linkage.released] == own[linkage.auxiliary]
    chance = same / np.bincount(classes)[classes[linkage.released]]
    return int(np.count_nonzero(right)), int(np.count_nonzero(same)), float(chance.sum())
