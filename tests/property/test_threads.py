"""One seed, same output, whatever the number of threads."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trailprint import Engine, FilterOptions, SplitOptions, inspect, read, split
from trailprint.features.histograms import build_histograms
from trailprint.features.options import HistogramOptions
from trailprint.features.sequences import build_sequences
from trailprint.workflows import apply_filters


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Enough rows that several threads share them, with fractions that do not add up exactly."""
    random = np.random.default_rng(7)
    n = 400_000
    start = 1_700_000_000 + random.integers(0, 60 * 86_400, n)
    table = pa.table(
        {
            "user": random.integers(0, 40, n),
            "location": random.integers(0, 12, n).astype(str),
            "start": start,
            "end": start + random.integers(0, 7_000, n),
            "count": random.random(n),
        }
    )
    path = tmp_path_factory.mktemp("threads") / "visits.parquet"
    pq.write_table(table, path, row_group_size=20_000)
    return path


@pytest.fixture(scope="module", params=[1, 2, 8])
def events(request, path):
    return read(path, engine=Engine(threads=request.param))


@pytest.fixture(scope="module")
def alone(path):
    return read(path, engine=Engine(threads=1))


@pytest.mark.parametrize("weight", ["visits", "duration", "day-balanced"])
def test_histograms(events, alone, weight):
    options = HistogramOptions(weight=weight)
    found, expected = build_histograms(events, options), build_histograms(alone, options)
    assert found.users.equals(expected.users)
    np.testing.assert_array_equal(found.matrix.toarray(), expected.matrix.toarray())


def test_sequences(events, alone):
    few = [
        apply_filters(e, FilterOptions(time_range="2023-11-20..2023-11-21"))
        for e in (events, alone)
    ]
    found, expected = map(build_sequences, few)
    assert found.n_visits > 1000
    for name in ("user", "location", "day", "duration_s", "previous", "next_to_previous", "next"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_summaries(events, alone):
    assert inspect(events) == inspect(alone)


def test_random_users(events, alone):
    def drawn(side):
        return sorted(side.engine.rows(f'SELECT DISTINCT "user" FROM ({side.query})'))

    options = SplitOptions(at="median", released_users=10, auxiliary_users=20, seed=3)
    found, expected = split(events, options), split(alone, options)
    assert drawn(found.released) == drawn(expected.released)
    assert drawn(found.auxiliary) == drawn(expected.auxiliary)
