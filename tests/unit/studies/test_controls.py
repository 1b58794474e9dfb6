"""Controls pass for honest attacks and fail for those that cheat."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy import sparse
from tests.presence import present

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.errors import OptionError
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.trails import trails_of
from trailprint.linkage import Linkage, Ranks
from trailprint.plain import to_plain
from trailprint.studies.controls import (
    ControlOptions,
    control_absent,
    control_permuted,
    control_weights,
)


def attack(released, auxiliary):
    return match_histograms(released, auxiliary, MatchOptions(margins=True))


def link(rows, columns, sizes, confidence=None):
    n = len(rows)
    return Linkage(
        released=np.asarray(rows, dtype=np.int64),
        auxiliary=np.asarray(columns, dtype=np.int64),
        weight=np.zeros(n),
        confidence=np.ones(n) if confidence is None else confidence,
        confidence_is_least=np.zeros(n, dtype=bool),
        n_released=sizes[0],
        n_auxiliary=sizes[1],
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
    )


def by_row_order(released, auxiliary):
    """Cheats: takes the i-th of one side for the i-th of the other."""
    n = min(released.n_users, auxiliary.n_users)
    return link(np.arange(n), np.arange(n), (released.n_users, auxiliary.n_users))


def by_ids(released, auxiliary):
    """Cheats: reads the ids."""
    places = pc.index_in(released.users, value_set=auxiliary.users)
    rows = np.flatnonzero(np.asarray(places.is_valid()))
    columns = places.drop_null().to_numpy()
    return link(rows, columns, (released.n_users, auxiliary.n_users))


def overconfident(released, auxiliary):
    """As sure of everybody: the nearest released record for each auxiliary one."""
    options = MatchOptions(method="one-by-one", direction="auxiliary")
    found = match_histograms(released, auxiliary, options)
    return replace(found, confidence=np.ones(found.n_links))


def at_own_places(n_released, n_auxiliary):
    """People who each visit one place, that of their number; and the truth."""
    sides = (
        Histograms(
            matrix=sparse.csr_array(np.eye(n, max(n_released, n_auxiliary))),
            users=pa.array([f"u{i}" for i in range(n)]),
            locations=pa.array([f"p{i}" for i in range(max(n_released, n_auxiliary))]),
        )
        for n in (n_released, n_auxiliary)
    )
    rows = np.arange(min(n_released, n_auxiliary))
    return *sides, Truth(released=rows, auxiliary=rows, source="same-ids")


def own_places(side):
    return side.matrix.indices


@pytest.fixture(scope="module")
def in_order(make_population):
    """People in the same row on both sides: an order that reveals everything."""
    released, auxiliary, truth = make_population(n_visits=60)
    rows = np.arange(released.n_users)
    same = auxiliary.select(truth.auxiliary)
    return released, same, Truth(released=rows, auxiliary=rows, source="same-ids")


def test_an_honest_attack_passes_every_control(population):
    absent = control_absent("histogram", attack, *population)
    permuted = control_permuted("histogram", attack, *population)
    assert [control.passed for control in (absent, *permuted)] == [True] * 3
    assert absent.people == 12
    assert permuted[0].share == pytest.approx(permuted[0].expected, abs=0.1)
    assert present(permuted[1].share) < 0.2
    assert permuted[1].expected == pytest.approx(1 / 60)
    assert absent.reading.endswith("allowing for luck): passed.")
    assert "the order of rows gives nothing away" in permuted[0].reading


def test_an_attack_that_reads_the_order_fails_both_permuted_controls(in_order):
    before, after = control_permuted("cheat", by_row_order, *in_order)
    assert not before.passed
    assert not after.passed
    assert before.expected == 1.0
    assert present(before.share) < 0.2
    assert after.share == 1.0
    assert "order of rows" in before.reading


def test_an_attack_that_reads_ids_fails(population):
    before, _ = control_permuted("cheat", by_ids, *population)
    assert not before.passed


def test_an_attack_that_is_sure_of_everybody_fails_when_people_are_missing(in_order):
    control = control_absent("sure", overconfident, *in_order)
    assert not control.passed
    assert control.share == 1.0
    assert "failed; its confidence is misleading" in control.reading


@pytest.mark.parametrize(("n_confident", "passed"), [(7, True), (8, False)])
def test_confident_links_of_absent_people_are_counted_allowing_for_luck(n_confident, passed):
    """If one in ten is allowed, 7 of 20 or more occur with a chance of 0.0024, 8 of 0.0004."""

    def link_absent_too(released, auxiliary):
        here = np.isin(own_places(auxiliary), own_places(released))
        rows, absent = np.argsort(own_places(released)), np.flatnonzero(~here)
        columns = np.concatenate([np.flatnonzero(here), absent])
        n_sure = len(rows) + n_confident
        sure = np.where(np.arange(len(columns)) < n_sure, 2.0, 1.5)
        return link(np.append(rows, np.zeros(len(absent))), columns, (80, 100), sure)

    control = control_absent("x", link_absent_too, *at_own_places(100, 100))
    assert (control.people, control.links, control.passed) == (20, n_confident, passed)


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        pytest.param(range(40), range(9, 40), True, id="nine lost"),
        pytest.param(range(40), range(10, 40), False, id="ten lost"),
        pytest.param(range(35), range(10, 40), True, id="ten lost, five won"),
        pytest.param(range(20), range(10), False, id="ten of twenty lost"),
    ],
)
def test_a_new_order_may_lose_as_many_links_as_luck_does(before, after, passed):
    """If each change is a coin toss, ten of ten lose with a chance of 1 / 1024."""
    released, auxiliary, truth = at_own_places(40, 40)

    def link_after(first, second):
        rows, columns = (np.argsort(own_places(side))[after] for side in (first, second))
        return link(rows, columns, (40, 40))

    known = link(before, before, (40, 40))
    control, _ = control_permuted("x", link_after, released, auxiliary, truth, linkage=known)
    assert (control.links, control.passed) == (len(after), passed)


@pytest.mark.parametrize(("columns", "passed"), [([0, 2], True), ([0, 1], False)])
def test_links_by_row_may_be_right_as_often_as_chance_makes_them(columns, passed):
    """Of two links among 40 × 50, one is right with a chance of 0.0392, and both with 0.0008."""

    def by_first_rows(released, auxiliary):
        return link([0, 1], columns, (40, 50))

    _, control = control_permuted("x", by_first_rows, *at_own_places(40, 50))
    assert (control.links, control.passed) == (1 if passed else 2, passed)
    assert control.expected == pytest.approx(2 / (40 * 50))
    assert ("no more than chance" in control.reading) == passed


def test_links_nobody_trusts_do_not_count(make_population):
    released, auxiliary, truth = make_population(concentration=50.0, n_visits=5)
    control = control_absent("histogram", attack, released, auxiliary, truth)
    assert control.passed
    assert control.links == 0
    assert "confident enough" in control.reading


def test_trails_that_guarantee_their_links_link_no_absent_person(make_population):
    released, _, _ = make_population(n_users=40)
    auxiliary = trails_of(released)
    kept = np.random.default_rng(0).random(len(auxiliary.indices)) < 0.6
    released = auxiliary.keep(kept)
    rows = np.arange(40)
    truth = Truth(released=rows, auxiliary=rows, source="same-ids")

    def trails(first, second):
        options = TrailOptions(algorithm="incomplete", reserved="released")
        return match_trails(first, second, options)

    control = control_absent("trail", trails, released, auxiliary, truth)
    assert (control.links, control.expected, control.passed) == (0, 0.0, True)

    def careless(first, second):
        found = trails(first, second)
        columns = np.concatenate([found.auxiliary, np.arange(40)])
        lost = link(np.concatenate([found.released, np.zeros(40, int)]), columns, (40, 40))
        return replace(lost, facts=found.facts)

    careless_options = ControlOptions(precision=0.1)
    assert not control_absent(
        "trail", careless, released, auxiliary, truth, careless_options
    ).passed


def test_a_known_linkage_is_not_made_again(population):
    runs = []

    def counted(released, auxiliary):
        runs.append(released.users.to_pylist())
        return attack(released, auxiliary)

    control_permuted("histogram", counted, *population, linkage=attack(*population[:2]))
    assert len(runs) == 1
    assert runs[0] == [str(i) for i in range(60)]


def test_controls_are_plain_values_and_the_same_twice(population):
    first, second = (
        [
            control_absent("h", attack, *population).to_finding(),
            *(control.to_finding() for control in control_permuted("h", attack, *population)),
        ]
        for _ in range(2)
    )
    assert json.dumps(to_plain(first)) == json.dumps(to_plain(second))
    assert [control.kind for control in first] == ["absent", "permuted", "permuted"]


def test_of_two_people_one_is_left_out_and_of_one_nobody(population):
    released, auxiliary, truth = population
    one = Truth(released=truth.released[:1], auxiliary=truth.auxiliary[:1], source="same-ids")
    control = control_absent("histogram", attack, released, auxiliary, one)
    assert control.passed
    assert control.people == 0
    assert control.share is None
    assert control.reading == "There are too few people on both sides to leave some out."
    two = Truth(released=truth.released[:2], auxiliary=truth.auxiliary[:2], source="same-ids")
    assert control_absent("histogram", attack, released, auxiliary, two).people == 1


def test_without_anyone_in_common_the_order_has_no_share(population):
    nobody = np.empty(0, dtype=np.int64)
    truth = Truth(released=nobody, auxiliary=nobody, source="same-ids")
    before, after = control_permuted("histogram", attack, population[0], population[1], truth)
    assert (before.share, after.share, before.passed, after.passed) == (None, None, True, True)


@pytest.mark.parametrize("n_linked", [3, 57])
def test_a_finding_masks_few_people_who_are_linked_or_are_not(n_linked):
    released, auxiliary, truth = at_own_places(60, 60)

    def link_some(first, second):
        rows, columns = (np.argsort(own_places(side))[:n_linked] for side in (first, second))
        return link(rows, columns, (60, 60))

    found = control_permuted("x", link_some, released, auxiliary, truth)[0].to_finding()
    assert found.links == ("<10" if n_linked == 3 else ">50")
    assert (found.share, found.interval, found.expected) == (None, None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"held_out": 1.0}, "held_out"), ({"precision": 2.0}, "precision"), ({"allowed": -1}, "all")],
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(OptionError, match=message):
        ControlOptions(**options)


def test_the_control_of_weights_says_what_it_means():
    same, other = control_weights("combined", True), control_weights("combined", False)
    assert same.passed
    assert not other.passed
    assert "are the same: the released side has no part in them" in same.reading
    assert "the accuracy cannot be trusted" in other.reading
    assert {same.attack, other.attack} == {"combined"}
    assert same.to_finding().share is None
