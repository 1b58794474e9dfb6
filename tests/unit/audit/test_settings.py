"""Settings of an audit: written as TOML, read again, and what is refused."""

import dataclasses
import tomllib
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trailprint as tp
from trailprint.audit.options import list_settings, to_settings
from trailprint.audit.settings import read_settings, write_settings
from trailprint.cli.settings import Typed, add_settings

CUT: dict[str, Any] = {"at": "median", "released_users": 40.0, "auxiliary_users": 40.0}
#: A value of each option of an audit that is not its default.
UNUSUAL: dict[str, Any] = {
    "title": 'A "title"',
    "attacks": ("trail", "histogram"),
    "protections": ("microaggregate:k=3", "top-locations:n=5 then coarsen-time:unit_s=60"),
    "target_risk": 1e-7,
    "weight": "day-balanced",
    "knows": "points:2",
    "split": tp.SplitOptions(**CUT, common_users=0.5, seed=7),
    "users": 20,
    "time_limit_s": 12_345_678.25,
    "sequence_users": 50,
    "likely_trails": True,
    "name_locations": True,
    "seed": 3,
}
SPLITS = (
    tp.SplitOptions(**CUT, common_users=30.0, seed=7),
    tp.SplitOptions(halves_of_weeks=True, active_both=True, min_events=2),
    tp.SplitOptions(busiest_weeks=True),
    tp.SplitOptions(ranges="2024-05-01..2024-05-02,2024-05-03..2024-05-04", seed=3),
    tp.SplitOptions(fold="1/5"),
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
VALUES = st.one_of(
    TEXTS, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.just(True)
) | st.lists(TEXTS, min_size=1)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]*", fullmatch=True), VALUES))
def test_what_is_written_is_read(values):
    assert tomllib.loads(write_settings(values)) == values


def test_what_is_not_said_is_left_out():
    nothing: dict[str, object] = {"a": None, "b": False, "c": "", "d": [], "e": ()}
    assert tomllib.loads(write_settings({**nothing, "f": 0})) == {"f": 0}


@pytest.mark.parametrize(
    "options",
    [
        tp.AuditOptions(),
        tp.AuditOptions(title='A "title" \\ of\nlines', users=20, time_limit_s=None, seed=3),
        tp.AuditOptions(attacks=("trail",), protections=("microaggregate:k=3",), knows="top:2"),
        tp.AuditOptions(
            split=tp.SplitOptions(at="median", active_both=True, min_events=2),
            time_limit_s=90.5,
            target_risk=0.05,
            name_locations=True,
            sequence_users=50,
        ),
    ],
)
def test_options_come_back_from_the_file(options, tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(write_settings(to_settings(options.to_dict())), encoding="utf-8")
    assert tp.AuditOptions.from_settings(path) == options


def save(values, folder):
    (folder / "settings.toml").write_text(write_settings(values), encoding="utf-8")
    return folder / "settings.toml"


def read_as_command(path, **typed):
    """The options the command makes of a settings file and flags, and what it saves itself."""
    groups = import_module("trailprint.cli.audit").run.options
    flags = [flag for group in groups.values() for _, flag in group.all_flags()]
    absent = dict.fromkeys([*(flag.key for flag in flags), "data", "auxiliary"])
    given = {"data": "visits.csv", "out": "audit", "settings": path and str(path), **typed}
    found = add_settings({**absent, **given}, flags, [])
    values = {**absent, **found.values}
    made = {name: group.collect(values) for name, group in groups.items()}
    make = made["auditing"].options
    return make(made["giving"], made["drawing"], made["running"].seed), found.kept()


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(tp.AuditOptions)])
def test_python_and_the_command_read_each_option_that_the_other_saved(name, tmp_path):
    options = tp.AuditOptions(**{name: UNUSUAL[name]})
    assert options != tp.AuditOptions()
    from_python = save(to_settings(options.to_dict()), tmp_path)
    assert tp.AuditOptions.from_settings(from_python) == options
    found, kept = read_as_command(from_python)
    assert found == options
    assert tp.AuditOptions.from_settings(save(kept, tmp_path)) == options


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("split", SPLITS)
def test_python_and_the_command_read_each_split_that_the_other_saved(split, seed, tmp_path):
    options = tp.AuditOptions(split=split, seed=seed)
    from_python = save(to_settings(options.to_dict()), tmp_path)
    assert tp.AuditOptions.from_settings(from_python) == options
    found, kept = read_as_command(from_python)
    assert found == options
    assert tp.AuditOptions.from_settings(save(kept, tmp_path)) == options


def test_python_reads_what_was_typed(tmp_path):
    typed = {"attacks": "trail, histogram", "at": "median", "seed": 3, "time_limit": "1.5h"}
    found, kept = read_as_command(None, **typed, split_seed=0, sequence_users=50)
    assert tp.AuditOptions.from_settings(save(kept, tmp_path)) == found
    assert found.split == tp.SplitOptions(at="median")
    assert (found.seed, found.sequence_users, found.time_limit_s) == (3, 50, 5400)


def test_a_list_in_the_file_is_understood_by_both(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('attacks = ["trail", "histogram"]\nweekdays = ["mon", "tue"]\n')
    assert read_as_command(path)[0] == tp.AuditOptions.from_settings(path)


def test_a_seed_of_the_split_needs_a_split():
    with pytest.raises(tp.TrailprintError, match="split_seed goes with a split"):
        read_as_command(None, split_seed=1)


def test_only_what_differs_from_the_defaults_is_written():
    assert to_settings(tp.AuditOptions().to_dict()) == {}
    assert to_settings(tp.AuditOptions(time_limit_s=None).to_dict()) == {"time-limit": "none"}


def test_python_knows_every_key_the_command_writes():
    declared = import_module("trailprint.cli.audit").run.options
    flags = {flag.flag for group in declared.values() for _, flag in group.all_flags()}
    assert flags - list_settings() == {"settings", "json", "dry-run", "measure"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("user = 5", r"^settings must hold only options .* got 'user'\. Did you mean 'users'\?$"),
        (
            "users = \n",
            r"^settings must name a TOML file, .* at line 1, column 9\.$",
        ),
        ("users = 'many'", r"^users must be a whole number or None, got str instead"),
        ("users = 1", r"^users must be at least 2 people"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(text, message, tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(tp.TrailprintError, match=message):
        tp.AuditOptions.from_settings(path)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    with pytest.raises(tp.TrailprintError, match="No such file"):
        read_settings(tmp_path / "none.toml")
    (tmp_path / "deep.toml").write_text("users = " + "[" * 100_000)
    with pytest.raises(tp.TrailprintError, match="TOML"):
        read_settings(tmp_path / "deep.toml")
    (tmp_path / "image").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(tp.TrailprintError, match="TOML"):
        read_settings(tmp_path / "image")


def test_how_data_is_read_is_left_to_those_who_read_it(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('data = "x.csv"\ncell = 500.0\nuser_column = "card"\nusers = 30\n')
    assert tp.AuditOptions.from_settings(path) == dataclasses.replace(tp.AuditOptions(), users=30)


def test_a_command_is_spelled_as_a_shell_takes_it():
    typed = Typed({"data": "a b.csv", "out": "o", "json": True, "per_user": True, "protect": ["x"]})
    assert typed.command("audit") == "trailprint audit 'a b.csv' --out o --per-user --protect x"
