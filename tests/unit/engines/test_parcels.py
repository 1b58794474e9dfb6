"""Arrays that travel: what is unpacked is what was packed, in a file that is shared."""

from __future__ import annotations

import pickle
import stat
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("pyspark")

from trailprint.engines.spark import parcels


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


CONTENTS = (Pair(np.arange(7, dtype=np.int32), np.random.default_rng(0).random((5, 3))), 3, "x")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(parcels, "_folder", lambda: tmp_path)
    return tmp_path


def _travel(contents):
    return pickle.loads(pickle.dumps(parcels.Parcel(contents), 5))


def test_what_arrives_is_what_was_sent(folder):
    pair, number, text = _travel(CONTENTS)
    assert isinstance(pair, Pair)
    assert (number, text) == (3, "x")
    for found, sent in zip(pair, CONTENTS[0], strict=True):
        np.testing.assert_array_equal(found, sent)
        assert found.dtype == sent.dtype
        assert found.ctypes.data % 64 == 0
        # Compiled loops know arrays that cannot be written to as another type.
        assert found.flags.writeable
        assert found.flags.c_contiguous


def test_one_file_for_all_that_only_the_owner_reads(folder):
    first, second = _travel(CONTENTS), _travel(CONTENTS)
    (path,) = folder.iterdir()
    assert path.name == parcels.Parcel(CONTENTS).name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    # Each has a copy of what it changes, and of nothing else.
    first[0].first[0] = 99
    assert second[0].first[0] == 0
    parcels.drop_parcel(path.name)
    assert not list(folder.iterdir())
    assert second[0].first[1] == 1


def test_the_name_is_that_of_the_contents():
    again = (Pair(*(array.copy() for array in CONTENTS[0])), 3, "x")
    changed = (Pair(CONTENTS[0].first, CONTENTS[0].second + 1e-15), 3, "x")
    name = parcels.Parcel(CONTENTS).name
    assert parcels.Parcel(again).name == name
    assert parcels.Parcel(changed).name != name
    assert parcels.Parcel((*CONTENTS[:1], 4, "x")).name != name


def test_nothing_is_written_for_empty_arrays(folder):
    (found,) = _travel((np.zeros(0),))
    assert found.size == 0
    assert not list(folder.iterdir())
