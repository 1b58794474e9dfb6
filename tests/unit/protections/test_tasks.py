"""What a release is good for equals its definition, and falls with what is taken away."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.tasks import flows, relative_error, share_predicted, visitors
from tests.presence import present

import trailprint as tp
from trailprint.protections.tasks import TaskBaseline

EVENTS = st.lists(
    st.tuples(
        st.sampled_from("uvw"), st.sampled_from("abcd"), st.integers(0, 40).map(lambda h: 900 * h)
    ),
    min_size=1,
    max_size=40,
)


def as_events(rows):
    who, where, when = zip(*rows, strict=True)
    start = pa.array(
        [1_700_000_000_000_000 + 1_000_000 * t for t in when], pa.timestamp("us", "UTC")
    )
    return tp.read(pa.table({"user": who, "location": where, "start": start}))


def shifted(rows):
    """Hours of the calendar begin at full hours, which the first second is not."""
    return [(who, where, when + 1_700_000_000) for who, where, when in rows]


@settings(max_examples=60, deadline=None)
@given(EVENTS, EVENTS)
def test_tasks_equal_their_definitions(before, after):
    found = TaskBaseline(as_events(before)).measure(as_events(after), ())
    assert found.next_place_before == pytest.approx(share_predicted(before))
    assert found.next_place == pytest.approx(share_predicted(after))
    own, other = visitors(shifted(before)), visitors(shifted(after))
    assert found.occupancy_error == pytest.approx(relative_error(own, other))
    if not flows(before):
        assert found.flow_error is None
    elif not flows(after):
        assert found.flow_error == 1.0
    else:
        wanted = relative_error(flows(before), flows(after))
        assert found.flow_error == pytest.approx(wanted)


def campus(n_users=12):
    return [
        (f"u{i}", f"{'xy'[k % 2]}.{(i + k) % 3}", 3_600 * (24 * d + 8 + k))
        for i in range(n_users)
        for d in range(6)
        for k in range(4)
    ]


def test_nothing_done_costs_nothing():
    tasks = present(tp.protect(as_events(campus()), "active-users:min_events=1").protected.tasks)
    assert (tasks.occupancy_error, tasks.flow_error) == (0.0, 0.0)
    assert tasks.next_place == tasks.next_place_before == share_predicted(campus())


def test_coarse_places_are_read_back_by_popularity():
    """Both rooms of a building are as popular: each gets half of its visitors and moves."""
    rows = [("u", "x.1", 0), ("u", "y.1", 3_600), ("v", "x.2", 0), ("v", "y.1", 3_600)]
    tasks = present(tp.protect(as_events(rows), "coarsen-names:levels=1").protected.tasks)
    assert tasks.occupancy_error == pytest.approx(0.0)
    assert tasks.flow_error == pytest.approx(0.0)
    uneven = [*rows, ("w", "x.1", 0), ("w", "y.1", 3_600)]
    tasks = present(tp.protect(as_events(uneven), "coarsen-names:levels=1").protected.tasks)
    assert tasks.flow_error == pytest.approx(0.0)
    crossed = [("u", "x.1", 0), ("u", "y.1", 3_600), ("v", "x.2", 0), ("v", "y.2", 3_600)]
    tasks = present(tp.protect(as_events(crossed), "coarsen-names:levels=1").protected.tasks)
    assert tasks.flow_error == pytest.approx(0.5)


def test_histograms_are_good_for_popularity_only():
    result = tp.protect(as_events(campus()), "microaggregate:k=3")
    tasks = present(result.protected.tasks)
    assert (tasks.next_place, tasks.flow_error, tasks.occupancy_of) == (None, None, "place")
    wanted = result.protected.loss.popularity_error
    assert tasks.occupancy_error == pytest.approx(wanted, abs=1e-12)
    assert result.to_dict()["tasks"]["next_place_before"] is not None


def test_without_times_there_are_visitors_of_places():
    rows = pa.table({"user": ["u", "v", "v"], "location": ["a", "a", "b"]})
    tasks = present(tp.protect(tp.read(rows), "top-locations:n=1").protected.tasks)
    assert tasks.next_place_before is None
    assert tasks.flow_error is None
    assert tasks.occupancy_of == "place"
    assert tasks.occupancy_error == pytest.approx(1 - 2 * 2 / (3 + 2))
