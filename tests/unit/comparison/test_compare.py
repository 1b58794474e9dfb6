"""Audits side by side: what can be compared, what changed, and the forms it is shown in."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest

import trailprint as tp
from trailprint.comparison.results import AuditComparison
from trailprint.errors import InputError, OptionError, SourceError
from trailprint.report.schema import load_comparison_schema

EXAMPLE = json.loads(
    (Path(__file__).parents[2] / "examples" / "result.json").read_text(encoding="utf-8")
)


@pytest.fixture
def save(tmp_path):
    """A folder as an audit leaves it, with some members changed: ``{"data.sides": "two"}``."""

    def save(name: str, changed: dict[str, object] | None = None) -> Path:
        plain = copy.deepcopy(EXAMPLE)
        for path, value in (changed or {}).items():
            *parents, last = path.split(".")
            inner = plain
            for key in parents:
                inner = inner[int(key) if key.isdigit() else key]
            inner[last] = value
        folder = tmp_path / name
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(plain), encoding="utf-8")
        return folder

    return save


def test_a_comparison_obeys_its_schema_and_is_read_again(save):
    found = tp.compare(save("before"), save("after", {"seed": 3}))
    plain = json.loads(json.dumps(found.to_dict()))
    jsonschema.Draft202012Validator(load_comparison_schema()).validate(plain)
    assert AuditComparison.from_dict(plain) == found.comparison


def test_a_broken_comparison_does_not_obey_the_schema(save):
    plain = json.loads(json.dumps(tp.compare(save("a"), save("b")).to_dict()))
    del plain["versus"][0]["families"][0]["interval"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(load_comparison_schema()).validate(plain)


def test_each_rate_is_that_of_its_own_audit(save):
    before = EXAMPLE["attacks"][0]
    after = {"correct": 316, "accuracy": 0.3, "interval": [0.27, 0.33]}
    changed: dict[str, object] = {f"attacks.0.{name}": value for name, value in after.items()}
    found = tp.compare(save("before"), save("after", changed)).comparison
    row = next(row for row in found.versus[0].families if row.attack == before["name"])
    assert (row.first.linked, row.first.share) == (before["correct"], before["accuracy"])
    assert (row.second.linked, row.second.share, row.second.interval) == (316, 0.3, (0.27, 0.33))
    assert row.difference == pytest.approx(0.3 - before["accuracy"], abs=0.001)
    assert "; less (95 % interval" in row.reading


def test_growth_is_drawn_where_at_least_two_audits_studied_it(save):
    found = tp.compare(save("before"), save("after", {"growth.users": None})).comparison
    assert [growth.study for growth in found.growth] == ["time", "resolution", "knowledge"]
    time, resolution, _ = found.growth
    assert [curve.audit for curve in time.curves] == ["before", "after"]
    for growth, plain in ((time, "time"), (resolution, "resolution")):
        expected = EXAMPLE["growth"][plain]["points"]
        for curve in growth.curves:
            assert [(p.x, p.share, p.low, p.high) for p in curve.points] == [
                (p["x"], p["accuracy"], p["low"], p["high"]) for p in expected
            ]
    assert resolution.curves[0].points[0].label == "250 m"


def test_equal_audits_do_not_differ(save):
    found = tp.compare(save("before"), save("after")).comparison
    assert not found.changes
    (versus,) = found.versus
    for row in versus.families:
        assert row.difference in (0.0, None)
        assert row.interval[0] <= 0 <= row.interval[1]


def test_what_changed_is_listed(save):
    changed = {"seed": 3, "data.locations": 77, "versions.numpy": "0.1"}
    found = tp.compare(save("before"), save("after", changed)).comparison
    listed = {(change.part, change.name): change.values[1] for change in found.changes}
    expected = {
        ("settings", "seed"): "3",
        ("data", "locations"): "77",
        ("versions", "numpy"): "0.1",
    }
    assert listed == expected


def test_people_without_kept_outcomes_are_not_paired(save):
    (versus,) = tp.compare(save("before"), save("after")).comparison.versus
    assert "before and after" in str(versus.why_unpaired)
    assert all(row.pairs is None for row in versus.families)
    assert all(row.method == "Newcombe, unpaired" for row in versus.families)


def test_different_adversaries_cannot_be_compared(save):
    other = "two" if EXAMPLE["data"]["sides"] == "split" else "split"
    with pytest.raises(InputError, match=r"cannot be compared.*adversaries"):
        tp.compare(save("before"), save("after", {"data.sides": other}))


def test_one_of_several_may_be_one_that_cannot_be_compared(save):
    other = "two" if EXAMPLE["data"]["sides"] == "split" else "split"
    found = tp.compare(save("a"), save("b"), save("c", {"data.sides": other}))
    assert [versus.why_not is None for versus in found.comparison.versus] == [True, False]
    assert "c cannot be compared with a" in found.comparison.sentence
    assert "Cannot be compared" in found.to_html()


def test_a_different_number_of_people_is_a_caution(save):
    found = tp.compare(save("a"), save("b", {"data.common_users": 9})).comparison
    assert any("9" in text for text in found.versus[0].cautions)


def test_an_attack_on_some_of_the_people_is_marked_wherever_it_stands(save):
    assert EXAMPLE["attacks"][2]["people"] < EXAMPLE["data"]["common_users"]
    found = tp.compare(save("a"), save("b", {"attacks.2.people": 1054}))
    (versus,) = found.comparison.versus
    rates = {row.attack: (row.first.of, row.second.of) for row in versus.families}
    assert rates == {"histogram": (None, None), "trail": (None, None), "sequence": (1054, None)}
    sequence = next(row for row in versus.families if row.attack == "sequence")
    assert "(of 300 people drawn) in the first audit" in sequence.reading
    assert "(of 300 people drawn)" in found.to_html()
    assert any(text.startswith("Sequence correlation was tried on") for text in versus.cautions)


def test_a_page_without_script_and_files_by_their_names(save, tmp_path):
    found = tp.compare(save("before"), save("after", {"seed": 3}))
    page = found.to_html()
    assert "<script" not in page
    assert "before" in page
    names = {str(path.relative_to(tmp_path / "out")) for path in found.save(tmp_path / "out")}
    assert {"comparison.html", "comparison.json", "tables/risk.csv", "tables/changes.csv"} <= names
    assert found.table("risk").to_arrow().num_rows == 1 + len(found.comparison.versus[0].families)


def test_names_of_folders_are_text_on_the_page(save):
    page = tp.compare(save("<b>before"), save("after")).to_html()
    assert "<b>before" not in page


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": "x"}'])
def test_what_is_no_audit_is_said_in_a_sentence(save, tmp_path, content):
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "result.json").write_text(content)
    with pytest.raises(SourceError, match="must be the folder"):
        tp.compare(save("a"), folder)


def test_the_file_itself_will_do(save):
    found = tp.compare(save("a") / "result.json", save("b"))
    assert [audit.label for audit in found.comparison.audits] == ["a", "b"]


def test_two_to_six(save):
    one = save("a")
    with pytest.raises(OptionError, match="got 1"):
        tp.compare(one)
    with pytest.raises(OptionError, match="got 7"):
        tp.compare(*[one] * 7)
    with pytest.raises(OptionError, match="got int"):
        tp.compare(one, 3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="not as a list"):
        tp.compare([one, one])  # type: ignore[arg-type]
