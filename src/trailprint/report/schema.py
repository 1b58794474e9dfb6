"""The JSON Schema (2020-12) of ``comparison.json``."""

from __future__ import annotations

from typing import Any

from trailprint.audit.results.schema import derive_schema, name_schema
from trailprint.comparison.results import SCHEMA, AuditComparison


def load_comparison_schema() -> dict[str, Any]:
    """Return the schema of a comparison, derived from its types."""
    return {**name_schema(SCHEMA), **derive_schema(AuditComparison)}
