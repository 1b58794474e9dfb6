"""Sequence correlation in an audit: one model per person, for as many people as time allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.audit.attacks.choices import SequenceChoice, SequenceModel, choice_of
from trailprint.audit.attacks.family import AttackFamily
from trailprint.audit.attacks.measuring import (
    describe,
    find_people,
    keep_attack,
    keep_controls,
)
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.methods import CandidateMethod, choose_method
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import chain_seconds, crf_seconds, sequence_seconds
from trailprint.audit.planning.memory import sequence_bytes, why_too_large
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.features.sequences import Sequences
from trailprint.linkage import Linkage
from trailprint.studies.controls import ControlOptions, control_absent, control_permuted
from trailprint.studies.judging import Judge
from trailprint.workflows.judging import judge_sequences

_MODELS: Mapping[SequenceModel, str] = {
    "crf": "A conditional random field for each released person",
    "markov": "A Markov chain for each released person",
}
_MOST_CONTROLLED, _LEAST_CONTROLLED, _CONTROLLED_VISITS = 100, 20, 10_000

LEAST_MODELS = 50
"""Least number of models: fewer people say too little about the attack."""

_CHAINS_ALONE = (
    "Only Markov chains were tried: training conditional random fields, which often link more "
    "people, would take longer than the time limit allows. With --time-limit none both are."
)

_FEW_VISITS = 40_000
"""With fewer visits, training ends before further processes have started."""


class SequenceFamily(AttackFamily):
    """A CRF or a Markov chain for each released person, whichever links more people."""

    name = "sequence"
    title = "Sequence correlation"
    question = "Do the order and the timing of visits identify one known person?"
    assumptions = (
        "The adversary knows the visits of one person on some days, with their times.",
        "They train a model of each released record and take the one that explains these "
        "visits best.",
        "Daily routines change little between the two periods.",
    )
    choice: ClassVar[type] = SequenceChoice
    is_quick = False

    def refuse(self, context: AuditContext) -> str | None:
        """Refuse data without times, which has no sequences, and models too large for memory."""
        if not all("start" in side.columns for side in context.events):
            return "It needs the time of each visit, and the data has none."
        allowed = context.events[0].engine.memory_bytes
        return why_too_large(sequence_bytes(context.sizes, count_models(context)), allowed)

    def needed_bytes(self, sizes: Sizes) -> float:
        """Zero: `refuse` checks memory, which depends on how many models are trained."""
        return 0.0

    def settings(self, context: AuditContext) -> Mapping[str, Any]:
        """Which models are trained, and for how many people."""
        return {"users": count_models(context), "models": list(choose_models(context))}

    def estimate(self, context: AuditContext) -> float:
        """Time to train and run the models."""
        n_models = count_models(context)
        if len(choose_models(context)) == 1:
            return chain_seconds(context.sizes, n_models)
        return sequence_seconds(context.sizes, n_models)

    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Train each kind of model for each person, and keep the one that links more people."""
        sides, truth = _draw_people(context, count_models(context))
        tried = [_try(context, model, sides, progress) for model in choose_models(context)]
        found = choose_method(tried[0], tried[-1], truth)
        entry = describe(self.name, found, truth)
        entry = replace(entry, notes=(*entry.notes, *_notes(context, truth)))
        users = sides[0].users, sides[1].users
        return keep_attack(entry, found, find_people(found.best.linkage, context, truth, users))

    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time to train the winning model three times, for some of the people."""
        return 3 * _model_seconds(outcome, context.sizes, count_controlled(context.sizes))

    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run the controls, absent people and permuted rows, on some of the people."""
        sides, truth = _draw_people(context, count_controlled(context.sizes))
        model = choice_of(before["attack/sequence"], SequenceChoice).model
        options, attack = ControlOptions(seed=context.options.seed), _attack(context, model)
        found = [control_absent(self.name, attack, *sides, truth, options)]
        progress(0.33)
        found += control_permuted(self.name, attack, *sides, truth, options)
        return keep_controls(control.to_finding() for control in found)

    def judge(self, context: AuditContext, outcome: Outcome) -> Judge:
        """The winning model, trained again for the same people on each protected release."""
        sides, truth = _draw_people(context, count_models(context))
        people = sides[0].users.take(pa.array(truth.released))
        model = choice_of(outcome, SequenceChoice).model
        users = sides[0].users, sides[1].users
        return replace(judge_sequences(*users, _attack(context, model)), people=people)

    def estimate_judging(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time to train and run the winning model once more."""
        if outcome is None:
            return self.estimate(context)
        return _model_seconds(outcome, context.sizes, count_models(context))


def _model_seconds(outcome: Outcome | None, sizes: Sizes, n_most: int) -> float:
    """Time of the winning model; of the slower one before any has won."""
    chains = outcome is not None and choice_of(outcome, SequenceChoice).model == "markov"
    return chain_seconds(sizes, n_most) if chains else crf_seconds(sizes, n_most)


def choose_models(context: AuditContext) -> tuple[SequenceModel, ...]:
    """
    Return the models to train; chains alone if random fields of the fewest people take too long.

    With thousands of places per person, as in web data, one field takes ten seconds or more.
    """
    limit = context.options.time_limit_s
    is_long = limit is not None and crf_seconds(context.sizes, LEAST_MODELS) > limit / 3
    return ("markov",) if is_long and not context.is_piece else ("crf", "markov")


def count_models(context: AuditContext) -> int:
    """Return how many people get a model: as many as fit a third of the time limit."""
    wanted, limit = context.options.sequence_users, context.options.time_limit_s
    estimate = sequence_seconds if len(choose_models(context)) > 1 else chain_seconds
    while (
        limit is not None and wanted > LEAST_MODELS and estimate(context.sizes, wanted) > limit / 3
    ):
        wanted = max(LEAST_MODELS, wanted * 3 // 4)
    return wanted


def _try(
    context: AuditContext,
    model: SequenceModel,
    sides: tuple[Sequences, Sequences],
    progress: PartProgress | None = None,
) -> CandidateMethod:
    began = time.perf_counter()
    linkage = _attack(context, model, progress)(*sides)
    seconds = time.perf_counter() - began
    return CandidateMethod(
        title=_MODELS[model],
        linkage=linkage,
        seconds=seconds,
        chosen=SequenceChoice(model=model),
    )


def count_controlled(sizes: Sizes) -> int:
    """Return how many people to train controls on, three times: just enough to show failures."""
    per_person = sizes.n_events / max(sizes.n_released + sizes.n_auxiliary, 1)
    wanted = int(_CONTROLLED_VISITS / max(per_person, 1.0))
    return min(max(wanted, _LEAST_CONTROLLED), _MOST_CONTROLLED)


def _attack(
    context: AuditContext, model: SequenceModel, progress: PartProgress | None = None
) -> Callable[[Sequences, Sequences], Linkage]:
    options = CorrelateOptions(model=model, seed=context.options.seed)
    follow = None if progress is None else lambda what, share: progress(share)

    def attack(released: Sequences, auxiliary: Sequences) -> Linkage:
        n_threads = 1 if released.n_visits < _FEW_VISITS else context.n_threads
        return correlate_sequences(
            released, auxiliary, options, n_threads=n_threads, progress=follow
        )

    return attack


def _draw_people(context: AuditContext, n_most: int) -> tuple[tuple[Sequences, Sequences], Truth]:
    """Return all people, or if they are too many, a random sample of those on both sides."""
    released, auxiliary = context.sequences
    truth = truth_from_ids(released.users, auxiliary.users)
    if max(len(released.users), len(auxiliary.users)) <= n_most:
        return (released, auxiliary), truth
    random = np.random.default_rng([context.options.seed, 3])
    chosen: NDArray[np.int64] = np.sort(random.permutation(truth.n_common)[:n_most])
    sides = (
        released.select(truth.released[chosen]),
        auxiliary.select(np.sort(truth.auxiliary[chosen])),
    )
    return sides, truth_from_ids(sides[0].users, sides[1].users)


def _notes(context: AuditContext, truth: Truth) -> list[str]:
    """Notes on models that were not tried, and on the number of people."""
    notes = [] if len(choose_models(context)) > 1 else [_CHAINS_ALONE]
    if truth.n_common >= context.sizes.n_people:
        return notes
    return [
        *notes,
        f"Tried on {truth.n_common:,} people drawn at random, because a model is trained for "
        "each: with fewer people to confuse, its share is higher than it would be for all.",
    ]
