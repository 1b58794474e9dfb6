"""
What a protection costs: how far histograms moved, and what is left of events, users and places.

A coarsened location is read back as its old locations in proportion to their popularity, the best
estimate from the release. Merging everything into one region then costs exactly as much as
replacing every user by the mean: L = 1.

The best estimate of a person who is dropped is the mean, so they count as replaced by it. Leaving
out some of a person's records costs at most that; otherwise dropping them could seem to cost less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from trailprint.arrays import Floats, Ints
from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms
from trailprint.features.ids import encode
from trailprint.kernels.distances.sparse_rows import L1, build_rows, distances_to_mean
from trailprint.protections.protection import Rule

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """
    Loss of a protection; all fields but the counts are shares.

    Attributes
    ----------
    information_loss : float
        L of equation (11) of the 2016 paper: the sum of l1 distances between each user's
        histogram before and after, divided by the sum of those to the mean of all. A user who is
        dropped counts as replaced by the mean, and one with some records left out as at most that.
    events_kept, users_kept, locations_kept : float
        Share of each that is left.
    popularity_error : float
        Total variation between the locations' popularities before and after, from 0 to 1;
        popularity is the mean over users of their shares.
    users_left_out : int
        Users with nothing left.
    """

    information_loss: float
    events_kept: float
    users_kept: float
    locations_kept: float
    popularity_error: float
    users_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Translation(Discreet):
    """Probability of each old location given a new one: one row per new location, sum one."""

    matrix: sparse.csr_array
    new: pa.Array
    old: pa.Array


def with_locations(events: Events) -> Events:
    """Events with a location: without one, positions rounded to about ten metres."""
    if "location" in events.columns:
        return events
    events.require("lat", "A measure of loss")
    place = "printf('%.4f,%.4f', lat, lon) AS location"
    derived = events.derive(f"SELECT *, {place} FROM ({events.query})")
    return replace(derived, columns=events.columns | {"location"})


def learn_translation(before: Events, rule: Rule) -> Translation:
    """
    Apply ``rule`` to find out what each location is renamed to; all users have equal weight.

    The rule is applied to events whose "user" is the old location, so that old and new are paired.
    """
    events = with_locations(before)
    mass = f'{events.weight_sql} / sum({events.weight_sql}) OVER (PARTITION BY "user")'
    position = ", lat, lon" if "lat" in events.columns else ""
    query = (
        f'SELECT CAST(location AS VARCHAR) AS "user", location{position}, {mass} AS weight '
        f"FROM ({events.query})"
    )
    columns = {"user", "location", "weight", *(("lat", "lon") if position else ())}
    renamed = rule(replace(events, query=query, columns=frozenset(columns), carried=()))
    pairs = events.engine.arrow(
        'SELECT "user" AS old, location AS new, sum(weight ORDER BY weight) AS mass '
        f"FROM ({renamed.query}) GROUP BY ALL"
    )
    old, old_ids = encode(pairs["old"])
    new, new_ids = encode(pairs["new"])
    mass_of = pairs["mass"].to_numpy()
    share = mass_of / np.bincount(new, mass_of, len(new_ids))[new]
    matrix = sparse.csr_array((share, (new, old)), shape=(len(new_ids), len(old_ids)))
    return Translation(matrix=matrix, new=new_ids, old=old_ids)


def measure_loss(
    before: Histograms,
    after: Histograms,
    translations: Sequence[Translation] = (),
    *,
    events_kept: float = 1.0,
    leaves_out: bool = False,
) -> Loss:
    """
    Compare histograms before and after; ``translations`` in the order they were applied.

    If records were left out (``leaves_out``), no user counts for more than a dropped one.
    """
    own = before.probabilities()
    to_mean = _distances_to_mean(own)
    back = _read_back(before, after, translations)
    distances, total = _moved(own, _rows_of(before, after), back)
    n_left = int(np.count_nonzero(~np.isnan(distances)))
    mean_before = np.asarray(own.sum(axis=0)).reshape(-1) / max(before.n_users, 1)
    error = 0.5 * float(np.abs(mean_before - total / max(n_left, 1)).sum()) if n_left else 1.0
    return Loss(
        information_loss=_add_up(distances, to_mean, leaves_out),
        events_kept=events_kept,
        users_kept=n_left / before.n_users,
        locations_kept=_n_used(after) / _n_used(before),
        popularity_error=error,
        users_left_out=before.n_users - n_left,
    )


def _add_up(
    distances: NDArray[np.float64], to_mean: NDArray[np.float64], leaves_out: bool
) -> float:
    """L from each user's distance; nan stands for a user who is dropped."""
    whole = float(to_mean.sum())
    if whole <= _ROUNDING:
        # The mean fully describes users who are alike: only missing records are a loss.
        return relative_loss(float(np.nan_to_num(distances, nan=1.0).sum()), whole)
    counted = np.where(np.isnan(distances), to_mean, distances)
    if leaves_out:
        counted = np.minimum(counted, to_mean)
    return relative_loss(float(counted.sum()), whole)


def relative_loss(moved: float, whole: float) -> float:
    """``moved`` as a share of ``whole``; rounding errors count as zero."""
    if moved <= _ROUNDING * max(whole, 1.0):
        return 0.0
    # If all users were alike, any change is the whole loss.
    return moved / whole if whole > _ROUNDING else 1.0


def _distances_to_mean(own: sparse.csr_array) -> NDArray[np.float64]:
    return distances_to_mean(build_rows(own.indptr, own.indices, own.data, own.shape[1], L1))


def _n_used(histograms: Histograms) -> int:
    return len(np.unique(histograms.matrix.indices))


def _rows_of(before: Histograms, after: Histograms) -> NDArray[np.int64]:
    """Each user's row after the protection; -1 if nothing is left of them."""
    places = pc.fill_null(pc.index_in(before.users, value_set=after.users), -1)
    found: NDArray[np.int64] = places.to_numpy(zero_copy_only=False).astype(np.int64)
    is_empty = np.append(np.diff(after.matrix.indptr) == 0, True)
    return np.where(is_empty[found], -1, found)


def _read_back(
    before: Histograms, after: Histograms, translations: Sequence[Translation]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Histograms after, and the matrix that maps them back to the old locations."""
    matrix = read_names_back(after.locations, translations, before.locations)
    return after.probabilities(), matrix


def read_names_back(
    new: pa.Array, translations: Sequence[Translation], old: pa.Array
) -> sparse.csr_array:
    """Matrix (new × old) of the probability of each old location given a new one."""
    matrix = sparse.eye_array(len(new), format="csr")
    for step in reversed(translations):
        matrix = matrix @ _link(new, step.new) @ step.matrix
        new = step.old
    return sparse.csr_array(matrix @ _link(new, old))


def _link(ids: pa.Array, others: pa.Array) -> sparse.csr_array:
    """Matrix with a one where two ids are equal; ids missing from ``others`` have empty rows."""
    places = pc.fill_null(pc.index_in(ids, value_set=others), -1).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(places >= 0)
    shape = (len(ids), len(others))
    return sparse.csr_array((np.ones(len(rows)), (rows, places[rows])), shape=shape)


def _moved(
    own: sparse.csr_array,
    row_after: NDArray[np.int64],
    back: tuple[sparse.csr_array, sparse.csr_array],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Each user's l1 distance, and the sum of the histograms read back.

    A large cell is read back as every place in it. Mass at places where a user never was counts
    in full, so only the places they were at have to be looked up.
    """
    released, matrix = back
    there = np.flatnonzero(row_after >= 0)
    before, after = own[there], released[row_after[there]]
    row = np.repeat(np.arange(there.size), np.diff(before.indptr))
    entry, cell, share = expand_rows(matrix.T.tocsr(), before.indices)
    worth = np.asarray(after[row[entry], cell]).reshape(-1) * share
    found = np.bincount(entry, worth, before.nnz)
    beside = np.bincount(row, np.abs(before.data - found) - found, there.size)
    spread = after @ np.asarray(matrix.sum(axis=1)).reshape(-1)
    distances = np.full(own.shape[0], np.nan)
    distances[there] = np.maximum(spread + beside, 0.0)
    return distances, np.asarray(after.sum(axis=0)).reshape(-1) @ matrix


def expand_rows(matrix: sparse.csr_array, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """The entries of the given rows: index into ``rows``, column and value of each."""
    chosen = matrix[rows].tocoo()
    return chosen.row.astype(np.int64), chosen.col.astype(np.int64), chosen.data
