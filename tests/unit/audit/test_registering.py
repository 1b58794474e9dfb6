"""A further attack and a further protection are one class and one line: everything reads them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = '''
import contextlib
import io
import json
import sys
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from trailprint.audit.attacks.family import AttackFamily
from trailprint.audit.attacks.measuring import describe, find_people, keep_attack
from trailprint.audit.attacks.registry import register_attack
from trailprint.audit.methods import BestMethod, CandidateMethod
from trailprint.audit.parts import Outcome
from trailprint.linkage import Linkage, Ranks
from trailprint.protections.protection import EventProtection
from trailprint.protections.registry import register_protection


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyChoice:
    """How rows are matched."""

    way: Literal["rows"]


class ToyFamily(AttackFamily):
    """Links everybody to the row of the same number."""

    name = "toy"
    title = "Toy matching"
    question = "Does the order of rows identify people?"
    assumptions = ("The adversary counts rows.",)
    choice = ToyChoice

    def estimate(self, context):
        return 0.1

    def run(self, context, before, progress):
        found = BestMethod(best=self._match(context), other=None)
        entry = describe(self.name, found, context.truth)
        people = find_people(found.best.linkage, context, context.truth)
        return keep_attack(entry, found, people)

    def _match(self, context):
        rows = np.arange(min(context.sizes.n_released, context.sizes.n_auxiliary))
        linkage = Linkage(
            released=rows,
            auxiliary=rows,
            weight=np.ones(len(rows)),
            confidence=np.ones(len(rows)),
            confidence_is_least=np.zeros(len(rows), dtype=bool),
            n_released=context.sizes.n_released,
            n_auxiliary=context.sizes.n_auxiliary,
            rank=lambda a, b: Ranks(n_better=np.zeros(len(a)), n_tied=np.ones(len(a))),
            facts={},
        )
        chosen = ToyChoice(way="rows")
        return CandidateMethod(title="Rows", linkage=linkage, seconds=0.0, chosen=chosen)

    def estimate_control(self, context, outcome):
        return 0.1

    def control(self, context, before, progress):
        return Outcome(data={"controls": []})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyProtection(EventProtection):
    """Changes nothing."""

    name: ClassVar[str] = "toy-protection"
    summary: ClassVar[str] = "nothing at all, thrice"
    is_public: ClassVar[bool] = False
    audited: ClassVar[str | None] = "times"

    times: int = 1

    def label(self):
        return f"Nothing, {self.times} times"

    @classmethod
    def audit_values(cls, data):
        return [3]

    def rule(self, released, auxiliary, seed):
        return lambda events: events


register_attack(ToyFamily)
register_protection(ToyProtection)

from trailprint.cli.main import main

said = []
for line in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            main(line)
        except SystemExit as stopped:
            if stopped.code:
                raise
    said.append(printed.getvalue())
print(json.dumps(said))
'''

AUDIT = ("audit", "campus.csv", "--attacks", "toy,trail", "--out", "out", "--json")
COMMANDS = {
    "simulate": ("simulate", "campus", "--users", "20", "--days", "14", "--out", "campus.csv"),
    "help": ("audit", "--help"),
    "list": ("protect", "--list", "x.csv"),
    "audit": AUDIT,
    "again": AUDIT,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toys")
    (folder / "program.py").write_text(PROGRAM)
    return folder


def run_commands(folder, *commands):
    """What commands print in a process of a program that brings a toy attack and protection."""
    done = subprocess.run(
        [sys.executable, "program.py", json.dumps(commands)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def said(folder):
    return dict(zip(COMMANDS, run_commands(folder, *COMMANDS.values()), strict=True))


def test_toys_are_in_the_help(said):
    help_text = " ".join(said["help"].replace("│", " ").split())
    assert "histogram,combined,trail,sequence,toy" in help_text
    assert "nothing at all, thrice" in said["list"]


def test_toys_are_in_the_result_and_on_the_page(folder, said):
    result = json.loads(said["audit"])
    toy = result["attacks"][-1]
    assert (toy["name"], toy["ran"], toy["people"]) == ("toy", True, 20)
    names = [attack["name"] for attack in result["attacks"]]
    assert names == ["histogram", "combined", "trail", "sequence", "toy"]
    assert result["worst_case"]["attacks"] == ["trail", "toy"]
    labels = [point["label"] for point in result["protections"]["points"]]
    assert "Nothing, 3 times" in labels
    page = Path(folder / "out" / "report.html").read_text(encoding="utf-8")
    for words in ("Toy matching", "Does the order of rows identify people?", "Nothing, 3 times"):
        assert words in page
    # Every part is kept by then, and read again.
    assert json.loads(said["again"])["attacks"] == result["attacks"]
