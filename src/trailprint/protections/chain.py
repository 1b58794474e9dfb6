"""Chains: several protections applied in order, and what they cost together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from trailprint.display.discreet import Discreet
from trailprint.errors import InputError, OptionError
from trailprint.events.events import Events
from trailprint.events.meeting import in_one_engine
from trailprint.features.histograms import Histograms, build_histogram_pair, build_histograms
from trailprint.features.options import HistogramOptions
from trailprint.progress import Progress, ignore_progress
from trailprint.protections.loss import (
    Loss,
    Translation,
    learn_translation,
    measure_loss,
    with_locations,
)
from trailprint.protections.protection import (
    EventProtection,
    HistogramChange,
    HistogramProtection,
    Protection,
    Rule,
)
from trailprint.protections.tasks import TaskBaseline, Tasks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChainState(Discreet):
    """
    State of a release between two steps of a chain.

    Attributes
    ----------
    released, auxiliary : Events
        Both sides in their current state; ``auxiliary`` may be None.
    original : Histograms
        The released side before any protection.
    events_before : float
        Number of events of the released side before any protection.
    translations : tuple
        How locations have been renamed so far.
    leaves_out : bool
        Whether records have been left out so far.
    facts : dict
        Facts that the protections reported.
    whole : Events, optional
        Everything that would be published, if both sides were split from it: lists and grids are
        learnt from it, as `apply_protections` will do.
    """

    released: Events
    auxiliary: Events | None
    original: Histograms
    events_before: float
    translations: tuple[Translation, ...] = ()
    leaves_out: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    whole: Events | None = None

    @property
    def events_kept(self) -> float:
        """Share of the events that is left."""
        return _n_events(self.released) / self.events_before

    def measure(self, change: HistogramChange) -> Loss:
        """Measure the loss from the original to these histograms."""
        return measure_loss(
            self.original,
            change.histograms,
            self.translations,
            events_kept=change.events_kept * self.events_kept,
            leaves_out=self.leaves_out,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Protected(Discreet):
    """
    Protected data that may be released, and what the protection cost.

    ``histograms`` are None if only events were changed; ``events`` and ``tasks`` are None if the
    input had no events.
    """

    events: Events | None
    histograms: Histograms | None
    loss: Loss
    facts: dict[str, Any] = field(default_factory=dict)
    tasks: Tasks | None = None


def check_order(protections: Sequence[Protection]) -> None:
    """Raise an error if events come after histograms, which cannot be turned back into events."""
    seen: str | None = None
    for step in protections:
        if isinstance(step, HistogramProtection):
            seen = step.name
        elif seen is not None:
            raise OptionError(
                f"Protections of events must come before those of histograms, got {step.name} "
                f"after {seen}. Change the order."
            )


def changes_histograms(protections: Sequence[Protection]) -> bool:
    """Whether the chain releases histograms instead of events."""
    return any(isinstance(step, HistogramProtection) for step in protections)


def start(
    released: Events,
    auxiliary: Events | None = None,
    counting: HistogramOptions | None = None,
    whole: Events | None = None,
) -> ChainState:
    """The state before any protection."""
    if auxiliary is not None:
        released, auxiliary = in_one_engine([released, auxiliary])
    if whole is not None:
        released, whole = in_one_engine([released, whole])
    original = build_histograms(with_locations(released), counting)
    _check_data(original)
    return ChainState(
        released=released,
        auxiliary=auxiliary,
        original=original,
        events_before=_n_events(released),
        whole=whole,
    )


def _check_data(histograms: Histograms) -> None:
    """Raise an error if there are no events: nothing to protect, and no share to lose."""
    if not histograms.matrix.nnz:
        raise InputError(
            "At least one event must be there to protect, but there is none. "
            "Are all counts zero, or do the filters leave nothing?"
        )


def protect_events(
    stage: ChainState, protections: Sequence[Protection], seed: int, first: int = 0
) -> ChainState:
    """
    Apply the protections of events, in order; public ones to both sides.

    ``first`` is the step to resume from; earlier ones have been applied already.
    """
    for place, step in enumerate(protections):
        if place >= first and isinstance(step, EventProtection):
            stage = _apply(stage, step, (seed, place))
    return stage


def _apply(stage: ChainState, step: EventProtection, seed: tuple[int, int]) -> ChainState:
    rule, whole = _learn_rule(stage, step, seed)
    translations = stage.translations
    if step.renames_locations:
        translations = (*translations, learn_translation(stage.released, rule))
    released = rule(stage.released).materialise()
    if not released.count():
        raise InputError(f"At least one event must be left, but {step.name} leaves none.")
    auxiliary = stage.auxiliary
    if auxiliary is not None and step.is_public:
        auxiliary = rule(auxiliary).materialise()
    return ChainState(
        released=released,
        auxiliary=auxiliary,
        original=stage.original,
        events_before=stage.events_before,
        translations=translations,
        leaves_out=stage.leaves_out or step.leaves_out,
        facts={**stage.facts, **step.facts(stage.released, released)},
        whole=whole,
    )


def _learn_rule(
    stage: ChainState, step: EventProtection, seed: tuple[int, int]
) -> tuple[Rule, Events | None]:
    """Learn the rule of a step; also return everything that would be published, after it."""
    if stage.whole is None:
        return step.rule(stage.released, stage.auxiliary, seed), None
    on_whole = step.rule(stage.whole, None, seed)
    # A public rule is the same for all data; a private one depends on the released side.
    rule = on_whole if step.is_public else step.rule(stage.released, stage.auxiliary, seed)
    return rule, on_whole(stage.whole)


def protect_alone(events: Events, protections: Sequence[Protection], seed: int) -> Events:
    """
    Apply to events only the private protections of events, without public maps.

    An adversary who knows the chain, but not its seed, can do this to their own data.
    """
    for place, step in enumerate(protections):
        if isinstance(step, EventProtection) and not step.is_public:
            events = step.rule(events, None, (seed, place))(events).materialise()
    return events


def protect_histograms(
    histograms: Histograms,
    protections: Sequence[Protection],
    seed: int,
    n_threads: int | None = None,
) -> HistogramChange:
    """Apply the protections of histograms, in order."""
    change = HistogramChange(histograms=histograms)
    for place, step in enumerate(protections):
        if isinstance(step, HistogramProtection):
            done = step.change(change.histograms, (seed, place), n_threads=n_threads)
            change = HistogramChange(
                histograms=done.histograms,
                events_kept=change.events_kept * done.events_kept,
                facts={**change.facts, **done.facts},
            )
    return change


def apply_protections(
    data: Events | Histograms,
    protections: Sequence[Protection],
    *,
    seed: int = 0,
    counting: HistogramOptions | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Protected:
    """
    Protect one dataset by several protections in order.

    Parameters
    ----------
    data : Events or Histograms
        What would be released.
    protections : sequence of Protection
        Those of events must come first. For histograms, only those of histograms.
    seed : int
        Seed of every random choice; each step draws its own numbers.
    counting : HistogramOptions, optional
        What histograms count, also for measuring the loss.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with what is being done and the share that is done.
    """
    check_order(protections)
    report = progress or ignore_progress
    if isinstance(data, Histograms):
        return _protect_only_histograms(data, protections, seed, n_threads)
    report("Counting events", 0.0)
    stage = start(data, counting=counting)
    report("Protecting events", 0.2)
    stage = protect_events(stage, protections, seed)
    report("Protecting histograms", 0.5)
    after = build_histograms(with_locations(stage.released), counting)
    change = protect_histograms(after, protections, seed, n_threads)
    report("Measuring what is lost", 0.8)
    return Protected(
        events=stage.released,
        histograms=change.histograms if changes_histograms(protections) else None,
        loss=(loss := stage.measure(change)),
        facts={**stage.facts, **change.facts},
        tasks=measure_tasks(TaskBaseline(data), stage, protections, loss),
    )


def measure_tasks(
    baseline: TaskBaseline, stage: ChainState, protections: Sequence[Protection], loss: Loss
) -> Tasks:
    """Measure how useful the release is for tasks, whether it is events or histograms."""
    if changes_histograms(protections):
        return baseline.without_events(loss.popularity_error)
    return baseline.measure(stage.released, stage.translations)


def _protect_only_histograms(
    histograms: Histograms,
    protections: Sequence[Protection],
    seed: int,
    n_threads: int | None,
) -> Protected:
    for step in protections:
        if isinstance(step, EventProtection):
            raise OptionError(f"{step.name} changes events, got histograms instead.")
    _check_data(histograms)
    change = protect_histograms(histograms, protections, seed, n_threads)
    loss = measure_loss(histograms, change.histograms, events_kept=change.events_kept)
    return Protected(events=None, histograms=change.histograms, loss=loss, facts=dict(change.facts))


def build_sides(
    stage: ChainState, counting: HistogramOptions | None
) -> tuple[Histograms, Histograms]:
    """Histograms of both sides, over a shared list of locations."""
    if stage.auxiliary is None:
        raise ValueError("two sides are needed")
    sides = with_locations(stage.released), with_locations(stage.auxiliary)
    return build_histogram_pair(*sides, counting)


def _n_events(events: Events) -> float:
    return float(
        events.engine.row(f"SELECT coalesce(sum({events.weight_sql}), 0) FROM ({events.query})")[0]
    )
