"""The JSON Schema of a result, derived from its types: what `to_plain` writes conforms to it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from trailprint.plain import is_omittable

_SINGLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def derive_schema(kind: Any) -> dict[str, Any]:
    """Return the schema (2020-12) of the plain values of a type."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if is_dataclass(kind):
        return _describe_object(kind)
    if origin in (types.UnionType, Union):
        return {"anyOf": [derive_schema(choice) for choice in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return _describe_tuple(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": derive_schema(inner[1])}
    return {"type": _SINGLE[kind]}


def _describe_object(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {
        "type": "object",
        "properties": {item.name: derive_schema(hints[item.name]) for item in fields(kind)},
        "required": [item.name for item in fields(kind) if not is_omittable(item)],
        "additionalProperties": False,
    }


def _describe_tuple(kinds: tuple[Any, ...]) -> dict[str, Any]:
    if kinds[-1] is Ellipsis:
        return {"type": "array", "items": derive_schema(kinds[0])}
    n_items = len(kinds)
    return {
        "type": "array",
        "prefixItems": [derive_schema(kind) for kind in kinds],
        "minItems": n_items,
        "maxItems": n_items,
    }
