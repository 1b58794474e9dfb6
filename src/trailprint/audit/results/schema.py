"""The JSON Schema of a type's plain values: what `to_plain` writes conforms to it."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from trailprint.plain import is_omittable

Schema = dict[str, Any]

_SINGLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_UNIONS = (types.UnionType, Union)


def name_schema(name: str) -> Schema:
    """Return the first members of a schema; ``name`` is that of the values, with their version."""
    urn = name.replace(".", ":").replace("/", ":")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{urn}"}


def derive_schema(kind: type) -> Schema:
    """
    Return the schema (2020-12) of the plain values of a dataclass.

    ``$defs`` holds one schema for each dataclass below it, by name. Objects have all members of
    their class and no other; those left out when they are None are not required.
    """
    defined: dict[str, Schema] = {}
    _describe(kind, defined)
    root = defined.pop(kind.__name__)
    return {**root, "$defs": dict(sorted(defined.items()))}


def _describe(kind: Any, defined: dict[str, Schema]) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if is_dataclass(kind):
        return _refer_to(kind, defined)
    if origin is Annotated:
        return {**_describe(inner[0], defined), **dict(inner[1:])}
    if origin in _UNIONS:
        return {"anyOf": [_describe(choice, defined) for choice in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return _describe_tuple(inner, defined)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _describe(inner[1], defined)}
    return {"type": _SINGLE[kind]}


def _refer_to(kind: Any, defined: dict[str, Schema]) -> Schema:
    """Return a reference to the schema of a dataclass, which is defined if it is not yet."""
    name = kind.__name__
    if name not in defined:
        defined[name] = {}
        defined[name] |= _describe_object(kind, defined)
    return {"$ref": f"#/$defs/{name}"}


def _describe_object(kind: Any, defined: dict[str, Schema]) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    members = {item.name: _written(item, hints[item.name]) for item in fields(kind)}
    return {
        "description": _first_sentence(kind),
        "type": "object",
        "properties": {name: _describe(hint, defined) for name, hint in members.items()},
        "required": [item.name for item in fields(kind) if not is_omittable(item)],
        "additionalProperties": False,
    }


def _first_sentence(kind: type) -> str:
    paragraph = (inspect.getdoc(kind) or "").split("\n\n")[0]
    text = " ".join(paragraph.split()).replace("``", "`")
    return re.sub(r"\bNone\b", "null", text)


def _written(item: Field[Any], hint: Any) -> Any:
    """Return the type of a member where it is written: never None if that is left out."""
    if not is_omittable(item) or get_origin(hint) not in _UNIONS:
        return hint
    return Union[tuple(choice for choice in get_args(hint) if choice is not type(None))]  # noqa: UP007


def _describe_tuple(kinds: tuple[Any, ...], defined: dict[str, Schema]) -> Schema:
    if kinds[-1] is Ellipsis:
        return {"type": "array", "items": _describe(kinds[0], defined)}
    n_items = len(kinds)
    return {
        "type": "array",
        "prefixItems": [_describe(kind, defined) for kind in kinds],
        "minItems": n_items,
        "maxItems": n_items,
    }
