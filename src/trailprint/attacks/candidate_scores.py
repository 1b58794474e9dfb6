"""Candidate lists: how well released records fit auxiliary ones, and the links they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.linkage import Linkage, Ranks

#: Scores this close, relatively, count as equal.
TIED = 1e-12

#: Scores held at a time when rows are streamed: 64 MB.
_CELLS = 1 << 23


class CandidateScores(Protocol):
    """Scores of every released candidate, one row for each auxiliary record; more is better."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many auxiliary and how many released records there are."""

    def rows(self, auxiliary: Ints) -> Floats:
        """The scores of all released candidates for these auxiliary rows; -inf rules one out."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseScores(Discreet):
    """Scores that are all in memory, auxiliary × released."""

    matrix: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """How many auxiliary and how many released records there are."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def rows(self, auxiliary: Ints) -> Floats:
        """The scores for these auxiliary rows."""
        return self.matrix[auxiliary]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChoice:
    """
    How links are chosen from scores.

    Attributes
    ----------
    joint : bool
        Each released record is taken at most once, so that the scores add up to the most. It holds
        all scores at once: 8 bytes a pair. Otherwise each auxiliary record gets its best candidate
        on its own.
    seed : int
        Ties are broken at random by this seed.
    """

    joint: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Chosen(Discreet):
    """Links from auxiliary to released rows, their scores, and how many candidates tie for each."""

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
    """Link every auxiliary record to a released one; ranks count among the released candidates."""
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

    A link's confidence is 1 over the number of candidates that fit as well: where it is not 1 the
    link is a random choice.
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
    """Each auxiliary record's best candidate, if any is possible; ties are broken at random."""
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
    """A number below 1 for each record that decides its ties."""
    return np.random.default_rng(seed).random(n)


def pick_tied(tied: NDArray[np.bool_], lots: Floats) -> Ints:
    """For each row one of the columns marked in it, by the row's lot."""
    place = np.cumsum(tied, axis=1, dtype=np.int32)
    ticket = np.floor(lots * place[:, -1]).astype(np.int32)
    chosen: Ints = np.argmax(place > ticket[:, None], axis=1).astype(np.int64)
    return chosen


def choose_jointly(scores: CandidateScores, seed: int) -> Chosen:
    """The assignment of the greatest total score, of all scores."""
    return assign(scores.rows(np.arange(scores.shape[0])), seed)


def assign(scores: NDArray[Any], seed: int) -> Chosen:
    """The assignment of the greatest total score; rows and columns are shuffled to be fair."""
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
    """Impossible pairs at a score so low that the fewest of them are taken, whatever it costs."""
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
