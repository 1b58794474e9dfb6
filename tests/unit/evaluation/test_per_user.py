"""Each person's risk."""

import numpy as np
import pytest

from trailprint.evaluation.per_user import (
    LEAST_LINKS,
    confidence_for,
    distribute_risk,
    estimate_user_risk,
)
from trailprint.evaluation.truth import Truth
from trailprint.linkage import Linkage, Ranks


def linkage(columns, confidence, n_auxiliary=10_000) -> Linkage:
    n = len(columns)
    return Linkage(
        released=np.arange(n),
        auxiliary=np.asarray(columns),
        weight=np.zeros(n),
        confidence=np.asarray(confidence, dtype=float),
        confidence_is_least=np.zeros(n, dtype=bool),
        n_released=n,
        n_auxiliary=n_auxiliary,
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
    )


@pytest.fixture
def graded():
    """500 links, the surer the oftener right."""
    random = np.random.default_rng(0)
    confidence = random.random(500)
    right = random.random(500) < confidence
    made = linkage(np.where(right, np.arange(500), np.arange(500) + 500), confidence)
    return made, Truth.from_partner(np.arange(500), "file"), right


def test_the_mean_risk_is_the_accuracy(graded):
    made, truth, right = graded
    risk = estimate_user_risk(made, truth)
    assert risk.mean() == pytest.approx(right.mean())


def test_risk_is_calibrated_and_grows_with_confidence(graded):
    made, truth, _ = graded
    risk = estimate_user_risk(made, truth)
    order = np.argsort(made.confidence)
    assert (np.diff(risk[order]) >= 0).all()
    assert np.abs(risk - made.confidence).mean() < 0.1
    assert np.unique(risk, return_counts=True)[1].min() >= LEAST_LINKS


def test_people_without_a_link_have_no_risk():
    made = linkage([0, 1], [1.0, 1.0])
    truth = Truth.from_partner(np.array([0, 7, 2]), "file")
    assert estimate_user_risk(made, truth).tolist() == [0.5, 0.5, 0.0]


def test_links_of_strangers_do_not_count():
    made = linkage([0, 5, 6, 7], [1.0, 2.0, 2.0, 1.0])
    truth = Truth.from_partner(np.array([0, -1, -1, 8]), "file")
    assert estimate_user_risk(made, truth).tolist() == [0.5, 0.5]


def test_equal_confidences_have_equal_risk():
    right = np.arange(100) % 4 == 0
    made = linkage(np.where(right, np.arange(100), 500), np.ones(100))
    risk = estimate_user_risk(made, Truth.from_partner(np.arange(100), "file"))
    assert risk.tolist() == [0.25] * 100


def test_ties_leave_no_group_that_is_too_small():
    """The first 38 links are equally confident; the seven others are too few for a rate."""
    right = np.arange(45) >= 38
    made = linkage(np.where(right, np.arange(45), 500), np.maximum(np.arange(45), 37))
    risk = estimate_user_risk(made, Truth.from_partner(np.arange(45), "file"))
    assert risk == pytest.approx(np.full(45, 7 / 45))


def test_many_links_are_graded_in_at_most_200_groups():
    """Of every 20 links one more is right than of the 20 before, until all are."""
    links = np.arange(8000)
    right = links % 20 < links // 20
    made = linkage(np.where(right, links, links + 8000), links, n_auxiliary=16_000)
    risk = estimate_user_risk(made, Truth.from_partner(links, "file"))
    assert np.unique(risk, return_counts=True)[1].min() == 8000 / 200


def test_no_links_no_risk():
    made = linkage([], [])
    assert estimate_user_risk(made, Truth.from_partner(np.array([0]), "file")).tolist() == [0.0]


def test_the_confidence_at_which_links_are_trusted():
    confidence = np.arange(60.0)
    right = confidence >= 20
    assert confidence_for(confidence, right, 0.9) == 20
    assert confidence_for(confidence, np.zeros(60, dtype=bool), 0.9) is None


def test_bins_hold_everybody():
    found = distribute_risk(np.array([0.0, 0.05, 0.1, 0.95, 1.0]))
    people = [item.people for item in found.bins]
    assert people == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (found.bins[0].low, found.bins[-1].high) == (0.0, 1.0)
    assert found.bins[3].low == 0.3
    assert "probability" in found.meaning
