"""
Scores of CRFs on auxiliary sequences, found by running as few models as possible.

A model cannot predict a location it has never seen, so a pair's score is at most the number of
records whose location the model knows. Where this bound (or one made tighter by the days already
run) lies below the score that matters, the model need not be run: the result is the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.attacks.candidate_scores import Chosen, assign, draw_lots, pick_tied
from trailprint.attacks.sequence.models import Models
from trailprint.attacks.sequence.worker_processes import workers_for
from trailprint.attacks.sequence.workers import prepare, score_queries
from trailprint.features.templates import Templates
from trailprint.linkage import Ranks
from trailprint.progress import Progress

#: Candidates of each auxiliary record that are run first, to find the score to beat.
N_GUESSES = 8

#: With fewer model runs than this, other processes cost more than they save.
_WORTH_PROCESSES = 20_000

#: Number of pairs processed at a time.
_CELLS = 1 << 22


class ModelScores:
    """
    How many records of each auxiliary sequence each released user's model predicts.

    It holds 3 bytes for each pair (4 where a sequence has more than 127 records): 55 MB for 4,285
    users on both sides, 1.2 GB for 20,000.

    Attributes
    ----------
    n_taggings : int
        Number of times a model was run over an auxiliary user's sequence so far.
    seconds : float
        How long that took.
    """

    def __init__(
        self,
        models: Models,
        queries: Templates,
        *,
        n_workers: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self._models, self._queries, self._n_workers = models, queries, n_workers
        self._report = progress or (lambda what, done: None)
        self.n_taggings, self.seconds = 0, 0.0
        self.n_records = np.diff(queries.record_starts)
        counts, seen = _counts(queries), _counts(models.templates).astype(bool)
        #: Upper bound of each pair's score, and whether it is the exact score.
        self._most = _product(counts, seen)
        self._exact = self._most == 0
        self._shares = _shares(models.templates)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of auxiliary and of released users."""
        return self._most.shape

    @property
    def n_all_pairs(self) -> int:
        """Number of runs without any shortcut."""
        n_models = np.count_nonzero(np.diff(self._models.templates.record_starts))
        return int(n_models) * int(np.count_nonzero(self.n_records))

    def rows(self, auxiliary: Ints) -> Floats:
        """Return the scores of all released users for these auxiliary rows."""
        wanted = np.zeros(self.shape, dtype=bool)
        wanted[auxiliary] = ~self._exact[auxiliary]
        self._run(wanted, np.zeros(self.shape[0], dtype=np.int64), "Scoring all candidates")
        return self._most[auxiliary].astype(np.float64)

    def run_all_pairs(self) -> None:
        """Run every model over every sequence, even where that cannot change the result."""
        wanted = np.ones(self.shape, dtype=bool)
        wanted[:, np.diff(self._models.templates.record_starts) == 0] = False
        wanted[self.n_records == 0] = False
        self._run(wanted, np.zeros(self.shape[0], dtype=np.int64), "Scoring all pairs", True)

    def best(self, seed: int) -> Chosen:
        """
        Return each auxiliary user's best candidate; ties are broken at random.

        A few likely candidates are run first, then only those whose bound reaches the best score
        found: no other candidate can be better or tie.
        """
        self._find_best()
        n_rows = self.shape[0]
        chosen, lots = np.empty(n_rows, dtype=np.int64), draw_lots(n_rows, seed)
        score, n_tied = np.empty(n_rows), np.empty(n_rows, dtype=np.int64)
        for part in _parts(*self.shape):
            block = self._most[part]
            score[part] = block.max(axis=1)
            tied = block == score[part, None]
            chosen[part], n_tied[part] = pick_tied(tied, lots[part]), tied.sum(axis=1)
        return Chosen(np.arange(n_rows, dtype=np.int64), chosen, score, n_tied)

    def best_jointly(self, seed: int) -> Chosen:
        """
        Return the one-to-one links with the greatest total score; ties are broken at random.

        The assignment problem is solved with bounds in place of scores. Where a link's bound is not
        yet exact, the models whose bounds reach it are run, and the assignment is repeated. No true
        total can exceed that of the bounds, so an assignment whose bounds are all exact is optimal.
        """
        self._find_best()
        while True:
            chosen = assign(self._most, seed)
            # Rows without a link need no runs.
            floor = np.full(self.shape[0], np.iinfo(np.int64).max)
            floor[chosen.auxiliary] = np.maximum(chosen.score, 1).astype(np.int64)
            reaching = self._reaching(floor)
            if not reaching.any():
                return chosen
            self._run(reaching, floor, "Scoring candidates")

    def rank(self, released: Ints, auxiliary: Ints) -> Ranks:
        """
        Rank pairs among all released candidates of their auxiliary users.

        Only models whose bound reaches the pair's own score are run.
        """
        own = np.zeros(self.shape, dtype=bool)
        own[auxiliary, released] = True
        nothing = np.zeros(self.shape[0], dtype=np.int64)
        self._run(own & ~self._exact, nothing, "Scoring the counterparts")
        score = self._most[auxiliary, released].astype(np.int64)
        # The lowest requested score of a row is its floor; other rows need no runs.
        floor = np.full(self.shape[0], np.iinfo(np.int64).max)
        np.minimum.at(floor, auxiliary, np.maximum(score, 1))
        self._run(self._reaching(floor), floor, "Scoring candidates")
        n_better, n_tied = np.empty_like(score), np.empty_like(score)
        for part in _parts(len(score), self.shape[1]):
            block = self._most[auxiliary[part]]
            n_better[part] = (block > score[part, None]).sum(axis=1)
            n_tied[part] = (block == score[part, None]).sum(axis=1)
        return Ranks(n_better=n_better, n_tied=n_tied)

    def _find_best(self) -> None:
        """Run the models needed to know each row's best score and the candidates that reach it."""
        nothing = np.zeros(self.shape[0], dtype=np.int64)
        self._run(self._guesses() & ~self._exact, nothing, "Scoring likely candidates")
        known = np.where(self._exact, self._most, 0).max(axis=1, initial=0).astype(np.int64)
        floor = np.maximum(known, 1)
        self._run(self._reaching(floor), floor, "Scoring candidates")

    def _reaching(self, floor: Ints) -> NDArray[np.bool_]:
        reaching: NDArray[np.bool_] = (self._most >= floor[:, None]) & ~self._exact
        return reaching

    def _guesses(self) -> NDArray[np.bool_]:
        """Mark the candidates with the largest share of visits at the sequence's locations."""
        n_rows, n_columns = self.shape
        likely = np.zeros(self.shape, dtype=bool)
        n_kept = min(N_GUESSES, n_columns)
        counts = _counts(self._queries)
        for part in _parts(n_rows, n_columns):
            fit = (counts[part] @ self._shares.T).toarray()
            columns = np.argpartition(-fit, n_kept - 1, axis=1)[:, :n_kept]
            np.put_along_axis(likely[part], columns, True, axis=1)
        return likely

    def _run(
        self, wanted: NDArray[np.bool_], floor: Ints, what: str, thorough: bool = False
    ) -> None:
        """Run the wanted pairs, model by model; below a row's floor a bound is enough."""
        began = time.perf_counter()
        n_runs = np.count_nonzero(wanted, axis=0)
        users = np.flatnonzero(n_runs)
        total, n_done = int(n_runs.sum()), 0
        is_worth = total >= _WORTH_PROCESSES
        asked = [np.flatnonzero(wanted[:, user]) for user in users]
        with workers_for(self._n_workers, prepare, self._queries, is_worth=is_worth) as run:
            tasks = (
                (self._models.model(user), self._models.seen(user), rows, floor[rows], thorough)
                for user, rows in zip(users.tolist(), asked, strict=True)
            )
            for number, (scores, is_exact) in run(score_queries, tasks):
                rows, user = asked[number], users[number]
                self._most[rows, user], self._exact[rows, user] = scores, is_exact
                n_done += len(rows)
                self._report(what, n_done / total)
        self.n_taggings += total
        self.seconds += time.perf_counter() - began


def _counts(templates: Templates) -> sparse.csr_array:
    """Count each user's records at each location, without locations that were never released."""
    user = np.repeat(np.arange(templates.n_users), np.diff(templates.record_starts))
    shape = (templates.n_users, templates.n_labels + 1)
    ones = np.ones(len(user), dtype=np.int32)
    counts = sparse.csr_array((ones, (user, templates.label)), shape=shape)
    return counts[:, : templates.n_labels]


def _shares(templates: Templates) -> sparse.csr_array:
    """Return the share of each user's records at each location."""
    counts = _counts(templates).astype(np.float32)
    total = np.maximum(np.asarray(counts.sum(axis=1)).reshape(-1), 1.0)
    return sparse.csr_array(sparse.diags_array(1 / total, dtype=np.float32) @ counts)


def _product(counts: sparse.csr_array, seen: sparse.csr_array) -> NDArray[np.signedinteger]:
    """Count for each pair the records at locations that the other user has visited."""
    n_rows, n_columns = counts.shape[0], seen.shape[0]
    most = int(counts.sum(axis=1).max()) if n_rows else 0
    bound = np.zeros((n_rows, n_columns), dtype=np.min_scalar_type(-most - 1))
    known = seen.astype(np.int32).T.tocsr()
    for part in _parts(n_rows, n_columns):
        bound[part] = (counts[part] @ known).toarray()
    return bound


def _parts(n_rows: int, n_columns: int) -> Iterator[slice]:
    size = max(1, _CELLS // max(1, n_columns))
    for low in range(0, n_rows, size):
        yield slice(low, min(low + size, n_rows))
