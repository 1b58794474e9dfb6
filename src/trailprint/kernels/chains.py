"""
Linear-chain CRF prediction: the best labels of a day's records, and how many are correct.

The arithmetic follows CRFsuite term by term, in the same order, so predictions are identical even
in ties; but contexts are looked up by number, not by name, which takes CRFsuite most of its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trailprint.arrays import Floats, Ints
from trailprint.kernels.compiling import njit

Codes = NDArray[np.int32]


class Chain(NamedTuple):
    """
    A trained model, with its own numbering of labels.

    ``label``: the label code behind each number. ``place[c, code + 1]``: the row of ``state`` for a
    code in column c of a context; the last row, of zeros, stands for unseen codes. ``state``: what
    a context adds to each label's score. ``step[i, j]``: the score of a transition from i to j.
    """

    label: Ints
    place: Codes
    state: Floats
    step: Floats


class DayRecords(NamedTuple):
    """Records by day and person: see `trailprint.features.templates.Templates`."""

    label: Codes
    context: Codes
    day_starts: Ints
    user_starts: Ints


@njit(cache=True, nogil=True)
def _add_states(chain: Chain, context: Codes, score: Floats) -> None:
    """Add the state scores of a record's context to each label. Cost: O(columns x labels)."""
    for c in range(context.size):
        row = chain.place[c, context[c] + 1]
        for j in range(score.size):
            score[j] += chain.state[row, j]


@njit(cache=True, nogil=True)
def _take_step(before: Floats, step: Floats, score: Floats, back: Ints) -> None:
    """Find each label's best predecessor, the first in a tie. Cost: O(labels^2)."""
    score[:] = -np.inf
    back[:] = 0
    for i in range(before.size):
        for j in range(score.size):
            reached = before[i] + step[i, j]
            better = reached > score[j]
            score[j] = reached if better else score[j]
            back[j] = i if better else back[j]


@njit(cache=True, nogil=True)
def _count_day(
    chain: Chain, label: Codes, context: Codes, scores: Floats, states: Floats, back: Ints
) -> int:
    """Count the records of a day whose label the model predicts (Viterbi's algorithm).

    Shapes: scratch ``scores`` (2, labels), ``states`` (labels), ``back`` (records or more, labels).
    Cost: O(records x labels^2).
    """
    scores[0, :] = 0.0
    _add_states(chain, context[0], scores[0])
    for t in range(1, label.size):
        before, score = scores[(t - 1) % 2], scores[t % 2]
        _take_step(before, chain.step, score, back[t])
        states[:] = 0.0
        _add_states(chain, context[t], states)
        for j in range(score.size):
            score[j] += states[j]
    last = scores[(label.size - 1) % 2]
    j = 0
    for i in range(last.size):
        if last[i] > last[j]:
            j = i
    hits = 0
    for t in range(label.size - 1, -1, -1):
        hits += chain.label[j] == label[t]
        j = back[t, j]
    return hits


@njit(cache=True, nogil=True)
def count_predicted(
    chain: Chain, days: DayRecords, known: NDArray[np.bool_], rows: Ints, floor: Ints
) -> tuple[Ints, NDArray[np.bool_]]:
    """Count the records of the given users whose label the model predicts, and whether it is exact.

    Meaning: ``known`` marks the labels that the model has seen; it predicts no others. Where the
    count cannot reach a row's floor, an upper bound below the floor is returned, marked as not
    exact; a negative floor forces every day to be run. Cost: O(records x labels^2).
    """
    n_labels = chain.label.size
    longest = np.diff(days.day_starts).max()
    scores, states = np.empty((2, n_labels)), np.empty(n_labels)
    back = np.zeros((longest, n_labels), np.int64)
    found = np.zeros(rows.size, np.int64)
    is_exact = np.ones(rows.size, np.bool_)
    for r in range(rows.size):
        first, last = days.user_starts[rows[r]], days.user_starts[rows[r] + 1]
        left = 0
        for at in range(days.day_starts[first], days.day_starts[last]):
            left += known[days.label[at]]
        for day in range(first, last):
            if found[r] + left < floor[r]:
                found[r] += left
                is_exact[r] = False
                break
            low, high = days.day_starts[day], days.day_starts[day + 1]
            most = 0
            for at in range(low, high):
                most += known[days.label[at]]
            left -= most
            if most > 0 or floor[r] < 0:
                found[r] += _count_day(
                    chain, days.label[low:high], days.context[low:high], scores, states, back
                )
    return found, is_exact
