"""Known points in an audit: what `trailprint.points` measures, and nothing of it among links."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.presence import present

import trailprint as tp
from trailprint.audit.context import AuditContext
from trailprint.audit.points_disclosure import disclose_sharing, disclose_worst
from trailprint.audit.run import Asked, run_audit
from trailprint.audit.sections.points import find_points
from trailprint.audit.sides import make_sides
from trailprint.errors import OptionError
from trailprint.evaluation.unicity import FEW, Sharing, WorstPoints
from trailprint.options import PointsOptions
from trailprint.simulate.campus import CampusOptions, simulate_campus

OPTIONS = tp.AuditOptions(
    attacks=("trail", "points"), protections=("top-locations:n=5",), time_limit_s=None
)


@pytest.fixture(scope="module")
def campus():
    return tp.read(simulate_campus(CampusOptions(n_users=40, n_days=14)))


@pytest.fixture(scope="module")
def audited(campus):
    return run_audit(Asked(sides=[campus], truth=None, options=OPTIONS))


def test_the_figures_are_those_of_points_on_the_released_side(campus, audited):
    found = present(audited.findings.points)
    released = make_sides([campus], None, OPTIONS).released
    alone = tp.points(released, PointsOptions(worst_case=4))
    assert [one.points for one in found.unicity] == list(range(1, 11))
    for one, other in zip(found.unicity, alone.unicity, strict=True):
        assert one.share in (other.share, None)
        assert one.candidates_mean == other.candidates_mean
    assert [one.k for one in found.worst_case] == [1, 2, 3, 4]
    assert [one.share for one in found.worst_case] == [one.share_at_one for one in alone.worst_case]
    assert len(found.grid) == len(alone.grid)
    assert found.quoted == 4
    assert "Four known points" in found.sentence


def test_nothing_of_it_is_said_about_links(audited):
    result = audited.to_dict()
    assert [one["name"] for one in result["attacks"]] == [
        "histogram",
        "combined",
        "trail",
        "sequence",
    ]
    assert result["headline"]["attack"] == "trail"
    assert "points" not in result["worst_case"]["attacks"]
    assert all(one["attack"] == "trail" for one in result["controls"])
    judged = [one for point in result["protections"]["points"] for one in point["judged"]]
    assert not [one for one in judged if one["attack"] == "points"]


def test_every_protection_says_who_is_alone_after_it(audited):
    plain, protected = present(audited.findings.protections).points[:2]
    before = {one.what: one.share for one in present(plain.singling_out)}
    after = {one.what: one for one in present(protected.singling_out)}
    assert before["trace"] == 1.0
    assert list(after) == list(before)
    assert after["places"].sharing_median > 1


def test_each_person_has_a_row_of_their_own(audited):
    people = audited.per_user()
    assert min(people["fewest_candidates"].to_pylist()) >= 1
    assert all(0 <= share <= 1 for share in people["unique_draws"].to_pylist())


def test_what_was_not_measured_says_why():
    nothing = cast(AuditContext, None)
    assert find_points(nothing, {}, {}).why_not == "It was not requested (--attacks)."
    found = find_points(nothing, {}, {"unicity": "There was no time."})
    assert not found.ran
    assert found.why_not == "There was no time."


def test_points_alone_are_no_audit():
    with pytest.raises(OptionError, match="use trailprint points"):
        tp.AuditOptions(attacks=("points",))


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), counts_of(n))))
def test_no_step_between_shares_shown_is_a_few_people(case):
    n_people, counts = case
    shares = {few: count / n_people for few, count in zip(FEW, counts, strict=True)}
    found = Sharing(
        what="trace",
        people=n_people,
        unique_share=shares[2],
        interval=(0.0, 1.0),
        sharing_median=1.0,
        fewer_than=shares,
    )
    reported = disclose_sharing(found)
    worst = disclose_worst(
        WorstPoints(
            k=2,
            mean_risk=0.5,
            share_at_one=shares[2],
            interval=(0.0, 1.0),
            candidates_median=1.0,
            fewer_than=shares,
            seconds=0.0,
        ),
        n_people,
    )
    assert worst.fewer_than == reported.fewer_than
    told_counts = [round(share * n_people) for share in reported.fewer_than.values()]
    steps = [now - last for last, now in zip([0, *told_counts], told_counts, strict=False)]
    assert not [step for step in steps if 0 < step < 10]
    assert (reported.share is None) == (0 < counts[0] < 10) == (worst.mean_risk is None)


def test_a_mean_of_less_than_one_person_is_not_shown():
    found = Sharing(
        what="trace",
        people=100,
        unique_share=0.005,
        interval=(0.0, 0.1),
        sharing_median=20.0,
        fewer_than=dict.fromkeys(FEW, 0.005),
    )
    reported = disclose_sharing(found)
    assert (reported.share, reported.at_most, reported.fewer_than) == (None, 0.09, {})


def counts_of(n_people):
    return st.lists(st.integers(0, n_people), min_size=4, max_size=4).map(sorted)
