"""The names people may rely on, and how every command behaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trailprint
import trailprint.errors
from trailprint.cli.program import build_app
from trailprint.errors import TrailprintError

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
COMMANDS = sorted(str(command.name) for command in build_app().registered_commands)


#: A change of this list changes what other people's programs rely on.
PUBLIC = [
    "AuditOptions",
    "CorrelateOptions",
    "Engine",
    "Events",
    "FilterOptions",
    "MatchOptions",
    "ReadOptions",
    "SplitOptions",
    "TrailOptions",
    "TrailprintError",
    "audit",
    "compare",
    "correlate",
    "inspect",
    "match",
    "points",
    "protect",
    "read",
    "split",
    "trails",
]


#: The same for the modules beside them.
MODULES = {
    "options": [
        "AuditOptions",
        "Box",
        "CorrelateOptions",
        "EngineOptions",
        "FilterOptions",
        "FoldOptions",
        "HistogramOptions",
        "Knowledge",
        "MatchOptions",
        "PlaceOptions",
        "PointsOptions",
        "ReadOptions",
        "RejectionOptions",
        "SensitivityOptions",
        "SplitOptions",
        "StayOptions",
        "SweepOptions",
        "TrailOptions",
        "ViewOptions",
        "Window",
    ],
    "places": [
        "Box",
        "GridOptions",
        "PlaceOptions",
        "StayOptions",
        "extent",
        "place",
        "to_cells",
        "to_h3",
        "to_regions",
        "to_stays",
        "truncate_names",
        "within_box",
    ],
    "reproduce": ["Reproduction", "list_experiments", "reproduce"],
    "simulate": [
        "CampusOptions",
        "GpsOptions",
        "HouseholdOptions",
        "WebOptions",
        "WeekdayCampusOptions",
        "simulate_calls",
        "simulate_campus",
        "simulate_gps",
        "simulate_households",
        "simulate_web",
        "simulate_weekday_campus",
    ],
    "store": ["FolderStore", "MemoryStore", "Store"],
    "workflows": [
        *("apply_filters", "correlate_folds", "plan_correlate", "plan_correlate_folds"),
        *("plan_match", "plan_points", "plan_protect", "plan_trade_off", "score"),
        *("study_sensitivity", "to_households", "trade_off"),
    ],
}


@pytest.mark.parametrize("name", MODULES)
def test_public_modules(name):
    module = getattr(trailprint, name)
    assert module.__all__ == MODULES[name] == sorted(MODULES[name])
    assert name in dir(trailprint)
    for each in module.__all__:
        assert getattr(module, each).__doc__, each
    with pytest.raises(AttributeError):
        module.no_such_name  # noqa: B018


def test_public_names():
    assert trailprint.__all__ == PUBLIC == sorted(PUBLIC)
    assert len(PUBLIC) <= 20


def test_every_public_name_is_there():
    for name in trailprint.__all__:
        assert getattr(trailprint, name).__doc__, name


def test_every_error_of_ours_has_one_base():
    defined = [value for value in vars(trailprint.errors).values() if isinstance(value, type)]
    assert len(defined) > 3
    assert all(issubclass(error, TrailprintError) for error in defined)


def test_the_commands():
    assert COMMANDS == [
        "app",
        "audit",
        "compare",
        "correlate",
        "demo",
        "inspect",
        "layouts",
        "match",
        "points",
        "protect",
        "reproduce",
        "simulate",
        "split",
        "trails",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_what_every_command_understands(run, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    finished = run(command, "--help")
    assert finished.code == 0
    assert f"Example:  trailprint {command}" in " ".join(finished.out.split(" "))
    for option in ("--json", "--seed", "--threads"):
        assert option in finished.out
    assert run(command, "-h").out == finished.out


def test_the_program_alone_shows_its_commands(run):
    finished = run()
    assert finished.code == 0
    assert all(command in finished.out for command in COMMANDS)


def test_version(run):
    finished = run("--version")
    assert (finished.code, finished.out) == (0, trailprint.__version__ + "\n")


@pytest.mark.parametrize(
    "command",
    # That of the demo is tried where a demo is run: tests/integration/test_commands.py.
    [name for name in COMMANDS if name not in ("reproduce", "app", "demo")],
)
@pytest.mark.usefixtures("kernels", "blank_charts")
def test_json_is_one_object_and_nothing_else(run, write, tmp_path, command):
    rows = "".join(f"u{i % 4},l{i % 3},2024-01-{1 + i % 20:02}\n" for i in range(60))
    path = write("v.csv", "user,location,start\n" + rows)
    arguments = {
        "audit": (
            *(path, "--out", tmp_path / "audit"),
            *("--attacks", "histogram", "--protect", "top-locations:n=2"),
        ),
        "compare": (EXAMPLE, EXAMPLE, "--out", tmp_path / "compared"),
        "inspect": (path,),
        "split": (
            path,
            "--at",
            "median",
            "--released",
            tmp_path / "r.csv",
            "--auxiliary",
            tmp_path / "a.csv",
        ),
        "simulate": ("campus", "--users", 5, "--out", tmp_path / "s.csv"),
        "layouts": (),
        "match": (path, "--at", "median"),
        "correlate": (path, "--at", "median"),
        "trails": (path, "--at", "median"),
        "points": (path, "--points", "1"),
        "protect": (path, "--apply", "active-users"),
    }[command]
    finished = run(command, *arguments, "--json", "--threads", 1, "--seed", 3)
    assert finished.code == 0, finished.err
    assert isinstance(json.loads(finished.out), dict)
    assert finished.err == ""


def test_completion_shows_what_users_may_use_and_nothing_else():
    shown = {name for name in dir(trailprint) if not name.startswith("__")}
    assert shown == {*PUBLIC, *MODULES}
