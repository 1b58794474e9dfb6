"""JSON Schemas (2020-12) of ``result.json`` and ``comparison.json``."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.results.schema import derive_schema
from trailprint.comparison import results as comparison


def load_schema() -> dict[str, Any]:
    """Return the schema of a result, with the names of all attacks; do not modify it."""
    return _load(attack_names())


@cache
def _load(attacks: tuple[str, ...]) -> dict[str, Any]:
    text = files("trailprint.report").joinpath("result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    schema["$defs"]["attack"]["properties"]["name"]["enum"] = list(attacks)
    return schema


@cache
def load_comparison_schema() -> dict[str, Any]:
    """Return the schema of a comparison, derived from its types."""
    schema = derive_schema(comparison.AuditComparison)
    schema["properties"]["schema"] = {"const": comparison.SCHEMA}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:trailprint:comparison:1",
        **schema,
    }
