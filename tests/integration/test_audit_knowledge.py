"""An audit of an adversary who knows only a part of each person."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

import trailprint as tp
from trailprint.audit.result_schema import describe_result
from trailprint.errors import OptionError
from trailprint.options import Knowledge
from trailprint.simulate.campus import CampusOptions, simulate_campus


@pytest.fixture(scope="module")
def campus() -> tp.Events:
    return tp.read(simulate_campus(CampusOptions(n_users=60, n_days=14)))


def audit(campus: tp.Events, **options: Any) -> dict[str, Any]:
    asked = tp.AuditOptions(attacks="histogram", protections="top-locations:n=5", **options)
    return tp.audit(campus, options=asked).to_dict()


def test_an_audit_says_what_is_known_and_attacks_with_only_that(campus) -> None:
    # Of the first only the data is looked at.
    whole, little = audit(campus, time_limit_s=0.001), audit(campus, knows="points:2")
    jsonschema.validate(little, describe_result())
    reported = little["data"]["knows"]
    assert (reported["kind"], reported["amount"], reported["mean_points"]) == ("points", 2, 2.0)
    assert "knows only 2 of their events, drawn at random." in little["headline"]["sentence"]
    assert little["data"]["auxiliary"]["events"] == 2 * little["data"]["auxiliary"]["users"]
    assert little["data"]["released"] == whole["data"]["released"]
    assert "knows" not in whole["data"]


def test_an_object_means_the_same(campus) -> None:
    assert tp.AuditOptions(knows=Knowledge(kind="top", amount=2)).knows == "top:2"
    with pytest.raises(OptionError, match="knows must be everything"):
        tp.AuditOptions(knows="friends")
