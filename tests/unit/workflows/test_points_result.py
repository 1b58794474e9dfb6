"""What a result of known points says of itself: tables, charts, plain values, no ids."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.presence import present

from trailprint.attacks.points.options import PointsOptions
from trailprint.evaluation.unicity import Sharing, Unicity, WorstPoints
from trailprint.studies.known_points import GridShare
from trailprint.workflows.points_result import PointsResult, ProtectedSharing, show_resolution

FEW = {2: 0.1, 5: 0.2, 10: 0.3, 20: 0.4}
UNICITY = Unicity(
    points=1,
    share=0.1,
    interval=(0.05, 0.2),
    candidates_mean=9.0,
    candidates_median=8.0,
    fewer_than=FEW,
    people=40,
    shorter=0,
)
WORST = WorstPoints(
    k=2,
    mean_risk=0.5,
    share_at_one=0.4,
    interval=(0.3, 0.5),
    candidates_median=2.0,
    fewer_than=FEW,
    seconds=0.1,
)
SHARING = Sharing(
    what="trace",
    people=40,
    unique_share=0.9,
    interval=(0.8, 1.0),
    sharing_median=1.0,
    fewer_than=FEW,
)
RESULT = PointsResult(
    options=PointsOptions(),
    users=pa.array(["SECRETZQX", "u2"]),
    n_places=7,
    cell_m=None,
    unicity=(UNICITY, replace(UNICITY, points=3), replace(UNICITY, points=6)),
    extrapolation=(),
    checks=(),
    grid=(
        GridShare(
            points=3, cell_m=None, place="as released", time_s=3600, share=0.1, candidates_median=8
        ),
    ),
    worst_case=(WORST,),
    singling_out=(SHARING,),
    protections=(ProtectedSharing(protection="none", people=40, singling_out=(SHARING,)),),
    risks={"candidates": np.array([1, 4])},
)


def test_four_points_are_quoted_or_the_nearest_number_below():
    assert present(RESULT.quoted).points == 3
    assert present(replace(RESULT, unicity=RESULT.unicity[2:]).quoted).points == 6
    assert replace(RESULT, unicity=()).quoted is None


def test_plain_values_are_json_without_ids_and_with_texts_for_names():
    plain = RESULT.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert "SECRETZQX" not in json.dumps(plain)
    assert plain["unicity"][0]["fewer_than"]["2"] == 0.1
    assert plain["protections"][0]["singling_out"][0]["interval"] == [0.8, 1.0]
    assert plain["extrapolation"] is None


def test_every_part_has_a_table_and_ids_are_in_one_of_them():
    assert set(RESULT.tables) == {"unicity", "worst_case", "grid", "singling_out", "per_user"}
    unicity = RESULT.table("unicity").to_arrow()
    assert {"low", "high", "fewer_than_20"} <= set(unicity.column_names)
    assert RESULT.per_user()["candidates"].to_pylist() == [1, 4]
    assert "SECRETZQX" not in repr(RESULT)


def test_charts_are_of_what_was_measured():
    for kind in ("unicity", "worst_case", "grid"):
        assert "SECRETZQX" not in str(RESULT.plot(kind).to_dict())
    bare = replace(RESULT, unicity=(), grid=())
    assert "2 known" in str(bare.plot("worst_case").to_dict())


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "no time"), (86_400, "1 d"), (7200, "2 h"), (90, "90 s"), (120, "2 min")],
)
def test_lengths_of_time_are_written_in_the_largest_unit_that_fits(seconds, text):
    assert show_resolution(seconds) == text
