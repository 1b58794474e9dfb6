"""
Sequence correlation: which released user most likely made a person's visits (2011 paper).

Each released user's days train a linear-chain CRF; a model's score is the number of records of an
auxiliary user's days whose location it predicts. Simpler models are available for comparison.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trailprint.arrays import Ints
from trailprint.attacks.candidate_scores import (
    CandidateScores,
    LinkChoice,
    as_linkage,
    linkage_from_scores,
)
from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence.baselines import score_distance, score_histogram, score_markov
from trailprint.attacks.sequence.mobility_markov import score_mobility_markov
from trailprint.attacks.sequence.models import train_models
from trailprint.attacks.sequence.scores import ModelScores
from trailprint.errors import InputError, OptionError
from trailprint.features.places import MobilityChains
from trailprint.features.sequences import Sequences
from trailprint.features.templates import Templates, build_template_pair, fingerprint
from trailprint.kernels.threads import available_threads
from trailprint.linkage import Linkage, Ranks
from trailprint.progress import Progress
from trailprint.store import MemoryStore, Store

#: The models that compare sequences of locations without training.
_SIMPLER: dict[str, Callable[[Sequences, Sequences], CandidateScores]] = {
    "distance": score_distance,
    "markov": score_markov,
    "histogram": score_histogram,
}


def correlate_sequences(
    released: Sequences,
    auxiliary: Sequences,
    options: CorrelateOptions | None = None,
    *,
    store: Store | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Linkage:
    """
    Link auxiliary users to released ones by the order and timing of their visits.

    Parameters
    ----------
    released, auxiliary : Sequences
        Over one list of locations (`build_sequence_pair`).
    options : CorrelateOptions, optional
        The model and its settings.
    store : Store, optional
        Stores trained models; those already stored are not trained again. It must belong to the
        same released sequences and training options (`describe_training`).
    n_threads : int, optional
        Number of processes that train and score; does not affect results.
    progress : callable, optional
        Called with the current step and the share of it that is done.

    Returns
    -------
    Linkage
        Links in the order of the auxiliary rows. With a CRF, ``facts`` and ``seconds`` keep
        counting when ranks are computed, since that may run more models.
    """
    options = options or CorrelateOptions()
    if not released.n_visits or not auxiliary.n_visits:
        raise InputError("Both sides must have users with events, but one has none.")
    active = np.unique(released.user), np.unique(auxiliary.user)
    first, second = released.without_idle_users(), auxiliary.without_idle_users()
    if options.days is not None:
        second = second.first_days(options.days)
    if options.model != "crf":
        linkage = _compare(first, second, options)
    else:
        # More processes than processors would only use more memory.
        n_workers = min(n_threads or available_threads(), available_threads())
        sides = build_template_pair(first, second, options.duration_edges_s)
        kept = MemoryStore() if store is None else store
        linkage = _correlate(*sides, options, kept, (n_workers, progress))
    return _among_all(linkage, active)


def describe_training(released: Sequences, options: CorrelateOptions) -> dict[str, Any]:
    """Return what stored models depend on, for a store's manifest; data as a fingerprint."""
    active = released.without_idle_users()
    templates, _ = build_template_pair(active, active, options.duration_edges_s)
    return {
        "work": "sequence models",
        "released": fingerprint(templates),
        "duration_edges_s": list(options.duration_edges_s),
        **options.training.settings(),
    }


class _Counter(Mapping[str, Any]):
    """Facts that are computed on access."""

    def __init__(self, count: Callable[[], dict[str, Any]]) -> None:
        self._count = count

    def __getitem__(self, name: str) -> Any:
        return self._count()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._count())

    def __len__(self) -> int:
        return len(self._count())


def _correlate(
    released: Templates,
    auxiliary: Templates,
    options: CorrelateOptions,
    store: Store,
    running: tuple[int, Progress | None],
) -> Linkage:
    began = time.perf_counter()
    n_workers, progress = running
    models = train_models(released, options.training, store, n_workers=n_workers, progress=progress)
    train_s = time.perf_counter() - began
    scores = ModelScores(models, auxiliary, n_workers=n_workers, progress=progress)
    if options.all_pairs:
        scores.run_all_pairs()
    chosen = scores.best_jointly(options.seed) if options.joint else scores.best(options.seed)
    return as_linkage(
        chosen,
        scores.shape,
        weight=scores.n_records[chosen.auxiliary] - chosen.score,
        rank=scores.rank,
        facts=_Counter(
            lambda: {
                "models_trained": models.n_trained,
                "taggings": scores.n_taggings,
                "taggings_all_pairs": scores.n_all_pairs,
            }
        ),
        seconds=_Counter(lambda: {"train": train_s, "score": scores.seconds}),
    )


def _compare(released: Sequences, auxiliary: Sequences, options: CorrelateOptions) -> Linkage:
    """Link with one of the simpler models."""
    if options.model not in _SIMPLER:
        raise OptionError(
            f"--model {options.model} needs positions, not sequences of locations.", option="model"
        )
    return _link(lambda: _SIMPLER[options.model](released, auxiliary), options)


def correlate_chains(
    released: MobilityChains, auxiliary: MobilityChains, options: CorrelateOptions
) -> Linkage:
    """Link auxiliary users to released ones by their mobility Markov chains (Gambs et al.)."""
    return _link(lambda: score_mobility_markov(released, auxiliary), options)


def _link(score: Callable[[], CandidateScores], options: CorrelateOptions) -> Linkage:
    began = time.perf_counter()
    linkage = linkage_from_scores(score(), LinkChoice(joint=options.joint, seed=options.seed))
    seconds = {"train": 0.0, "score": time.perf_counter() - began}
    return replace(linkage, seconds=seconds)


def _among_all(linkage: Linkage, active: tuple[Ints, Ints]) -> Linkage:
    """Renumber rows of users with data as rows of all users; pairs without data rank last."""

    def rank(released: Ints, auxiliary: Ints) -> Ranks:
        own, other = (
            np.searchsorted(rows, asked)
            for rows, asked in zip(active, (released, auxiliary), strict=True)
        )
        known = np.isin(released, active[0]) & np.isin(auxiliary, active[1])
        n_better = np.full(len(own), linkage.n_released, dtype=np.int64)
        n_tied = np.ones(len(own), dtype=np.int64)
        found = linkage.rank(own[known], other[known])
        n_better[known], n_tied[known] = found.n_better, found.n_tied
        return Ranks(n_better=n_better, n_tied=n_tied)

    return replace(
        linkage,
        released=active[0][linkage.released],
        auxiliary=active[1][linkage.auxiliary],
        rank=rank,
    )
