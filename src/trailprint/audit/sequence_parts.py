"""Sequence correlation in an audit: a model for each person, for as many as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trailprint.attacks.sequence import CorrelateOptions, correlate_sequences
from trailprint.audit.attack_parts import describe, find_people, keep_attack
from trailprint.audit.bench import Bench, Sizes
from trailprint.audit.parts import Outcome, Tell
from trailprint.audit.results.kept import attack_of
from trailprint.audit.variants import Tried, choose_stronger
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.features.sequences import Sequences
from trailprint.linkage import Linkage
from trailprint.studies.controls import ControlOptions, control_absent, control_permuted
from trailprint.studies.people import select_people

Model = Literal["crf", "markov"]
_MODELS: Mapping[Model, str] = {
    "crf": "A conditional random field for each released person",
    "markov": "A Markov chain for each released person",
}
_MOST_CONTROLLED, _LEAST_CONTROLLED, _CONTROLLED_VISITS = 100, 20, 10_000

_FEW_VISITS = 40_000
"""Training on fewer is done before further processes have started."""


def attack_sequences(
    n_most: int, bench: Bench, before: Mapping[str, Outcome], tell: Tell
) -> Outcome:
    """A CRF and a Markov chain for each released person; what links more people counts."""
    sides, truth = _draw_people(bench, n_most)
    own = _try(bench, "crf", sides, tell)
    found = choose_stronger(own, _try(bench, "markov", sides), truth)
    entry = describe("sequence", found, truth)
    entry = replace(entry, notes=(*entry.notes, *_notes(bench, truth)))
    users = sides[0].users, sides[1].users
    return keep_attack(entry, found, find_people(found.best.linkage, bench, truth, users))


def _try(
    bench: Bench, model: Model, sides: tuple[Sequences, Sequences], tell: Tell | None = None
) -> Tried:
    began = time.perf_counter()
    linkage = _attack(bench, model, tell)(*sides)
    seconds = time.perf_counter() - began
    return Tried(title=_MODELS[model], linkage=linkage, seconds=seconds, chosen={"model": model})


def control_sequences(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """People who are not there, and rows in another order, for some of the people."""
    sides, truth = _draw_people(bench, count_controlled(bench.sizes))
    model = attack_of(before["attack/sequence"]).chosen["model"]
    options, attack = ControlOptions(seed=bench.options.seed), _attack(bench, model)
    found = [control_absent("sequence", attack, *sides, truth, options)]
    tell(0.33)
    found += control_permuted("sequence", attack, *sides, truth, options)
    return Outcome(data={"controls": [control.to_dict() for control in found]})


def count_controlled(sizes: Sizes) -> int:
    """Controls train every model three times: as few people as are enough for them to fail."""
    per_person = sizes.n_events / max(sizes.n_released + sizes.n_auxiliary, 1)
    wanted = int(_CONTROLLED_VISITS / max(per_person, 1.0))
    return min(max(wanted, _LEAST_CONTROLLED), _MOST_CONTROLLED)


def _attack(
    bench: Bench, model: Model, tell: Tell | None = None
) -> Callable[[Sequences, Sequences], Linkage]:
    options = CorrelateOptions(model=model, seed=bench.options.seed)
    progress = None if tell is None else lambda what, share: tell(share)

    def attack(released: Sequences, auxiliary: Sequences) -> Linkage:
        n_threads = 1 if released.n_visits < _FEW_VISITS else bench.n_threads
        return correlate_sequences(
            released, auxiliary, options, n_threads=n_threads, progress=progress
        )

    return attack


def _draw_people(bench: Bench, n_most: int) -> tuple[tuple[Sequences, Sequences], Truth]:
    """Everybody, or where that are too many, a random choice of the people on both sides."""
    released, auxiliary = bench.sequences
    truth = truth_from_ids(released.users, auxiliary.users)
    if max(len(released.users), len(auxiliary.users)) <= n_most:
        return (released, auxiliary), truth
    random = np.random.default_rng([bench.options.seed, 3])
    chosen: NDArray[np.int64] = np.sort(random.permutation(truth.n_common)[:n_most])
    sides = (
        select_people(released, truth.released[chosen]),
        select_people(auxiliary, np.sort(truth.auxiliary[chosen])),
    )
    return sides, truth_from_ids(sides[0].users, sides[1].users)


def _notes(bench: Bench, truth: Truth) -> list[str]:
    if truth.n_common >= bench.sizes.n_people:
        return []
    return [
        f"Tried on {truth.n_common:,} people drawn at random, because a model is trained for "
        "each: with fewer people to confuse, its share is higher than it would be for all."
    ]
