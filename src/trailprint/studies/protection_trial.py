"""One trial of protections: protect, attack, and measure what is lost and what is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.linkage import Linkage
from trailprint.protections.chain import (
    Stage,
    build_sides,
    changes_histograms,
    check_order,
    protect_events,
    protect_histograms,
    start,
)
from trailprint.protections.loss import Loss, with_locations
from trailprint.protections.microaggregate import equal_rows
from trailprint.protections.protection import HistogramProtection, Protection
from trailprint.studies.options import TrialOptions
from trailprint.studies.repeated import Prepared


class EventsAttack(Protocol):
    """An attack that looks at released events, where events are what is released."""

    @property
    def name(self) -> str:
        """What it is called in results."""

    def prepare(
        self, released: Events, auxiliary: Events, chain: Sequence[Protection]
    ) -> Prepared[Any]:
        """Make it ready for sides that were protected by a chain the adversary knows."""


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


class TrialContext:
    """
    Both sides, and what all trials of protections on them share.

    ``advance`` does the beginning of a chain once for all trials that go on from it.
    """

    def __init__(
        self,
        released: Events,
        auxiliary: Events,
        protections: Sequence[Protection],
        options: TrialOptions,
        counting: HistogramOptions | None,
        n_threads: int | None,
        on_events: Sequence[EventsAttack] = (),
    ) -> None:
        check_order(protections)
        self._options = options
        self._counting = counting
        self._n_threads = n_threads
        self._on_events = tuple(on_events)
        self._prices: dict[MatchOptions, NDArray[np.float64]] = {}
        self._n_done = 0
        self._stage = start(released, auxiliary, counting)
        self._sides: tuple[Histograms, Histograms] | None = None
        self.n_people = _n_common(self._stage, auxiliary)
        if not self.n_people:
            raise OptionError("A sweep needs people on both sides, but no user id is on both.")

    def advance(self, chain: Sequence[Protection], n_done: int) -> None:
        """Apply the first ``n_done`` protections of a chain, whose next one is going to vary."""
        self._n_done = n_done
        self._stage = protect_events(self._stage, chain[:n_done], self._options.seed)
        if isinstance(chain[n_done], HistogramProtection):
            self._sides = build_sides(self._stage, self._counting)

    def measure(self, chain: Sequence[Protection], parameters: Mapping[str, Any]) -> Point:
        """Protect with a chain that begins as those before, attack, measure."""
        stage, sides = self._stage, self._sides
        if sides is None:
            stage = protect_events(stage, chain, self._options.seed, self._n_done)
            sides = build_sides(stage, self._counting)
        change = protect_histograms(sides[0], chain, self._options.seed, self._n_threads)
        results = [
            self._attack(change.histograms, sides[1], attack) for attack in self._options.attacks
        ]
        if not changes_histograms(chain):
            results += [self._attack_events(stage, chain, attack) for attack in self._on_events]
        return Point(
            parameters=parameters,
            loss=stage.measure(change),
            strongest=max(results, key=lambda done: done.expected_user_accuracy),
            attacks=tuple(results),
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
        return self._score(f"{options.method} {options.metric}", released.matrix, linkage, truth)

    def _attack_events(
        self, stage: Stage, chain: Sequence[Protection], attack: EventsAttack
    ) -> Success:
        if stage.auxiliary is None:
            raise ValueError("two sides are needed")
        sides = with_locations(stage.released), with_locations(stage.auxiliary)
        prepared = attack.prepare(*sides, chain)
        truth = truth_from_ids(*prepared.users)
        return self._score(attack.name, prepared.records, prepared.run(), truth)

    def _score(
        self, name: str, records: sparse.csr_array, linkage: Linkage, truth: Truth
    ) -> Success:
        n_users, n_clusters, expected = _count_right(records, linkage, truth)
        return Success(
            attack=name,
            user_accuracy=n_users / self.n_people,
            cluster_accuracy=n_clusters / self.n_people,
            expected_user_accuracy=expected / self.n_people,
            accuracy_interval=wilson(n_users, self.n_people) or (0.0, 1.0),
            cluster_interval=wilson(n_clusters, self.n_people) or (0.0, 1.0),
            chance=linkage.n_links / (linkage.n_released * linkage.n_auxiliary),
        )


def _n_common(stage: Stage, auxiliary: Events) -> int:
    """How many users have events on both sides."""
    users = auxiliary.engine.arrow(
        f'SELECT DISTINCT CAST("user" AS VARCHAR) AS who FROM ({auxiliary.query})'
    )["who"]
    return int(
        pc.sum(pc.is_in(stage.original.users, value_set=users.combine_chunks())).as_py() or 0
    )


def _count_right(
    records: sparse.csr_array, linkage: Linkage, truth: Truth
) -> tuple[int, int, float]:
    """Links to the right record, links to it or one equal to it, and the former on average."""
    right = truth.holds(linkage.released, linkage.auxiliary)
    classes = equal_rows(records)
    own = np.full(
        int(max(linkage.auxiliary.max(initial=0), truth.auxiliary.max(initial=0))) + 1, -1
    )
    own[truth.auxiliary] = classes[truth.released]
    same = classes[linkage.released] == own[linkage.auxiliary]
    chance = same / np.bincount(classes)[classes[linkage.released]]
    return int(np.count_nonzero(right)), int(np.count_nonzero(same)), float(chance.sum())
