"""Small counts are shown as such; nobody is not small."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trailprint.studies.small_counts import (
    HIDDEN,
    MaskedRate,
    describe_count,
    describe_rate,
    hide_change,
    hide_small,
    is_close,
    is_small,
    join_bins,
    keep_steps,
    mask_rate,
)


def test_a_few_are_hidden_and_zero_is_shown():
    assert [hide_small(n) for n in (0, 1, 9, 10, 1234)] == [0, "<10", "<10", 10, 1234]
    assert [describe_count(n) for n in (0, 9, 1234)] == ["0", "fewer than 10", "1,234"]
    assert hide_small(4, small=5) == "<5"
    assert not is_small(5, small=5)


def test_a_few_who_are_missing_are_hidden_too():
    assert [hide_small(n, of=250) for n in (9, 240, 241, 249, 250)] == [
        "<10",
        240,
        ">240",
        ">240",
        250,
    ]
    assert describe_count(1249, of=1250) == "more than 1,240"
    assert hide_small(0, of=5) == 0
    assert not is_close(0, 5)


def test_a_rate_of_a_few_people_becomes_the_most_it_can_be():
    masked = mask_rate(0.02, (0.0, 0.05), 5, 250)
    assert masked == MaskedRate(None, None, None, 9 / 250)
    assert describe_rate(masked) == "at most 4%"
    reported = mask_rate(0.04, (0.02, 0.07), 10, 250)
    assert reported == MaskedRate(0.04, 0.02, 0.07, None)
    assert describe_rate(reported) == "4%"
    assert mask_rate(0.5, (0.1, 0.9), 3, 6).at_most == 1.0


@given(st.lists(st.lists(st.integers(0, 15), min_size=8, max_size=8), min_size=1, max_size=2))
def test_kept_points_of_curves_have_no_few_between_them(steps):
    curves = [np.cumsum(own).tolist() for own in steps]
    kept = keep_steps(curves)
    for curve in curves:
        reported = [0, *(curve[place] for place in kept)]
        assert not any(is_small(n) for n in np.diff(reported))
        assert not kept or not is_small(curve[-1] - reported[-1])
    if all(n == 0 or n >= 10 for own in steps for n in own):
        assert kept == list(range(8))


@given(st.lists(st.integers(0, 25), max_size=12))
def test_joined_bins_hold_nobody_or_enough_and_everybody_once(counts):
    joined = join_bins(counts)
    assert [k for first, last in joined for k in range(first, last + 1)] == list(range(len(counts)))
    sizes = [sum(counts[first : last + 1]) for first, last in joined]
    assert sum(sizes) == sum(counts)
    assert len(sizes) <= 1 or not any(is_small(n) for n in sizes)
    if all(n == 0 or n >= 10 for n in counts):
        assert len(joined) == len(counts)


@given(st.integers(1, 400), st.data())
def test_a_change_is_shown_only_where_neither_it_nor_what_is_left_is_a_few(n_people, data):
    before = data.draw(st.integers(0, n_people))
    after = data.draw(st.integers(0, n_people))
    reported = hide_change((after - before) / n_people, before, n_people)
    few_changed = 0 < abs(after - before) < 10
    few_left = 0 < after < 10 or (after > 0 and 0 < n_people - after < 10)
    if few_changed:
        assert reported == "<10"
    elif few_left:
        assert reported == HIDDEN
    else:
        assert reported == (after - before) / n_people


def test_a_change_of_a_few_does_not_reveal_its_direction():
    assert hide_change(-0.02, 100, 250) == hide_change(0.02, 100, 250) == "<10"
    assert hide_change(0.0, 100, 250) == 0.0
