"""Settings of an audit: written as TOML, read again, and what is refused."""

import dataclasses
import tomllib
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trailprint as tp
from trailprint.audit.settings import _known, read_settings, to_settings, write_settings
from trailprint.cli.settings import Typed

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


def test_only_what_differs_from_the_defaults_is_written():
    assert to_settings(tp.AuditOptions().to_dict()) == {}
    assert to_settings(tp.AuditOptions(time_limit_s=None).to_dict()) == {"time-limit": "none"}


def test_python_knows_every_key_the_command_writes():
    declared = import_module("trailprint.cli.audit").run.options
    flags = {flag.flag for group in declared.values() for _, flag in group.all_flags()}
    assert flags - _known() == {"settings", "json", "dry-run", "measure"}


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
