"""Trail kernels against the definitions: containment, equality, peeling, leaving one out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.shapes import to_pattern
from tests.oracles.trails import (
    equal_links_without,
    peel_by_definition,
    reidit_i,
    supertrails,
)
from tests.presence import present

from trailprint.kernels.trails.containment import (
    build_tracks,
    count_supertrails,
    first_two_supertrails,
    link_single_supertrails,
)
from trailprint.kernels.trails.equal import match_equal_without_each
from trailprint.kernels.trails.leave_one_out import build_graph, find_pairs, relink_without_each
from trailprint.kernels.trails.peeling import peel

N_LOCATIONS = 6
trails = st.lists(st.frozensets(st.integers(0, N_LOCATIONS - 1)), min_size=1, max_size=9)
trail_of_some = st.frozensets(st.integers(0, N_LOCATIONS - 1), min_size=1)


def tracks_of(subs, sups):
    return build_tracks(to_pattern(subs), to_pattern(sups), N_LOCATIONS)


@settings(max_examples=150, deadline=None)
@given(subs=trails, sups=trails)
def test_supertrails_are_those_that_contain(subs, sups):
    tracks = tracks_of(subs, sups)
    expected = [supertrails(sub, sups) for sub in subs]
    places = first_two_supertrails(tracks)
    link = link_single_supertrails(tracks, places)
    assert link.tolist() == [found[0] if len(found) == 1 else -1 for found in expected]
    own = np.repeat(np.arange(len(subs)), len(sups))
    other = np.tile(np.arange(len(sups)), len(subs))
    counts, has = count_supertrails(tracks, own, other)
    assert counts.tolist() == [len(expected[x]) for x in own]
    assert has.tolist() == [y in expected[x] for x, y in zip(own, other, strict=True)]


@settings(max_examples=150, deadline=None)
@given(subs=trails, sups=trails)
def test_links_made_by_peeling_one_way_follow_the_definition(subs, sups):
    tracks = tracks_of(subs, sups)
    peeled = peel(tracks, first_two_supertrails(tracks), both_ways=False)
    expected = peel_by_definition(subs, sups, both_ways=False)
    # Two subtrails may have the same only supertrail: who gets it depends on the order.
    assert [y >= 0 for y in sorted(peeled.link)] == [y >= 0 for y in sorted(expected)]
    for x, y in enumerate(peeled.link):
        assert y < 0 or y in supertrails(subs[x], sups)
    linked = peeled.link[peeled.link >= 0]
    assert len(np.unique(linked)) == len(linked)


@st.composite
def reserved(draw, *, of_all=False):
    """Complete trails, and incomplete ones of the first of these people, or of all."""
    complete = draw(st.lists(trail_of_some, min_size=1, max_size=7))
    some = complete if of_all else complete[: draw(st.integers(1, len(complete)))]
    return [draw(st.frozensets(st.sampled_from(sorted(one)), min_size=1)) for one in some], complete


@pytest.mark.parametrize("both_ways", [False, True])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_links_of_true_tracks_do_not_depend_on_the_order(both_ways, data):
    subs, sups = data.draw(reserved(of_all=both_ways))
    tracks = tracks_of(subs, sups)
    peeled = peel(tracks, first_two_supertrails(tracks), both_ways=both_ways)
    assert peeled.link.tolist() == peel_by_definition(subs, sups, both_ways=both_ways)


@settings(max_examples=150, deadline=None)
@given(names=trails, addresses=trails, seed=st.integers(0, 9))
def test_equal_trails_without_each_location(names, addresses, seed):
    partner = np.random.default_rng(seed).integers(-1, len(addresses), len(names))
    found = match_equal_without_each(to_pattern(names), to_pattern(addresses), N_LOCATIONS, partner)
    for location in range(N_LOCATIONS):
        links = equal_links_without(names, addresses, location)
        right = sum(partner[i] == j for i, j in links)
        assert found[location].tolist() == [len(links), right]


@settings(max_examples=150, deadline=None)
@given(subs=trails, sups=trails)
def test_pairs_that_contain_and_pairs_that_miss_one(subs, sups):
    whole, near = present(find_pairs(tracks_of(subs, sups)))
    expected = {(x, y) for x, sub in enumerate(subs) for y in supertrails(sub, sups)}
    assert set(zip(whole.sub.tolist(), whole.sup.tolist(), strict=True)) == expected
    missing = {
        (x, y, next(iter(sub - sup)))
        for x, sub in enumerate(subs)
        for y, sup in enumerate(sups)
        if len(sub - sup) == 1 and len(sub) > 1
    }
    found = set(zip(near.sub.tolist(), near.sup.tolist(), near.missing.tolist(), strict=True))
    assert {pair for pair in found if len(subs[pair[0]]) > 1} == missing
    graph = build_graph(len(subs), len(sups), whole)
    for y in range(len(sups)):
        below = graph.col_sub[graph.col_ptr[y] : graph.col_ptr[y + 1]].tolist()
        assert sorted(below) == sorted(x for x, other in expected if other == y)


@settings(max_examples=150, deadline=None)
@given(sides=reserved())
def test_links_without_each_location_are_those_of_running_again(sides):
    subs, sups = sides
    whole, near = present(find_pairs(tracks_of(subs, sups)))
    only = np.array([min(sub) if len(sub) == 1 else -1 for sub in subs])
    without = [
        [{x: t - {k} for x, t in enumerate(side) if t - {k}} for side in sides]
        for k in range(N_LOCATIONS)
    ]
    ways = np.array([len(x) == len(y) for x, y in without])
    graph = build_graph(len(subs), len(sups), whole)
    found = relink_without_each(graph, near, only, ways, np.arange(len(subs)))
    for k, (x, y) in enumerate(without):
        links = reidit_i(list(x.values()), list(y.values()))
        correct = sum(list(x)[i] == list(y)[j] for i, j in links)
        assert found[k].tolist() == [len(links), correct]
