"""REIDIT against the paper's pseudocode, its theorems, and leaving out against running again."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.trails import reidit_c, reidit_i, reidit_m

from trailprint.attacks.options import Reserved, TrailOptions
from trailprint.attacks.trail import check_tactics, match_trails
from trailprint.evaluation.tactics import observe_tactics
from trailprint.evaluation.truth import Truth
from trailprint.features.trails import Trails
from trailprint.studies.trail_sensitivity import leave_one_out

N_LOCATIONS = 5
trail = st.frozensets(st.integers(0, N_LOCATIONS - 1), min_size=1)


def make_trails(sets, n_locations=N_LOCATIONS) -> Trails:
    lengths = [len(s) for s in sets]
    return Trails(
        indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        indices=np.array([k for s in sets for k in sorted(s)], dtype=np.int32),
        users=pa.array([f"u{i}" for i in range(len(sets))], pa.string()),
        locations=pa.array([f"l{k}" for k in range(n_locations)]),
    )


@st.composite
def unreserved(draw):
    """Released trails, the same trails shuffled, and who is who."""
    people = draw(st.lists(trail, min_size=1, max_size=8))
    order = draw(st.permutations(range(len(people))))
    return people, [people[i] for i in order], {i: j for j, i in enumerate(order)}


@st.composite
def reserved(draw):
    """Complete trails, incomplete ones of some of the same people, and who is who."""
    complete = draw(st.lists(trail, min_size=1, max_size=7))
    some = draw(st.permutations(range(len(complete))))
    some = some[: draw(st.integers(1, len(complete)))] if draw(st.booleans()) else some
    incomplete = [
        draw(st.frozensets(st.sampled_from(sorted(complete[i])), min_size=1)) for i in some
    ]
    return incomplete, complete, dict(enumerate(some))


def links_of(linkage) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in zip(linkage.released, linkage.auxiliary, strict=True)}


@settings(max_examples=200, deadline=None)
@given(unreserved())
def test_c_equals_the_pseudocode_and_makes_no_false_link(data) -> None:
    """Theorem 3.1."""
    n, p, truth = data
    linkage = match_trails(make_trails(n), make_trails(p), TrailOptions(algorithm="complete"))
    links = links_of(linkage)
    assert links == reidit_c(n, p)
    assert all(truth[i] == j for i, j in links)
    assert not linkage.facts["contradicted"]


@settings(max_examples=150, deadline=None)
@given(reserved(), st.booleans())
def test_i_equals_the_pseudocode_and_makes_no_false_link(data, names_are_reserved) -> None:
    """Theorem 3.2, whichever side is reserved."""
    incomplete, complete, truth = data
    sides = make_trails(complete), make_trails(incomplete)
    reserved_side: Reserved = "auxiliary" if names_are_reserved else "released"
    if not names_are_reserved:
        sides = sides[1], sides[0]
    options = TrailOptions(algorithm="incomplete", reserved=reserved_side)
    linkage = match_trails(*sides, options)
    links = links_of(linkage)
    by_sub = {(j, i) for i, j in links} if names_are_reserved else links
    assert by_sub == reidit_i(incomplete, complete)
    assert all(truth[x] == y for x, y in by_sub)
    assert not linkage.facts["contradicted"]


@settings(max_examples=200, deadline=None)
@given(st.lists(trail, min_size=1, max_size=6), st.lists(trail, min_size=1, max_size=6))
def test_m_equals_the_pseudocode_on_any_tracks(names, pseudonyms) -> None:
    options = TrailOptions(algorithm="multiple", reserved="auxiliary")
    linkage = match_trails(make_trails(pseudonyms), make_trails(names), options)
    assert {(j, i) for i, j in links_of(linkage)} == reidit_m(names, pseudonyms)


@settings(max_examples=120, deadline=None)
@given(unreserved())
def test_c_finds_at_least_as_many_as_i_on_complete_trails(data) -> None:
    n, p, _ = data
    sides = make_trails(n), make_trails(p)
    exact = match_trails(*sides, TrailOptions(algorithm="complete"))
    contained = match_trails(*sides, TrailOptions(algorithm="incomplete", reserved="auxiliary"))
    assert links_of(contained) <= links_of(exact)


@settings(max_examples=120, deadline=None)
@given(reserved())
def test_true_tactics_are_never_ruled_out(data) -> None:
    incomplete, complete, truth = data
    sides = make_trails(complete), make_trails(incomplete)
    who = Truth(
        released=np.array(list(truth.values())), auxiliary=np.array(list(truth)), source="file"
    )
    assert check_tactics(*sides)["auxiliary"]
    assert observe_tactics(*sides, who).holds["auxiliary"]


@settings(max_examples=120, deadline=None)
@given(unreserved())
def test_leaving_out_equals_running_again_for_c(data) -> None:
    n, p, truth = data
    who = Truth(
        released=np.array(list(truth)), auxiliary=np.array(list(truth.values())), source="file"
    )
    options = TrailOptions(algorithm="complete", reserved="none")
    table = leave_one_out(make_trails(n), make_trails(p), options, who)
    for location in range(N_LOCATIONS):
        shorter = [[s - {location} for s in side] for side in (n, p)]
        counts = [Counter(side) for side in shorter]
        expected = [s for s in shorter[0] if s and counts[0][s] == counts[1][s] == 1]
        assert table["reidentified"][location].as_py() == len(expected)
        assert table["correct"][location].as_py() == len(expected)
        assert table["population"][location].as_py() == sum(bool(s) for s in shorter[1])


@pytest.mark.parametrize("algorithm", ["incomplete", "multiple"])
@settings(max_examples=150, deadline=None)
@given(data=reserved())
def test_leaving_out_equals_running_again_for_containment(algorithm, data) -> None:
    incomplete, complete, truth = data
    who = Truth(
        released=np.array(list(truth.values())), auxiliary=np.array(list(truth)), source="file"
    )
    options = TrailOptions(algorithm=algorithm, reserved="auxiliary")
    table = leave_one_out(make_trails(complete), make_trails(incomplete), options, who)
    run = reidit_i if algorithm == "incomplete" else reidit_m
    for location in range(N_LOCATIONS):
        x = [s - {location} for s in incomplete if s - {location}]
        y = [s - {location} for s in complete if s - {location}]
        assert table["reidentified"][location].as_py() == len(run(x, y))
        assert table["population"][location].as_py() == len(x)


@settings(max_examples=200, deadline=None)
@given(reserved(), st.permutations(range(N_LOCATIONS)), st.randoms(use_true_random=False))
def test_relabelling_people_and_places_changes_nothing(data, places, random) -> None:
    incomplete, complete, _ = data
    options = TrailOptions(algorithm="incomplete", reserved="auxiliary")
    links = links_of(match_trails(make_trails(complete), make_trails(incomplete), options))
    rows = list(range(len(complete)))
    random.shuffle(rows)
    moved = [frozenset(places[k] for k in complete[i]) for i in rows]
    names = [frozenset(places[k] for k in s) for s in incomplete]
    again = links_of(match_trails(make_trails(moved), make_trails(names), options))
    assert {(rows[i], j) for i, j in again} == links


@settings(max_examples=100, deadline=None)
@given(st.lists(trail, min_size=1, max_size=6), st.lists(trail, min_size=1, max_size=6))
def test_ranks_count_those_that_fit(names, pseudonyms) -> None:
    options = TrailOptions(algorithm="incomplete", reserved="auxiliary")
    linkage = match_trails(make_trails(pseudonyms), make_trails(names), options)
    rows, columns = (g.ravel() for g in np.indices((len(pseudonyms), len(names))))
    ranks = linkage.rank(rows, columns)
    for n, (i, j) in enumerate(zip(rows, columns, strict=True)):
        fitting = sum(names[j] <= y for y in pseudonyms)
        fits = names[j] <= pseudonyms[i]
        assert ranks.n_better[n] == (0 if fits else fitting)
        assert ranks.n_tied[n] == (fitting if fits else len(pseudonyms) - fitting)
