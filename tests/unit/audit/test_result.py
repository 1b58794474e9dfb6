"""What an audit's result says of each person."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pyarrow as pa
import pytest

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.result import AuditResult
from trailprint.audit.results.findings import Findings

ENTRY = {
    "name": "histogram",
    "people": 3,
    "matched": 2,
    "correct": 2,
    **dict.fromkeys(("accuracy", "interval", "chance", "precision", "baseline", "ranks")),
    "variant": "",
}


def result_of(method: str) -> AuditResult:
    """Three people, of whom two are linked, with what the histogram attack kept of them."""
    kept = Outcome(
        data={"entry": ENTRY, "chosen": {"method": method}},
        arrays={
            "linked": np.array([True, True, False]),
            "risk": np.array([0.9, 0.9, 0.1]),
            "released": np.array([0, 1]),
            "auxiliary": np.array([0, 1]),
            "confidence": np.array([0.25, 0.5]),
        },
    )
    context = SimpleNamespace(
        people=pa.array(["a", "b", "c"]),
        sizes=SimpleNamespace(n_released=3),
        truth=SimpleNamespace(released=np.arange(3)),
    )
    return AuditResult(
        cast(Findings, None), cast(AuditContext, context), {"attack/histogram": kept}
    )


@pytest.mark.parametrize(
    ("method", "margins"), [("joint", [0.25, 0.5, None]), ("one-by-one", [None, None, None])]
)
def test_a_margin_is_of_the_joint_matching_or_null(method, margins):
    people = result_of(method).per_user()

    assert people["margin"].to_pylist() == margins
    assert people["risk"].to_pylist() == [0.9, 0.9, 0.1]
