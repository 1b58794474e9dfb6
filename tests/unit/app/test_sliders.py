"""Sliders of protections: stops worth trying, and what a form asks for."""

from __future__ import annotations

import pytest

from trailprint.app.sliders import choose_chains, list_sliders
from trailprint.errors import OptionError
from trailprint.protections.registry import parse_protection

DATA = {
    "released": {"users": 60, "locations": 25},
    "has": {"times": True, "positions": True},
}


@pytest.fixture
def sliders():
    return list_sliders(DATA)


def test_every_stop_is_a_value_that_the_protection_takes(sliders):
    assert len(sliders) > 10
    for slider in sliders:
        assert list(slider.stops) == sorted(set(slider.stops))
        for stop in slider.shown:
            parse_protection(f"{slider.protection}:{slider.parameter}={stop}")


def test_no_stop_is_beyond_the_data(sliders):
    largest = {slider.name: slider.stops[-1] for slider in sliders}
    assert largest["microaggregate:k"] <= 60
    assert largest["top-locations:n"] <= 25


def test_what_audits_try_comes_first(sliders):
    usual = [slider.is_usual for slider in sliders]
    assert usual == sorted(usual, reverse=True)
    assert {"microaggregate:k", "coarsen-grid:cell_m"} <= {
        slider.name for slider in sliders if slider.is_usual
    }


def test_what_the_data_lacks_cannot_be_moved():
    bare = {**DATA, "has": {"times": False, "positions": False}}
    named = {slider.protection for slider in list_sliders(bare)}
    assert not {"coarsen-grid", "coarsen-time", "perturb-times", "perturb-locations"} & named


def test_nothing_known_of_the_data_breaks_nothing():
    assert list_sliders({})


def test_what_is_typed_counts_before_the_slider(sliders):
    assert choose_chains(sliders, "microaggregate:k", "0", "3, 7,3") == [
        "microaggregate:k=3",
        "microaggregate:k=7",
    ]
    (slider,) = (one for one in sliders if one.name == "microaggregate:k")
    chosen = choose_chains(sliders, "microaggregate:k", "1", "")
    assert chosen == [f"microaggregate:k={slider.shown[1]}"]


@pytest.mark.parametrize("slid", ["", "x", "-1", "99999", "²"])
def test_a_slider_that_was_tampered_with_stops_somewhere(sliders, slid):
    assert choose_chains(sliders, "microaggregate:k", slid, "")


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("magic:x", "1", "must be one of those that are shown"),
        ("microaggregate:k", "many", "k must be a whole number"),
        ("microaggregate:k", ",".join(map(str, range(2, 40))), "At most 20 values"),
        ("microaggregate:k", "0", "k must be"),
    ],
)
def test_what_cannot_be_measured_is_a_sentence(sliders, name, typed, sentence):
    with pytest.raises(OptionError, match=sentence):
        choose_chains(sliders, name, "0", typed)
