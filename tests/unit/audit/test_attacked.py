"""Attacks that ran stand in their order, and a person's risk is the highest of theirs."""

from __future__ import annotations

import numpy as np

from trailprint.audit.attacked import list_attacked, worst_risk
from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.parts import Outcome


def outcome(*risk: float) -> Outcome:
    return Outcome(data={}, arrays={"risk": np.array(risk)})


def test_attacks_stand_in_the_order_of_their_registry_whatever_ran_first():
    first, second = attack_names()[:2]
    done = {f"attack/{second}": outcome(), "growth/users": outcome(), f"attack/{first}": outcome()}
    assert list(list_attacked(done)) == [first, second]


def test_the_highest_risk_leaves_out_attacks_a_person_was_not_tried_by():
    first, second = attack_names()[:2]
    risks = {f"attack/{first}": outcome(0.2, np.nan, 0.9, np.nan)}
    risks[f"attack/{second}"] = outcome(0.5, 0.1, np.nan, np.nan)
    assert np.array_equal(worst_risk(risks), [0.5, 0.1, 0.9, np.nan], equal_nan=True)
