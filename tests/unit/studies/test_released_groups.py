"""Who shares a released record with how many: by histograms and by events."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.grouping import count_alike

from trailprint.features.histograms import Histograms
from trailprint.studies.released_groups import GROUP, RecordGroups, group_events, group_histograms

RECORDS = st.lists(
    st.lists(st.integers(0, 2), min_size=3, max_size=3).map(tuple), min_size=1, max_size=14
)


def histograms_of(records: list[tuple[int, ...]]) -> Histograms:
    return Histograms(
        matrix=sparse.csr_array(np.array(records, dtype=float)),
        users=pa.array([f"u{i}" for i in range(len(records))]),
        locations=pa.array(["x", "y", "z"]),
    )


@given(RECORDS)
@settings(max_examples=60, deadline=None)
def test_groups_of_histograms_equal_the_definition(records):
    found = group_histograms(histograms_of(records))
    expected = count_alike([one for one in records if any(one)], GROUP)
    assert (found.smallest, found.n_people, found.n_in_small) == expected


def test_groups_of_events_are_of_everything_but_the_id_in_any_order(make_events):
    day = dt.datetime(2024, 3, 4, 8, tzinfo=dt.UTC)
    later = day + dt.timedelta(hours=1)
    rows = [
        *(("a", "x", day), ("a", "y", later)),
        *(("b", "y", later), ("b", "x", day)),
        *(("c", "x", later), ("c", "y", day)),
        *(("d", "x", day), ("d", "x", day), ("d", "y", later)),
    ]
    found = group_events(make_events(rows, "user", "location", "start"))
    assert found == RecordGroups(smallest=1, n_people=4, n_in_small=4)
    pairs = [row for row in rows if row[0] in "ab"]
    assert group_events(make_events(pairs, "user", "location", "start")).smallest == 2


def test_groups_large_enough_are_not_small(make_events):
    rows = [(f"u{i}", "x") for i in range(GROUP)]
    found = group_events(make_events(rows, "user", "location"))
    assert found == RecordGroups(smallest=GROUP, n_people=GROUP, n_in_small=0)
