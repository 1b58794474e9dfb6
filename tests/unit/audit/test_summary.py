"""What a screen says of a result."""

import json
from pathlib import Path

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.audit.summary import list_notes, summarise

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


@pytest.fixture
def result():
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


def point(k, accuracy, loss):
    return {
        "label": f"Averages of groups of {k}",
        "name": f"microaggregate:k={k}",
        "parameters": {"k": k},
        "accuracy": accuracy,
        "interval": None,
        "cluster_accuracy": None,
        "chance": 0.1,
        "attack": "jensen-shannon",
        "loss": loss,
        "on_frontier": True,
        "asked": False,
    }


def rows_of_protections(result):
    return [
        (name, value)
        for name, value in summarise(Findings.from_dict(result))
        if value.endswith("lost")
    ]


def test_a_rate_of_some_people_says_of_how_many(result):
    n_people = result["data"]["common_users"]
    other = result["attacks"][0]
    for attack in result["attacks"]:
        attack["people"] = n_people
    other |= {"title": "GPS matching", "people": n_people - 1}
    names = [name for name, _ in summarise(Findings.from_dict(result))]
    assert f"GPS matching, of {n_people - 1:,} people" in names
    assert sum(", of " in name and name.endswith(" people") for name in names) == 1


@pytest.mark.parametrize("k", range(2, 12))
def test_what_the_headline_names_is_always_listed_once_and_in_order(result, k):
    plain = {**point(1, 0.9, 0.0), "name": "none"}
    points = [point(n, 0.9 / n, n / 20) for n in range(2, 12)]
    result["protections"]["points"] = [plain, *points]
    result["headline"]["protection"] = {
        **points[k - 2],
        "share": None,
        "loss_meaning": "",
    }
    names = [name for name, _ in rows_of_protections(result)]
    assert names.count(f"averages of groups of {k}") == 1
    assert len(names) in (4, 5)
    assert names == sorted(names, key=lambda name: int(name.rsplit(" ", 1)[1]))


def test_a_headline_without_a_protection(result):
    result["headline"]["protection"] = None
    result["protections"]["points"] = [point(2, 0.3, 0.1)]
    assert rows_of_protections(result) == [
        ("averages of groups of 2", "30.0 % linked, 10.0 % lost")
    ]


def test_people_whom_no_rate_is_about_are_on_the_first_screen(result):
    result["data"]["outside"] = {"people": 7, "of": 107, "why": "they were active in one week only"}
    rows = dict(summarise(Findings.from_dict(result)))
    assert rows["people not covered by any rate"] == "7 of 107: they were active in one week only"


def test_what_was_left_out_is_named_on_the_first_screen(result):
    result["growth"]["left_out"] = [{"study": "time", "why": "No time."}]
    result["protections"]["left_out"] = [
        {"label": f"Averages of groups of {k}", "why": "No time."} for k in range(2, 10)
    ]
    note = list_notes(Findings.from_dict(result))[-1]
    assert note.startswith("Left out: risk by length of observation; averages of groups of 2; ")
    assert note.endswith("averages of groups of 6; 3 more. The report says why.")


def test_a_target_that_nothing_reaches_is_answered_on_the_first_screen(result):
    answer = "Nothing that was tried leaves at most 5.0 % of the people linked."
    result["protections"] |= {"target_risk": 0.05, "target": None, "target_reading": answer}
    assert answer in list_notes(Findings.from_dict(result))


def test_what_a_failed_control_leaves_is_on_the_first_screen(result):
    control = next(one for one in result["controls"] if one["kind"] == "absent")
    control["passed"] = False
    (reported,) = [note for note in list_notes(Findings.from_dict(result)) if "confidence" in note]
    assert reported.endswith("The rates are still valid.")
    control["kind"] = "permuted"
    notes = list_notes(Findings.from_dict(result))
    assert "Do not use these figures before you know why a control failed." in notes
