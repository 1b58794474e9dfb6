"""The view that decided for a link is the one that speaks most for it against the next best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.views import deciding_views
from tests.property.test_combined import NAMES, Problem, problems

from trailprint.attacks.combined import match_views
from trailprint.attacks.deciding_views import find_deciding_views
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.view_weights import ViewWeights
from trailprint.features.views import VIEWS, Views


def dense_of(views):
    return {n: m.toarray() for n, m in zip(views.names, views.matrices, strict=True)}


@settings(max_examples=120, deadline=None)
@given(problem=problems(), method=st.sampled_from(["joint", "one-by-one"]))
def test_the_named_view_is_that_of_the_definition(problem: Problem, method):
    sides, weights = problem
    linkage = match_views(*sides, weights, MatchOptions(method=method))
    named = find_deciding_views(*sides, weights, linkage).to_pylist()
    assert len(named) == linkage.n_links
    dense = [dense_of(views) for views in sides]
    for link, name in zip(
        zip(linkage.released, linkage.auxiliary, strict=True), named, strict=True
    ):
        assert name in deciding_views(dense[0], dense[1], weights.shares, link)


@settings(max_examples=30, deadline=None)
@given(problem=problems())
def test_a_view_without_weight_decides_nothing(problem: Problem):
    sides, weights = problem
    shares = {**weights.shares, "days": 0.0}
    without = replace(weights, shares=shares)
    linkage = match_views(*sides, without)
    named = find_deciding_views(*sides, without, linkage).to_pylist()
    assert "days" not in named
    left = replace(weights, shares={name: shares[name] for name in NAMES if name != "days"})
    assert find_deciding_views(*sides, left, linkage).to_pylist() == named


def look(visits, days) -> Views:
    matrices = tuple(sparse.csr_array(np.array(rows, dtype=float)) for rows in (visits, days))
    users = pa.array([f"u{i}" for i in range(len(visits))])
    return Views(
        views=(VIEWS["visits"], VIEWS["days"]), matrices=matrices, users=users, left_out={}
    )


def test_the_view_in_which_two_people_differ_decides_between_them():
    alike, apart = [[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [1, 0]]
    sides = look(alike, apart), look(alike, apart)
    weights = ViewWeights(shares={"visits": 0.5, "days": 0.5})
    linkage = match_views(*sides, weights)
    assert linkage.auxiliary.tolist() == [0, 1, 2]
    named = find_deciding_views(*sides, weights, linkage).to_pylist()
    # The first shares visits with the second and days with the third: its rivals are equal.
    assert named[1:] == ["days", "visits"]


def test_twins_are_distinguished_by_no_view():
    sides = look([[1, 0]] * 2, [[1, 0]] * 2), look([[1, 0]] * 2, [[1, 0]] * 2)
    weights = ViewWeights(shares={"visits": 0.5, "days": 0.5})
    linkage = match_views(*sides, weights)
    assert find_deciding_views(*sides, weights, linkage).to_pylist() == [None, None]
