"""The test with rejection of the 2013 paper."""

import math
from datetime import datetime, timedelta
from itertools import permutations, product

import numpy as np
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.attacks.options import RejectionOptions
from trailprint.attacks.rejection import count_types_bits, decide, decide_by_lengths
from trailprint.errors import OptionError
from trailprint.features.options import HistogramOptions


def test_the_papers_first_experiment_has_a_penalty_of_about_1100_bits() -> None:
    options = RejectionOptions(reject_lambda=1.0, string_length=28_800)
    result = decide(100.0, 1154, 934, options)
    assert result.penalty_bits == pytest.approx(1108, abs=5)
    assert result.vacuous
    assert result.decision == "match"


@pytest.mark.parametrize(("weight_bits", "decision"), [(4.9, "no-match"), (5.1, "match")])
def test_a_second_best_below_the_threshold_rejects(weight_bits, decision) -> None:
    n = 1_000_000
    penalty = 2 * 2 * 3 * math.log2(n + 1) / n
    options = RejectionOptions(reject_lambda=5 + penalty, string_length=n)
    result = decide(weight_bits * math.log(2), 2, 3, options)
    assert result.threshold_bits == pytest.approx(5)
    assert result.decision == decision
    assert not result.vacuous


@pytest.mark.parametrize(("bits", "length"), [(0, 5), (-1, 5), (math.inf, 5), (1, 0), (1, 10**400)])
def test_options_check_themselves(bits, length) -> None:
    with pytest.raises(OptionError):
        RejectionOptions(reject_lambda=bits, string_length=length)


def weight_bits(a, b):
    """The likelihood's weight of two counted strings, in bits, by its definition."""
    pooled = [x + y for x, y in zip(a, b, strict=True)]

    def entropy(counts):
        total = sum(counts)
        return -sum(c * math.log2(c / total) for c in counts if c)

    return entropy(pooled) - entropy(a) - entropy(b)


def types(n):
    """All counted strings of n letters over two locations."""
    return [(k, n - k) for k in range(n + 1)]


def chance(counts, p):
    return math.comb(sum(counts), counts[0]) * p ** counts[0] * (1 - p) ** counts[1]


@pytest.mark.parametrize("lengths", [((3, 3), (3, 3)), ((2, 6), (5, 3)), ((9, 1), (2, 7))])
@pytest.mark.parametrize("sources", [(0.5, 0.5), (0.3, 0.7), (0.02, 0.97), (0.0, 1.0)])
@pytest.mark.parametrize("reject_lambda", [0.05, 0.5, 2.0])
def test_a_certain_match_is_as_rarely_wrong_as_promised(lengths, sources, reject_lambda):
    """Exactly, over all data of two people: both lengths of each person, and who is who."""
    options = RejectionOptions(reject_lambda=reject_lambda, reject_certainly=True)
    (m1, m2), (n1, n2) = lengths
    wrong = 0.0
    for a1, a2, b1, b2 in product(types(m1), types(m2), types(n1), types(n2)):
        right = weight_bits(a1, b1) + weight_bits(a2, b2)
        swapped = weight_bits(a1, b2) + weight_bits(a2, b1)
        second = max(right, swapped) * math.log(2)
        found = decide_by_lengths(second, [np.array(x) for x in lengths], 2, options)
        if found.decision == "match" and swapped <= right:
            p = chance(a1, sources[0]) * chance(b1, sources[0])
            wrong += p * chance(a2, sources[1]) * chance(b2, sources[1])
    mean = sum(map(sum, lengths)) / 4
    assert wrong <= 2 ** (-reject_lambda * mean) + 1e-12


def test_drawn_people_are_wrongly_matched_as_rarely_as_promised():
    """Three people, unequal lengths, near to each other: tests that can reject and do not err."""
    rng = np.random.default_rng(4)
    lengths = np.array([400, 900, 1500]), np.array([1200, 300, 700])
    sources = np.array([[0.9, 0.1], [0.5, 0.5], [0.12, 0.88]])
    options = RejectionOptions(reject_lambda=0.001, reject_certainly=True)
    decisions, n_wrong = [], 0
    for _ in range(300):
        sides = [
            [rng.multinomial(n, p) for n, p in zip(side, sources, strict=True)] for side in lengths
        ]
        totals = {
            order: sum(weight_bits(sides[0][i], sides[1][j]) for i, j in enumerate(order))
            for order in permutations(range(3))
        }
        best, second = sorted(totals, key=totals.__getitem__)[:2]
        found = decide_by_lengths(totals[second] * math.log(2), list(lengths), 2, options)
        decisions.append(found.decision)
        n_wrong += found.decision == "match" and best != (0, 1, 2)
    assert decisions.count("match") > 200
    assert n_wrong / 300 <= 2 ** (-0.001 * np.concatenate(lengths).mean()) + 0.05


def test_types_are_counted():
    bits = count_types_bits(np.array([1.0, 4.0]), 3)
    assert 2**bits == pytest.approx([3, 15])
    assert (bits <= 3 * np.log2(np.array([2.0, 5.0]))).all()


PEOPLE = (("x", "a", 5), ("y", "b", 9))


def test_matching_counts_the_lengths_itself(make_events):
    day = datetime(2024, 1, 1)
    sides = [
        make_events(
            [(u, p, day + timedelta(hours=k)) for u, p, n in PEOPLE for k in range(n + extra)],
            "user",
            "location",
            "start",
        )
        for extra in (0, 3)
    ]
    options = tp.MatchOptions(metric="likelihood")
    result = tp.match(sides[0], sides[1], options, rejection=RejectionOptions(reject_lambda=5.0))
    found = present(result.rejection)
    mean = (5 + 9 + 8 + 12) / 4
    second = weight_bits((5, 0), (0, 12)) + weight_bits((0, 9), (8, 0))
    assert found.second_best_bits == pytest.approx(second / mean)
    wanted = sum(math.log2(n + 1) for n in (5, 9, 8, 12)) / mean
    assert found.penalty_bits == pytest.approx(wanted)
    assert found.threshold_bits == pytest.approx(5.0 - wanted)
    with pytest.raises(OptionError, match="needs metric likelihood"):
        tp.match(*sides, rejection=RejectionOptions(reject_lambda=5.0))
    with pytest.raises(OptionError, match="counts visits"):
        tp.match(
            sides[0],
            sides[1],
            options,
            rejection=RejectionOptions(reject_lambda=5.0),
            histograms=HistogramOptions(weight="day-balanced"),
        )
