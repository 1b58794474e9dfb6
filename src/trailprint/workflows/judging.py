"""Attack families other than histograms that judge protected releases: trails, views, sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.attacks.combined import match_views
from trailprint.attacks.options import CorrelateOptions, MatchOptions, TrailOptions
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.attacks.trail import match_trails
from trailprint.errors import InputError
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.sequences import Sequences, build_sequence_pair, tabulate_sequences
from trailprint.features.trails import Trails, shared_trails
from trailprint.features.views import VIEWS, Views
from trailprint.linkage import Linkage
from trailprint.protections.chain import protect_alone
from trailprint.protections.protection import Protection
from trailprint.studies.judging import Judge
from trailprint.studies.repeated import PreparedAttack
from trailprint.workflows.learning_cuts import CutEvents, choose_cut
from trailprint.workflows.options import ViewOptions
from trailprint.workflows.views import build_views

SequenceAttack = Callable[[Sequences, Sequences], Linkage]
Sides = tuple[Events, Events]
MakeJudge = Callable[[Sides, int, int | None], Judge | None]
"""Makes a judge for the data of both sides, a seed and a number of threads."""

REIDIT = (
    TrailOptions(algorithm="complete"),
    TrailOptions(algorithm="incomplete", reserved="auxiliary"),
    TrailOptions(algorithm="incomplete", reserved="released"),
)
"""The variants of trail matching, all tried on any data; the strongest counts."""
LIKELY = TrailOptions(algorithm="likely")
"""Trail matching where either side may have visits the other lacks; it compares all pairs."""

MOST_SEQUENCES = 2_000
"""With more people, this many are drawn for sequences, because each gets a model."""


def list_judges(
    released: Events, auxiliary: Events, *, seed: int = 0, n_threads: int | None = None
) -> list[Judge]:
    """Return a judge for each family other than histograms that the data allows."""
    made = (make((released, auxiliary), seed, n_threads) for make in _JUDGES.values())
    return [judge for judge in made if judge is not None]


def register_judge(name: str, make: MakeJudge) -> None:
    """Register how a family from another package judges sweeps, which are made without an audit."""
    _JUDGES[name] = make


def judge_trails(n_threads: int | None = None, ways: Sequence[TrailOptions] = REIDIT) -> Judge:
    """Judge by every variant of trail matching; trails are the non-zero locations of histograms."""

    def prepare(released: Histograms, auxiliary: Histograms) -> list[PreparedAttack[Trails]]:
        first, second = shared_trails(released, auxiliary)
        return [
            PreparedAttack(
                released=first,
                auxiliary=second,
                attack=partial(_match_trails, way, n_threads),
                records=first.to_matrix().astype(float),
                n_locations=len(first.locations),
            )
            for way in ways
        ]

    return Judge(name="trail", on_histograms=prepare)


def _match_trails(
    way: TrailOptions, n_threads: int | None, released: Trails, auxiliary: Trails
) -> Linkage:
    return match_trails(released, auxiliary, way, n_threads=n_threads)


def _judge_views(sides: Sides, seed: int, n_threads: int | None) -> Judge | None:
    """
    Judge by several views, with weights learnt from the auxiliary side, protected alike.

    None if the data allows only one view.
    """
    if sum(view.lacks(sides) is None for view in VIEWS.values()) < 2:
        return None
    options = MatchOptions(seed=seed)

    def prepare(
        released: Events, auxiliary: Events, chain: Sequence[Protection]
    ) -> list[PreparedAttack[Views]]:
        first, second, weights = build_views(
            released,
            auxiliary,
            ViewOptions(),
            cut=_cut_protected(chain),
            seed=seed,
            n_threads=n_threads,
        )
        return [
            PreparedAttack(
                released=first,
                auxiliary=second,
                attack=lambda one, other: match_views(
                    one, other, weights, options, n_threads=n_threads
                ),
                records=first.records,
                n_locations=first.n_locations,
            )
        ]

    return Judge(name="combined", on_events=prepare)


def _cut_protected(chain: Sequence[Protection]) -> CutEvents:
    """Cut the auxiliary side in two, with the first half protected like the release."""

    def cut(events: Events, seed: int) -> tuple[Events, Events]:
        first, second = choose_cut(ViewOptions())(events, seed)
        try:
            return protect_alone(first, chain, seed + 1), second
        except InputError:
            return first, second

    return cut


def _judge_orders(sides: Sides, seed: int, n_threads: int | None) -> Judge | None:
    """Judge by the order of visits: a Markov chain for each released person; None without times."""
    if any("start" not in side.columns for side in sides):
        return None
    first, second = build_sequence_pair(*sides)
    truth = truth_from_ids(first.users, second.users)
    options = CorrelateOptions(model="markov", seed=seed)

    def attack(one: Sequences, other: Sequences) -> Linkage:
        return correlate_sequences(one, other, options)

    if max(len(first.users), len(second.users)) <= MOST_SEQUENCES:
        return judge_sequences(first.users, second.users, attack)
    chosen = np.random.default_rng([seed, 3]).permutation(truth.n_common)[:MOST_SEQUENCES]
    people = first.users.take(pa.array(np.sort(truth.released[chosen])))
    return replace(judge_sequences(people, people, attack), people=people)


def judge_sequences(released: pa.Array, auxiliary: pa.Array, attack: SequenceAttack) -> Judge:
    """Judge by models retrained on each release, for those of these people who are present."""

    def prepare(
        protected: Events, known: Events, chain: Sequence[Protection]
    ) -> list[PreparedAttack[Sequences]]:
        first, second = build_sequence_pair(protected, known)
        first, second = _keep_people(first, released), _keep_people(second, auxiliary)
        return [
            PreparedAttack(
                released=first,
                auxiliary=second,
                attack=attack,
                records=tabulate_sequences(first),
                n_locations=len(first.locations),
            )
        ]

    return Judge(name="sequence", on_events=prepare)


def _keep_people(sequences: Sequences, people: pa.Array) -> Sequences:
    """Keep only those of these people who are present."""
    is_there = pc.is_in(sequences.users, value_set=people)
    rows: NDArray[np.int64] = np.flatnonzero(is_there.to_numpy(zero_copy_only=False))
    return sequences.select(rows)


def _judge_places(sides: Sides, seed: int, n_threads: int | None) -> Judge:
    """Judge by the set of places, which any data has."""
    return judge_trails(n_threads)


_JUDGES: dict[str, MakeJudge] = {
    "trail": _judge_places,
    "combined": _judge_views,
    "sequence": _judge_orders,
}
"""Families besides histograms that judge sweeps of protections, in order."""
