"""Laws of what an audit computes: names and order of people change nothing, parts make wholes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions
from trailprint.evaluation.agreement import compare_attacks, find_worst_case
from trailprint.evaluation.per_user import distribute_risk, estimate_user_risk
from trailprint.evaluation.ranks import measure_ranks, rank_curve
from trailprint.evaluation.risk import measure_risk
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.studies.driving_locations import find_driving_locations
from trailprint.studies.growth.knowledge import ShareKnownOptions, grow_knowledge
from trailprint.studies.growth.users import GrowthOptions, grow_users

SMALL = settings(max_examples=25, deadline=None)


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions())


def build(counts: np.ndarray) -> Histograms:
    users = pa.array([f"u{i:02}" for i in range(len(counts))])
    places = pa.array([f"p{k:02}" for k in range(counts.shape[1])])
    return Histograms(matrix=sparse.csr_array(counts), users=users, locations=places)


@st.composite
def populations(draw):
    """Two sides without ties: a place where all meet, another each, and random real counts."""
    n_users, n_places = draw(st.integers(2, 12)), draw(st.integers(2, 8))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    sides = []
    for _ in range(2):
        counts = random.random((n_users, n_places)) * (random.random((n_users, n_places)) < 0.6)
        counts[:, 0] += 0.1
        counts[np.arange(n_users), random.integers(1, n_places, n_users)] += random.random(n_users)
        sides.append(build(counts))
    truth = Truth.from_partner(random.permutation(n_users), "file")
    order = random.permutation(n_users)
    return sides[0], sides[1], truth, order


@SMALL
@given(populations())
def test_another_order_of_people_changes_no_figure(case):
    released, auxiliary, truth, order = case
    moved = released.select(order)
    partner = np.empty(len(order), dtype=np.int64)
    partner[truth.released] = truth.auxiliary
    moved_truth = Truth.from_partner(partner[order], "file")
    first, second = attack(released, auxiliary), attack(moved, auxiliary)
    assert measure_ranks(first, truth) == measure_ranks(second, moved_truth)
    risk, moved_risk = estimate_user_risk(first, truth), estimate_user_risk(second, moved_truth)
    np.testing.assert_allclose(risk[order], moved_risk)
    one, other = (
        find_driving_locations(side, auxiliary, linkage, who)
        for side, linkage, who in ((released, first, truth), (moved, second, moved_truth))
    )
    np.testing.assert_allclose(one.contribution, other.contribution, atol=1e-12)
    assert one.n_rare == other.n_rare


@SMALL
@given(populations())
def test_contributions_are_shares_of_a_whole(case):
    released, auxiliary, truth, _ = case
    linkage = attack(released, auxiliary)
    found = find_driving_locations(released, auxiliary, linkage, truth)
    risk = measure_risk(linkage, truth)
    assert risk is not None
    assert (found.contribution >= 0).all()
    assert found.contribution.sum() == pytest.approx(1.0 if risk.n_correct else 0.0)
    assert estimate_user_risk(linkage, truth).mean() == pytest.approx(risk.accuracy)


@SMALL
@given(populations())
def test_everybody_drawn_and_everybody_known_are_the_plain_attack(case):
    released, auxiliary, truth, _ = case
    risk = measure_risk(attack(released, auxiliary), truth)
    assert risk is not None
    users = grow_users(attack, released, auxiliary, truth, GrowthOptions(n_points=2, n_runs=1))
    assert users.groups[-1].accuracies[0] == pytest.approx(risk.accuracy)
    options = ShareKnownOptions(shares=(1.0,))
    known = grow_knowledge(attack, released, auxiliary, truth, options)
    assert known.groups[0].accuracies[0] == pytest.approx(risk.accuracy)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=60))
def test_a_curve_of_ranks_never_falls_and_ends_at_everybody(ranks):
    points = rank_curve(np.array(ranks), 3000).points
    shares = [share for _, share in points]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for k, share in points:
        assert share == pytest.approx(sum(rank <= k for rank in ranks) / len(ranks))


def lists_of_flags(n: int):
    return st.tuples(*[st.lists(st.booleans(), min_size=n, max_size=n)] * 3)


@given(st.integers(0, 40).flatmap(lists_of_flags))
def test_cells_of_agreement_add_up_to_people(lists):
    linked = {f"attack {i}": np.array(flags, dtype=bool) for i, flags in enumerate(lists)}
    n_people = len(lists[0])
    for pair in compare_attacks(linked):
        cells = [getattr(pair, name) for name in ("both", "only_first", "only_second", "neither")]
        assert sum(cells) == n_people
    worst = find_worst_case(linked)
    assert sum(row.people for row in worst.by_attacks) == n_people
    assert worst.linked == sum(any(flags) for flags in zip(*lists, strict=True))
    assert worst.linked >= max(flags.sum() for flags in linked.values())


def lists_of_two_flags(n: int):
    pair = st.tuples(st.booleans(), st.booleans())
    return st.tuples(*[st.lists(pair, min_size=n, max_size=n)] * 3)


@given(st.integers(0, 40).flatmap(lists_of_two_flags))
def test_the_worst_case_counts_people_every_attack_was_tried_on(lists):
    tried = {str(i): np.array([t for t, _ in pairs], dtype=bool) for i, pairs in enumerate(lists)}
    linked = {
        str(i): np.array([t and found for t, found in pairs], dtype=bool)
        for i, pairs in enumerate(lists)
    }
    worst = find_worst_case(linked, tried)
    ran = [name for name in tried if set(np.flatnonzero(tried[name]))]
    sets = [set(np.flatnonzero(tried[name])) for name in ran]
    everybody = set.intersection(*sets) if sets else set()
    anyhow = {i for i in everybody if any(linked[name][i] for name in ran)}
    assert list(worst.attacks) == ran
    assert (worst.people, worst.linked) == (len(everybody), len(anyhow))
    assert worst.not_tried == len(lists[0]) - len(everybody)
    assert worst.share == (len(anyhow) / len(everybody) if everybody else None)
    for k, row in enumerate(worst.by_attacks):
        exactly = [i for i in everybody if sum(linked[name][i] for name in ran) == k]
        assert (row.attacks, row.people) == (k, len(exactly))
    for name in ran:
        assert worst.linked >= len(everybody & set(np.flatnonzero(linked[name])))


@given(st.lists(st.floats(0, 1), max_size=50))
def test_bins_of_risk_add_up_to_people(risks):
    found = distribute_risk(np.array(risks))
    assert sum(item.people for item in found.bins) == len(risks)
