"""The worst case says what the other attacks add, and hides nothing without saying so."""

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.report.blocks import Figure, Prose, Table
from trailprint.report.chapters.worst_case import write_worst_case

pytestmark = pytest.mark.usefixtures("blank_charts")


@pytest.fixture
def reported(result):
    """Two attacks on the same 250 people."""
    names = [attack["name"] for attack in result["attacks"][:2]]
    for attack, correct in zip(result["attacks"], (120, 150), strict=False):
        attack |= {"people": 250, "correct": correct, "accuracy": correct / 250}
    result["worst_case"] |= {"attacks": names, "people": 250, "not_tried": 0, "linked": 178}
    result["worst_case"]["by_attacks"] = [
        {"attacks": 0, "people": 72},
        {"attacks": 1, "people": 86},
        {"attacks": 2, "people": 92},
    ]
    cells = {"both": 92, "only_first": 28, "only_second": 58, "neither": 72}
    pair = {"first": names[0], "second": names[1], "people": 250}
    result["agreement"] = [pair | cells, pair | dict.fromkeys(cells, "hidden")]
    return result


def blocks_of(result):
    return write_worst_case(Findings.from_dict(result)).blocks


def words(result):
    return " ".join(block.text for block in blocks_of(result) if isinstance(block, Prose))


def kinds(result, kind):
    return [block for block in blocks_of(result) if isinstance(block, kind)]


def test_what_the_others_add_to_the_strongest_is_shown(reported):
    strongest = reported["attacks"][1]["title"]
    expected = f"The strongest of them, {strongest[0].lower()}{strongest[1:]}, links 150; "
    assert f"{expected}the others add 28 people." in words(reported)
    reported["worst_case"]["linked"] = 157
    assert "the others add fewer than 10 people." in words(reported)


@pytest.mark.parametrize("linked", ["hidden", "<10", ">240"])
def test_nothing_is_said_of_what_they_add_where_it_is_masked(reported, linked):
    reported["worst_case"] |= {"linked": linked, "share": None, "interval": None}
    assert "the others add" not in words(reported)


def test_nothing_is_said_where_the_strongest_was_tried_on_others(reported):
    reported["attacks"][1]["people"] = 260
    assert "the others add" not in words(reported)


def test_only_pairs_that_say_something_are_listed(reported):
    (table,) = kinds(reported, Table)
    assert [row[2:] for row in table.rows] == [("92", "28", "58", "72")]
    assert "How many people 1 of 2 pairs of attacks both link is not shown" in words(reported)
    reported["agreement"] = reported["agreement"][:1]
    assert "How far" not in words(reported)
    reported["agreement"][0] |= dict.fromkeys(
        ("both", "only_first", "only_second", "neither"), "hidden"
    )
    assert not kinds(reported, Table)
    assert "How many people the two attacks both link is not shown" in words(reported)


def test_a_chart_of_which_nothing_may_be_shown_becomes_a_sentence(reported):
    assert kinds(reported, Figure)
    for row in reported["worst_case"]["by_attacks"]:
        row["people"] = "hidden"
    assert not kinds(reported, Figure)
    assert "How many attacks link the same person is not shown" in words(reported)
