"""Forms are the flags of the commands: nothing is declared twice, nothing is missing."""

from __future__ import annotations

import shlex
from importlib import import_module

import pytest
from tests.presence import present

from trailprint.app.failures import Failure
from trailprint.app.forms import (
    _ABOUTS,
    _EXAMPLES,
    _LEFT_OUT,
    _PANELS,
    _TITLES,
    MEANING,
    PATHS,
    QUESTIONS,
    check_values,
    list_flags,
    list_words,
    make_panels,
    read_values,
    write_command,
)
from trailprint.audit.attacks.registry import family_names

VALUES = {"data": "visits.csv", "out": "audit"}


def fields_of(panels):
    return {field.flag: field for panel in panels for field in (*panel.fields, *panel.folded)}


def test_every_flag_of_the_audit_has_a_field_once():
    options = import_module("trailprint.cli.audit").run.options
    declared = [flag for one in options.values() for _, flag in one.all_flags()]
    shown = fields_of(make_panels("audit", {**MEANING, **QUESTIONS}, {}))
    assert set(shown) == {flag.flag for flag in declared} - set(_LEFT_OUT)


def test_what_is_shown_first_is_there():
    for page in (MEANING, QUESTIONS):
        for panel, first in zip(make_panels("audit", page, {}), page.values(), strict=True):
            assert [field.flag for field in panel.fields] == list(first)


def test_fields_say_what_the_help_says():
    flags = {flag.flag: flag for flag in list_flags("audit").values()}
    for name, field in fields_of(make_panels("audit", {**MEANING, **QUESTIONS}, {})).items():
        usual = flags[name].about if field.widget == "attacks" else flags[name].help()
        assert field.about == (_ABOUTS.get(name) or usual)


def test_texts_of_forms_are_about_options_that_exist():
    options = import_module("trailprint.cli.audit").run.options
    declared = [flag for one in options.values() for _, flag in one.all_flags()]
    assert {*_TITLES, *_ABOUTS, *_EXAMPLES, *_LEFT_OUT} <= {flag.flag for flag in declared}
    assert {*_PANELS, *MEANING, *QUESTIONS} <= {flag.panel for flag in declared}
    others = {**list_flags("protect"), **list_flags("compare")}
    assert {*PATHS} <= {"auxiliary", *list_flags("audit"), *others}


def test_examples_are_values_that_the_options_take():
    for name, examples in _EXAMPLES.items():
        for text in examples:
            assert check_values("audit", {**VALUES, name.replace("-", "_"): text}) is None


def test_flags_that_name_files_are_known_to_be_such():
    """A new flag whose help speaks of a file or a folder must be confined to the folder."""
    flags = {**list_flags("audit"), **list_flags("protect"), **list_flags("compare")}
    speaking = {
        key
        for key, flag in flags.items()
        if {"file", "folder", "here", "Where"} & set(flag.about.replace(",", " ").split())
        and flag.kind is not bool
    }
    assert speaking - set(PATHS) == set()


@pytest.mark.parametrize(
    ("given", "sentence", "option"),
    [
        ({"target_risk": "5"}, "--target-risk must be a share from 0 to 1", "target-risk"),
        ({"cell": "x"}, "--cell must be a number, got 'x' instead.", "cell"),
        ({"attacks": "magic"}, "--attacks must name some of", "attacks"),
        ({"time_limit": "soon"}, "--time-limit must be a duration", "time-limit"),
        ({"active_both": True}, "Choices of users on both sides go with a split", "at"),
    ],
)
def test_what_is_wrong_is_said_in_the_sentence_of_the_command_line(
    run, write, given, sentence, option
):
    path = write("visits.csv", "user,location\na,b\n")
    failure = present(check_values("audit", {**VALUES, "data": path, **given}))
    assert failure.message.startswith(sentence)
    assert failure.option == option
    words = list_words("audit", {**VALUES, "data": path, **given})
    assert failure.message in run(*words).err


def test_it_is_said_beside_the_field_it_is_about():
    failure = check_values("audit", {**VALUES, "target_risk": "5"})
    shown = fields_of(make_panels("audit", QUESTIONS, {"target_risk": "5"}, failure=failure))
    assert [name for name, field in shown.items() if field.error] == ["target-risk"]
    assert shown["target-risk"].value == "5"


def test_values_that_an_error_suggests_come_first():
    failure = Failure(message="So.", option="user-column", suggestions=("who",))
    shown = fields_of(
        make_panels(
            "audit",
            MEANING,
            {},
            failure=failure,
            suggestions={"user-column": ["place", "who"], "location-column": ["place", "who"]},
        )
    )
    assert shown["user-column"].suggestions == ("who", "place")
    assert shown["location-column"].suggestions == ("place", "who")


def test_values_come_back_as_the_command_takes_them():
    sent = {
        "title": ["  A title "],
        "attacks": ["histogram", "trail"],
        "protect": ["microaggregate:k=5\n\ntop-locations:n=3"],
        "per_user": ["yes"],
        "target_risk": [""],
    }
    values = read_values("audit", sent, list_flags("audit"))
    assert values == {
        "title": "A title",
        "attacks": "histogram,trail",
        "protect": ["microaggregate:k=5", "top-locations:n=3"],
        "per_user": True,
    }
    assert check_values("audit", {**VALUES, **values}) is None


def test_all_attacks_are_the_usual_ones():
    assert read_values("audit", {"attacks": list(family_names())}, ["attacks"]) == {}


@pytest.mark.parametrize("name", ["a b.csv", "$(rm -rf ~).csv", "'; echo", "--json", "-x.csv"])
def test_the_command_shown_is_the_one_that_is_run(name):
    values = {"data": f"./{name}", "out": name, "title": name}
    shown = write_command("audit", values)
    assert shlex.split(shown) == ["trailprint", *list_words("audit", values)]
    assert check_values("audit", values) is None
