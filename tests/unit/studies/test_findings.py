"""What controls and causes report is read as it was written, and loads no attack."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trailprint.plain import ShapeError, from_plain, to_plain
from trailprint.studies.findings import ControlFinding, LocationFinding, RareLocation, Why

CONTROL = ControlFinding(
    attack="histogram",
    kind="absent",
    title="People who are not there",
    people=50,
    links="<10",
    share=None,
    interval=None,
    expected=0.1,
    passed=True,
    reading="Fine.",
)
WHY = Why(
    locations=(
        LocationFinding(label="Location 1", users=">240", contribution=0.3, leave_one_out="<10"),
    ),
    one_rare_location=RareLocation(people=12, share=0.05, meaning="Alone."),
    reading="Half of it comes from two.",
)


@pytest.mark.parametrize("finding", [CONTROL, WHY])
def test_a_finding_is_read_as_it_was_written(finding):
    assert from_plain(type(finding), to_plain(finding)) == finding


def test_a_control_of_another_kind_is_refused():
    with pytest.raises(ShapeError):
        from_plain(ControlFinding, {**to_plain(CONTROL), "kind": "guessed"})


def test_reading_findings_loads_no_attack():
    code = (
        "import sys, trailprint.studies.findings, trailprint.studies.growth.findings;"
        "print({'numpy', 'scipy', 'numba', 'duckdb'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
