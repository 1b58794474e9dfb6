"""A schema says of each type what its plain values may be."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from trailprint.audit.results.schema import derive_schema, name_schema
from trailprint.plain import OMITTED, to_plain
from trailprint.values import MaskedCount, Rule, Share


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """
    A leaf; ``ends`` is None without an interval.

    More is not described.
    """

    ends: tuple[Share, int] | None
    kind: Literal["one", "two"]
    extra: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A tree."""

    leaves: tuple[Leaf, ...]
    shares: Mapping[str, Share]
    people: MaskedCount
    name: Annotated[str, Rule("const", "oak")] = "oak"
    settings: Mapping[str, Any]


def test_every_kind_of_type_is_described():
    share = {"type": "number", "minimum": 0, "maximum": 1}
    leaf = {
        "description": "A leaf; `ends` is null without an interval.",
        "type": "object",
        "properties": {
            "ends": {
                "anyOf": [
                    {
                        "type": "array",
                        "prefixItems": [share, {"type": "integer"}],
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    {"type": "null"},
                ]
            },
            "kind": {"enum": ["one", "two"]},
            "extra": {"type": "number"},
        },
        "required": ["ends", "kind"],
        "additionalProperties": False,
    }
    text = {"type": "string", "pattern": "^([<>][0-9]+|hidden)$"}
    assert derive_schema(Tree) == {
        "description": "A tree.",
        "type": "object",
        "properties": {
            "leaves": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
            "shares": {"type": "object", "additionalProperties": share},
            "people": {"anyOf": [{"type": "integer", "minimum": 0}, text]},
            "name": {"type": "string", "const": "oak"},
            "settings": {"type": "object", "additionalProperties": {}},
        },
        "required": ["leaves", "shares", "people", "name", "settings"],
        "additionalProperties": False,
        "$defs": {"Leaf": leaf},
    }


shares = st.floats(0, 1)
leaves = st.builds(
    Leaf,
    ends=st.none() | st.tuples(shares, st.integers()),
    kind=st.sampled_from(["one", "two"]),
    extra=st.none() | shares,
)
trees = st.builds(
    Tree,
    leaves=st.lists(leaves).map(tuple),
    shares=st.dictionaries(st.text(), shares),
    people=st.integers(0) | st.sampled_from(["<10", ">90", "hidden"]),
    settings=st.dictionaries(st.text(), st.none() | st.text()),
)


@given(trees)
def test_what_is_written_obeys_the_schema(tree):
    plain = json.loads(json.dumps(to_plain(tree)))
    assert list(Draft202012Validator(derive_schema(Tree)).iter_errors(plain)) == []


def test_the_name_of_a_schema_has_its_version():
    assert name_schema("trailprint.tree/3")["$id"] == "urn:trailprint:tree:3"
