"""Every flag comes from an options class: its default, its choices, its help and its check."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import typing
from dataclasses import MISSING, dataclass, fields
from importlib import import_module

import pytest

import trailprint as tp
from trailprint import options as public_options
from trailprint.attacks.options import MetricName, RejectionOptions
from trailprint.cli import reference
from trailprint.cli.front import COMMANDS
from trailprint.cli.groups import Given, Panel, find_groups, takes_options
from trailprint.cli.inputs import SideInputs
from trailprint.cli.main import main
from trailprint.cli.option_fields import OptionField, choices_of, read_attributes, read_fields
from trailprint.cli.program import build_program
from trailprint.errors import OptionError, TrailprintError, to_flag
from trailprint.events.filters import FilterOptions
from trailprint.events.options import Window
from trailprint.kernels.matching.metrics import METRICS
from trailprint.simulate import CampusOptions

#: Fields of public options classes that no flag sets, and where they come from instead.
NOT_FLAGS = {
    "ReadOptions": {"column_names": "--user-column and its like", "identity": "trails' columns"}
    | {
        "whole_row": "trails",
        "one_place": "--knowledge time of points",
        "keep_columns": "--keep-column of protect",
    },
    "SplitOptions": {"min_events": "--min-events of the filters", "seed": "--seed"},
    "MatchOptions": {"seed": "--seed"},
    "CorrelateOptions": {"seed": "--seed", "training": "Python only"},
    "AuditOptions": {"seed": "--seed", "split": "flags of the split"},
    "SweepOptions": {"parameter": "--sweep", "values": "--sweep", "attacks": "--metrics"}
    | {"seed": "--seed", "target_risk": "--target-risk"},
    "ViewOptions": {"cut": "the way the data is split", "contributions": "Python only"},
    "Knowledge": dict.fromkeys(("kind", "amount"), "--knows") | {"seed": "--seed"},
    "PointsOptions": {"seed": "--seed", "grid": "--no-grid"},
    "StayOptions": dict.fromkeys(("gap_s", "least_s", "radius_m"), "--stays"),
    "Box": dict.fromkeys(("south", "west", "north", "east"), "--box"),
    "Window": dict.fromkeys(("start", "end"), "--window and --hours"),
}


def flags_of(command: str) -> list[tuple[type, OptionField]]:
    """Every flag of a command and the class it is a field of."""
    declared = import_module(f"trailprint.cli.{command}").run.options
    return [(group.kind, flag) for one in declared.values() for group, flag in one.all_flags()]


EVERY = [(name, kind, flag) for name in COMMANDS for kind, flag in flags_of(name)]


@functools.cache
def parameters_of(command: str) -> dict[str, typing.Any]:
    program: typing.Any = build_program()
    return {parameter.name: parameter for parameter in program.commands[command].params}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_a_field_of_an_options_class(command):
    named = {name for name, one in parameters_of(command).items() if one.opts[0].startswith("--")}
    assert named == {flag.key for _, flag in flags_of(command)}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_flag_that_is_left_out_passes_nothing_so_that_the_class_decides(command):
    for _, flag in flags_of(command):
        assert parameters_of(command)[flag.key].default in (None, False), flag.flag


def test_what_is_left_out_has_the_default_of_its_class():
    for name, kind, flag in EVERY:
        field = next(one for one in fields(kind) if one.name == flag.name)
        made = MISSING if field.default_factory is MISSING else field.default_factory()
        assert flag.default == (field.default if made is MISSING else made), (name, flag.flag)


def test_help_says_the_default_and_every_choice():
    for name, _, flag in EVERY:
        words = flag.help()
        assert words.endswith((".", "…", ")")), (name, words)
        assert all(choice in words for choice in choices_of(flag.kind)), (name, words)
        if flag.default not in (MISSING, None, False, ()):
            assert flag.show_default() in words or f"{flag.default} (default)" in words, name
        assert "()" not in words, (name, words)


@pytest.mark.parametrize("value", [-1.0, -1e9, 1e9, 1e-9])
def test_what_arrived_has_no_exponent_and_no_zero_after_the_point(value):
    refused = []
    for _, kind, flag in EVERY:
        if float in (flag.kind, *typing.get_args(flag.kind)):
            with contextlib.suppress(TypeError):  # It needs another field too.
                try:
                    kind(**{flag.name: value})
                except OptionError as error:
                    refused.append(error.for_command_line())
    assert refused
    assert [said for said in refused if re.search(r"\de[+-]?\d|\d\.0(?!\d)", said)] == []


def test_every_flag_is_explained_in_the_docstring_of_its_class():
    for _, kind, flag in EVERY:
        assert flag.name in read_attributes(inspect.getdoc(kind) or ""), kind
        assert flag.about, (kind, flag.name)


@dataclass(frozen=True, kw_only=True)
class Toy:
    """
    A toy.

    Attributes
    ----------
    n_wheels, n_doors : int
        How many, with ``colour`` or
        without. Nobody reads on.
    colour : {"red", "blue"}
        What it looks like.

    Examples
    --------
    colour : not this
    """

    n_wheels: int = 4
    n_doors: int
    colour: typing.Literal["red", "blue"] = "red"


def test_a_field_becomes_a_flag_with_the_first_sentence_about_it():
    wheels, doors, colour = read_fields(Toy, "Toys", names={"n_doors": "doors"})
    assert wheels.help() == "How many, with --colour or without (default: 4)."
    assert doors.help() == "How many, with --colour or without."
    assert colour.help() == "What it looks like: red (default), blue."
    assert [one.flag for one in (wheels, doors, colour)] == ["n-wheels", "doors", "colour"]
    assert doors.is_required
    assert not wheels.is_required


def test_every_public_option_is_a_flag_or_named_here_as_none():
    reached: dict[str, set[str]] = {}
    for _, kind, flag in EVERY:
        reached.setdefault(kind.__name__, set()).add(flag.name)
    for name in public_options.__all__:
        declared = {field.name for field in fields(getattr(public_options, name))}
        missing = declared - reached.get(name, set())
        assert missing == set(NOT_FLAGS.get(name, {})), name


def test_no_help_shows_types_or_brackets_of_the_parser():
    text = reference.render()
    assert "<bool>" not in text
    assert "{" not in text


@pytest.mark.parametrize(("python", "flag"), [("size", "--size"), ("n_folds", "--folds")])
def test_messages_name_the_field_in_python_and_the_flag_on_the_command_line(python, flag):
    error = OptionError(f"{to_flag(python)} must be at least 1.")
    assert str(error).startswith(python)
    assert error.for_command_line().startswith(flag)


def test_a_wrong_choice_is_refused_alike_in_python_and_on_the_command_line(capsys):
    with pytest.raises(TrailprintError, match=r"^metric must be one of jensen-shannon, l1"):
        tp.MatchOptions(metric="l3")  # type: ignore[arg-type]
    with pytest.raises(SystemExit):
        main(["match", "a.csv", "b.csv", "--metric", "l3"])
    assert "--metric must be one of jensen-shannon, l1" in capsys.readouterr().err


def test_metrics_that_can_be_chosen_are_those_there_are():
    assert typing.get_args(MetricName) == tuple(METRICS)


def test_the_days_of_a_campus_are_those_the_help_says():
    (days,) = (flag for _, flag in flags_of("simulate") if flag.flag == "days")
    assert f"(default: {CampusOptions().n_days})" in days.help()


def test_a_number_of_zero_was_typed_and_a_group_of_flags_may_be_left_out():

    found: dict[str, typing.Any] = {}

    @takes_options
    def command(
        filters: typing.Annotated[FilterOptions, Panel("Filters")],
        rejection: typing.Annotated[Given[RejectionOptions], Panel("Test")],
    ) -> None:
        found.update(filters=filters, rejection=rejection)

    nothing = dict.fromkeys(inspect.signature(command).parameters)
    command(**{**nothing, "min_events": 0, "weekdays": "Mon,tuesday", "hours": "09:00-17:00"})
    assert found["filters"] == FilterOptions(weekdays=("mon", "tue"), hours=Window(540, 1020))
    assert not found["rejection"]
    command(**{**nothing, "reject_lambda": 0.0, "string_length": 5})
    assert found["rejection"].values == {"reject_lambda": 0.0, "string_length": 5}
    with pytest.raises(OptionError, match="reject_lambda must be given with string_length"):
        command(**{**nothing, "string_length": 5})


def test_groups_are_found_within_bundles():
    (sides,) = find_groups({"sides": SideInputs}).values()
    titles = {flag.panel for _, flag in sides.all_flags()}
    assert titles == {"Split", "Reading", "Places", "Filters"}


def test_a_number_may_be_typed_in_words_of_its_own():
    """A time limit is a number of seconds, typed as 90s, 10m or none."""
    (limit,) = (flag for _, flag in flags_of("audit") if flag.flag == "time-limit")
    typed = typing.get_args(limit.parameter(may_lack=True).annotation)[0]
    assert typed == str | None
    assert limit.written.read("90s") == 90
    assert limit.written.read(limit.show_default()) == limit.default
