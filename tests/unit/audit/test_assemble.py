"""From the outcomes of parts to one result: order, reasons and the highest risk."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from trailprint.audit.assemble import Done, _protections, list_attacked, worst_risk
from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.plan import LeftOut


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


def test_reasons_are_those_of_one_kind_by_name():
    left_out = [
        LeftOut(name="growth/time", title="Risk by time", why="No time."),
        LeftOut(name="attack/trail", title="Trails", why="Too large."),
        LeftOut(name="why", title="Why", why="Not asked for."),
    ]
    done = Done(outcomes={}, left_out=left_out, tallies=(), seconds=0.0)
    assert done.reasons("growth") == [("time", "No time.")]
    assert done.reasons("attack") == [("trail", "Too large.")]
    assert done.reasons("protect") == []


def test_the_data_as_it_is_has_words_where_there_was_no_time_for_it():
    left_out = [
        LeftOut(name=f"protect/{name}", title="", why="No time.") for name in ("none", "noise")
    ]
    done = Done(outcomes={}, left_out=left_out, tallies=(), seconds=0.0)
    context: Any = SimpleNamespace(options=SimpleNamespace(target_risk=None))
    found = _protections(context, done)
    assert [one.label for one in found.left_out] == [
        "Protections compared with the data as it is",
        "noise",
    ]
