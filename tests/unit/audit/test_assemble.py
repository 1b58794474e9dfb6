"""From the outcomes of parts to one result: order, reasons and the highest risk."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trailprint.audit.assemble import Done, _protections
from trailprint.audit.planning.plan import LeftOut


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
