"""Results as plain values: written once, read again, and refused where they do not fit."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailprint.audit.results.findings import SCHEMA, Findings
from trailprint.plain import OMITTED, ShapeError, from_plain, to_plain

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """One of each kind of value."""

    n: int
    share: float | None
    masked: int | str
    ends: tuple[float, float] | None
    is_there: bool
    extra: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Leaves below a root."""

    leaves: tuple[Leaf, ...]
    by_name: Mapping[str, int]
    anything: Mapping[str, Any]


shares = st.floats(0, 1)
leaves = st.builds(
    Leaf,
    n=st.integers(),
    share=st.none() | shares,
    masked=st.integers() | st.text(),
    ends=st.none() | st.tuples(shares, shares),
    is_there=st.booleans(),
    extra=st.none() | shares,
)
trees = st.builds(
    Tree,
    leaves=st.lists(leaves).map(tuple),
    by_name=st.dictionaries(st.text(), st.integers()),
    anything=st.dictionaries(st.text(), st.none() | st.text()),
)


@given(trees)
def test_what_is_written_is_read_again(tree):
    assert from_plain(Tree, json.loads(json.dumps(to_plain(tree)))) == tree


def test_members_that_are_none_are_left_out_only_where_they_may():
    leaf = Leaf(n=1, share=None, masked="<10", ends=(0.0, 1.0), is_there=True)
    assert to_plain(leaf) == {
        "n": 1,
        "share": None,
        "masked": "<10",
        "ends": [0.0, 1.0],
        "is_there": True,
    }


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("n", 1.5),
        ("n", True),
        ("n", None),
        ("share", "0.5"),
        ("masked", None),
        ("ends", [0.1]),
        ("ends", [0.1, "x"]),
        ("is_there", 1),
        ("extra", []),
    ],
)
def test_what_is_of_another_type_is_refused(name, wrong):
    plain = {"n": 1, "share": 0.5, "masked": 3, "ends": None, "is_there": False}
    assert from_plain(Leaf, plain).n == 1
    with pytest.raises(ShapeError):
        from_plain(Leaf, {**plain, name: wrong})
    del plain["n"]
    with pytest.raises(ShapeError, match="a member of Leaf is missing"):
        from_plain(Leaf, plain)


def test_a_refusal_shows_no_value():
    with pytest.raises(ShapeError) as refused:
        from_plain(Leaf, {"n": "SECRET"})
    assert "SECRET" not in str(refused.value)


def test_whole_numbers_stay_as_they_were_written():
    plain = {"n": 1, "share": 1, "masked": 3, "ends": [0, 1], "is_there": False}
    assert json.dumps(to_plain(from_plain(Leaf, plain))) == json.dumps(plain)


def test_the_example_is_read_and_written_without_a_change():
    result = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    again = Findings.from_dict(result).to_dict()
    assert again == result
    assert result["schema"] == SCHEMA


def test_unknown_members_are_ignored():
    result = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    richer = deepcopy(result)
    richer["later"] = richer["headline"]["later"] = 1
    assert Findings.from_dict(richer) == Findings.from_dict(result)


def test_every_type_of_the_tree_is_frozen_and_takes_names_only():
    seen: set[type] = set()
    waiting: list[type] = [Findings]
    while waiting:
        kind = waiting.pop()
        seen.add(kind)
        assert vars(kind)["__dataclass_params__"].frozen, kind
        assert all(item.kw_only for item in fields(kind)), kind
        waiting += [own for own in _types_below(kind) if own not in seen]
    assert len(seen) > 25


def _types_below(kind):
    def walk(hint):
        if is_dataclass(hint):
            yield hint
        for inner in getattr(hint, "__args__", ()):
            yield from walk(inner)

    return [own for hint in get_type_hints(kind).values() for own in walk(hint)]
