"""Scores of released candidates for auxiliary records, and the links chosen from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.linkage import Linkage, Ranks

#: Scores within this relative difference count as equal.
TIED = 1e-12

#: Number of scores held at a time when rows are streamed: 64 MB.
_CELLS = 1 << 23


class CandidateScores(Protocol):
    """Scores of every released candidate, one row per auxiliary record; higher is better."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released records."""

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores of all released candidates for these rows; -inf means impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChoice:
    """
    How links are chosen from scores.

    Attributes
    ----------
    joint : bool
        Use each released record at most once and maximise the total score. This holds all scores
        in memory, 8 bytes per pair. Otherwise each auxiliary record gets its best candidate
        independently.
    seed : int
        Seed of the random tie-breaking.
    """

    joint: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Chosen(Discreet):
    """Links from auxiliary to released rows, their scores, and the number of tied candidates."""

    auxiliary: Ints
    released: Ints
    score: Floats
    n_tied: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def linkage_from_scores(
    scores: CandidateScores,
    choice: LinkChoice | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> Linkage:
    """Link every auxiliary record to a released one; ranks are among the released candidates."""
    choice = choice or LinkChoice()
    chosen = choose_jointly(scores, choice.seed) if choice.joint else choose_best(scores, choice)
    return as_linkage(
        chosen,
        scores.shape,
        weight=-chosen.score,
        rank=_ranker(scores),
        facts=facts,
        seconds=seconds,
    )


def as_linkage(
    chosen: Chosen,
    shape: tuple[int, int],
    *,
    weight: Floats,
    rank: Callable[[Ints, Ints], Ranks],
    facts: Mapping[str, Any] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> Linkage:
    """
    Turn chosen candidates into a linkage.

    A link's confidence is 1 / (number of tied candidates, itself included): below 1, the link was
    chosen at random among ties.
    """
    return Linkage(
        released=chosen.released,
        auxiliary=chosen.auxiliary,
        weight=weight,
        confidence=1.0 / np.maximum(chosen.n_tied, 1),
        confidence_is_least=np.zeros(len(chosen.released), dtype=bool),
        n_released=shape[1],
        n_auxiliary=shape[0],
        rank=rank,
        ranked_among="released",
        facts={} if facts is None else facts,
        seconds={} if seconds is None else seconds,
    )


def choose_best(scores: CandidateScores, choice: LinkChoice) -> Chosen:
    """Return each auxiliary record's best possible candidate; ties are broken at random."""
    n_auxiliary, _ = scores.shape
    released = np.empty(n_auxiliary, dtype=np.int64)
    best, n_tied = np.empty(n_auxiliary), np.empty(n_auxiliary, dtype=np.int64)
    lots = draw_lots(n_auxiliary, choice.seed)
    for rows in _blocks(scores):
        block = scores.rows(rows)
        best[rows] = block.max(axis=1)
        tied = block >= _just_below(best[rows])[:, None]
        n_tied[rows] = tied.sum(axis=1)
        released[rows] = pick_tied(tied, lots[rows])
    possible = np.flatnonzero(np.isfinite(best)).astype(np.int64)
    return Chosen(possible, released[possible], best[possible], n_tied[possible])


def draw_lots(n: int, seed: int) -> Floats:
    """Return a random number in [0, 1) for each record, used to break its ties."""
    return np.random.default_rng(seed).random(n)


def pick_tied(tied: NDArray[np.bool_], lots: Floats) -> Ints:
    """Return one of the marked columns of each row, chosen by the row's random number."""
    place = np.cumsum(tied, axis=1, dtype=np.int32)
    ticket = np.floor(lots * place[:, -1]).astype(np.int32)
    chosen: Ints = np.argmax(place > ticket[:, None], axis=1).astype(np.int64)
    return chosen


def choose_jointly(scores: CandidateScores, seed: int) -> Chosen:
    """Return the assignment with the greatest total score; loads all scores at once."""
    return assign(scores.rows(np.arange(scores.shape[0])), seed)


def assign(scores: NDArray[Any], seed: int) -> Chosen:
    """Return the assignment with the greatest total score; shuffles first to break ties fairly."""
    from scipy.optimize import linear_sum_assignment

    n_auxiliary, n_released = scores.shape
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(n_auxiliary), random.permutation(n_released)
    table = scores[np.ix_(rows, columns)].astype(np.float64)
    own, other = linear_sum_assignment(_with_possible(table), maximize=True)
    auxiliary, released, score = rows[own], columns[other], table[own, other]
    n_tied = (table[own] >= _just_below(score)[:, None]).sum(axis=1)
    order = np.argsort(auxiliary)
    possible = order[np.isfinite(score[order])]
    return Chosen(auxiliary[possible], released[possible], score[possible], n_tied[possible])


def _with_possible(table: Floats) -> Floats:
    """Replace -inf by a score so low that as few impossible pairs as possible are assigned."""
    possible = np.isfinite(table)
    if possible.all():
        return table
    low, high = table[possible].min(initial=0.0), table[possible].max(initial=0.0)
    return np.where(possible, table, low - table.shape[0] * (high - low) - 1.0)


def _ranker(scores: CandidateScores) -> Callable[[Ints, Ints], Ranks]:
    def rank(released: Ints, auxiliary: Ints) -> Ranks:
        n_better = np.empty(len(released), dtype=np.int64)
        n_tied = np.empty(len(released), dtype=np.int64)
        size = max(1, _CELLS // max(1, scores.shape[1]))
        for low in range(0, len(released), size):
            part = slice(low, low + size)
            block = scores.rows(auxiliary[part])
            own = block[np.arange(len(block)), released[part]]
            n_better[part] = (block > _just_above(own)[:, None]).sum(axis=1)
            n_tied[part] = (block >= _just_below(own)[:, None]).sum(axis=1) - n_better[part]
        return Ranks(n_better=n_better, n_tied=n_tied)

    return rank


def _blocks(scores: CandidateScores) -> Iterator[Ints]:
    n_auxiliary, n_released = scores.shape
    size = max(1, _CELLS // max(1, n_released))
    for low in range(0, n_auxiliary, size):
        yield np.arange(low, min(low + size, n_auxiliary))


def _just_below(score: Floats) -> Floats:
    return score - _slack(score)


def _just_above(score: Floats) -> Floats:
    return score + _slack(score)


def _slack(score: Floats) -> Floats:
    return TIED * np.abs(np.where(np.isfinite(score), score, 0.0))
