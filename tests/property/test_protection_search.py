"""Bisection and the search for the least loss, on synthetic risks and losses."""

from __future__ import annotations

import math
from functools import partial

from hypothesis import given
from hypothesis import strategies as st
from tests.presence import present

from trailprint.evaluation.intervals import wilson
from trailprint.studies.bisection import bisect, find_middle
from trailprint.studies.judging import Success, find_strongest, measure_at_risk
from trailprint.studies.protection_search import Choice, Search, Trial

shares = st.floats(0, 1)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_bisection_of_whole_numbers_finds_the_threshold_or_comes_close(first, second, third):
    weak, threshold, strong = sorted((first, second, third))
    if weak == threshold:
        return
    found = bisect(lambda k: k >= threshold, bool, weak, strong)
    weakest = min([k for k, enough in found if enough] + [strong])
    assert threshold <= weakest < 1.01 * threshold or weakest == threshold
    assert len(found) <= math.ceil(math.log2(strong - weak + 1))


@given(st.floats(1, 1e4), st.floats(1.2, 1e3), shares)
def test_bisection_of_real_numbers_comes_close(weak, factor, share):
    strong = weak * factor
    threshold = weak * factor**share
    found = bisect(lambda x: x >= threshold, bool, weak, strong, most_steps=40)
    enough = min([x for x, is_enough in found if is_enough] + [strong])
    short = max([x for x, is_enough in found if not is_enough] + [weak])
    assert short <= threshold <= enough or math.isclose(threshold, weak)
    assert enough / short < 1.05 or not found


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_the_middle_lies_between(first, second):
    middle = find_middle(first, second)
    assert (middle is None) == (abs(first - second) < 2)
    assert middle is None or min(first, second) < middle < max(first, second)


@given(st.lists(st.booleans(), min_size=3, max_size=40))
def test_bisection_of_noise_claims_only_what_it_measured(noise):
    measured = []

    def measure(k):
        measured.append(k)
        return noise[k]

    found = bisect(measure, bool, 0, len(noise) - 1)
    assert [k for k, _ in found] == measured
    assert all(enough == noise[k] for k, enough in found)


class World:
    """Protections with synthetic effects: a step is (name, value), stronger with its value."""

    def __init__(self, strength, price, slow_bonus, noise):
        self.strength, self.price, self.bonus, self.noise = strength, price, slow_bonus, noise
        self.measured = {}

    def risk(self, chain, *, is_full):
        left = 1.0
        for name, value in chain:
            left *= 1 - self.strength[name] * value / 16
        left *= 1 + (self.noise * (hash(chain) % 7) / 7 if chain else 0)
        return min(left * (1 + self.bonus * is_full), 2.0)

    def loss(self, chain):
        return sum(self.price[name] * value for name, value in chain)

    def measure(self, chain, is_full):
        rate = self.risk(chain, is_full=is_full)
        self.measured[chain, is_full] = rate
        return Trial(chain=chain, loss=self.loss(chain), rate=rate, risk=rate, is_full=is_full)


def make_choices(names, values=(2, 6, 16), stronger=()):
    def make(name, value):
        return (name, value)

    return [
        Choice(name=name, make=partial(make, name), values=values, stronger=stronger, neutral=0)
        for name in names
    ]


worlds = st.builds(
    World,
    strength=st.fixed_dictionaries({name: st.floats(0.1, 1) for name in "abc"}),
    price=st.fixed_dictionaries({name: st.floats(0.001, 0.1) for name in "abc"}),
    slow_bonus=st.floats(0, 0.5),
    noise=st.sampled_from([0.0, 0.0, 0.2]),
)


@given(worlds, st.floats(0.01, 0.9))
def test_what_is_found_was_measured_by_all_and_reaches_the_goal(world, goal):
    choices = make_choices("abc")
    search = Search(measure=world.measure, goal=goal, most_trials=500)
    pairs = [(choices[0], choices[1]), (choices[0], choices[2]), (choices[1], choices[2])]
    search.search(choices, pairs)
    full = {c for (c, is_full), risk in world.measured.items() if is_full and risk <= goal}
    if search.best is None:
        assert not full
        return
    assert search.best.risk <= goal
    assert world.measured[search.best.chain, True] <= goal
    assert search.best.loss == min(world.loss(chain) for chain in full)
    assert not search.pending


@given(worlds, st.floats(0.05, 0.9))
def test_without_noise_the_weakest_value_of_each_protection_is_found(world, goal):
    world.noise = 0.0
    search = Search(measure=world.measure, goal=goal, most_trials=500)
    search.search(make_choices("abc"))
    able = [
        (world.loss(((name, value),)), name)
        for name in "abc"
        for value in range(1, 17)
        if world.risk(((name, value),), is_full=True) <= goal
    ]
    if able:
        assert present(search.best).loss == min(able)[0]
    else:
        assert search.best is None


@given(worlds, st.floats(0.05, 0.9))
def test_without_noise_no_second_protection_after_a_usual_value_is_cheaper(world, goal):
    world.noise = 0.0
    search = Search(measure=world.measure, goal=goal, most_trials=500)
    first, second = make_choices("ab")
    search.search([first, second], [(first, second)])
    chains = [(("a", a), ("b", b)) for a in first.values for b in range(1, 17)]
    able = [world.loss(chain) for chain in chains if world.risk(chain, is_full=True) <= goal]
    if able:
        assert present(search.best).loss <= min(able)


@given(worlds, st.floats(0.01, 0.9))
def test_where_no_value_suffices_stronger_ones_are_tried_and_bisected(world, goal):
    world.noise = 0.0
    short = Search(measure=world.measure, goal=goal, most_trials=500)
    short.search(make_choices("abc", (2, 6), (11, 16)))
    long = Search(measure=world.measure, goal=goal, most_trials=500)
    long.search(make_choices("abc"))
    assert (short.best is None) == (long.best is None)
    if short.best is not None:
        assert short.best.loss == present(long.best).loss


@given(worlds, st.floats(0.01, 0.9))
def test_stronger_values_are_left_alone_where_others_suffice(world, goal):
    choices = make_choices("a", (2, 16), (99,))
    search = Search(measure=world.measure, goal=goal)
    search.search(choices)
    weaker = [world.risk(((("a", value),)), is_full=True) for value in (2, 16)]
    beyond = {chain[0][1] for chain, _ in world.measured} - set(range(17))
    assert bool(beyond) == (min(weaker) > goal)


@given(worlds, st.floats(0.05, 0.9))
def test_the_frontier_is_that_of_all_attacks(world, goal):
    search = Search(measure=world.measure, goal=goal)
    search.learn(world.measure(((name, value),), False) for name in "abc" for value in (2, 6, 16))
    search.complete_frontier()
    whole = [(world.loss(c), world.risk(c, is_full=True), c) for c in search.trials]
    for loss, risk, chain in whole:
        beaten = any(
            other[0] <= loss and other[1] <= risk and other[:2] != (loss, risk) for other in whole
        )
        assert beaten or search.trials[chain].is_full


@given(worlds, st.integers(0, 30))
def test_a_search_that_is_stopped_keeps_what_it_has(world, most):
    class StopError(Exception):
        pass

    def measure(chain, is_full):
        if len(world.measured) >= most:
            raise StopError
        return world.measure(chain, is_full)

    choices = make_choices("ab")
    search = Search(measure=measure, goal=0.3)
    try:
        search.search(choices, [(choices[0], choices[1])])
    except StopError:
        assert search.pending == ["a then b"]
    assert set(search.trials) == {chain for chain, _ in world.measured}
    assert search.best is None or world.measured[search.best.chain, True] <= 0.3


def make_success(n_right, n_expected, n_people, *, is_whole=True, n_left=None):
    return Success(
        attack="x",
        people=n_people,
        left=n_people if n_left is None else n_left,
        is_whole=is_whole,
        user_accuracy=n_right / n_people,
        cluster_accuracy=n_right / n_people,
        expected_user_accuracy=n_expected / n_people,
        accuracy_interval=present(wilson(n_right, n_people)),
        cluster_interval=(0, 1),
        chance=0.0,
    )


counts = st.integers(0, 40)


@given(st.lists(st.tuples(counts, counts, st.booleans()), min_size=1, max_size=4))
def test_what_must_not_exceed_a_target_bounds_every_attack(found):
    done = [make_success(n, e, 40, is_whole=w) for n, e, w in found]
    bound = measure_at_risk(done)
    for one in done:
        assert bound >= one.user_accuracy
        if one.is_whole:
            assert bound >= one.accuracy_interval[1]
            assert bound >= present(wilson(one.expected_user_accuracy * 40, 40))[1] - 1e-12
    strongest = find_strongest(done)
    assert strongest.is_whole or not any(one.is_whole for one in done)


@given(counts, st.integers(0, 40), st.integers(0, 40))
def test_dropping_people_who_are_not_linked_makes_nobody_safer(n_right, n_expected, n_dropped):
    n_left = max(40 - n_dropped, n_right, n_expected)
    fewer = make_success(n_right, n_expected, 40, n_left=n_left)
    assert fewer.at_risk >= make_success(n_right, n_expected, 40).at_risk
    assert 0.0 <= fewer.at_risk <= 1.0
