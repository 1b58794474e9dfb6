"""k-anonymous trails of events: whose places are left out, and what is said of it."""

from typing import Any, cast

import pytest

from trailprint.attacks.options import TrailOptions
from trailprint.errors import OptionError
from trailprint.protections.alike_trails import AlikeTrails
from trailprint.protections.chain import apply_protections, protect_events, start
from trailprint.workflows.trails import trails


@pytest.fixture
def visits(make_events):
    rows = [
        *[("a", place) for place in ("shop", "park", "cafe")],
        *[("b", place) for place in ("shop", "park")],
        *[("c", place) for place in ("shop", "cafe", "museum")],
        *[("d", place) for place in ("shop", "cafe", "cafe")],
        ("e", "quarry"),
    ]
    return make_events(rows, "user", "location")


def test_equal_trails_are_those_of_k_users(visits, rows_of):
    found = apply_protections(visits, [AlikeTrails(k=2)])
    assert set(rows_of(found.events, "user", "location")) == {
        ("a", "shop"),
        ("a", "cafe"),
        ("b", "shop"),
        ("c", "shop"),
        ("c", "cafe"),
        ("d", "shop"),
    }
    assert found.loss.users_left_out == 1
    assert found.facts == {
        "k": 2,
        "visits_kept": pytest.approx(6 / 11),
        "trails": 2,
        "fewest_fitting": 2,
    }


def test_trails_within_keep_what_k_users_did(visits, rows_of):
    found = apply_protections(visits, [AlikeTrails(k=2, fit="within")])
    assert {("a", "cafe"), ("b", "park")} <= set(rows_of(found.events, "user", "location"))
    assert ("c", "museum") not in rows_of(found.events, "user", "location")


def test_only_the_released_side_is_changed(visits, rows_of):
    stage = protect_events(start(visits, visits), [AlikeTrails(k=2)], 0)
    assert sorted(rows_of(stage.auxiliary)) == sorted(rows_of(visits))


def test_equal_trails_cannot_be_linked_by_removal(visits):
    released = apply_protections(visits, [AlikeTrails(k=2)]).events
    options = TrailOptions(algorithm="incomplete", reserved="released")
    assert trails(visits, visits, options).linkage.n_links == 5
    assert trails(released, visits, options).linkage.n_links == 0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: AlikeTrails(k=0), "k must be at least 1"),
        (lambda: AlikeTrails(fit=cast("Any", "x")), "fit must be one of equal, within"),
    ],
)
def test_impossible_parameters_get_a_sentence(make, sentence):
    with pytest.raises(OptionError, match=sentence):
        make()


def test_more_people_than_there_are_get_a_sentence(visits):
    with pytest.raises(OptionError, match="at most the number of users, 5, got 6"):
        apply_protections(visits, [AlikeTrails(k=6)])
