"""Trail matching at its edges; its laws are properties, tested elsewhere."""

import numpy as np
import pyarrow as pa
import pytest

from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import check_tactics, match_trails
from trailprint.features.trails import Trails

NOBODY = Trails(
    indptr=np.zeros(4, dtype=np.int64),
    indices=np.empty(0, dtype=np.int32),
    users=pa.array(["a", "b", "c"]),
    locations=pa.array(["x"]),
)


@pytest.mark.parametrize(
    ("algorithm", "reserved"),
    [("complete", "none"), ("incomplete", "auxiliary"), ("multiple", "auxiliary")],
)
def test_null_trails_alone_give_no_link(algorithm, reserved) -> None:
    options = TrailOptions(algorithm=algorithm, reserved=reserved)
    assert match_trails(NOBODY, NOBODY, options).n_links == 0


def trails(*rows) -> Trails:
    """Trails over three places, one of each person."""
    return Trails(
        indptr=np.cumsum([0, *map(len, rows)]),
        indices=np.array([place for row in rows for place in row], dtype=np.int32),
        users=pa.array([f"u{k}" for k in range(len(rows))]),
        locations=pa.array(["x", "y", "z"]),
    )


@pytest.mark.parametrize(
    ("released", "auxiliary", "consistent"),
    [
        pytest.param([[0], [1]], [[1], [0]], {"none", "auxiliary", "released"}, id="the same"),
        pytest.param([[0], [1]], [[0, 1], [1]], {"released"}, id="contained"),
        pytest.param([[0, 1], [1]], [[0], [1]], {"auxiliary"}, id="contains"),
        pytest.param([[0], [0]], [[0, 1], [1]], set(), id="more people at a place"),
        pytest.param([[0], [1]], [[0, 1]], set(), id="more people"),
        pytest.param([[0, 1]], [[0], [1]], set(), id="contained in nobody's trail"),
    ],
)
def test_tactics_are_consistent_where_one_side_may_be_part_of_the_other(
    released, auxiliary, consistent
) -> None:
    found = check_tactics(trails(*released), trails(*auxiliary))
    assert {tactic for tactic, is_consistent in found.items() if is_consistent} == consistent


def test_a_trail_that_fits_no_other_contradicts_the_tactic() -> None:
    options = TrailOptions(algorithm="incomplete", reserved="released")
    facts = match_trails(trails([0], [2], []), trails([0, 1], [1], [1]), options).facts
    assert (facts["trails_without_counterpart"], facts["contradicted"]) == (1, True)
