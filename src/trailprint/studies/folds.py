"""
Leave-one-out rounds: each bin of days in turn is the adversary's knowledge (2011 paper, 6).

Each user's span, from the first to the last local day with data, is cut into bins of about equal
length. In round j the j-th bin is the auxiliary side and the other bins are the released side.
Stays are cut at midnight first, so no stay lies on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.correlation import correlate_chains, correlate_sequences
from trailprint.display.discreet import Discreet
from trailprint.errors import InputError
from trailprint.evaluation.candidates import CandidateSets, measure_candidates
from trailprint.evaluation.risk import Risk, measure_risk
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.events.events import Events
from trailprint.events.split import Split, SplitOptions, split
from trailprint.features.places import build_chain_pair
from trailprint.features.sequences import Sequences
from trailprint.linkage import Linkage
from trailprint.progress import Progress
from trailprint.store import Store
from trailprint.studies.options import FoldOptions


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldRound(Discreet):
    """
    Result of one round.

    ``histograms`` are the candidate sets of histograms alone, for comparison with a CRF's ``sets``.
    """

    number: int
    n_released: int
    n_auxiliary: int
    sets: CandidateSets
    risk: Risk
    histograms: CandidateSets | None
    facts: Mapping[str, Any]
    seconds: Mapping[str, float]


def fold_of_visits(sequences: Sequences, n_folds: int) -> NDArray[np.int64]:
    """Return the bin of the user's span that each visit lies in, counted from 0."""
    if not sequences.n_visits:
        return np.empty(0, dtype=np.int64)
    changes = np.diff(sequences.user, prepend=-1) != 0
    starts = np.flatnonzero(changes)
    ends = np.append(starts[1:], sequences.n_visits) - 1
    nth = np.cumsum(changes) - 1
    first = sequences.day[starts][nth]
    length = (sequences.day[ends] - sequences.day[starts] + 1)[nth]
    fold: NDArray[np.int64] = (sequences.day - first) * n_folds // length
    return fold


def cut_fold(sequences: Sequences, fold: NDArray[np.int64], k: int) -> tuple[Sequences, Sequences]:
    """Return the released and auxiliary sides of round ``k``, without users who have no days."""
    held_out = fold == k
    return (
        sequences.at_days(~held_out).without_idle_users(),
        sequences.at_days(held_out).without_idle_users(),
    )


def run_folds(
    sequences: Sequences,
    options: CorrelateOptions,
    protocol: FoldOptions,
    *,
    store: Store | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> list[FoldRound]:
    """Run the rounds one after another; rounds without people on both sides are left out."""
    fold = fold_of_visits(sequences, protocol.n_folds)
    found = [
        _run_round(
            k,
            cut_fold(sequences, fold, k),
            options,
            store=None if store is None else _Shelf(store, f"round-{k + 1}"),
            n_threads=n_threads,
            progress=_announce(progress, k, len(protocol.rounds)),
        )
        for k in protocol.rounds
    ]
    return [one for one in found if one is not None]


def run_position_folds(
    events: Events,
    options: CorrelateOptions,
    protocol: FoldOptions,
    *,
    progress: Progress | None = None,
) -> list[FoldRound]:
    """Run the rounds on positions: places are detected separately on each side of each round."""
    found = []
    for k in protocol.rounds:
        report = _announce(progress, k, len(protocol.rounds)) or (lambda what, done: None)
        report("Finding places", None)
        sides = _cut_positions(events, SplitOptions(fold=f"{k + 1}/{protocol.n_folds}"))
        if sides is None:
            continue
        chains = build_chain_pair(sides.released, first_days(sides.auxiliary, options.days))
        report("Comparing chains", None)
        truth = truth_from_ids(chains[0].users, chains[1].users)
        found.append(_measure(k, correlate_chains(*chains, options), truth))
    return [one for one in found if one is not None]


def _cut_positions(events: Events, held_out: SplitOptions) -> Split | None:
    """Return the two sides of a round, or None if one of them has no positions."""
    try:
        return split(events, held_out)
    except InputError as error:
        # An empty side raises InputError itself; faults of a source raise its subclasses.
        if type(error) is not InputError:
            raise
        return None


def first_days(events: Events, n_days: int | None) -> Events:
    """Keep the events of each user's first ``n_days`` local days with events; None keeps all."""
    if n_days is None:
        return events
    day = f"date_trunc('day', {events.local_start})"
    rank = f'dense_rank() OVER (PARTITION BY "user" ORDER BY {day})'
    ranked = f"SELECT *, {rank} AS nth_day FROM ({events.query})"
    return events.derive(f"SELECT * EXCLUDE nth_day FROM ({ranked}) WHERE nth_day <= {n_days}")


def measure_histograms(
    sides: tuple[Sequences, Sequences], truth: Truth, options: CorrelateOptions
) -> CandidateSets | None:
    """Candidate sets of histograms alone on the same sides, to show what the order adds."""
    if options.model != "crf":
        return None
    simpler = replace(options, model="histogram", joint=False, all_pairs=False)
    return measure_candidates(correlate_sequences(*sides, simpler), truth)


def _run_round(
    number: int, sides: tuple[Sequences, Sequences], options: CorrelateOptions, **running: Any
) -> FoldRound | None:
    truth = truth_from_ids(sides[0].users, sides[1].users)
    if truth.source == "none":
        return None
    linkage = correlate_sequences(*sides, options, **running)
    return _measure(number, linkage, truth, measure_histograms(sides, truth, options))


def _measure(
    number: int, linkage: Linkage, truth: Truth, histograms: CandidateSets | None = None
) -> FoldRound | None:
    sets, risk = measure_candidates(linkage, truth), measure_risk(linkage, truth)
    if sets is None or risk is None:
        return None
    return FoldRound(
        number=number,
        n_released=linkage.n_released,
        n_auxiliary=linkage.n_auxiliary,
        sets=sets,
        risk=risk,
        histograms=histograms,
        facts=dict(linkage.facts),
        seconds=dict(linkage.seconds),
    )


class _Shelf:
    """A view of a store that prefixes all names."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name

    def get(self, name: str) -> bytes | None:
        return self._store.get(f"{self._name}/{name}")

    def put(self, name: str, content: bytes) -> None:
        self._store.put(f"{self._name}/{name}", content)


def _announce(progress: Progress | None, k: int, n_rounds: int) -> Progress | None:
    if progress is None:
        return None
    return lambda what, done: progress(f"Round {k + 1} of {n_rounds}: {what.lower()}", done)
