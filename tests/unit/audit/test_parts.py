"""Parts that are kept are found again, whole or not at all."""

import numpy as np
import pytest
from tests.presence import present

from trailprint.audit.parts import Outcome, Part, fetch, keep, key_of
from trailprint.store import MemoryStore


def make_part(**changes):
    about = {"name": "attack/trail", "title": "Trails", "seconds": 1.0, "compute": lambda *_: None}
    return Part(**{**about, **changes})


def test_what_is_kept_is_found_again():
    store = MemoryStore()
    outcome = Outcome(
        data={"share": 0.1 + 0.2, "words": "é"},
        arrays={"linked": np.array([True, False]), "risk": np.array([0.5, np.nan])},
        seconds=1.5,
    )
    keep(store, "here", outcome)
    found = present(fetch(store, "here"))
    assert found.data == outcome.data
    assert found.seconds == outcome.seconds
    for name, array in outcome.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
        assert found.arrays[name].dtype == array.dtype


def test_nothing_is_found_where_nothing_was_kept():
    assert fetch(MemoryStore(), "nowhere") is None


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"PK" + b])
def test_a_damaged_part_is_done_again(damage):
    store = MemoryStore()
    keep(store, "here", Outcome(data={"a": 1}, arrays={"x": np.arange(1000)}))
    store.put("here", damage(store.get("here")))
    assert fetch(store, "here") is None


def test_keys_differ_with_everything_a_part_depends_on():
    data = {"released": [1], "seed": 0}
    keys = {
        key_of(make_part(), data, ()),
        key_of(make_part(name="attack/histogram"), data, ()),
        key_of(make_part(depends_on={"k": 5}), data, ()),
        key_of(make_part(), {**data, "seed": 1}, ()),
        key_of(make_part(), {**data, "released": [2]}, ()),
        key_of(make_part(uses=("a", "b")), data, ("b",)),
        key_of(make_part(uses=("a", "b")), data, ("a", "b")),
    }
    assert len(keys) == 7
    assert key_of(make_part(title="else", seconds=9.0), data, ()) == key_of(make_part(), data, "c")


def test_keys_hold_no_parameter_of_a_protection():
    part = make_part(name="protect/coarsen-regions:mapping=/home/SECRET.csv")
    assert "SECRET" not in key_of(part, {}, ())
    assert key_of(part, {}, ()).startswith("parts/protect-coarsen-regions-")
