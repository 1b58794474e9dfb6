"""
No small group can be worked out from what an audit publishes.

`Reader` is an adversary who has `result.json` and nothing else. They know what every figure counts,
write down one unknown for each set of attacks that a person can have been tried and linked by, turn
every figure shown into an equation, and ask a solver between which bounds each count must lie. They
share no code with the program.
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from trailprint.audit.overlaps import compare_all
from trailprint.plain import to_plain

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
ATTACKS = ("histogram", "trail", "sequence")
FEW = "<10"


def powerset(names):
    return [frozenset(c) for n in range(len(names) + 1) for c in combinations(sorted(names), n)]


class Reader:
    """
    Everything that follows from a published result.

    With ``totals_only`` just from how many each attack was tried on and links, and from which
    counts are called few: all others are then known to be none or at least ten.
    """

    def __init__(self, result, *, totals_only=False):
        ran = [attack for attack in result["attacks"] if attack["ran"]]
        names = [attack["name"] for attack in ran]
        self.unknowns = [(t, f) for t in powerset(names) for f in powerset(t)]
        self.rows, self.low, self.high, self.gaps = [], [], [], []
        self.masked = {}
        self.n_people = result["data"]["common_users"]
        self.totals_only, self.is_gap_known = False, True
        self.reported(lambda t, f: True, self.n_people)
        for attack in ran:
            self.reported(lambda t, f, a=attack["name"]: a in t, attack["people"])
            self.counted(attack["name"], lambda t, f, a=attack["name"]: a in f, attack["correct"])
            if attack["accuracy"] is not None:
                right = round(attack["accuracy"] * attack["people"])
                self.reported(lambda t, f, a=attack["name"]: a in f, right)
        worst = result["worst_case"]
        used = frozenset(worst["attacks"])
        self.reported(lambda t, f: used <= t, worst["people"])
        for pair in result["agreement"]:
            own = frozenset((pair["first"], pair["second"]))
            self.reported(lambda t, f, own=own: own <= t, pair["people"])
        self.totals_only = totals_only
        self.read_worst_case(worst, used)
        for pair in result["agreement"]:
            self.read_pair(pair)

    def read_worst_case(self, worst, used):
        any_of = worst["linked"]
        if isinstance(any_of, str) and any_of.startswith(">"):
            # All but a few: as much as is said of those linked by none.
            assert worst["by_attacks"][0]["people"] == FEW
        else:
            self.counted("any", lambda t, f: used <= t and bool(f & used), any_of)
        if worst["share"] is not None:
            n_linked = round(worst["share"] * worst["people"])
            self.counted("any again", lambda t, f: used <= t and bool(f & used), n_linked)
        for row in worst["by_attacks"]:
            k = row["attacks"]
            self.counted(
                f"by {k}", lambda t, f, k=k: used <= t and len(f & used) == k, row["people"]
            )

    def read_pair(self, pair):
        first, second = pair["first"], pair["second"]
        for name, found in {
            "both": {first, second},
            "only_first": {first},
            "only_second": {second},
            "neither": set(),
        }.items():
            self.counted(
                f"{first} {second} {name}",
                lambda t, f, found=found: {first, second} <= t and f & {first, second} == found,
                pair[name],
            )

    def reported(self, holds, n):
        self.rows.append([float(holds(t, f)) for t, f in self.unknowns])
        self.low.append(n)
        self.high.append(n)

    def counted(self, name, holds, published):
        """An equation for a number; bounds for few; for what is hidden none or at least ten."""
        row = [float(holds(t, f)) for t, f in self.unknowns]
        if published == FEW:
            self.masked[name] = row
            self.rows.append(row)
            self.low.append(1)
            self.high.append(9)
        elif published == "hidden":
            self.masked[name] = row
            self.gaps.append(row)
        elif self.totals_only and not few(published):
            self.gaps.append(row)
        else:
            self.reported(holds, published)

    def bounds(self, row):
        """The least and the most a count can be."""
        gaps = self.gaps if self.is_gap_known else []
        n, m = len(self.unknowns), len(gaps)
        constraints = [LinearConstraint(np.pad(self.rows, ((0, 0), (0, m))), self.low, self.high)]
        for place, gap in enumerate(gaps):
            switch = np.zeros(m)
            switch[place] = 1.0
            constraints += [
                LinearConstraint(np.r_[gap, -10 * switch], 0, np.inf),
                LinearConstraint(np.r_[gap, -self.n_people * switch], -np.inf, 0),
            ]
        limits = Bounds(np.zeros(n + m), np.r_[np.full(n, self.n_people), np.ones(m)])
        ends = []
        for sign in (1, -1):
            goal = np.r_[sign * np.asarray(row), np.zeros(m)]
            solved = milp(goal, constraints=constraints, bounds=limits, integrality=np.ones(n + m))
            if solved.fun is None:
                # Some hidden count is small itself: nothing can be made of the word.
                assert self.is_gap_known
                self.is_gap_known = False
                return self.bounds(row)
            ends.append(round(sign * solved.fun))
        return tuple(ends)


def clip(bounds):
    return max(bounds[0], 1), min(bounds[1], 9)


def assert_nothing_follows(result, is_gap_known=True):
    """No masked count is determined, and none is bounded more tightly than by the totals."""
    reader, outsider = Reader(result), Reader(result, totals_only=True)
    reader.is_gap_known = outsider.is_gap_known = is_gap_known
    for name, row in reader.masked.items():
        low, high = reader.bounds(row)
        assert low < high or low >= 10 or high == 0, f"{name} is {low}"
        if 0 < low < 10:
            assert clip((low, high)) == clip(outsider.bounds(row)), name
    assert_curves_hold_no_few(result)


def assert_curves_hold_no_few(result):
    for attack in result["attacks"]:
        if not attack["ran"]:
            continue
        ranked = (attack["ranks"] or {"curve": []})["curve"]
        assert_no_few_between([round(p["share"] * attack["people"]) for p in ranked])
        right = [round(p["precision"] * p["links"]) for p in attack["coverage"]]
        assert_no_few_between(right)
        assert_no_few_between(
            [p["links"] - n for p, n in zip(attack["coverage"], right, strict=True)]
        )
        for scored in (attack, attack["baseline"] or attack):
            assert scored["accuracy"] is None or not few(scored["accuracy"] * attack["people"])
    counts = [row["people"] for row in result["per_user"]["bins"]]
    assert len(counts) == 1 or not any(map(few, counts))
    n_people = result["data"]["common_users"]
    for point in result["protections"]["points"]:
        for name in ("accuracy", "cluster_accuracy"):
            assert point[name] is None or not few(point[name] * n_people)


def few(n):
    return 0.5 < n < 9.5


def assert_no_few_between(cumulative):
    assert not any(map(few, np.diff(cumulative, prepend=0))), cumulative


def publish(linked, tried):
    """As much of a result as the reader needs, from who was tried and linked."""
    worst, agreement = to_plain(compare_all(linked, tried))
    attacks = []
    for name in linked:
        n, c = int(tried[name].sum()), int(linked[name].sum())
        is_few = 0 < c < 10
        attacks.append(
            {
                "name": name,
                "ran": True,
                "people": n,
                "correct": FEW if is_few else c,
                "accuracy": None if is_few or not n else c / n,
                "baseline": None,
                "ranks": None,
                "coverage": [],
            }
        )
    return {
        "data": {"common_users": len(next(iter(linked.values())))},
        "attacks": attacks,
        "worst_case": worst,
        "agreement": agreement,
        "per_user": {"bins": []},
        "protections": {"points": []},
    }


def draw(seed):
    """People who are linked by attacks that agree more or less, and tried by some of them."""
    random = np.random.default_rng(seed)
    n_people = int(random.choice([12, 25, 40, 90, 250, 1000]))
    names = ATTACKS[: int(random.integers(1, 4))]
    ease = random.beta(0.5, 0.5, n_people)
    rates = random.choice([0.01, 0.1, 0.5, 0.9, 0.99], len(names))
    linked, tried = {}, {}
    for name, rate in zip(names, rates, strict=True):
        is_sampled = name == "sequence" and random.random() < 0.5
        tried[name] = np.arange(n_people) < (n_people // 2 if is_sampled else n_people)
        chance = 0.5 * rate + 0.5 * rate * 2 * ease
        linked[name] = (random.random(n_people) < chance) & tried[name]
    return linked, tried


@pytest.mark.parametrize("seed", range(10))
def test_nothing_follows_from_random_audits(seed):
    linked, tried = draw(seed)
    result = publish(linked, tried)
    reader, outsider = Reader(result), Reader(result, totals_only=True)
    truth = count_truth(reader.unknowns, linked, tried)
    # Rarely a small count is called hidden too, because few would give it away.
    is_gap_known = not any(few(np.dot(row, truth)) for row in reader.gaps)
    reader.is_gap_known = outsider.is_gap_known = is_gap_known
    assert_nothing_follows(result, is_gap_known)
    # Who is linked by exactly these attacks is published nowhere, and must not follow either.
    for row, n_people in zip(np.eye(len(truth)), truth, strict=True):
        widest = outsider.bounds(row) if few(n_people) else (0, 0)
        if widest[0] < widest[1]:
            assert clip(reader.bounds(row)) == clip(widest)


def count_truth(unknowns, linked, tried):
    """How many people there are of each kind."""
    kinds = [
        (frozenset(n for n in linked if tried[n][i]), frozenset(n for n in linked if linked[n][i]))
        for i in range(len(next(iter(linked.values()))))
    ]
    return [kinds.count(unknown) for unknown in unknowns]


def test_the_one_person_whom_only_trails_link_stays_hidden():
    """Counts that a result would show: with all of them, exactly one person is linked by trails."""
    atoms = {
        (1, 1, 1): 30,
        (1, 1, 0): 15,
        (1, 0, 1): 75,
        (1, 0, 0): 46,
        (0, 1, 0): 1,
        (0, 0, 1): 17,
    }
    people = [atom for atom, n in {**atoms, (0, 0, 0): 66}.items() for _ in range(n)]
    linked = {name: np.array([p[i] for p in people], bool) for i, name in enumerate(ATTACKS)}
    tried = {name: np.ones(len(people), dtype=bool) for name in ATTACKS}
    result = publish(linked, tried)
    reader = Reader(result)
    everything = frozenset(ATTACKS)
    row = [float(u == (everything, frozenset({"trail"}))) for u in reader.unknowns]
    low, high = reader.bounds(row)
    assert (max(low, 1), min(high, 9)) == (1, 9)
    naive = json.loads(json.dumps(result))
    naive["worst_case"].update(linked=184, share=184 / 250)
    naive["agreement"][1].update(both=105, only_first=61, only_second=17, neither=67)
    reported = Reader(naive)
    assert reported.bounds(row) == (1, 1)


def test_the_solver_finds_what_plain_masks_give_away():
    """Small cells alone are not enough: the reader works all of them out."""
    result = json.loads(EXAMPLE.read_text())
    result["agreement"][2].update(both=27, only_second=77, neither=192)
    reader = Reader(result)
    assert reader.bounds(reader.masked["trail sequence only_first"]) == (4, 4)


def test_nothing_follows_from_the_example():
    assert_nothing_follows(json.loads(EXAMPLE.read_text()))
