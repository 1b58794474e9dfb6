"""``plan_correlate``: estimate in advance what comparing sequences needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from trailprint.arguments import check_arguments
from trailprint.arrays import Ints
from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import correlate_chains, correlate_sequences
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.errors import InputError
from trailprint.evaluation.candidates import measure_candidates
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.events import Events
from trailprint.events.knowledge import Knowledge, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source
from trailprint.events.split import SplitOptions, split
from trailprint.events.summary import count_users
from trailprint.features.places import build_chain_pair
from trailprint.features.sequences import Sequences, build_sequence_pair, build_sequences
from trailprint.kernels.passes import passes_run_by
from trailprint.linkage import Linkage
from trailprint.store import MemoryStore
from trailprint.studies.folds import cut_fold, first_days, fold_of_visits, measure_histograms
from trailprint.studies.options import FoldOptions
from trailprint.workflows.correlate_sides import check_correlation, open_sides
from trailprint.workflows.plans import (
    PlannedSize,
    PlannedStep,
    WorkPlan,
    announce_work,
    make_plan,
    runs_on_spark,
)
from trailprint.workflows.rehearsal import count_bytes
from trailprint.workflows.samples import (
    choose_sizes,
    draw_users,
    extrapolate,
    try_sizes,
)

#: Minimum and maximum number of people sampled: for trained models, other models and positions.
TRAINED, COMPARED, PLACED = (30, 80), (100, 400), (10, 40)
#: Bytes per pair for bounds and scores of models; other methods compare a few people at a time.
PAIR_BYTES = 4
#: From this many visits on training models locally takes minutes, so the plan is logged.
LONG_VISITS = 1_000_000

Sides = tuple[Sequences, Sequences]
Running = tuple[EngineOptions | EngineName | None, int | None]


@check_arguments()
def plan_correlate(
    released: Source,
    auxiliary: Source,
    options: CorrelateOptions | None = None,
    *,
    knows: Knowledge | str | None = None,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> WorkPlan:
    """
    Estimate what `trailprint.correlate` with the same arguments needs, without running it.

    Events are cut into days, and a sample of people is compared with each other on one core.
    Models that are already in a work folder are planned as if they had to be trained.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        The data to be published, and what an adversary might know.
    options : CorrelateOptions, optional
        Model, days, ties.
    knows : Knowledge or str, optional
        How much of the auxiliary side is known about each person; by default everything.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    engine : EngineOptions or {"local", "spark"}
        Engine that the plan is for. Does not affect results.
    n_threads : int, optional
        Number of threads that the plan is for.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> sides = tp.split(campus, tp.SplitOptions(at="median"))
    >>> from trailprint.workflows import plan_correlate
    >>> options = tp.CorrelateOptions(model="markov")
    >>> plan_correlate(sides.released, sides.auxiliary, options).pairs
    400
    """
    options = options or CorrelateOptions()
    first, second = open_sides([released, auxiliary], options, reading, places)
    check_correlation(options, None, first, second)
    second, _ = restrict(second, open_knowledge(knows, options.seed))
    if options.model == "mobility-markov":
        return _plan_positions(first, second, options, 1, (engine, n_threads))
    return plan_sequences(build_sequence_pair(first, second), options, 1, (engine, n_threads))


@check_arguments()
def plan_correlate_folds(
    events: Source,
    options: CorrelateOptions | None = None,
    protocol: FoldOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> WorkPlan:
    """
    Estimate what `correlate_folds` with the same arguments needs, without running it.

    All rounds are assumed to cost as much as the first.

    Parameters
    ----------
    events : Events, path or table
        Any source that `trailprint.read` accepts, or its result.
    options : CorrelateOptions, optional
        Model, days, ties.
    protocol : FoldOptions, optional
        Number of bins and rounds.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    engine : EngineOptions or {"local", "spark"}
        Engine that the plan is for. Does not affect results.
    n_threads : int, optional
        Number of threads that the plan is for.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> from trailprint.options import FoldOptions
    >>> from trailprint.workflows import plan_correlate_folds
    >>> options = tp.CorrelateOptions(model="markov")
    >>> plan_correlate_folds(campus, options, FoldOptions(n_folds=3)).pairs
    1200
    """
    options, protocol = options or CorrelateOptions(), protocol or FoldOptions()
    (opened,) = open_sides([events], options, reading, places)
    check_correlation(options, None, opened)
    running, n_rounds = (engine, n_threads), len(protocol.rounds)
    if options.model == "mobility-markov":
        sides = split(opened, SplitOptions(fold=f"1/{protocol.n_folds}"))
        return _plan_positions(sides.released, sides.auxiliary, options, n_rounds, running)
    return plan_sequences(
        _first_round(build_sequences(opened), protocol), options, n_rounds, running
    )


def announce_correlation(
    sides: Sides, options: CorrelateOptions, n_rounds: int, running: Running
) -> None:
    """Log the estimated cost of models on Spark, or of many models locally."""
    if options.model != "crf" or not all(side.n_visits for side in sides):
        return
    n_visits = n_rounds * sides[0].n_visits
    if runs_on_spark(running[0]) or n_visits >= LONG_VISITS:
        announce_work(plan_sequences(sides, options, n_rounds, running))


def announce_folds(
    sequences: Sequences, options: CorrelateOptions, protocol: FoldOptions, running: Running
) -> None:
    """Log the estimated cost of all rounds, based on the first."""
    announce_correlation(_first_round(sequences, protocol), options, len(protocol.rounds), running)


def _first_round(sequences: Sequences, protocol: FoldOptions) -> Sides:
    return cut_fold(sequences, fold_of_visits(sequences, protocol.n_folds), 0)


@dataclass(slots=True)
class _Tried:
    """Measured cost of the models of a sample of people."""

    n_people: int
    train_s: float
    score_s: float
    model_bytes: int


def plan_sequences(
    sides: Sides, options: CorrelateOptions, n_rounds: int, running: Running
) -> WorkPlan:
    """Estimate what comparing sequences needs, for ``n_rounds`` rounds of the size of this one."""
    if not all(side.n_visits for side in sides):
        raise InputError("Both sides must have users with events, but one has none.")
    released, auxiliary = (side.without_idle_users() for side in sides)
    if options.days is not None:
        auxiliary = auxiliary.first_days(options.days)
    n_people = max(len(released.users), len(auxiliary.users))
    pairs = len(released.users) * len(auxiliary.users)
    arrays: float = _count_arrays(released) + _count_arrays(auxiliary)
    if options.model == "crf":
        steps, model_bytes = _plan_models((released, auxiliary), options, n_rounds)
        arrays += model_bytes + PAIR_BYTES * pairs
    else:
        sizes = choose_sizes(n_people, *COMPARED)
        work = _comparing((released, auxiliary), options)
        found = extrapolate(try_sizes(n_people, sizes, work), n_people, 2.0)
        steps = found.times(n_rounds).steps("pairs compared")
    measured = PlannedSize(
        released_users=len(released.users),
        auxiliary_users=len(auxiliary.users),
        locations=len(released.locations),
        pairs=float(n_rounds * pairs),
        driver_bytes=arrays + (8 * pairs if options.joint else 0),
        worker_bytes=_count_arrays(auxiliary) if options.model == "crf" else 0.0,
    )
    return make_plan("correlate", measured, steps, *running)


def _comparing(sides: Sides, options: CorrelateOptions) -> Callable[[float], Callable[[], object]]:
    """Return a function that makes the comparison work for a share of the people."""

    def make(share: float) -> Callable[[], object]:
        some = _draw(sides, share)
        return lambda: _look_up(some, options)

    return make


def _look_up(sides: Sides, options: CorrelateOptions, store: MemoryStore | None = None) -> Linkage:
    linkage = correlate_sequences(*sides, options, store=store, n_threads=1)
    truth = truth_from_ids(sides[0].users, sides[1].users)
    if truth.source != "none":
        measure_candidates(linkage, truth)
        measure_histograms(sides, truth, options)
    return linkage


def _draw(sides: Sides, share: float) -> Sides:
    """Draw a sample of people, from those on both sides if there are any."""
    truth = truth_from_ids(sides[0].users, sides[1].users)
    if truth.n_common:
        rows = _pick(truth.n_common, share)
        return (
            sides[0].select(truth.released[rows]),
            sides[1].select(truth.auxiliary[rows]),
        )
    first, second = (side.select(_pick(len(side.users), share)) for side in sides)
    return first, second


def _pick(n_people: int, share: float) -> Ints:
    order = np.random.default_rng(0).permutation(n_people)
    return np.sort(order[: max(1, round(share * n_people))])


def _plan_models(
    sides: Sides, options: CorrelateOptions, n_rounds: int
) -> tuple[list[PlannedStep], float]:
    """Estimate the steps of training and running models, and the bytes of all models."""
    n_people = max(len(side.users) for side in sides)
    sizes = choose_sizes(n_people, *TRAINED)
    _try_models(sides, options, sizes[0] / n_people)  # Warm-up: the first run loads code.
    few, many = (_try_models(sides, options, size / n_people) for size in sizes)
    growth = n_people / many.n_people
    # Each sequence is scored by a few models, and by a share of all the others.
    each = many.score_s / many.n_people
    more = max(each - few.score_s / few.n_people, 0.0) / max(many.n_people - few.n_people, 1)
    score_s = n_people * (each + more * (n_people - many.n_people))
    steps = [
        _step("models trained", n_rounds * many.train_s * growth, n_rounds),
        _step("models run", n_rounds * score_s, n_rounds),
    ]
    return steps, many.model_bytes * growth


def _step(name: str, seconds: float, passes: int) -> PlannedStep:
    return PlannedStep(name=name, passes=passes, core_seconds=seconds, is_shared=True)


def _try_models(sides: Sides, options: CorrelateOptions, share: float) -> _Tried:
    some, store = _draw(sides, share), _Weighed()
    with passes_run_by(None):
        linkage = _look_up(some, options, store)
    return _Tried(
        n_people=len(some[0].users),
        train_s=linkage.seconds["train"],
        score_s=linkage.seconds["score"],
        model_bytes=store.n_bytes,
    )


class _Weighed(MemoryStore):
    """A store that counts the bytes it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.n_bytes = 0

    def put(self, name: str, content: bytes) -> None:
        """Store content and count its bytes."""
        self.n_bytes += len(content)
        super().put(name, content)


def _plan_positions(
    released: Events,
    auxiliary: Events,
    options: CorrelateOptions,
    n_rounds: int,
    running: Running,
) -> WorkPlan:
    """Plan the correlation of positions, including the detection of places."""
    n_users = count_users(released), count_users(auxiliary)
    sides = released, first_days(auxiliary, options.days)

    def place(share: float) -> Callable[[], object]:
        some = [draw_users(side, share) for side in sides]
        return lambda: build_chain_pair(some[0], some[1])

    def compare(share: float) -> Callable[[], object]:
        some = [draw_users(side, share) for side in sides]
        chains = build_chain_pair(some[0], some[1])
        return lambda: correlate_chains(*chains, options)

    n_people = max(n_users)
    sizes = choose_sizes(n_people, *PLACED)
    found = extrapolate(try_sizes(n_people, sizes, place), n_people, 1.0)
    pairs = extrapolate(try_sizes(n_people, sizes, compare), n_people, 2.0)
    measured = PlannedSize(
        released_users=n_users[0],
        auxiliary_users=n_users[1],
        locations=None,
        pairs=float(n_rounds * n_users[0] * n_users[1]),
        driver_bytes=8.0 * n_users[0] * n_users[1],
        worker_bytes=0.0,
    )
    steps = [
        *found.times(n_rounds).steps("places found"),
        *pairs.times(n_rounds).steps("pairs compared"),
    ]
    return make_plan("correlate", measured, steps, *running)


def _count_arrays(sequences: Sequences) -> int:
    return sum(count_bytes(getattr(sequences, item.name)) for item in fields(sequences))
