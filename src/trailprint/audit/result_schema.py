"""The JSON Schema of ``result.json``, derived from its types."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.results.findings import SCHEMA, Findings
from trailprint.audit.results.schema import derive_schema, name_schema

_WIDTH = 100
_ABOUT = (
    "Rates are shares from 0 to 1. These are all members that this version of Trailprint writes; a "
    "later one may add some, so readers ignore members they do not know."
)
_AT_MOST = "Where fewer than the threshold are linked, the rate is null, and this its upper bound."
_FEWER_THAN = (
    "Share of people with fewer candidates than the name says, including the person; left out "
    "where a count of a few people would follow."
)
_PEOPLE = "Tried on this number of people, drawn at random; left out where it was tried on all."
_WITHOUT = "Change of the share of people linked without this {}; a change of a few is masked."
_NOTES = {
    "AmountGrowth.attack": "Name of the attack that was repeated.",
    "AttackFinding.at_most": _AT_MOST,
    "AttackFinding.coverage": "Precision if only the most confident links are kept.",
    "AttackFinding.question": "The plain question that the attack answers.",
    "DataFacts.columns": "What the data says of each event, by Trailprint's names.",
    "DataFacts.rows_left_out": "By reason.",
    "DataFacts.timezone": "The time zone in which days and hours are counted.",
    "Headline.at_most": _AT_MOST,
    "HeadlineProtection.at_most": _AT_MOST,
    "HeadlineProtection.loss": "Share of the information that is lost; may exceed 1.",
    "HeadlineProtection.written": "What trailprint protect --apply takes.",
    "AmountGrowth.people": _PEOPLE,
    "KnowledgeGrowth.people": _PEOPLE,
    "LocationFinding.leave_one_out": _WITHOUT.format("location, by leave_one_out_attack"),
    "ProtectionPoint.at_most": _AT_MOST,
    "ProtectionPoint.left": "People who still have records on both sides.",
    "ProtectionPoint.loss": "Share of the information that is lost; may exceed 1.",
    "ProtectionPoint.people": _PEOPLE,
    "ProtectionPoint.written": "What trailprint protect --apply takes; empty without protection.",
    "ResolutionGrowth.people": _PEOPLE,
    "RiskSpread.bins": "Joined until each holds nobody or at least the threshold of people.",
    "SharedPart.fewer_than": _FEWER_THAN,
    "SideFacts.first": "Day of the first event.",
    "SideFacts.last": "Day of the last event.",
    "TaskFacts.next_place": "Share of moves whose destination a Markov predictor names.",
    "TimeGrowth.people": _PEOPLE,
    "TimeSpent.estimated": "By part, how long it should have taken, estimated when it began.",
    "UnicityPoint.fewer_than": _FEWER_THAN,
    "UsersGrowth.people": _PEOPLE,
    "ViewFinding.leave_one_out": _WITHOUT.format("view"),
    "ViewsFinding.left_out": "Views that the data does not support.",
    "ViewsFinding.note": "Why weights are equal although they should have been learnt.",
    "Why.leave_one_out_attack": "Name of the attack whose links leave_one_out is about.",
    "WorstPoint.fewer_than": _FEWER_THAN,
}
"""Descriptions of members, by class and field."""


def describe_result() -> dict[str, Any]:
    """Return the schema of a result (2020-12), with the names of all registered attacks."""
    found = derive_schema(Findings)
    defined = found["$defs"]
    for member, text in _NOTES.items():
        kind, name = member.split(".")
        defined[kind]["properties"][name]["description"] = text
    attack = defined["AttackFinding"]
    attack["properties"]["name"] = {"enum": list(attack_names())}
    attack["if"] = {"properties": {"ran": {"const": False}}}
    attack["then"] = {"properties": {"why_not": {"type": "string"}}}
    return {
        **name_schema(SCHEMA),
        "title": "Result of a Trailprint audit",
        **found,
        "description": _ABOUT,
    }


def render_schema() -> str:
    """Return the schema as the text of ``report/result.schema.json``."""
    return f"{_lay_out(describe_result())}\n"


def _lay_out(value: Any, indent: str = "", before: int = 0) -> str:
    """Write JSON with everything on one line that fits; ``before`` characters stand before it."""
    line = json.dumps(value, ensure_ascii=False)
    if before + len(line) < _WIDTH or not isinstance(value, dict | list):
        return line
    deeper = f"{indent}  "
    if isinstance(value, list):
        rows, ends = [_lay_out(item, deeper, len(deeper)) for item in value], "[]"
    else:
        names = ((f"{json.dumps(name)}: ", own) for name, own in value.items())
        rows = [f"{name}{_lay_out(own, deeper, len(deeper + name))}" for name, own in names]
        ends = "{}"
    inside = f",\n{deeper}".join(rows)
    return f"{ends[0]}\n{deeper}{inside}\n{indent}{ends[1]}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render_schema(), encoding="utf-8")
