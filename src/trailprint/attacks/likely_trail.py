"""
Link trails that need not contain each other, by likelihood, and estimate the precision.

REIDIT requires that one side's trail is contained in the other's. That fails for two different
periods, or if visits are missing or wrong. Here a place p, on a share g of the released trails and
f of the auxiliary ones, is on both trails of a person with probability fg + r (min(f, g) - fg):
with r = 0 the two trails of a person are independent, with r = 1 one contains the other wherever
possible. Two records are linked when each is the other's most likely counterpart.

The agreement r is learnt from the two sides without ground truth, by expectation-maximisation over
the links (Fellegi and Sunter, 1969). The number of wrong links is estimated with decoys: the most
similar *other* record of the same side is certainly a wrong counterpart. A link's margin is the
amount by which it beats the decoys of both its ends. Links between two halves of one side are all
wrong; their margins show how many wrong links win for each that loses, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from trailprint.arrays import Flags, Floats, Ints
from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail_facts import LikelyFacts
from trailprint.display.discreet import Discreet
from trailprint.features.trails import Trails
from trailprint.linkage import Linkage, Ranks
from trailprint.plain import to_plain

_ROUNDS = 20
_GRID = np.arange(1, 100) / 100
"""Agreements tried: at 0 trails carry no information, at 1 a single exception excludes a pair."""
_LEARN_FROM = 2_000
"""Maximum number of released trails from which the agreement is learnt."""
_SPLITS = 2
"""Number of times each side is split in halves to measure the margins of wrong links."""
_BLOCK = 1 << 23
"""Number of pairs scored at a time."""


class Weights(NamedTuple):
    """What a place adds to a pair's log likelihood ratio, relative to being on neither trail."""

    both: Floats
    released: Floats
    auxiliary: Floats
    neither: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rates(Discreet):
    """
    The share of each side's trails that contain each place, smoothed by half a trail.

    ``location_weights`` multiply each place's term of a log likelihood.
    """

    released: Floats
    auxiliary: Floats
    location_weights: Floats

    @classmethod
    def of(
        cls, released: Trails, auxiliary: Trails, location_weights: Floats | None = None
    ) -> Rates:
        """Estimate the rates from the trails; by default every place has a weight of one."""
        shares = _share(released), _share(auxiliary)
        own = np.ones(len(shares[0])) if location_weights is None else location_weights
        return cls(released=shares[0], auxiliary=shares[1], location_weights=own)

    def cells(self, agreement: float) -> tuple[Floats, Floats, Floats, Floats]:
        """Return each place's probability of being on both trails, released, auxiliary, neither."""
        f, g = self.auxiliary, self.released
        both = f * g + agreement * (np.minimum(f, g) - f * g)
        return both, g - both, f - both, 1.0 - f - g + both

    def weights(self, agreement: float) -> Weights:
        """Return the log likelihood ratios, split so that only shared places need a product."""
        f, g = self.auxiliary, self.released
        both, one, other, none = (np.log(cell) for cell in self.cells(agreement))
        none = none - np.log1p(-f) - np.log1p(-g)
        one = one - np.log(g) - np.log1p(-f) - none
        other = other - np.log(f) - np.log1p(-g) - none
        return Weights(
            both=self.location_weights * (both - np.log(f) - np.log(g) - none - one - other),
            released=self.location_weights * one,
            auxiliary=self.location_weights * other,
            neither=float((self.location_weights * none).sum()),
        )

    def log_likelihood(self, counts: tuple[Floats, ...], agreement: float) -> float:
        """Return the log likelihood of true pairs, given how many fall in each of the `cells`."""
        cells = self.cells(agreement)
        return sum(
            float((self.location_weights * n) @ np.log(cell))
            for n, cell in zip(counts, cells, strict=True)
        )


def _share(trails: Trails) -> Floats:
    n_visitors = trails.visitors.astype(np.float64)
    return (n_visitors + 0.5) / (trails.n_users - trails.n_null + 1.0)


class Scores:
    """Log likelihood ratios of pairs, computed in blocks of rows; -inf for null trails."""

    def __init__(self, rows: Trails, columns: Trails, weights: Weights) -> None:
        self._rows = rows.to_matrix().astype(np.float64)
        other = columns.to_matrix().astype(np.float64)
        self._columns = sparse.csc_array(sparse.csr_array(other * weights.both).T)
        self._per_row = np.asarray(self._rows @ weights.released, dtype=np.float64)
        self._per_row += weights.neither
        self._per_row[rows.lengths == 0] = -np.inf
        self._per_column = np.asarray(other @ weights.auxiliary, dtype=np.float64)
        self._per_column[columns.lengths == 0] = -np.inf

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self._per_row), len(self._per_column)

    def of(self, rows: Ints) -> Floats:
        """Return the scores of some rows against all columns."""
        scores: Floats = (self._rows[rows] @ self._columns).toarray()
        scores += self._per_column
        scores += self._per_row[rows, None]
        return scores

    def blocks(self) -> list[Ints]:
        """Return blocks of rows that fit into memory."""
        n, m = self.shape
        step = max(1, _BLOCK // max(m, 1))
        return [np.arange(low, min(low + step, n)) for low in range(0, n, step)]


class Best(NamedTuple):
    """
    The best counterpart of each row (-1 for null trails), its score and its probability.

    ``chance`` is its share of the likelihood of all counterparts and of having none.
    ``of_column`` is the best row of each column.
    """

    column: Ints
    score: Floats
    chance: Floats
    of_column: Ints

    @property
    def mutual(self) -> Flags:
        """Which rows are the best counterpart of their own best counterpart."""
        mutual = self.column >= 0
        rows = np.flatnonzero(mutual)
        mutual[rows] = self.of_column[self.column[rows]] == rows
        return mutual


def find_best(scores: Scores) -> Best:
    """Find the best counterparts among all pairs; ties go to the first."""
    n, m = scores.shape
    best = Best(np.full(n, -1), np.full(n, -np.inf), np.zeros(n), np.full(m, -1))
    top = np.full(m, -np.inf)
    for rows in scores.blocks():
        block = scores.of(rows)
        column = block.argmax(axis=1)
        score = block[np.arange(len(rows)), column]
        some = np.isfinite(score)
        best.column[rows[some]] = column[some]
        best.score[rows] = score
        best.chance[rows[some]] = _chances(block[some], score[some])
        _raise_tops(block, rows, top, best.of_column)
    return best


def _chances(block: Floats, score: Floats) -> Floats:
    """Return the best's posterior; having no counterpart is as likely a priori as having one."""
    n_candidates = np.isfinite(block).sum(axis=1)
    others = np.exp(block - score[:, None]).sum(axis=1) + n_candidates * np.exp(-score)
    chance: Floats = 1.0 / others
    return chance


def _raise_tops(block: Floats, rows: Ints, top: Floats, of_column: Ints) -> None:
    """Update each column's best row so far."""
    first = block.argmax(axis=0)
    score = block[first, np.arange(block.shape[1])]
    better = score > top
    top[better] = score[better]
    of_column[better] = rows[first[better]]


def learn_agreement(released: Trails, auxiliary: Trails, rates: Rates) -> float:
    """Learn the agreement by expectation-maximisation over mutual links, weighted by chance."""
    some = _sample(released)
    agreement = 0.5
    for _ in range(_ROUNDS):
        best = find_best(Scores(some, auxiliary, rates.weights(agreement)))
        rows = np.flatnonzero(best.mutual)
        if not len(rows):
            break
        counts = _count_cells(some, auxiliary, rows, best)
        likelihood = [rates.log_likelihood(counts, r) for r in _GRID]
        before, agreement = agreement, float(_GRID[int(np.argmax(likelihood))])
        if agreement == before:
            break
    return agreement


def _sample(trails: Trails) -> Trails:
    """Return a random sample of the trails, always the same one."""
    rows = np.flatnonzero(trails.lengths > 0)
    if len(rows) <= _LEARN_FROM:
        return trails
    chosen = np.zeros(trails.n_users, dtype=bool)
    chosen[np.random.default_rng(0).choice(rows, _LEARN_FROM, replace=False)] = True
    return trails.keep(np.repeat(chosen, trails.lengths))


def _count_cells(
    released: Trails, auxiliary: Trails, rows: Ints, best: Best
) -> tuple[Floats, Floats, Floats, Floats]:
    """Count linked pairs by place on both trails, on one, on neither, weighted by chance."""
    chance = best.chance[rows]
    own = released.to_matrix()[rows].astype(np.float64)
    other = auxiliary.to_matrix()[best.column[rows]].astype(np.float64)
    both = (own * other).T @ chance
    one, two = own.T @ chance - both, other.T @ chance - both
    return both, one, two, chance.sum() - both - one - two


def _decoys(trails: Trails, weights: Weights, axis: int) -> Floats:
    """Return the score of each trail's most likely counterpart among the others of its side."""
    scores = Scores(trails, trails, weights)
    found = np.full(trails.n_users, -np.inf)
    for rows in scores.blocks():
        block = scores.of(rows)
        block[np.arange(len(rows)), rows] = -np.inf
        if axis == 1:
            found[rows] = block.max(axis=1)
        else:
            np.maximum(found, block.max(axis=0), out=found)
    return found


def find_margins(
    released: Trails, auxiliary: Trails, weights: Weights, best: Best, rows: Ints
) -> Floats:
    """Return the amount by which links beat the better decoy of their two ends."""
    decoy = np.maximum(
        _decoys(released, weights, axis=1)[rows],
        _decoys(auxiliary, weights, axis=0)[best.column[rows]],
    )
    margin: Floats = best.score[rows] - decoy
    return margin


def draw_wrong_margins(sides: Sequence[Trails], weights: Weights) -> Floats:
    """Return the margins of links between random halves of each side, which are all wrong."""
    rng = np.random.default_rng(0)
    found = [np.empty(0)]
    for side in sides:
        whole = np.flatnonzero(side.lengths > 0)
        for _ in range(_SPLITS):
            order = rng.permutation(whole)
            n = len(order) // 2
            halves = side.select(order[:n]), side.select(order[n : 2 * n])
            best = find_best(Scores(*halves, weights))
            found.append(find_margins(*halves, weights, best, np.flatnonzero(best.mutual)))
    return np.concatenate(found)


def count_wrong(margin: Floats, wrong_margin: Floats, least: Floats) -> Floats:
    """
    Estimate how many links with at least each of the ``least`` margins are wrong; at least one.

    ``margin`` are the margins of all links, ``wrong_margin`` those of links known to be wrong. A
    link that loses to a decoy counts as wrong, and the ratio of wrong links above a margin to those
    that lose is taken from the links known to be wrong. Correct links that lose make the estimate
    too high.
    """
    known = np.sort(wrong_margin)
    n_above = len(known) - np.searchsorted(known, least)
    per_loss = (n_above + 1.0) / (np.count_nonzero(known < 0) + 1.0)
    found: Floats = np.maximum(1.0, (np.count_nonzero(margin < 0) + 1.0) * per_loss)
    return found


def expect_precision(margin: Floats, wrong_margin: Floats) -> Floats:
    """
    Return the expected precision of links with at least each margin; at most 1 - 1 / links.

    See `count_wrong`. It never decreases with the margin, and is zero where a decoy wins.
    """
    won = np.sort(margin[margin > 0])
    n_won = len(won) - np.searchsorted(won, won)
    share = 1.0 - count_wrong(margin, wrong_margin, won) / np.maximum(n_won, 1)
    precision = np.maximum.accumulate(np.clip(share, 0.0, 1.0))
    expected = np.zeros(len(margin))
    expected[margin > 0] = precision[np.searchsorted(won, margin[margin > 0])]
    return expected


def match_likely(
    released: Trails,
    auxiliary: Trails,
    options: TrailOptions,
    location_weights: Floats | None = None,
) -> Linkage:
    """
    Link records that are each other's most likely counterpart.

    See `Rates` for ``location_weights``. Both sides are shuffled first, so that ties are broken at
    random and not by the order of rows.
    """
    rng = np.random.default_rng(0)
    orders = [rng.permutation(side.n_users) for side in (released, auxiliary)]
    first, second = released.select(orders[0]), auxiliary.select(orders[1])
    rates = Rates.of(first, second, location_weights)
    agreement = options.agreement or learn_agreement(first, second, rates)
    weights = rates.weights(agreement)
    scores = Scores(first, second, weights)
    best = find_best(scores)
    # In the order of the released side, like the links of every attack.
    rows = np.flatnonzero(best.mutual)
    rows = rows[np.argsort(orders[0][rows])]
    margin = find_margins(first, second, weights, best, rows)
    wrong = draw_wrong_margins((first, second), weights)
    kept = np.ones(len(rows), dtype=bool)
    if options.precision is not None:
        kept = expect_precision(margin, wrong) >= options.precision
    places = [np.argsort(order) for order in orders]
    return Linkage(
        released=orders[0][rows[kept]],
        auxiliary=orders[1][best.column[rows[kept]]],
        weight=-best.score[rows[kept]],
        confidence=margin[kept],
        confidence_is_least=np.zeros(int(kept.sum()), dtype=bool),
        n_released=released.n_users - released.n_null,
        n_auxiliary=auxiliary.n_users - auxiliary.n_null,
        rank=lambda own, other: _rank(scores, places[0][own], places[1][other]),
        facts=to_plain(_facts(agreement, _expect_right(margin, wrong, kept), kept, auxiliary)),
    )


def _expect_right(margin: Floats, wrong_margin: Floats, kept: Flags) -> float:
    """Return the expected number of correct links among those kept."""
    winning = margin[kept & (margin > 0)]
    if not len(winning):
        return 0.0
    n_wrong = count_wrong(margin, wrong_margin, winning.min(keepdims=True))[0]
    return max(0.0, len(winning) - float(n_wrong))


def _facts(agreement: float, n_right: float, kept: Flags, auxiliary: Trails) -> LikelyFacts:
    return LikelyFacts(
        algorithm="likely",
        reserved="both",
        contradicted=False,
        trails_without_counterpart=0,
        upper_bound=auxiliary.n_users - auxiliary.n_null,
        agreement=agreement,
        expected_precision=n_right / int(kept.sum()) if kept.any() else None,
    )


def _rank(scores: Scores, rows: Ints, columns: Ints) -> Ranks:
    """Count the counterparts of each row that are likelier than the given one, or tied with it."""
    better, tied = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    step = max(1, _BLOCK // max(scores.shape[1], 1))
    for low in range(0, len(rows), step):
        some = slice(low, low + step)
        block = scores.of(rows[some])
        own = block[np.arange(len(block)), columns[some], None]
        better[some] = (block > own).sum(axis=1)
        tied[some] = (block == own).sum(axis=1)
    return Ranks(n_better=better, n_tied=tied)
