"""The schema and the types of a result say the same, member by member."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from trailprint.audit.results.findings import SCHEMA, Findings
from trailprint.plain import is_omittable
from trailprint.report.schema import load_schema


def follow(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema with its reference looked up."""
    while "$ref" in schema:
        schema = load_schema()["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return schema


def choices(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas one of which a value must obey."""
    schema = follow(schema)
    if "anyOf" not in schema:
        return [schema]
    return [own for choice in schema["anyOf"] for own in choices(choice)]


def members(schema: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """An object's members, and those it must have."""
    found: dict[str, Any] = dict(schema.get("properties", {}))
    required = {*schema.get("required", ()), *schema.get("then", {}).get("required", ())}
    for part in map(follow, schema.get("allOf", ())):
        own, needed = members(part)
        found, required = {**own, **found}, required | needed
    return found, required


def kinds(hint: Any) -> list[Any]:
    """The types a value may have."""
    return list(get_args(hint)) if get_origin(hint) in (types.UnionType, Union) else [hint]


def compare(kind: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Where a dataclass and an object of the schema differ."""
    found, required = members(schema)
    own = {item.name: item for item in fields(kind)}
    if set(found) != set(own):
        yield f"{path}: {sorted(set(found) ^ set(own))} is in one of them only"
        return
    for name, item in own.items():
        hint = get_type_hints(kind)[name]
        if is_omittable(item) and name in required:
            yield f"{path}.{name} may be left out, but the schema needs it"
        is_nullable = any(choice.get("type") == "null" for choice in choices(found[name]))
        if is_nullable != (type(None) in kinds(hint)) and not is_omittable(item):
            yield f"{path}.{name} may be null in one of them only"
        yield from compare_values(hint, choices(found[name]), f"{path}.{name}")


def compare_values(hint: Any, schemas: list[Mapping[str, Any]], path: str) -> Iterator[str]:
    """Where what is below a member differs."""
    for kind in kinds(hint):
        if is_dataclass(kind):
            (below,) = [s for s in schemas if s.get("type") == "object" or "allOf" in s]
            yield from compare(kind, below, path)
        elif get_origin(kind) is tuple:
            (below,) = [s for s in schemas if s.get("type") == "array"]
            yield from compare_values(get_args(kind)[0], choices(below["items"]), f"{path}[]")


def test_the_schema_has_every_member_of_the_types_and_no_other():
    assert list(compare(Findings, load_schema(), "result")) == []


def test_a_difference_would_be_found():
    schema = load_schema()
    poorer = {**schema, "properties": {**schema["properties"]}}
    poorer["properties"].pop("seed")
    assert list(compare(Findings, poorer, "result")) == ["result: ['seed'] is in one of them only"]
    changed = {**schema, "properties": {**schema["properties"], "why": {"type": "object"}}}
    assert any("result.why" in difference for difference in compare(Findings, changed, "result"))


def test_the_version_of_the_schema_is_that_of_the_types():
    assert load_schema()["properties"]["schema"]["const"] == SCHEMA
    assert SCHEMA.endswith(load_schema()["$id"].rpartition(":")[2])
