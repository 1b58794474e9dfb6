"""Laws of loss: leaving more out never costs less, and nothing left is everything lost."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.grouping import suppression_loss

from trailprint.events.reading.read import read
from trailprint.features.histograms import Histograms
from trailprint.protections.chain import apply_protections
from trailprint.protections.loss import measure_loss
from trailprint.protections.suppress import CommonLocations, TopLocations

START = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


@st.composite
def counts(draw):
    """Visits of users at places; everybody has one."""
    shape = draw(st.integers(1, 9)), draw(st.integers(2, 7))
    cells = st.sampled_from([0, 0, 0, 1, 2, 9])
    values = draw(st.lists(cells, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    matrix = np.array(values, dtype=float).reshape(shape)
    matrix[matrix.sum(axis=1) == 0, draw(st.integers(0, shape[1] - 1))] = 1.0
    return matrix


def histograms_of(matrix):
    return Histograms(
        matrix=sparse.csr_array(matrix),
        users=pa.array([f"u{i}" for i in range(matrix.shape[0])]),
        locations=pa.array([f"l{i}" for i in range(matrix.shape[1])]),
    )


def events_of(matrix):
    rows = [
        (f"u{user}", f"l{place}", START + dt.timedelta(minutes=minute))
        for user, place in zip(*np.nonzero(matrix), strict=True)
        for minute in range(int(matrix[user, place]))
    ]
    user, location, start = zip(*rows, strict=True)
    return read(pa.table({"user": user, "location": location, "start": pa.array(start)}))


def is_alike(matrix):
    shares = matrix / matrix.sum(axis=1, keepdims=True)
    return np.ptp(shares, axis=0).max() < 1e-9


@given(counts(), st.data())
@settings(max_examples=80, deadline=None)
def test_fewer_places_never_cost_less_and_none_cost_everything(matrix, data):
    order = data.draw(st.permutations(range(matrix.shape[1])))
    before, losses = histograms_of(matrix), []
    for n in range(matrix.shape[1] + 1):
        kept = np.isin(np.arange(matrix.shape[1]), order[:n])
        after = histograms_of(np.where(kept, matrix, 0.0))
        found = measure_loss(before, after, leaves_out=True)
        losses.append(found.information_loss)
        if not is_alike(matrix):
            assert found.information_loss == pytest.approx(suppression_loss(matrix, kept), abs=1e-9)
    assert losses[0] == pytest.approx(1.0)
    assert losses[-1] == 0.0
    assert (np.diff(losses) <= 1e-9).all()


@given(counts())
@settings(max_examples=15, deadline=None)
def test_the_loss_of_popular_places_falls_with_their_number(matrix):
    events = events_of(matrix)

    def lost(protection):
        return apply_protections(events, [protection]).loss.information_loss

    n_places = int((matrix.sum(axis=0) > 0).sum())
    losses = [lost(TopLocations(n=n)) for n in range(1, n_places + 1)]
    assert (np.diff(losses) <= 1e-9).all()
    assert losses[0] <= 1 + 1e-9
    assert losses[-1] == 0.0
    common = int((matrix > 0).sum(axis=0).max())
    losses = [lost(CommonLocations(min_users=n)) for n in range(1, common + 1)]
    assert (np.diff(losses) >= -1e-9).all()


def test_few_places_are_not_a_bargain():
    """One common place and one of each person's own: nearly nothing is left by n = 1."""
    matrix = np.column_stack([np.ones(12), 9 * np.eye(12)])
    before = histograms_of(matrix)
    dropped = np.zeros_like(matrix)
    barely = np.where(np.arange(13) == 0, matrix, 0.0)
    lost = [
        measure_loss(before, histograms_of(after), leaves_out=True).information_loss
        for after in (dropped, barely)
    ]
    assert lost == pytest.approx([1.0, 1.0])
