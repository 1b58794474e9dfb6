"""The schema: what it accepts, and what it must not."""

from copy import deepcopy

import pytest
from jsonschema import Draft202012Validator

from trailprint.audit.result_schema import describe_result
from trailprint.audit.results.findings import SCHEMA


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(describe_result())
    return Draft202012Validator(describe_result())


def test_results_obey_the_schema(validator, result, sparse) -> None:
    assert list(validator.iter_errors(result)) == []
    assert list(validator.iter_errors(sparse)) == []
    assert result["schema"] == SCHEMA


def test_results_without_truth_obey_the_schema(validator, unscored) -> None:
    assert list(validator.iter_errors(unscored)) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), f"{SCHEMA}1"),
        (("headline", "share"), 46.3),
        (("headline", "interval"), [0.1]),
        (("attacks", 0, "name"), "magic"),
        (("attacks", 0, "accuracy"), "high"),
        (("worst_case", "by_attacks", 0, "people"), "few"),
        (("per_user", "bins", 0, "people"), -1),
        (("controls", 0, "passed"), "yes"),
        (("growth", "users", "points", 0, "accuracy"), 2),
        (("protections", "points", 0, "loss"), -0.1),
        (("data", "truth"), "guessed"),
    ],
)
def test_what_breaks_a_rule_is_found(validator, result, path, wrong) -> None:
    damaged = deepcopy(result)
    place = damaged
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    assert not validator.is_valid(damaged)


@pytest.mark.parametrize("name", ["headline", "attacks", "growth", "privacy", "settings", "data"])
def test_what_is_needed_must_be_there(validator, result, name) -> None:
    del result[name]
    assert not validator.is_valid(result)


def test_an_attack_that_did_not_run_must_say_why(validator, sparse) -> None:
    sparse["attacks"][1]["why_not"] = None
    assert not validator.is_valid(sparse)


def test_masked_counts_are_allowed_for_people_but_not_for_sizes(validator, result) -> None:
    for masked in ("<10", ">240", "hidden"):
        result["headline"]["linked"] = masked
        assert validator.is_valid(result)
    result["headline"]["linked"] = "few"
    assert not validator.is_valid(result)
    result["headline"]["linked"] = 0
    result["data"]["common_users"] = "<10"
    assert not validator.is_valid(result)
