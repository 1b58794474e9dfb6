"""A few hundred cases on every run; ``make fuzz CASES=…`` runs as many as one likes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.cases import Case
from tests.fuzz.checks import find_problems
from tests.fuzz.corpus import load_case, load_corpus, save_case
from tests.fuzz.minimise import _fewer
from tests.fuzz.running import Said
from tests.fuzz.sandbox import sandbox

ROOT = Path(__file__).parents[2]


def fuzz(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", "--silent", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)


def test_cases_that_once_failed_mutated_inputs_and_odd_options_break_no_rule():
    finished = fuzz("--corpus", "--quick", "--cases", 150)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.startswith(f"{len(load_corpus()) + 150} cases, 0 failing")


#: What each planted fault does, and how it is reported.
PLANTED = {
    "crash": ("import os; os.kill(os.getpid(), 11)", "crash: SIGSEGV"),
    "hang": ("import time; time.sleep(60)", "hang: "),
    "leak": ("show('uz' + 'qx001e')", "leak: in a repr"),
    "unfinished": ("Path('.out.csv.x1').write_text('')", "temporary name left"),
    "scratch": ("import tempfile; tempfile.mkdtemp()", "left over: temporary folder"),
    "child": ("import subprocess; subprocess.Popen(['sleep', '60'])", "left over: child process"),
    "defect": ("from trailprint.errors import in_python; in_python(5)", "exception: "),
    "input": ("Path('data.csv').write_text('')", "input changed: changed: .csv"),
}


def test_planted_faults_are_noticed(tmp_path):
    for name, (source, _) in PLANTED.items():
        kept = {"source": [source], "files": {"data.csv": "user"}}
        (tmp_path / f"{name}.json").write_text(json.dumps(kept))
    finished = fuzz("--corpus", tmp_path, "--limit", 3, "--cold")
    assert finished.returncode == 1
    for name, (_, signature) in PLANTED.items():
        assert re.search(rf"{re.escape(signature)}.*\[case {name}, python]", finished.stdout), name


@pytest.mark.parametrize(
    ("said", "signature"),
    [
        (Said(code=1, err="trailprint: A defect of Trailprint (E at a.py:3).\n"), "defect: E at"),
        (Said(code=2, err="trailprint: A.\ntrailprint: B.\n"), "not one sentence"),
        (Said(code=2, err="Warning\ntrailprint: B.\n"), "not one sentence"),
        (Said(code=2, err=""), "not one sentence"),
        (Said(code=2, out="rows 5\n", err="trailprint: A.\n"), "output before a failure"),
        (Said(code=2, err="trailprint: uzqx004e is bad.\n"), "leak: in standard error"),
        (Said(code=0, out="{} bzqx1.f2\n"), "leak: in standard output"),
        (Said(code=0, out='{"accuracy": NaN}'), "not JSON: NaN"),
        (Said(code=0, out="{}", err="trailprint: A.\n"), "error with exit code 0"),
        (Said(code=0, out="{}", grown_mb=1e6), "memory: "),
    ],
)  # fmt: skip
def test_broken_rules_of_a_command_are_noticed(tmp_path, said, signature):
    case = Case(name="1", files={}, arguments=("match", "data.csv", "--json"))
    with sandbox(tmp_path / "box", {}) as box:
        found = [problem.signature for problem in find_problems(case, said, box)]
    assert any(one.startswith(signature) for one in found), found


def test_a_good_command_has_no_problem(tmp_path):
    case = Case(name="1", files={}, arguments=("match", "uzqx001e.csv", "--json"))
    said = Said(code=2, err="trailprint: No such file: 'uzqx001e.csv'.\n")
    with sandbox(tmp_path / "box", {}) as box:
        assert find_problems(case, said, box) == []


def test_what_a_failing_command_wrote_is_noticed(tmp_path):
    case = Case(name="1", files={}, arguments=("protect", "data.csv", "--out", "p.csv"))
    with sandbox(tmp_path / "box", {}) as box:
        (box.work / "p.csv").write_text("uzqx001e")
        failed = find_problems(case, Said(code=2, err="trailprint: A.\n"), box)
        assert [problem.kind for problem in failed] == ["written by a failing command"]
        assert find_problems(case, Said(code=0, out="fine\n"), box) == []
        (box.work / "p.csv").write_text("user,location\na,b,c\n")
        found = find_problems(case, Said(code=0, out="fine\n"), box)
        assert [problem.kind for problem in found] == ["rows of different lengths"]


def test_every_option_of_every_command_is_tried():
    reference = (ROOT / "docs/reference/commands.md").read_text()
    options = set(re.findall(r"^  (--[a-z0-9-]+)", reference, re.MULTILINE))
    tried = "".join(
        (ROOT / "tests/fuzz" / name).read_text()
        for name in ("options.py", "protecting.py", "commands.py")
    )
    assert len(options) > 60
    # These ask which shell calls and write to its settings: not for a harness.
    options -= {"--install-completion", "--show-completion"}
    assert [one for one in sorted(options) if not re.search(rf"{one}(?![\w-])", tried)] == []


def test_a_case_follows_from_its_number():
    lines = "from tests.fuzz.cases import make_case; print([make_case(n) for n in range(60)])"
    texts = {
        subprocess.run(
            [sys.executable, "-c", lines],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert texts.pop().count(b"Case(name=") == 60


def test_a_case_is_kept_as_it_is(tmp_path):
    files = {"a.csv": b"user,location\r\n\xff\0", "b.txt": b"a\n", "c": b""}
    case = Case(name="kept", files=files, arguments=("inspect", "a.csv"))
    save_case(case, tmp_path / "kept.json", "why")
    assert load_case(tmp_path / "kept.json") == case


def test_only_what_matters_is_kept():
    assert _fewer(list(range(100)), lambda some: {17, 61} <= set(some)) == [17, 61]
