"""Whatever happens to the work folder of an audit: its parts are done again, with one result."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from tests.presence import present

from trailprint.audit import AuditOptions, audit
from trailprint.audit.part_shapes import fits_shape
from trailprint.audit.parts import Outcome, fetch, keep
from trailprint.audit.planning.plan import Plan
from trailprint.events.reading.read import read
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import FolderStore, MemoryStore

MANIFEST = {"work": "trailprint audit", "format": 1}
OPTIONS = AuditOptions(
    attacks=("histogram", "trail"), protections=("microaggregate:k=3",), time_limit_s=None
)


@pytest.fixture(scope="module")
def campus(engine):
    table = simulate_campus(CampusOptions(n_users=20, n_days=14, seed=5))
    return read(table, engine=engine).materialise()


def run(campus, store):
    """The result without its times, and which parts had been kept."""
    plans: list[Plan] = []
    result = audit(campus, options=OPTIONS, store=store, n_threads=1, on_plan=plans.append)
    values = {key: value for key, value in result.to_dict().items() if key != "seconds"}
    for attack in values["attacks"]:
        attack["seconds"] = None
    return json.dumps(values), {part.name for part in plans[0].parts}, plans[0].kept


@pytest.fixture(scope="module")
def audited(campus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited") / "work"
    values, names, kept = run(campus, FolderStore(folder, MANIFEST))
    assert not kept
    return folder, values, names


@pytest.fixture
def work(audited, tmp_path):
    """A copy of the folder, to be damaged."""
    return shutil.copytree(audited[0], tmp_path / "work")


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_flipped_bits_are_noticed_wherever_they_are(work, audited):
    """A sample over all files, and in each of them the first bytes and the last."""
    random = np.random.default_rng(0)
    names = {path: str(path.relative_to(work)) for path in files_of(work)}
    for path, name in names.items():
        whole = path.read_bytes()
        drawn = random.integers(0, len(whole), 12).tolist()
        for place in {0, 5, 20, 49, 50, 51, len(whole) - 1, *drawn}:
            damaged = bytearray(whole)
            damaged[min(place, len(whole) - 1)] ^= 1 << int(random.integers(8))
            path.write_bytes(damaged)
            store = FolderStore(work, MANIFEST)
            if name == "manifest.json":
                assert all(store.get(other) is not None for other in names.values() if "/" in other)
            else:
                assert store.get(name) is None
        path.write_bytes(whole)


def flip(path, random):
    content = bytearray(path.read_bytes())
    content[random.integers(len(content))] ^= 1 << int(random.integers(8))
    path.write_bytes(content)


def deepen(path, random):
    path.write_bytes(b'{"data":' + b"[" * 200_000)


def become_folder(path, random):
    path.unlink()
    (path / "inside").mkdir(parents=True)


DAMAGE = {
    "flipped": flip,
    "cut": lambda path, random: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path, random: path.write_bytes(b""),
    "zeros": lambda path, random: path.write_bytes(bytes(path.stat().st_size)),
    "nonsense": lambda path, random: path.write_bytes(random.bytes(500)),
    "deep": deepen,
    "longer": lambda path, random: path.write_bytes(path.read_bytes() + b"\0"),
    "folder": become_folder,
}


@pytest.mark.parametrize("first", range(3))
def test_damaged_parts_are_done_again_with_the_same_result(work, audited, campus, first):
    """Every file is damaged, each in another way; whatever the way, no part is believed."""
    _, values, names = audited
    random = np.random.default_rng(1)
    kinds = list(DAMAGE)
    for place, path in enumerate(files_of(work)):
        if path.name == "manifest.json":
            DAMAGE[("flipped", "cut", "zeros")[first]](path, random)
        else:
            DAMAGE[kinds[(place + 3 * first) % len(kinds)]](path, random)
    assert len(files_of(work)) >= len(kinds)
    again, _, kept = run(campus, FolderStore(work, MANIFEST))
    assert not kept
    assert again == values
    assert run(campus, FolderStore(work, MANIFEST)) == (values, names, names)


def test_one_damaged_part_is_the_only_one_done_again(work, audited, campus):
    _, values, names = audited
    random = np.random.default_rng(2)
    flip(next((work / "parts").glob("control-trail-*")), random)
    assert run(campus, FolderStore(work, MANIFEST)) == (values, names, names - {"control/trail"})


def test_parts_that_change_places_are_done_again(work, audited, campus):
    _, values, names = audited
    first, second = (next((work / "parts").glob(f"growth-{name}-*")) for name in ("users", "time"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    done = names - {"growth/users", "growth/time"}
    assert run(campus, FolderStore(work, MANIFEST)) == (values, names, done)


def corrupt_arrays(arrays, random):
    name = random.choice(sorted(arrays))
    array = arrays[name]
    other = random.choice(["cut", "type", "range", "gone", "deeper"])
    if other == "gone":
        return {key: item for key, item in arrays.items() if key != name}
    changed = {
        "cut": array[:-1],
        "type": array.astype(str),
        "range": np.full(array.shape, 10**9),
        "deeper": array[None],
    }
    return {**arrays, name: changed[other]}


def test_nonsense_of_the_right_format_ends_in_a_result(campus, audited):
    """A user's own store gives back well-formed parts that make no sense."""
    random = Random(0)
    store, folder = MemoryStore(), FolderStore(audited[0], MANIFEST)
    for path in files_of(audited[0] / "parts"):
        key = str(path.relative_to(audited[0]))
        store.put(key, present(folder.get(key)))
    n_done_again = 0
    whole = dict(store._kept)
    for _ in range(2):
        for key, content in whole.items():
            store.put(key, content)
            outcome = present(fetch(store, key))
            if outcome.arrays and random.random() < 0.7:
                outcome = replace(outcome, arrays=corrupt_arrays(outcome.arrays, random))
            else:
                part = random.choice(sorted(outcome.data))
                gone = {name: item for name, item in outcome.data.items() if name != part}
                nonsense = random.choice([gone, {}, {**outcome.data, part: 7}])
                outcome = replace(outcome, data=nonsense)
            keep(store, key, outcome)
        values, names, kept = run(campus, store)
        n_done_again += len(names - kept)
        assert values == audited[1]
    assert n_done_again > 10


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"[" * 200_000,
        b"\x93NUMPY\x01\x00\x76\x00{" + b"(" * 300,
        b"\x80\x04cos\nsystem\n",
    ],
)
def test_what_is_no_archive_is_not_there(content):
    store = MemoryStore()
    store.put("x", content)
    assert fetch(store, "x") is None


@pytest.mark.parametrize(
    "about",
    [
        b"[]",
        b"{}",
        b'{"data": 1, "seconds": 0}',
        b'{"data": {}, "seconds": "long"}',
        b'{"data": {}, "seconds": NaN}',
        b'{"data": {}, "seconds": -1}',
        b'{"data":' + b"[" * 200_000,
        b"\xff",
    ],
)
def test_an_archive_of_something_else_is_not_there(about):
    store, buffer = MemoryStore(), io.BytesIO()
    np.savez_compressed(buffer, about=np.frombuffer(about, dtype=np.uint8))
    store.put("x", buffer.getvalue())
    assert fetch(store, "x") is None


def test_arrays_of_objects_are_never_unpickled():
    store, buffer = MemoryStore(), io.BytesIO()
    about = np.frombuffer(b'{"data": {}, "seconds": 0}', dtype=np.uint8)
    np.savez_compressed(buffer, about=about, x=np.array([{}], dtype=object))
    store.put("x", buffer.getvalue())
    assert fetch(store, "x") is None


def test_outcomes_of_unknown_kinds_do_not_fit():
    assert not fits_shape("else", Outcome(data={}), cast(Any, None))
