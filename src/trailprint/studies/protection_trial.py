"""One trial of protections: protect, attack, and measure loss and risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from trailprint.arguments import N_SEEDS
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError, OptionError
from trailprint.evaluation.intervals import wilson
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.evaluation.unicity import Sharing
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.kernels.threads import run_together
from trailprint.linkage import Linkage
from trailprint.protections.chain import (
    ChainState,
    build_sides,
    changes_histograms,
    check_order,
    measure_tasks,
    protect_events,
    protect_histograms,
    start,
)
from trailprint.protections.loss import Loss, with_locations
from trailprint.protections.microaggregate import equal_rows
from trailprint.protections.protection import EventProtection, HistogramChange, Protection
from trailprint.protections.tasks import TaskBaseline, Tasks
from trailprint.studies.judging import (
    Judge,
    NotJudged,
    Success,
    Ways,
    find_strongest,
    measure_at_risk,
)
from trailprint.studies.options import TrialOptions
from trailprint.studies.released_groups import RecordGroups, group_events, group_histograms
from trailprint.studies.shared_traces import measure_shared, share_release

_MOST_KEPT = 6
"""Number of protected stages kept in the cache, to limit memory."""
_MOST_TOGETHER = 20_000
"""Up to this many people attacks run in parallel; with more, one keeps all threads busy."""

Chain = tuple[Protection, ...]

Counted = tuple[int, int, float]
"""Links to the true record, links to it or an equal one, and the expected number of the former."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """
    One protected release: its loss, and what attacks achieve against it.

    Attributes
    ----------
    parameters : mapping
        Parameters of the protection that varies.
    loss : Loss
        Information loss of the release.
    attacks : tuple of Success
        All attacks tried.
    groups : RecordGroups
        How many people share a record.
    singling_out : tuple of Sharing
        How many people share a trace, a set of places, or the most visited places.
    not_judged : tuple of NotJudged
        Families that could not be tried.
    facts : mapping
        Facts reported by the protections.
    tasks : Tasks, optional
        Utility of the release for analysis tasks, if measured.
    """

    parameters: Mapping[str, Any]
    loss: Loss
    attacks: tuple[Success, ...]
    groups: RecordGroups
    not_judged: tuple[NotJudged, ...] = ()
    singling_out: tuple[Sharing, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    tasks: Tasks | None = None

    @property
    def strongest(self) -> Success:
        """The attack that links the largest share of people."""
        return find_strongest(self.attacks)

    @property
    def at_risk(self) -> float:
        """Risk compared with the target: the highest over all attacks."""
        return measure_at_risk(self.attacks)


class TrialContext:
    """
    Both sides, and the caches shared by all trials of protections on them.

    Protected events are cached, so chains with a common prefix continue from there. Measurements of
    a chain are cached too: measured again, it is attacked only by families not yet tried. ``whole``
    is the dataset to be published, if both sides were cut from it. With ``sharing``, measurements
    say how many people share their trace and their places in the release.
    """

    def __init__(
        self,
        released: Events,
        auxiliary: Events,
        protections: Sequence[Protection],
        options: TrialOptions,
        counting: HistogramOptions | None,
        n_threads: int | None,
        judges: Sequence[Judge] = (),
        whole: Events | None = None,
        *,
        sharing: bool = True,
    ) -> None:
        check_order(protections)
        self._sharing = sharing
        self._options = options
        self._counting = counting
        self._n_threads = n_threads
        self._judges = tuple(judges)
        self._prices: dict[MatchOptions, NDArray[np.float64]] = {}
        first = _Reached(start(released, auxiliary, counting, whole), counting)
        self._tasks = TaskBaseline(first.stage.released)
        self._reached: dict[Chain, _Reached] = {(): first}
        self._known: dict[tuple[Chain, int], _Known] = {}
        self.n_people = _n_common(first.stage, auxiliary)
        if not self.n_people:
            raise OptionError("A sweep needs people on both sides, but no user id is on both.")

    def measure(
        self,
        chain: Sequence[Protection],
        parameters: Mapping[str, Any],
        judges: Sequence[Judge] | None = None,
        *,
        with_tasks: bool = True,
        draws: int = 1,
    ) -> Point:
        """
        Protect, attack and measure; with ``with_tasks`` also the utility for analysis tasks.

        Histograms are matched ``draws`` times, with different ties between equally good matchings.
        """
        check_order(chain)
        trial = _Trial(
            chain=tuple(chain),
            reach=self._reach,
            protect=self._protect,
            sharing=self._sharing,
        )
        known = self._known.get((trial.chain, draws))
        if known is None:
            known = self._known[trial.chain, draws] = self._measure_all(trial, draws)
        answers = [
            known.answers.get(judge.name) or known.hear(judge.name, self._ask(judge, trial))
            for judge in (self._judges if judges is None else judges)
        ]
        if with_tasks and known.tasks is None:
            known.tasks = measure_tasks(self._tasks, trial.stage, trial.chain, known.loss)
        return Point(
            parameters=parameters,
            loss=known.loss,
            attacks=(*known.attacks, *(one for found in answers for one in found.attacks)),
            groups=known.groups,
            not_judged=tuple(one.refused for one in answers if one.refused is not None),
            singling_out=known.singling_out,
            facts=known.facts,
            tasks=known.tasks if with_tasks else None,
        )

    def _measure_all(self, trial: _Trial, draws: int) -> _Known:
        """Measure everything that does not depend on the judges."""
        # Built before anything runs at once: an engine is for one thread at a time.
        released, auxiliary = trial.sides
        seed = self._options.seed
        seeds = [(seed + draw) % N_SEEDS for draw in range(draws)]
        attacks = [
            partial(self._attack, released, auxiliary, replace(attack, seed=own))
            for attack in self._options.attacks
            for own in seeds
        ]
        n_at_once = self._n_threads if self.n_people <= _MOST_TOGETHER else 1
        measurements: list[Callable[[], Any]] = [trial.describe, *attacks]
        described, *found = run_together(_call, [(one,) for one in measurements], n_at_once)
        return _Known(attacks=tuple(found), **described)

    def _protect(self, sides: tuple[Histograms, Histograms], chain: Chain) -> HistogramChange:
        return protect_histograms(sides[0], chain, self._options.seed, self._n_threads)

    def _reach(self, chain: Sequence[Protection]) -> _Reached:
        """Protect events by a chain, continuing from its longest cached prefix."""
        steps = tuple(step for step in chain if isinstance(step, EventProtection))
        n_done = next(n for n in range(len(steps), -1, -1) if steps[:n] in self._reached)
        for n in range(n_done + 1, len(steps) + 1):
            before = self._reached[steps[: n - 1]].stage
            stage = protect_events(before, steps[:n], self._options.seed, n - 1)
            self._reached[steps[:n]] = _Reached(stage, self._counting)
        found = self._reached[steps]
        while len(self._reached) > _MOST_KEPT:
            oldest = next(own for own in self._reached if own and own != steps)
            del self._reached[oldest]
        return found

    def _attack(
        self, released: Histograms, auxiliary: Histograms, options: MatchOptions
    ) -> Success:
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
        counted = _count_right(released.matrix, linkage, truth)
        done = _describe(f"{options.method} {options.metric}", linkage, counted, self.n_people)
        return replace(done, left=truth.n_common)

    def _ask(self, judge: Judge, trial: _Trial) -> _Answer:
        """Run each attack of a family; rates are shares of the people it is tried on."""
        n_people = self.n_people if judge.people is None else len(judge.people)
        is_whole = n_people == self.n_people
        found = []
        try:
            for way in trial.prepare(judge):
                linkage, truth = way.run(), truth_from_ids(*way.users)
                counted = _count_right(way.records, linkage, truth)
                done = _describe(judge.name, linkage, counted, n_people)
                done = replace(done, family=judge.name, left=truth.n_common, is_whole=is_whole)
                found.append(done)
        except (InputError, OptionError) as error:
            return _Answer((), NotJudged(family=judge.name, why=error.for_command_line()))
        return _Answer(tuple(found))


class _Answer(NamedTuple):
    """Results of a family, or why it could not be tried."""

    attacks: tuple[Success, ...]
    refused: NotJudged | None = None


@dataclass(slots=True, kw_only=True)
class _Known:
    """Measurements of a release; answers of further families can be added later."""

    attacks: tuple[Success, ...]
    loss: Loss
    groups: RecordGroups
    singling_out: tuple[Sharing, ...]
    facts: Mapping[str, Any]
    answers: dict[str, _Answer] = field(default_factory=dict)
    tasks: Tasks | None = None

    def hear(self, name: str, answer: _Answer) -> _Answer:
        """Store and return the answer of a family."""
        self.answers[name] = answer
        return answer


class _Reached:
    """Events after the first protections of a chain, and their histograms, built when needed."""

    def __init__(self, stage: ChainState, counting: HistogramOptions | None) -> None:
        self.stage, self._counting = stage, counting

    @cached_property
    def sides(self) -> tuple[Histograms, Histograms]:
        """Histograms of both sides."""
        return build_sides(self.stage, self._counting)


class _Trial(Discreet):
    """Both sides after a chain, as events and as histograms, built when needed."""

    def __init__(
        self,
        *,
        chain: Chain,
        reach: Callable[[Chain], _Reached],
        protect: Callable[[tuple[Histograms, Histograms], Chain], HistogramChange],
        sharing: bool,
    ) -> None:
        self.chain, self._reach, self._protect = chain, reach, protect
        self._sharing = sharing

    @cached_property
    def _reached(self) -> _Reached:
        return self._reach(self.chain)

    @property
    def stage(self) -> ChainState:
        """Both sides as events, with the state of the chain."""
        return self._reached.stage

    @cached_property
    def change(self) -> HistogramChange:
        """The released histograms after the histogram protections of the chain."""
        return self._protect(self._reached.sides, self.chain)

    @property
    def sides(self) -> tuple[Histograms, Histograms]:
        """Both sides as histograms."""
        return self.change.histograms, self._reached.sides[1]

    def describe(self) -> dict[str, Any]:
        """Measure what no attack is needed for: the loss, groups, sharing and facts."""
        return {
            "loss": self.stage.measure(self.change),
            "groups": self.count_groups(),
            "singling_out": self.measure_sharing() if self._sharing else (),
            "facts": {**self.stage.facts, **self.change.facts},
        }

    def prepare(self, judge: Judge) -> Ways:
        """Prepare the attacks of a family on the protected release."""
        if judge.on_events is not None:
            if changes_histograms(self.chain):
                raise InputError("Events are needed, and only histograms would be released.")
            return judge.on_events(*self._events(), self.chain)
        if judge.on_histograms is None:
            raise InputError("It does not judge protections.")
        return judge.on_histograms(*self.sides)

    def _events(self) -> tuple[Events, Events]:
        if self.stage.auxiliary is None:
            raise ValueError("two sides are needed")
        return with_locations(self.stage.released), with_locations(self.stage.auxiliary)

    def count_groups(self) -> RecordGroups:
        """Count groups of equal records in the protected release."""
        if changes_histograms(self.chain):
            return group_histograms(self.sides[0])
        return group_events(self.stage.released)

    def measure_sharing(self) -> tuple[Sharing, ...]:
        """Measure how many people share a trace, places or top places in the protected release."""
        if changes_histograms(self.chain):
            return measure_shared(share_release(None, self.sides[0]))
        return measure_shared(share_release(with_locations(self.stage.released), None))


def _call(job: Callable[[], Any]) -> Any:
    return job()


def _describe(name: str, linkage: Linkage, counted: Counted, n_people: int) -> Success:
    n_users, n_clusters, expected = counted
    return Success(
        attack=name,
        people=n_people,
        user_accuracy=n_users / n_people,
        cluster_accuracy=n_clusters / n_people,
        expected_user_accuracy=expected / n_people,
        accuracy_interval=wilson(n_users, n_people) or (0.0, 1.0),
        cluster_interval=wilson(n_clusters, n_people) or (0.0, 1.0),
        chance=linkage.n_links / max(linkage.n_released * linkage.n_auxiliary, 1),
    )


def _n_common(stage: ChainState, auxiliary: Events) -> int:
    """Number of users with events on both sides."""
    users = auxiliary.engine.arrow(
        f'SELECT DISTINCT CAST("user" AS VARCHAR) AS who FROM ({auxiliary.query})'
    )["who"]
    return int(
        pc.sum(pc.is_in(stage.original.users, value_set=users.combine_chunks())).as_py() or 0
    )


def _count_right(records: sparse.csr_array, linkage: Linkage, truth: Truth) -> Counted:
    """Count links to the true record, to it or an equal one, and the former in expectation."""
    right = truth.holds(linkage.released, linkage.auxiliary)
    classes = equal_rows(records)
    own = np.full(
        int(max(linkage.auxiliary.max(initial=0), truth.auxiliary.max(initial=0))) + 1, -1
    )
    own[truth.auxiliary] = classes[truth.released]
    same = classes[linkage.released] == own[linkage.auxiliary]
    chance = same / np.bincount(classes)[classes[linkage.released]]
    return int(np.count_nonzero(right)), int(np.count_nonzero(same)), float(chance.sum())
