"""One message, two audiences: ``size`` in Python and ``--size`` on the command line."""

from __future__ import annotations

import pickle
from typing import Any, cast

import pytest

import trailprint as tp
from trailprint.errors import OptionError, to_flag


def test_options_are_named_as_the_reader_types_them(run, write):
    with pytest.raises(OptionError, match=r"^size must be at least 1 link, got 0 instead\.$"):
        tp.MatchOptions(size=0)
    path = write("v.csv", "user,location,start\na,x,2024-01-01\nb,y,2024-01-02\n")
    finished = run("match", path, path, "--size", "0")
    assert finished.code == 2
    assert "--size must be at least 1 link, got 0 instead." in finished.err


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ("Give --user-column.", "Give column_names['user']."),
        ("--threads must be from 1", "n_threads must be from 1"),
        ("--halves-of-weeks, --at", "halves_of_weeks, at"),
        ("got '--size' instead", "got '--size' instead"),
        ("a well-known--place", "a well-known--place"),
        ("Use 'trailprint audit --at x' or --at.", "Use 'trailprint audit --at x' or at."),
        ("--reach goes with --metric", "reach_m goes with metric"),
        ("--set must be left out", "settings must be left out"),
    ],
)
def test_flags_and_names(flags, names):
    error = OptionError(flags)
    assert str(error) == names
    assert error.for_command_line() == flags


def test_messages_name_what_there_is_in_python():
    with pytest.raises(OptionError, match=r"^reach_m must be a positive number"):
        tp.MatchOptions(metric="transport", reach_m=float("nan"))
    with pytest.raises(OptionError, match=r"^threads must be from 1"):
        tp.Engine(threads=0)
    with pytest.raises(OptionError, match=r"^settings must be left out"):
        tp.reproduce.reproduce("2005-figure-11", settings={"a": "b"})
    with pytest.raises(OptionError, match=r"those that 'trailprint reproduce --list' shows"):
        tp.reproduce.reproduce("2005-figure-99")


def test_a_limit_of_threads_is_a_flag_on_the_command_line(run, write):
    finished = run("inspect", write("v.csv", "user,location\na,x\n"), "--threads", "0")
    assert "--threads must be from 1" in finished.err


def test_an_error_names_its_option_and_values_to_try():
    error = OptionError("--size must be …", option="size", suggestions=["1", "2"])
    copy = pickle.loads(pickle.dumps(error))
    for one in (error, copy):
        assert (one.option, one.suggestions) == ("size", ("1", "2"))
        assert one.for_command_line() == "--size must be …"
    assert (OptionError("x").option, OptionError("x").suggestions) == (None, ())


@pytest.mark.parametrize("name", ["n_threads", "cell_m", "min_events", "time_range"])
def test_a_name_finds_its_flag(name):
    assert str(OptionError(to_flag(name))) == name


def test_limits_speak_of_flags_on_the_command_line(run, write):
    path = write("v.csv", "user,location\na,x\nb,y\n")
    finished = run("inspect", path, "--min-events", "-1")
    assert "--min-events must not be negative" in finished.err


def test_a_text_where_a_list_is_meant_is_understood():
    assert tp.FilterOptions(weekdays=cast(Any, "mon")).weekdays == ("mon",)
    assert tp.ReadOptions(header=cast(Any, "user, location")).header == ("user", "location")
    assert tp.ReadOptions(identity=cast(Any, "mac")).identity == ("mac",)
    with pytest.raises(OptionError, match=r"must be a list of text, such as .* got int instead"):
        tp.FilterOptions(weekdays=cast(Any, 3))
