"""Micro-aggregation: loss against MDAV, ties that look like success, bad parameters."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

import trailprint
from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.errors import OptionError
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions, Weight
from trailprint.protections.microaggregate import Microaggregate, _rows, equal_rows, find_groups
from trailprint.protections.microaggregate import grouping_loss as loss_of
from trailprint.simulate.calls import simulate_calls

FOLDER = Path(os.environ.get("TRAILPRINT_DATA", "no data"))
KS = (2, 5, 20)

REAL: dict[str, tuple[dict[str, Any], Weight]] = {
    "foursquare_nyc_checkins": ({"active_both": True}, "visits"),
    "wikipedia_edits": ({"min_events": 10}, "visits"),
    "nccu_campus_visits": ({"active_both": True}, "duration"),
}


def histograms_of(matrix):
    return Histograms(
        matrix=sparse.csr_array(matrix),
        users=pa.array([f"{i:05}" for i in range(matrix.shape[0])]),
        locations=pa.array([f"{i:05}" for i in range(matrix.shape[1])]),
    )


@pytest.fixture(scope="module")
def sides():
    """Two periods of the same people: simulated calls, or real data where there is some."""
    built: dict[str, tuple[Histograms, Histograms]] = {}

    def build(name):
        if name in built:
            return built[name]
        if name == "calls":
            weeks = simulate_calls(1000).weeks
            shape = (1000, 1211)
            first, second = (
                histograms_of(
                    sparse.csr_array((w.count.astype(float), (w.user, w.antenna)), shape=shape)
                )
                for w in weeks
            )
            pair = first, second
        else:
            pair = _read(name)
        return built.setdefault(name, pair)

    return build


def _read(name):
    path = FOLDER / f"{name}.parquet"
    if not path.exists():
        pytest.skip("the real data is not here: set TRAILPRINT_DATA")
    options, weight = REAL[name]
    cut = trailprint.split(trailprint.read(path), trailprint.SplitOptions(at="median", **options))
    return build_histogram_pair(cut.released, cut.auxiliary, HistogramOptions(weight=weight))


@pytest.mark.parametrize(
    ("name", "norm"),
    [(name, norm) for name in ("calls", *REAL) for norm in ("l1", "l2")],
)
def test_loss_is_at_most_mdavs(sides, name, norm):
    rows = _rows(sides(name)[0], norm)
    for k in KS if norm == "l1" else (3,):
        groups = {method: find_groups(rows, k, method) for method in ("group-selection", "mdav")}
        found = {method: loss_of(rows, group) for method, group in groups.items()}
        assert found["group-selection"] <= found["mdav"], (k, found)


def test_loss_is_at_most_mdavs_where_only_one_start_is_refined(monkeypatch):
    monkeypatch.setattr("trailprint.protections.microaggregate.BOTH_STARTS", 0)
    week = simulate_calls(2000, seed=7).weeks[0]
    matrix = sparse.csr_array((week.count.astype(float), (week.user, week.antenna)))
    rows = _rows(histograms_of(matrix), "l1")
    for k in KS:
        assert loss_of(rows, find_groups(rows, k, "group-selection")) < loss_of(
            rows, find_groups(rows, k, "mdav")
        )


def test_without_room_for_offers_groups_start_from_mdav(monkeypatch, sides):
    monkeypatch.setattr("trailprint.protections.microaggregate.MOST_OFFERS", 10)
    rows = _rows(sides("calls")[0], "l1")
    group = find_groups(rows, 10, "group-selection")
    assert np.bincount(group).min() >= 10
    assert loss_of(rows, group) <= loss_of(rows, find_groups(rows, 10, "mdav"))


def accuracies(pair, k):
    released = Microaggregate(k=k).change(pair[0], (0, 0)).histograms
    return link_rates(released, pair[1])


def link_rates(released, auxiliary, seed=0):
    linkage = match_histograms(released, auxiliary, MatchOptions(seed=seed))
    classes = equal_rows(released.matrix)
    users = np.mean(linkage.released == linkage.auxiliary)
    clusters = np.mean(classes[linkage.released] == classes[linkage.auxiliary])
    return float(users), float(clusters)


@pytest.mark.parametrize("name", ["calls", *REAL])
def test_user_level_collapses_while_cluster_level_hardly_falls(sides, name):
    """Figure 12's shape: rows of both sides are in the same order of people."""
    pair = sides(name)
    assert pair[0].users.equals(pair[1].users)
    user, cluster = accuracies(pair, 1)
    assert user <= cluster  # some people are alike to begin with
    for k in (2, 10):
        user_k, cluster_k = accuracies(pair, k)
        assert cluster_k >= cluster - 0.12, k
        assert user_k <= 1.4 * cluster_k / k + 0.02, k
    assert user_k < user / 4


def test_tie_breaking_does_not_look_like_success(sides):
    """Everybody equal: a correct link is a chance link, in any order of rows."""
    pair = sides("calls")
    n = pair[0].n_users
    released = Microaggregate(k=n).change(pair[0], (0, 0)).histograms
    found = [link_rates(released, pair[1], seed) for seed in range(3)]
    assert all(cluster == 1.0 for _, cluster in found)
    # Three times a thousand links with one chance in a thousand each.
    assert sum(user * n for user, _ in found) <= 15


def test_within_a_group_people_are_found_at_the_rate_of_chance(sides):
    """Right groups divided by their sizes say how many right people lots must give."""
    released = Microaggregate(k=10).change(sides("calls")[0], (0, 0)).histograms
    classes = equal_rows(released.matrix)
    sizes = np.bincount(classes)[classes]
    n_right, expected, variance = 0, 0.0, 0.0
    for seed in range(8):
        linkage = match_histograms(released, sides("calls")[1], MatchOptions(seed=seed))
        same = classes[linkage.released] == classes[linkage.auxiliary]
        chance = same / sizes[linkage.released]
        n_right += int(np.count_nonzero(linkage.released == linkage.auxiliary))
        expected += chance.sum()
        variance += (chance * (1 - chance)).sum()
    assert abs(n_right - expected) < 4 * np.sqrt(variance)


def test_one_row_each_leaves_what_there_was(sides):
    before = sides("calls")[0]
    done = Microaggregate(k=1).change(before, (0, 0))
    np.testing.assert_array_equal(
        done.histograms.matrix.toarray(), before.probabilities().toarray()
    )
    assert done.facts["groups_per_user"] == 1.0


def test_users_without_data_are_left_out():
    done = Microaggregate(k=2).change(
        histograms_of(np.array([[1.0, 0], [0, 2], [0, 0], [1, 1]])), (0, 0)
    )
    assert done.histograms.users.to_pylist() == ["00000", "00001", "00003"]


@pytest.mark.parametrize(
    ("k", "message"),
    [(4, r"k must be at most the number of users, 3, got 4\."), (0, "k must be at least 1")],
)
def test_a_bad_k_gets_one_sentence(k, message):
    with pytest.raises(OptionError, match=message):
        Microaggregate(k=k).change(histograms_of(np.eye(3)), (0, 0))


@pytest.mark.parametrize("wrong", [{"norm": "l3"}, {"method": "magic"}])
def test_bad_choices_get_one_sentence(wrong):
    with pytest.raises(OptionError, match="must be one of"):
        Microaggregate(**wrong)


def test_slots_are_refused():
    slotted = Histograms(
        matrix=sparse.csr_array(np.eye(4)),
        users=pa.array(list("abcd")),
        locations=pa.array(["x", "y"]),
        slots=("weekday", "weekend"),
    )
    with pytest.raises(OptionError, match="Leave out slots"):
        Microaggregate(k=2).change(slotted, (0, 0))
