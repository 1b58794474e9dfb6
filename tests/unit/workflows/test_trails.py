"""Trails from tables to a result whose sides are called released and auxiliary."""

from __future__ import annotations

import pyarrow as pa
import pytest

from trailprint.errors import InputError
from trailprint.workflows.trails import trails

PSEUDONYMS = pa.table(
    {"user": ["p1", "p1", "p1", "p2"], "location": ["ward", "ward", "clinic", "ward"]}
)
NAMES = pa.table({"user": ["n1", "n1", "n2", "n3"], "location": ["ward", "clinic", "ward", "gym"]})
TRUTH = pa.table({"released": ["p1", "p2"], "auxiliary": ["n1", "n2"]})


@pytest.fixture(scope="module")
def result():
    return trails(PSEUDONYMS, NAMES, truth=TRUTH, n_threads=1)


def test_both_sides_are_named_alike_everywhere(result):
    reported = result.to_dict()
    assert (reported["released"], reported["auxiliary"]) == (2, 3)
    assert reported["unshared_locations"] == {"released": 0, "auxiliary": 1}
    assert reported["null_trails"] == {"released": 0, "auxiliary": 1}
    assert reported["assumptions"]["duplicate_tuples"] == {"released": 1, "auxiliary": 0}
    assert set(reported["assumptions"]["tactics_possible"]) == {"released", "auxiliary", "none"}
    assert result.links().column_names == ["released", "auxiliary"]


def test_the_truth_says_who_is_linked_and_whether_that_is_certain(result):
    assert result.links().to_pylist() == TRUTH.to_pylist()
    assert result.to_dict()["correct"] == 2
    assert result.options.algorithm == result.to_dict()["algorithm"]
    assert result.guaranteed in (True, False)


def test_without_truth_nothing_is_certain():
    unknown = trails(PSEUDONYMS, NAMES, n_threads=1)
    assert (unknown.risk, unknown.observed) == (None, None)
    assert unknown.guaranteed is not True


def test_a_repr_names_nobody(result):
    assert "released" in repr(result)
    assert not {"p1", "n1", "ward"} & set(repr(result).replace("=", " ").split())


def test_sides_without_a_common_place_are_refused():
    elsewhere = pa.table({"user": ["n1"], "location": ["gym"]})
    with pytest.raises(InputError, match="Both sides must have locations in common"):
        trails(PSEUDONYMS, elsewhere, n_threads=1)
