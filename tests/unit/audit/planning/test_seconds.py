"""Estimates are numbers, and know what they are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.audit.planning.seconds import Seconds, operations_of

SOME = st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1e6), max_size=4)


@given(SOME, SOME, st.floats(0, 1e3))
def test_sums_and_multiples_hold_operation_by_operation(first, second, times):
    made = times * Seconds(first) + Seconds(second)
    assert float(made) == pytest.approx(times * sum(first.values()) + sum(second.values()))
    for name in {*first, *second}:
        expected = times * first.get(name, 0.0) + second.get(name, 0.0)
        assert made.by_operation[name] == pytest.approx(expected)


def test_a_sum_of_several_knows_them_all():
    total = sum([Seconds({"a": 1.0}), Seconds({"b": 2.0}), Seconds({"a": 3.0})])
    assert operations_of(total) == {"a": 4.0, "b": 2.0}
    assert operations_of(max(total, Seconds({"c": 1.0}))) == {"a": 4.0, "b": 2.0}


def test_a_bare_number_is_one_operation():
    assert operations_of(2.0, "growth") == {"growth": 2.0}
    assert operations_of(Seconds({"a": 1.0}) + 2) == {"a": 1.0, "other": 2.0}
    assert operations_of(0.0) == {}
