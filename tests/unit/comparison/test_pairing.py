"""The same people in two audits: counted correctly, shown only where nobody can be worked out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trailprint.audit.outcomes import PersonOutcomes, hash_people
from trailprint.comparison.pairing import disclose_pairs, pair_people
from trailprint.evaluation.differences import mcnemar_exact

BOTH = ("trail", "trail")


def outcomes(of: dict[str, int]) -> PersonOutcomes:
    flags = np.array(list(of.values()), dtype=np.int8)
    return PersonOutcomes(people=hash_people(of), linked={"trail": flags})


@st.composite
def audits(draw) -> list[dict[str, int]]:
    """Two audits of some of the same people, many of them alike."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, chance = draw(st.integers(1, 120)), draw(st.sampled_from([0.0, 0.1, 0.5]))
    people = [f"p{i}" for i in range(n)]
    kept = [random.permutation(people)[: n - draw(st.sampled_from([0, 0, n // 3]))] for _ in "ab"]
    states = [random.choice([-1, 0, 1], len(own), p=[chance, 0.4, 0.6 - chance]) for own in kept]
    return [
        dict(zip(map(str, own), map(int, s), strict=True))
        for own, s in zip(kept, states, strict=True)
    ]


@settings(deadline=None)
@given(audits())
def test_people_are_counted_as_one_would_by_hand(drawn):
    first, second = drawn
    tried = [one for one in first if first[one] >= 0 and second.get(one, -1) >= 0]
    found = pair_people(outcomes(first), outcomes(second), ("trail", "trail"))
    if not tried:
        assert found is None
        return
    assert found is not None
    table = {
        (a, b): sum((first[one], second[one]) == (a, b) for one in tried)
        for a in (0, 1)
        for b in (0, 1)
    }
    counts = found.counts
    assert counts.both == table[1, 1]
    assert counts.only_first == table[1, 0]
    assert counts.only_second == table[0, 1]
    assert counts.neither == table[0, 0]
    alone = [one for one in first if first[one] >= 0 and one not in tried]
    assert found.alone[0] == sum(first[one] for one in alone)
    assert found.alone[1] == len(alone) - found.alone[0]


@settings(deadline=None)
@given(audits())
def test_what_is_shown_never_holds_a_few_people(drawn):
    first, second = map(outcomes, drawn)
    found = pair_people(first, second, ("trail", "trail"))
    if found is None:
        return
    reported = disclose_pairs(found)
    cells = (reported.both, reported.only_first, reported.only_second, reported.neither)
    if reported.p_value_is == "exact":
        assert all(n == 0 or int(n) >= 10 for n in (*cells, *found.alone))
        assert reported.p_value == mcnemar_exact(
            int(reported.only_first), int(reported.only_second)
        )
        return
    assert set(cells) == {"hidden"}
    exact = mcnemar_exact(found.counts.only_first, found.counts.only_second)
    assert reported.p_value is None or reported.p_value >= exact - 1e-12


@settings(deadline=None)
@given(st.integers(10, 60), st.integers(0, 9), st.integers(0, 9))
def test_a_bound_on_the_p_value_follows_from_the_totals_alone(n_both, shift, n_changed):
    """Two tables with the same totals are shown in the same words."""
    tables = [(n_both, n_changed + 1, 30), (n_both - n_changed, 2 * n_changed + 1, 30)]
    reported = set()
    for both, changed, neither in tables:
        first = [1] * both + [1] * changed + [0] * changed + [0] * neither
        second = [1] * both + [0] * changed + [1] * changed + [0] * neither
        n = 2 * n_both + 50 + shift
        first, second = (side + [0] * (n - len(side)) for side in (first, second))
        sides = [outcomes({f"p{i}": s for i, s in enumerate(side)}) for side in (first, second)]
        found = pair_people(sides[0], sides[1], ("trail", "trail"))
        assert found is not None
        pairs = disclose_pairs(found)
        if pairs.p_value_is == "exact":
            return
        reported.add(pairs)
    assert len(reported) == 1


def test_each_audit_is_asked_about_its_own_attack():
    people = hash_people(["ann", "bob"])
    linked, lost = np.array([1, 1], dtype=np.int8), np.array([0, 0], dtype=np.int8)
    first = PersonOutcomes(people=people, linked={"trail": linked, "histogram": lost})
    second = PersonOutcomes(people=people, linked={"trail": lost, "histogram": linked})
    found = pair_people(first, second, ("trail", "histogram"))
    assert found is not None
    assert (found.counts.both, found.counts.people) == (2, 2)


def test_no_p_value_follows_from_totals_of_other_people():
    """Three changed, which is hidden; twelve more were tried in the first audit only."""
    first = {f"p{i}": int(i < 20) for i in range(60)}
    second = {f"p{i}": int(i < 17) for i in range(48)}
    everybody = pair_people(outcomes(dict(list(first.items())[:48])), outcomes(second), BOTH)
    some = pair_people(outcomes(first), outcomes(second), BOTH)
    assert everybody is not None
    assert some is not None
    assert disclose_pairs(everybody).p_value_is == "at most"
    assert (disclose_pairs(some).p_value_is, disclose_pairs(some).p_value) == ("not shown", None)


def test_people_of_a_release_are_called_by_their_old_ids():
    first, second = outcomes({"ann": 1, "bob": 0, "cyn": 1}), outcomes({"x1": 1, "x2": 0, "x3": 0})
    assert pair_people(first, second, ("trail", "trail")) is None
    renamed = second.renamed(hash_people(["x2", "x1", "zz"]), hash_people(["cyn", "ann", "bob"]))
    found = pair_people(first, renamed, ("trail", "trail"))
    assert found is not None
    assert (found.counts.both, found.counts.only_first, found.counts.people) == (1, 1, 2)
    assert found.alone == (0, 1, 0, 1)


def test_without_keys_nobody_is_renamed():
    found = outcomes({"ann": 1})
    none = np.array([], dtype="S32")
    assert (found.renamed(none, none).people == found.people).all()
