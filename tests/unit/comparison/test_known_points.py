"""Singling out in several audits: side by side, apart from links, cautious where points differ."""

from __future__ import annotations

import copy
import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.audit.results.findings import Findings
from trailprint.comparison.known_points import compare_points
from trailprint.comparison.opening import OpenedAudit
from trailprint.comparison.results import AuditComparison, ComparedSinglingOut
from trailprint.comparison.wording import describe_interval, describe_points, list_singled_out
from trailprint.plain import from_plain
from trailprint.report.comparison_points import write_singling_out
from trailprint.report.schema import load_comparison_schema

EXAMPLE = json.loads(
    (Path(__file__).parents[2] / "examples" / "result.json").read_text(encoding="utf-8")
)


def change(**points: Any) -> dict[str, Any]:
    plain = copy.deepcopy(EXAMPLE)
    plain["points"] |= points
    return plain


def put(label: str, plain: dict[str, Any]) -> OpenedAudit:
    return OpenedAudit(label=label, findings=from_plain(Findings, plain))


def compare(*plains: dict[str, Any]) -> ComparedSinglingOut | None:
    return compare_points([put(f"audit {place}", plain) for place, plain in enumerate(plains)])


def save(folder: Path, plain: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(plain), encoding="utf-8")
    return folder


def test_what_an_audit_measured_is_shown_as_the_audit_shows_it():
    found = present(compare(EXAMPLE, EXAMPLE))
    own = put("a", EXAMPLE).findings.points
    assert not found.cautions
    for audit in found.audits:
        assert audit.unicity == present(own).unicity
        assert audit.worst_case == present(own).worst_case
        assert audit.singling_out == present(own).singling_out


@pytest.mark.parametrize(
    ("changed", "caution"),
    [
        ({"time_resolution": "1d"}, "not the same in all"),
        ({"cell_m": 500.0}, "different sizes"),
        ({"people": 3 * EXAMPLE["points"]["people"]}, "among fewer people"),
    ],
)
def test_what_else_differs_is_a_caution(changed, caution):
    found = present(compare(EXAMPLE, change(**changed)))
    assert len(found.cautions) == 1
    assert caution in found.cautions[0]
    assert caution in str(write_singling_out(found))


@pytest.mark.parametrize("missing", [{"ran": False}, None])
def test_fewer_than_two_audits_with_points_are_no_comparison(missing):
    other = copy.deepcopy(EXAMPLE)
    if missing is None:
        del other["points"]
    else:
        other["points"] |= missing
    assert compare(EXAMPLE, other) is None
    assert len(present(compare(EXAMPLE, other, EXAMPLE)).audits) == 2


def test_a_number_of_points_that_one_audit_lacks_is_not_measured_there():
    fewer = change(unicity=EXAMPLE["points"]["unicity"][:2])
    reported = dict(list_singled_out(present(compare(EXAMPLE, fewer))))
    assert reported["4 points drawn at random"][1] == "not measured"
    assert reported["1 point drawn at random"][0] == reported["1 point drawn at random"][1]


def test_the_page_the_json_and_the_table_say_the_same(tmp_path):
    other = change(people=30)
    found = tp.compare(save(tmp_path / "before", EXAMPLE), save(tmp_path / "after", other))
    plain = json.loads(json.dumps(found.to_dict()))
    jsonschema.Draft202012Validator(load_comparison_schema()).validate(plain)
    assert AuditComparison.from_dict(plain) == found.comparison
    assert "Singling out" in found.to_html()
    found.save(tmp_path / "out")
    with (tmp_path / "out" / "tables" / "points.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    own = EXAMPLE["points"]
    n_rows = sum(len(own[part]) for part in ("unicity", "worst_case", "singling_out"))
    assert len(rows) == 2 * n_rows
    assert {row["audit"] for row in rows} == {"before", "after"}


def test_a_comparison_written_before_there_were_points_is_still_read(tmp_path):
    found = tp.compare(save(tmp_path / "a", EXAMPLE), save(tmp_path / "b", EXAMPLE))
    plain = found.to_dict()
    del plain["points"]
    assert AuditComparison.from_dict(plain).points is None


def test_differences_have_a_sign_and_none_has_no_sign():
    assert [describe_points(one) for one in (0.0142, -0.0142, 0.0, -0.0001, None)] == [
        "+1.4 points",
        "−1.4 points",
        "0.0 points",
        "0.0 points",
        "not shown",
    ]
    assert describe_interval((-0.02, 0.0)) == "−2.0 to 0.0 points"
