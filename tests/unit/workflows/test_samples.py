"""What two samples took says what everybody takes."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.errors import InputError
from trailprint.events.summary import count_users
from trailprint.workflows.rehearsal import Rehearsed
from trailprint.workflows.samples import (
    Sample,
    choose_sizes,
    draw_users,
    extrapolate,
    try_sizes,
)


@pytest.mark.parametrize("power", [1.0, 1.6, 2.0])
@given(
    always=st.floats(0, 10),
    each=st.floats(0.001, 1),
    n_small=st.integers(2, 500),
    times=st.integers(1, 9),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_power_on_top_of_a_constant_is_found(power, always, each, n_small, times):
    def took(n):
        return Rehearsed(3, always + each * n**power, 2 * each * n**power, 10 * n)

    n_large, n_people = 2 * n_small, 2 * n_small * times
    found = extrapolate(
        (Sample(n_small, took(n_small)), Sample(n_large, took(n_large))), n_people, power
    )
    assert found.shared_s == pytest.approx(took(n_people).shared_s, rel=1e-6)
    assert found.alone_s == pytest.approx(took(n_people).alone_s, rel=1e-6)
    assert found.worker_bytes == pytest.approx(10 * n_people)
    assert found.passes == 3


def test_a_small_sample_that_took_longer_says_nothing():
    found = extrapolate(
        (Sample(10, Rehearsed(1, 5.0, 0.0, 0)), Sample(20, Rehearsed(1, 4.0, 0.0, 0))), 40, 2.0
    )
    assert found.shared_s == pytest.approx(16.0)


def test_a_quarter_of_the_people_is_tried():
    assert choose_sizes(1_000, 100, 400) == (125, 250)
    assert choose_sizes(10_000, 100, 400) == (200, 400)
    assert choose_sizes(30, 100, 400) == (15, 30)
    assert choose_sizes(0, 100, 400) == (1, 1)


def test_the_same_people_are_drawn_of_both_sides():
    users = [f"u{i}" for i in range(400)]
    first = tp.read(pa.table({"user": users, "location": ["a"] * 400}))
    second = tp.read(pa.table({"user": users[::-1], "location": ["b"] * 400}))
    drawn = [
        set(side.engine.arrow(draw_users(side, 0.25).query)["user"].to_pylist())
        for side in (first, second)
    ]
    assert drawn[0] == drawn[1]
    assert 60 < len(drawn[0]) < 140
    assert count_users(draw_users(first, 1.0)) == 400


def test_where_a_sample_is_too_few_everybody_is_tried():
    tried = []

    def make(share):
        tried.append(share)
        if share < 1:
            raise InputError("Too few people.")
        return lambda: None

    samples = try_sizes(8, (2, 4), make)
    assert [sample.n_people for sample in samples] == [8, 8]
    assert tried[-1] == 1

    def refuse(share):
        raise InputError("Never.")

    with pytest.raises(InputError, match="Never"):
        try_sizes(8, (2, 4), refuse)
