"""One type for a column that files were written with in several."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.engines.column_types import choose_type

KINDS = (
    *("tinyint", "smallint", "int", "bigint", "float", "double", "string"),
    *("date", "timestamp_ntz", "timestamp", "void", "boolean"),
)


@pytest.mark.parametrize(
    ("kinds", "common"),
    [
        (("int", "bigint"), "bigint"),
        (("bigint", "float"), "float"),
        (("int", "float", "double"), "double"),
        (("int", "string"), "string"),
        (("date", "timestamp_ntz"), "timestamp_ntz"),
        (("date", "string"), "string"),
        (("timestamp", "timestamp_ntz"), "string"),
        (("void", "date"), "date"),
        (("void",), "void"),
        (("double", "string"), None),
        (("int", "date"), None),
        (("boolean", "int"), None),
    ],
)
def test_values_become(kinds, common):
    assert {choose_type(order) for order in itertools.permutations(kinds)} == {common}


@given(st.sets(st.sampled_from(KINDS), min_size=1))
def test_what_has_been_made_alike_stays_so(kinds):
    common = choose_type(kinds)
    if common not in (None, "string"):
        assert choose_type({*kinds, common}) == common
