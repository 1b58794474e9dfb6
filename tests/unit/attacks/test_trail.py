"""Trail matching at its edges; its laws are properties, tested elsewhere."""

import numpy as np
import pyarrow as pa
import pytest

from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
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
