"""The form of ``result.json``, as JSON Schema (2020-12)."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_schema() -> dict[str, Any]:
    """The schema a result obeys; do not change what is returned."""
    text = files("trailprint.report").joinpath("result.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
