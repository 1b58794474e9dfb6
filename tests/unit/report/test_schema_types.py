"""The schema in the package is that of the types, and holds every value of a result to them."""

from collections.abc import Iterator
from copy import deepcopy
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from trailprint.audit.result_schema import describe_result, render_schema
from trailprint.audit.results.findings import Findings
from trailprint.plain import ShapeError

Path = tuple[str | int, ...]

#: What may be anything: options and their values.
FREE = {"settings", "parameters"}


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value and its path, from the top."""
    yield path, value
    if isinstance(value, dict | list):
        for step, own in value.items() if isinstance(value, dict) else enumerate(value):
            yield from walk(own, (*path, step))


def find(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def with_change(value: Any, path: Path, new: Any) -> Any:
    changed = deepcopy(value)
    find(changed, path[:-1])[path[-1]] = new
    return changed


def test_the_packaged_schema_is_that_of_the_types():
    text = files("trailprint.report").joinpath("result.schema.json").read_text(encoding="utf-8")
    assert text == render_schema(), "run make reference"


def test_every_object_of_the_schema_is_closed_and_has_only_known_members():
    for path, value in walk(describe_result()):
        if isinstance(value, dict) and value.get("type") == "object":
            assert "additionalProperties" in value, path
            assert set(value.get("required", ())) <= set(value.get("properties", ())), path


def wrong_values(value: Any) -> list[Any]:
    """Values of types that stand for none of the value's own."""
    if isinstance(value, dict | list):
        return ["text", 7, True]
    return [["a", "list"], {"an": "object"}, *([] if isinstance(value, bool) else [True])]


def test_no_value_of_a_result_may_be_of_another_type(result):
    validator = Draft202012Validator(describe_result())
    assert validator.is_valid(result)
    paths = [path for path, _ in walk(result) if path and not FREE & set(path[:-1])]
    chosen = {path_without_numbers(path): path for path in paths}
    assert len(chosen) > 250
    for path in chosen.values():
        for wrong in wrong_values(find(result, path)):
            if path[-1] in FREE and isinstance(wrong, dict):
                continue
            damaged = with_change(result, path, wrong)
            assert not validator.is_valid(damaged), path
            with pytest.raises(ShapeError):
                Findings.from_dict(damaged)


def path_without_numbers(path: Path) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in path)


def test_no_object_of_a_result_may_have_an_unknown_member(result):
    validator = Draft202012Validator(describe_result())
    objects = [
        path
        for path, value in walk(result)
        if isinstance(value, dict) and not FREE & set(path) and path not in MAPPINGS
    ]
    for path in {path_without_numbers(path): path for path in objects}.values():
        if path[-1:] != ("fewer_than",):
            damaged = with_change(result, (*path, "unknown"), 1)
            assert not validator.is_valid(damaged), path


#: Objects whose members have names of the audit: parts, reasons, programs.
MAPPINGS: set[Path] = {
    ("data", "rows_left_out"),
    ("versions",),
    ("seconds", "parts"),
    ("seconds", "estimated"),
}
