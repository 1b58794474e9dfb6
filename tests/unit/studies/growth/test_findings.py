"""What studies may report is written and read again without a change."""

from __future__ import annotations

import pytest

from trailprint.plain import ShapeError, from_plain, to_plain
from trailprint.studies.growth.findings import (
    AmountGrowth,
    AmountPoint,
    ExtrapolatedPoint,
    Fit,
    KnowledgeGrowth,
    KnowledgePoint,
    ResolutionGrowth,
    ResolutionPoint,
    Study,
    TimeGrowth,
    TimePoint,
    UsersGrowth,
    UsersPoint,
)

FIT = Fit(
    formula="n",
    extrapolation=(ExtrapolatedPoint(x=200, accuracy=0.4, low=0.3, high=0.5),),
    caution="Beyond the data.",
)
STUDIES: list[Study] = [
    UsersGrowth(
        title="People",
        points=(UsersPoint(x=10, accuracy=0.5, low=0.4, high=0.6, runs=3),),
        fit=FIT,
        reading="Fewer.",
    ),
    TimeGrowth(
        points=(TimePoint(x=1, accuracy=None, low=None, high=None, at_most=0.09, people="<10"),),
        reading="Days.",
    ),
    ResolutionGrowth(
        points=(
            ResolutionPoint(x=1.5, label="1.5 km", locations=4, accuracy=0.2, low=0.1, high=0.3),
        ),
        reading="Cells.",
    ),
    KnowledgeGrowth(
        points=(KnowledgePoint(x=0.5, accuracy=0.2, low=0.1, high=0.3, precision=0.4),),
        reading="Shares.",
    ),
    AmountGrowth(
        title="Amount",
        points=(
            AmountPoint(
                x=4.0,
                accuracy=0.2,
                low=0.1,
                high=0.3,
                kind="points",
                amount=4,
                label="4 events",
                people_with_less=0,
            ),
        ),
        reading="Events.",
    ),
]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: type(study).__name__)
def test_a_study_is_read_as_it_was_written(study):
    assert from_plain(type(study), to_plain(study)) == study


def test_the_most_a_rate_can_be_is_there_only_where_the_rate_is_not():
    users, time, *_ = (to_plain(study)["points"][0] for study in STUDIES)
    assert "at_most" not in users
    assert time["at_most"] == 0.09
    assert list(users) == ["x", "accuracy", "low", "high", "runs"]


def test_a_rate_that_is_text_is_refused():
    plain = to_plain(STUDIES[0])
    plain["points"][0]["accuracy"] = "half"
    with pytest.raises(ShapeError):
        from_plain(UsersGrowth, plain)
