"""``trailprint audit --dry-run``: what would be done, and nothing is."""

from __future__ import annotations

import json
import os

import pytest

from trailprint import AuditOptions, read
from trailprint.audit.run import Asked, plan_audit
from trailprint.cli.audit import _describe_needs
from trailprint.engines.options import EngineOptions

pytestmark = pytest.mark.usefixtures("blank_charts")

ROWS = "".join(f"u{n % 12},l{n % 7},2024-03-{1 + n % 28:02}\n" for n in range(400))


def test_a_plan_says_parts_with_time_and_memory_and_leaves_nothing(run, write, tmp_path):
    path = write("v.csv", "user,location,start\n" + ROWS)
    plan = run("audit", path, "--out", tmp_path / "audit", "--dry-run", "--json").json
    names = [part["name"] for part in plan["parts"]]
    assert names[0] == "attack/histogram"
    assert plan["people"] == 12
    assert plan["pairs"] > 12
    assert plan["seconds"] > 0
    assert plan["megabytes"] == max(part["megabytes"] for part in plan["parts"]) > 0
    assert os.listdir(tmp_path) == ["v.csv"]


def test_parts_that_were_done_count_as_kept(run, write, tmp_path):
    path = write("v.csv", "user,location,start\n" + ROWS)
    quick = ("--attacks", "trail", "--time-limit", "0.001s")
    words = ("audit", path, "--out", tmp_path / "audit", *quick, "--json")
    assert run(*words).code == 0
    plan = run(*words, "--dry-run").json
    done = [part["name"] for part in plan["parts"] if part["kept"]]
    assert "attack/trail" in done


def test_a_plan_for_people_is_a_list(run, write, tmp_path):
    path = write("v.csv", "user,location,start\n" + ROWS)
    finished = run("audit", path, "--out", tmp_path / "audit", "--dry-run")
    assert "parts to do" in finished.err
    assert "12 people; " in finished.err
    assert "executor" not in finished.err
    assert finished.out == ""


def test_further_protections_are_measured_beside_the_report_and_released(run, write, tmp_path):
    path, out = write("v.csv", "user,location,start\n" + ROWS), tmp_path / "audit"
    words = ("audit", path, "--out", out, "--attacks", "histogram,trail")
    assert "Audit first" in run(*words, "--measure", "top-locations:n=3").err
    assert run(*words, "--protect", "top-locations:n=5").code == 0
    report = (out / "report.html").read_bytes()
    found = run(*words, "--measure", "top-locations:n=3", "--json").json
    assert (out / "report.html").read_bytes() == report
    (point,) = found["points"]
    assert [one["attack"] for one in point["judged"]] == ["histogram", "trail"]
    shown = run(*words, "--measure", "top-locations:n=3").out
    assert "Only the 3 most visited locations" in shown
    assert "Rates are shares of 12 people" in shown
    protect = ("protect", path, "--release", tmp_path / "r", "--audit", out, "--apply")
    assert "--measure" in run(*protect, "top-locations:n=4").err
    assert run(*protect, "top-locations:n=3").code == 0
    reported = json.loads((tmp_path / "r" / "release.json").read_text())
    assert reported["risk"]["attack"] == point["attack"]


def test_a_plan_for_spark_says_what_executors_hold(write):
    events = read(write("v.csv", "user,location,start\n" + ROWS))
    plan = plan_audit(Asked(sides=[events], truth=None, options=AuditOptions()))
    assert "MB on each executor" in _describe_needs(plan, EngineOptions(engine="spark"))
    assert "executor" not in _describe_needs(plan, EngineOptions())
    assert plan.to_dict()["worker_megabytes"] > 0


def test_a_plan_in_python(write):
    events = read(write("v.csv", "user,location,start\n" + ROWS))
    plan = plan_audit(Asked(sides=[events], truth=None, options=AuditOptions()))
    assert plan.to_dict()["people"] == 12
