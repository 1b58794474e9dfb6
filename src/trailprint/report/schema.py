"""The form of ``result.json``, as JSON Schema (2020-12)."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from trailprint.audit.attacks.registry import attack_names


def load_schema() -> dict[str, Any]:
    """The schema a result obeys, with the names of all attacks; do not change what is returned."""
    return _load(attack_names())


@cache
def _load(attacks: tuple[str, ...]) -> dict[str, Any]:
    text = files("trailprint.report").joinpath("result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    schema["$defs"]["attack"]["properties"]["name"]["enum"] = list(attacks)
    return schema
