"""The same people, counted again and attacked: who counts, and what is shown of a few."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.events.events import Events
from trailprint.studies.growth.events import (
    PeopleFound,
    attack_pair,
    find_people,
    only_pairs,
    prepare_pair,
)
from trailprint.studies.repeated import prepare_histograms

Pair = tuple[Events, Events]


@pytest.fixture
def pair(make_events):
    """Four people on the released side, three of them under other ids on the other."""
    own = {"a": "xxy", "b": "yyz", "c": "zzx", "d": "www"}
    named = {"n1": "xxy", "n2": "yyz", "n3": "zzx"}
    return tuple(
        make_events([(who, at) for who, there in side.items() for at in there], "user", "location")
        for side in (own, named)
    )


TRUE = pa.table({"released": ["a", "b", "c"], "auxiliary": ["n1", "n2", "n3"]})


def test_pairs_say_who_is_who_and_equal_ids_do_otherwise(pair: Pair):
    assert find_people(*pair, TRUE).to_pydict() == TRUE.to_pydict()
    assert find_people(*pair, None).num_rows == 0
    assert find_people(pair[0], pair[0], None)["released"].to_pylist() == ["a", "b", "c", "d"]


def test_pairs_of_people_who_are_not_there_are_nobody(pair: Pair):
    strangers = pa.table({"released": ["q"], "auxiliary": ["n9"]})
    assert find_people(*pair, strangers).num_rows == 0


def test_everybody_is_attacked_and_those_found_are_counted(pair: Pair):
    found = attack_pair(prepare_pair(prepare_histograms(match_histograms), *pair, TRUE))
    assert (found.n_people, found.n_found, found.n_locations) == (3, 3, 4)


def test_only_the_people_asked_for_are_left(pair: Pair):
    ready = only_pairs(
        prepare_pair(prepare_histograms(match_histograms), *pair, TRUE), TRUE.slice(1)
    )
    assert ready.truth.n_common == 2
    assert ready.prepared.users[0].to_pylist() == ["b", "c"]
    assert ready.prepared.users[1].to_pylist() == ["n2", "n3"]


def test_of_a_few_people_only_that_they_are_few():
    many = PeopleFound(n_people=100, n_found=40, n_locations=5).rate
    assert many.accuracy == 0.4
    assert present(many.low) < 0.4 < present(many.high)
    few = PeopleFound(n_people=100, n_found=4, n_locations=5).rate
    assert few.accuracy is None
    assert few.at_most == 0.09
