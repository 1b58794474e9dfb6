"""The report says what the result says, and says what is missing."""

import html
import re
from copy import deepcopy
from itertools import groupby, zip_longest

import pytest
from jsonschema import Draft202012Validator

from trailprint.audit.result_schema import describe_result
from trailprint.audit.results.findings import Findings
from trailprint.report.audit_page import render_report


def draw(result) -> str:
    """The page of a result that is given as plain values."""
    return render_report(Findings.from_dict(result))


def read(page: str) -> str:
    """The page's text, on one line, with plain spaces."""
    body = re.sub(r"(?s)<(style|svg|head)\b.*?</\1>", " ", page)
    text = html.unescape(re.sub(r"<[^>]+>", " ", body))
    return re.sub(r"\s+", " ", text.replace("\u00a0", " "))


def walk(value, path=()):
    """Every place of a result, with one item of each list."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from walk(inner, (*path, name))
    elif isinstance(value, list) and value:
        yield from walk(value[0], (*path, 0))


def without(result, *paths):
    """The result with nothing at these places."""
    poorer = deepcopy(result)
    for path in paths:
        place = poorer
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = None
    return poorer


@pytest.fixture
def reported(result, blank_charts) -> str:
    return read(draw(result))


def test_a_report_is_the_same_twice(result, blank_charts) -> None:
    assert draw(result) == draw(deepcopy(result))


def test_drawing_leaves_the_result_alone(result, blank_charts) -> None:
    before = deepcopy(result)
    draw(result)
    assert result == before


def test_the_first_screen_says_what_matters(reported) -> None:
    first = reported[: reported.index("Contents")]
    for words in (
        "488 of 1,054 people could be linked to their own records",
        "46.3 %",
        "95 % interval 43.3 to 49.3 %",
        "Linked by guessing 0.1 % the attack links 488 times as many",
        "Histogram matching",
        "The adversary has records of the same people, by name, from another period.",
        "Averages of groups of 10, at a loss of 71.0 %",
        "A low number does not make the data anonymous.",
    ):
        assert words in first


def test_chapters_come_in_their_order(result, blank_charts) -> None:
    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", draw(result))
    assert [html.unescape(heading) for heading in headings] == [
        "Contents",
        "Risk by attack",
        "Worst case and agreement",
        "How sure an adversary can be",
        "Risk from person to person",
        "Singling out: what a few points reveal",
        "How risk grows and shrinks",
        "What protection costs",
        "The most revealing locations",
        "Controls",
        "In regulators' words",
        "Assumptions",
        "What the numbers do not prove",
        "Settings and versions to run it again",
    ]


def test_small_counts_are_words_in_the_text(reported) -> None:
    assert "fewer than 10" in reported
    assert "<10" not in reported


def test_what_is_missing_is_said(sparse, blank_charts) -> None:
    reported = read(draw(sparse))
    for words in (
        "Not run The data has no times.",
        "There is no precision against coverage for histogram matching.",
        "Fewer than two attacks could be compared",
        "The risk of single people was not measured.",
        "By length of observation: The time limit was reached.",
        "By resolution: no reason is recorded.",
        "No protection was tested.",
        "What drives the risk was not measured.",
        "No control was run",
        "none was tested",
    ):
        assert words in reported
    for word in ("None", "nan", "null", "undefined"):
        assert not re.search(rf"\b{word}\b", reported)


def test_without_truth_nothing_is_claimed(unscored, blank_charts) -> None:
    reported = read(draw(unscored))
    assert "How many people could be linked could not be measured" in reported
    assert "Without knowing who is who, none can be called right or wrong." in reported
    assert "No attack could be scored" in reported


def test_failed_controls_are_shouted_on_the_first_screen(result, blank_charts) -> None:
    result["controls"][1]["passed"] = False
    reported = read(draw(result))
    assert "A control failed 1 of 3 controls did not come out as expected." in reported
    assert reported.index("A control failed") < reported.index("Contents")
    assert "Not as expected!" in reported


def test_nobody_linked_is_not_called_safe(result, blank_charts) -> None:
    result["headline"] |= {"linked": 0, "share": 0.0, "times_chance": 0.0}
    reported = read(draw(result))
    assert "None of 1,054 people was linked by these attacks" in reported
    assert "A low number does not make the data anonymous." in reported


def test_nothing_that_may_be_missing_breaks_the_page(result, blank_charts) -> None:
    validator, schemas = Draft202012Validator(describe_result()), describe_result()["properties"]

    def may_be_missing(path) -> bool:
        part = without({path[0]: result[path[0]]}, path)
        return next(validator.descend(part[path[0]], schemas[path[0]]), None) is None

    paths = [path for path in walk(result) if may_be_missing(path)]
    assert len(paths) > 60
    by_chapter = [list(own) for _, own in groupby(paths, key=lambda path: path[0])]
    for together in zip_longest(*by_chapter):
        poorer = without(result, *filter(None, together))
        assert not re.search(r"\b(None|nan)\b(?! of)", read(draw(poorer))), together


def test_regulators_words_carry_figures(reported) -> None:
    chapter = reported[reported.rindex("In regulators' words") :]
    assert "One rare location gives away 203 people (19.3 %)." in chapter
    assert "Yes for 488 of 1,054 people" in chapter
    assert "Inference Not measured." in chapter
    assert "If they know only 10.0 % of the people, they link 51.2 % of those." in chapter


def test_no_verdict_is_given(reported) -> None:
    assert not re.search(r"anonymous: (yes|no)|is anonymous\b(?!\. No figure)", reported)


def test_two_datasets_are_called_so(result, blank_charts) -> None:
    result["data"] |= {"sides": "two", "split": None, "periods_overlap": None}
    result["data"]["sampled"] = {"users": 300, "of": 9000}
    reported = read(draw(result))
    assert "Released and auxiliary data are two separate datasets." in reported
    assert "300 of 9,000 people were drawn at random." in reported
    assert "Without times it is not known whether the two sides' periods overlap." in reported


def test_the_strongest_attack_on_a_point_has_a_column_where_it_differs(
    result, blank_charts
) -> None:
    assert "Strongest attack Loss" not in read(draw(result))
    result["protections"]["points"][0]["attack"] = "trail"
    assert "Strongest attack Loss" in read(draw(result))


def test_settings_and_versions_are_all_there(result, reported) -> None:
    chapter = reported[reported.rindex("Settings and versions") :]
    for name in result["settings"]:
        assert name.removesuffix("_s").replace("_", " ") in chapter
    for name, version in result["versions"].items():
        assert f"{name} {version}" in chapter
