"""A figure beside the paper's: its difference, and what agreement is worth."""

from dataclasses import replace
from typing import Any

import pytest

from trailprint.papers.comparison import PREDICTED, Comparison, compare_share, forced, tuned


def figure(**more: Any) -> Comparison:
    return replace(Comparison(quantity="q", paper=20.0, ours=30.0, basis=PREDICTED), **more)


def test_difference_is_ours_minus_the_papers() -> None:
    assert compare_share("q", 50.0, 0.75, PREDICTED).difference == pytest.approx(25.0)
    assert figure(paper=None).difference is None
    assert figure(ours=None).difference is None


@pytest.mark.parametrize(
    ("ours", "difference"), [(18.0, -2.0), (20.0, 0.0), (23.0, 0.0), (30.0, 5)]
)
def test_within_a_range_there_is_no_difference(ours, difference) -> None:
    assert figure(paper_to=25.0, ours=ours).difference == difference


def test_plain_values_have_a_difference_only_where_agreement_says_something() -> None:
    reported = compare_share("q", 50.0, 0.75, PREDICTED).to_dict()
    silent = compare_share("q", 50.0, 0.75, tuned("Somebody turned a knob.")).to_dict()
    assert reported["difference"] == pytest.approx(25.0)
    assert (silent["difference"], silent["standing"]) == (None, "tuned")
    own = compare_share("q", 50.0, 0.75, tuned("Somebody turned a knob.")).on_own_data(True)
    assert own.to_dict()["difference"] == pytest.approx(25.0)


def test_a_bound_has_no_difference_but_the_best_of_several_has() -> None:
    assert figure(paper_says="more than").difference is None
    assert figure(paper_says="up to").difference == 10.0
    assert figure(paper_says="about").difference == 10.0


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "20"),
        ({"paper": None}, None),
        ({"paper_to": 25.0}, "20–25"),
        ({"paper_says": "up to"}, "up to 20"),
        ({"is_derived": True}, "20 (derived)"),
        ({"paper_says": "about", "is_derived": True}, "about 20 (derived)"),
    ],
)
def test_the_papers_number_is_shown_as_the_paper_gives_it(more, text) -> None:
    assert figure(**more).paper_text("{:.0f}".format) == text


@pytest.mark.parametrize(
    ("basis", "simulated", "own"),
    [
        (PREDICTED, "predicted", "own data"),
        (tuned("Turned."), "tuned", "own data"),
        (forced("Built in."), "forced", "own data"),
        (forced("Always.", on_any_data=True), "forced", "forced"),
    ],
)
def test_own_data_speak_unless_the_method_forces_the_figure(basis, simulated, own) -> None:
    simulated_figure, theirs = figure(basis=basis), figure(basis=basis).on_own_data(True)
    assert (simulated_figure.standing, theirs.standing) == (simulated, own)
    assert simulated_figure.speaks == (simulated == "predicted")
    assert theirs.speaks == (own == "own data")
    assert theirs.to_dict()["standing"] == own
    assert simulated_figure.because == basis.because
