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

import jsonschema
import numpy as np

from trailprint.audit.attacks.family import AttackFamily, Repeated
from trailprint.audit.attacks.measuring import describe, find_people, keep_attack, keep_controls
from trailprint.audit.attacks.registry import register_attack
from trailprint.audit.methods import BestMethod, CandidateMethod
from trailprint.linkage import Linkage, Ranks
from trailprint.protections.protection import EventProtection
from trailprint.protections.registry import register_protection
from trailprint.studies.judging import Judge
from trailprint.studies.repeated import look_at_histograms, prepare_histograms
from trailprint.workflows.judging import register_judge


def judge_rows(sides, seed, n_threads):
    return Judge(
        name="toy", on_histograms=lambda *sides: [look_at_histograms(link_rows, *sides)]
    )


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
    judges_every_value = True

    def estimate(self, context):
        return 0.1

    def run(self, context, before, progress):
        found = BestMethod(best=self._match(context), other=None)
        entry = describe(self.name, found, context.truth)
        people = find_people(found.best.linkage, context, context.truth)
        return keep_attack(entry, found, people)

    def _match(self, context):
        linkage = link_rows(*context.histograms)
        chosen = ToyChoice(way="rows")
        return CandidateMethod(title="Rows", linkage=linkage, seconds=0.0, chosen=chosen)

    def repeat(self, context, outcome):
        prepare = prepare_histograms(link_rows, context.counting)
        return Repeated(
            name=self.name,
            title=self.title,
            as_is=lambda: look_at_histograms(link_rows, *context.histograms),
            prepare_events=lambda released, auxiliary, chain: prepare(released, auxiliary),
        )

    def judge(self, context, outcome):
        return judge_rows(context.events, context.options.seed, context.n_threads)

    def leave_out(self, context, outcome, locations):
        return np.zeros(len(locations))

    def estimate_leave_out(self, sizes):
        return 0.1

    def estimate_control(self, context, outcome):
        return 0.1

    def control(self, context, before, progress):
        return keep_controls([])


def link_rows(released, auxiliary):
    n_released, n_auxiliary = len(released.users), len(auxiliary.users)
    rows = np.arange(min(n_released, n_auxiliary))
    return Linkage(
        released=rows,
        auxiliary=rows,
        weight=np.ones(len(rows)),
        confidence=np.ones(len(rows)),
        confidence_is_least=np.zeros(len(rows), dtype=bool),
        n_released=n_released,
        n_auxiliary=n_auxiliary,
        rank=lambda a, b: Ranks(n_better=np.zeros(len(a)), n_tied=np.ones(len(a))),
        facts={},
    )


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
register_judge(ToyFamily.name, judge_rows)
register_protection(ToyProtection)

from trailprint.audit.result_schema import describe_result
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
    if "--json" in line and "audit" in line:
        jsonschema.validate(json.loads(said[-1]), describe_result())
print(json.dumps(said))
'''

AUDIT = ("audit", "campus.csv", "--attacks", "toy,trail", "--out", "out", "--json")
ALONE = ("audit", "campus.csv", "--attacks", "trail", "--out", "out", "--json")
SWEEP = ("protect", "campus.csv", "--apply", "top-locations:n=8", "--sweep", "n=8", "--json")
COMMANDS = {
    "simulate": ("simulate", "campus", "--users", "20", "--days", "14", "--out", "campus.csv"),
    "help": ("audit", "--help"),
    "list": ("protect", "--list", "x.csv"),
    "alone": ALONE,
    "sweep": SWEEP,
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


def test_studies_name_the_toy_that_they_repeat(folder, said):
    result = json.loads(said["audit"])
    assert result["growth"]["amount_known"]["attack"] == "toy"
    assert result["why"]["leave_one_out_attack"] == "toy"
    page = Path(folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "By toy matching they link" in page
    assert "linked by toy matching changes" in page
    assert "By histogram matching" not in page


def test_protections_kept_from_an_audit_without_the_toy_are_judged_again(said):
    for name, judges in (("alone", {"trail"}), ("audit", {"trail", "toy"})):
        points = json.loads(said[name])["protections"]["points"]
        assert points
        for point in points:
            asked = {one["attack"] for one in (*point["judged"], *point["not_judged"])}
            assert point["judged_by_all"]
            assert asked == {"histogram", *judges}


def test_the_toy_judges_sweeps(said):
    (point,) = json.loads(said["sweep"])["sweep"]
    assert (point["family"], point["user_accuracy"]) == ("toy", 1.0)
    assert {"histogram", "trail", "toy"} <= {one["family"] for one in point["attacks"]}
