"""Why people are found."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.oracles.matching import location_contributions
from tests.oracles.shapes import scale
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import trails_of
from trailprint.kernels.matching.metrics import METRICS
from trailprint.studies.driving_locations import find_driving_locations, trail_changes


def histograms(rows, slots=("all",)) -> Histograms:
    counts = np.array(rows, dtype=float)
    names = pa.array([f"<b>{k}</b>" for k in range(counts.shape[1] // len(slots))])
    users = pa.array([f"u{i}" for i in range(len(counts))])
    return Histograms(matrix=sparse.csr_array(counts), users=users, locations=names, slots=slots)


def scaled(side, metric):
    """Users × slots × locations, each slot scaled on its own."""
    counts = side.matrix.toarray()
    slots = counts.reshape(len(counts) * len(side.slots), -1)
    return scale(slots, METRICS[metric]).reshape(counts.shape)


def contributions_of(released, auxiliary, linkage, truth, metric):
    """The definition, for the correct links of a linkage."""
    pairs = zip(linkage.released, linkage.auxiliary, strict=True)
    links = [(i, j) for i, j in pairs if truth.holds(np.array([i]), np.array([j]))[0]]
    sides = scaled(released, metric), scaled(auxiliary, metric)
    return location_contributions(metric, *sides, links, len(released.locations))


@pytest.mark.parametrize("metric", ["jensen-shannon", "l1", "cosine", "dot", "likelihood"])
def test_contributions_equal_the_definition(population, metric):
    released, auxiliary, truth = population
    linkage = match_histograms(released, auxiliary, MatchOptions(metric=metric))
    found = find_driving_locations(released, auxiliary, linkage, truth, metric=metric)
    expected = contributions_of(released, auxiliary, linkage, truth, metric)
    np.testing.assert_allclose(found.contribution, expected, atol=1e-12)
    assert found.contribution.sum() == pytest.approx(1.0)


def test_slots_of_a_location_are_added_up():
    released = histograms([[3, 0, 1, 2], [0, 2, 2, 0]], slots=("day", "night"))
    truth = Truth.from_partner(np.arange(2), "file")
    linkage = match_histograms(released, released)
    found = find_driving_locations(released, released, linkage, truth)
    assert len(found.contribution) == 2
    expected = contributions_of(released, released, linkage, truth, "jensen-shannon")
    np.testing.assert_allclose(found.contribution, expected)
    assert released.matrix.toarray().tolist() == [[3, 0, 1, 2], [0, 2, 2, 0]]


def test_a_rare_location_must_be_hers_alone_on_both_sides():
    #          0: one person's alone on both; 1: two released visitors; 2: two auxiliary visitors;
    #          3: one visitor on each side, but not the same person.
    released = histograms([[5, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 4, 0, 0]])
    auxiliary = histograms([[5, 1, 1, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 4, 0, 0]])
    truth = Truth.from_partner(np.arange(4), "file")
    found = find_driving_locations(
        released, auxiliary, match_histograms(released, auxiliary), truth
    )
    assert (found.n_rare, found.n_people) == (1, 4)
    assert found.visitors.tolist() == [1, 3, 1, 1]


def test_locations_are_numbers_and_small_crowds_hidden_unless_named(population):
    released, auxiliary, truth = population
    linkage = match_histograms(released, auxiliary)
    found = find_driving_locations(released, auxiliary, linkage, truth)
    plain = found.to_finding(5)
    assert [place.label for place in plain.locations] == [f"Location {i}" for i in range(1, 6)]
    shares = [place.contribution for place in plain.locations]
    assert shares == sorted(shares, reverse=True)
    assert all(place.leave_one_out is None for place in plain.locations)
    hidden = found.to_finding(5, small=1000)
    assert {place.users for place in hidden.locations} == {"<1000"}
    assert present(hidden.one_rare_location).people in (0, "<1000")
    few = found.to_finding(5, changes=np.array([-1 / 60, 1 / 60, 0.0, -9 / 60, -10 / 60]))
    reported = [place.leave_one_out for place in few.locations]
    assert reported == ["<10", "<10", 0.0, "<10", -10 / 60]
    named = found.to_finding(5, named=True, changes=np.full(5, -0.25))
    assert named.locations[0].label == released.locations[int(found.top(1)[0])].as_py()
    assert named.locations[0].leave_one_out == -0.25


def test_without_a_correct_link_nothing_is_held_responsible():
    sides = histograms([[1, 0], [0, 1]])
    truth = Truth.from_partner(np.array([1, 0]), "file")
    found = find_driving_locations(sides, sides, match_histograms(sides, sides), truth)
    assert found.contribution.tolist() == [0.0, 0.0]
    assert found.to_finding().locations == ()
    assert "No link is correct" in present(found.to_finding().reading)


def test_leaving_out_the_location_that_distinguishes_two_people():
    trails = trails_of(histograms([[1, 1, 0], [1, 0, 0], [0, 0, 1]]))
    rows = np.arange(3)
    truth = Truth(released=rows, auxiliary=rows, source="file")
    linkage = match_trails(trails, trails, TrailOptions(algorithm="complete"))
    changes = trail_changes(trails, trails, linkage, truth, np.array([1, 0, 2]))
    # Without 1 the first two are alike; without 0 the second is gone; without 2 the third.
    assert changes.tolist() == pytest.approx([-2 / 3, -1 / 3, -1 / 3])
