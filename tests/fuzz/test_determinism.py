"""One seed, one answer: whatever the threads, the hash seed or the order of rows."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.layouts import write_parquet, write_text
from tests.fuzz.populations import Shape, Table, draw_population

#: What is measured and never twice the same.
MEASURED = re.compile("second|peak_memory")

#: Whole commands; the data has few places, so that there are ties to settle.
COMMANDS = {
    "inspect": ("inspect", "{0}"),
    "match": ("match", "{0}", "--at", "median", "--margins"),
    "match one by one": ("match", "{0}", "--fold", "1/2", "--method", "one-by-one"),
    "match slots": ("match", "{0}", "--at", "median", "--slots", "weekday", "--metric", "l1"),
    "match drawn users": ("match", "{0}", "--at", "median", "--released-users", "9"),
    "trails": ("trails", "{0}", "--halves-of-weeks"),
    "trails withheld": (
        *("trails", "{0}", "--at", "median"),
        *("--sensitivity", "withholding", "--runs", "5"),
    ),
    "points": ("points", "{0}"),
    "points in order": ("points", "{0}", "--knowledge", "sequence"),
    "points in proportion": ("points", "{0}", "--knowledge", "proportion", "--tolerance", "0.2"),
    "correlate": ("correlate", "{0}", "--at", "median"),
    "correlate markov": ("correlate", "{0}", "--at", "median", "--model", "markov", "--joint"),
    "protect groups": ("protect", "{0}", "--apply", "microaggregate:k=3"),
    "protect noise": ("protect", "{0}", "--apply", "noise:epsilon=2", "--seed", "5"),
    "protect times": ("protect", "{0}", "--apply", "perturb-times", "--apply", "top-locations:n=3"),
    "sweep": ("protect", "{0}", "--apply", "noise", "--sweep", "epsilon=1", "--fold", "1/2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def people() -> Table:
    shape = Shape(n_users=18, n_places=5, n_events=14, numeric=False, times="iso")
    table = draw_population(random.Random(7), shape)
    return table.select("user", "location", "start", "end")


def shuffled(table: Table, seed: int) -> Table:
    rows = list(range(table.n_rows))
    random.Random(seed).shuffle(rows)
    return table.take(rows)


@pytest.fixture(scope="module")
def sources(people, tmp_path_factory) -> list[str]:
    """The same people in three orders, and in another format."""
    folder = tmp_path_factory.mktemp("orders")
    contents = {
        "a.csv": write_text(people),
        "b.csv": write_text(shuffled(people, 1)),
        "c.csv": write_text(shuffled(people, 2)),
        "d.parquet": write_parquet(shuffled(people, 3)),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in contents]


def answer(run, name: str, source: str, *more: str) -> object:
    """What a command prints, without how long it took."""
    finished = run(*(word.format(source) for word in COMMANDS[name]), "--json", *more)
    assert finished.code == 0, finished.err
    return without_times(finished.json)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not MEASURED.search(k)}
    return [without_times(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", COMMANDS)
def test_neither_threads_nor_the_order_of_rows_change_anything(run, sources, name):
    """Each order with another number of threads: the first with one, the others with more."""
    first = answer(run, name, sources[0], "--threads", "1")
    assert answer(run, name, sources[0], "--threads", "5") == first
    for threads, source in zip(("2", "1", "5"), sources[1:], strict=True):
        assert answer(run, name, source, "--threads", threads) == first, Path(source).name


#: Runs each line of commands it is given, and prints what they print.
PROGRAM = """
import contextlib, json, sys
from trailprint.cli.main import main
for line in json.loads(sys.argv[1]):
    with contextlib.suppress(SystemExit):
        main(line)
"""


def test_the_hash_seed_changes_nothing(sources):
    lines = [
        [*(word.format(sources[0]) for word in COMMANDS[name]), "--json"]
        for name in ("match", "correlate", "protect groups")
    ]
    program = [sys.executable, "-c", PROGRAM, json.dumps(lines)]
    answers = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed = subprocess.run(program, capture_output=True, env=environment, check=True).stdout
        answers.append([without_times(one) for one in read_objects(printed.decode())])
    assert len(answers[0]) == len(lines)
    assert answers[0] == answers[1]


def read_objects(text: str) -> list[object]:
    """The JSON objects that stand one after another in a text."""
    found, place = [], 0
    while text[place:].strip():
        place = len(text) - len(text[place:].lstrip())
        one, place = json.JSONDecoder().raw_decode(text, place)
        found.append(one)
    return found
