"""Whom several attacks find."""

import numpy as np
import pyarrow as pa
import pytest
from tests.presence import present

from trailprint.errors import OptionError
from trailprint.evaluation.agreement import (
    align_people,
    compare_attacks,
    count_attacks,
    find_worst_case,
    linked_people,
)
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks

FOUND = {
    "histogram": np.array([True, True, False, False]),
    "trail": np.array([True, False, True, False]),
    "sequence": np.array([True, False, False, False]),
}


def test_every_two_attacks_are_compared():
    first, *others = compare_attacks(FOUND)
    assert (first.first, first.second) == ("histogram", "trail")
    assert (first.both, first.only_first, first.only_second, first.neither) == (1, 1, 1, 1)
    assert [(pair.first, pair.second) for pair in others] == [
        ("histogram", "sequence"),
        ("trail", "sequence"),
    ]
    more = others[0]
    assert (more.both, more.only_first, more.only_second, more.neither) == (1, 1, 0, 2)


def test_the_worst_case_is_any_attack():
    worst = find_worst_case(FOUND)
    assert (worst.people, worst.linked, worst.share) == (4, 3, 0.75)
    low, high = present(worst.interval)
    assert low < 0.75 < high
    assert [(row.attacks, row.people) for row in worst.by_attacks] == [
        (0, 1),
        (1, 2),
        (2, 0),
        (3, 1),
    ]
    assert count_attacks(FOUND).tolist() == [3, 1, 1, 0]


def test_ids_bring_attacks_together_that_see_other_rows():
    linkage = Linkage(
        released=np.array([0, 1, 2]),
        auxiliary=np.array([1, 0, 2]),
        weight=np.zeros(3),
        confidence=np.ones(3),
        confidence_is_least=np.zeros(3, dtype=bool),
        n_released=3,
        n_auxiliary=3,
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
    )
    truth = Truth.from_partner(np.array([1, 2, 2]), "file")
    found = linked_people(linkage, truth, pa.array(["c", "a", "b"]))
    assert found.to_pylist() == ["c", "b"]
    people = pa.array(["a", "b", "c", "d"])
    aligned = align_people(people, {"one": found, "none": pa.array([], pa.string())})
    assert aligned["one"].tolist() == [False, True, True, False]
    assert aligned["none"].tolist() == [False] * 4


def test_different_people_cannot_be_compared():
    with pytest.raises(OptionError, match="same people"):
        compare_attacks({"a": np.array([True]), "b": np.array([True, False])})


def test_nobody_at_all():
    worst = find_worst_case({"a": np.array([], dtype=bool)})
    assert (worst.share, worst.interval) == (None, None)


def test_attacks_that_were_tried_on_no_one_say_nothing_of_anyone():
    nobody = {"histogram": np.zeros(4, dtype=bool), "trail": np.zeros(4, dtype=bool)}
    worst = find_worst_case(nobody, nobody)
    assert (worst.people, worst.not_tried, worst.share) == (0, 4, None)


def test_people_an_attack_was_not_tried_on_are_left_out():
    linked = {"histogram": np.array([True, False] * 50), "sequence": np.zeros(100, dtype=bool)}
    linked["sequence"][1:20:4] = True
    tried = {"histogram": np.ones(100, dtype=bool), "sequence": np.arange(100) < 20}
    worst = find_worst_case(linked, tried)
    # Ten of the twenty by histograms, five others by sequences; before, 55 of 100.
    assert (worst.people, worst.linked, worst.not_tried) == (20, 15, 80)
    assert worst.share == 0.75
