"""The findings read from result.json."""

import json
from pathlib import Path

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.plain import ShapeError

EXAMPLE = Path(__file__).parents[3] / "examples" / "result.json"


@pytest.fixture
def plain():
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


def test_the_title_and_the_notes_are_read_from_the_settings(plain):
    plain["settings"] |= {"title": "Campus", "data_notes": ["A note.", "Another."]}
    found = Findings.from_dict(plain)
    assert (found.title, found.data_notes) == ("Campus", ["A note.", "Another."])
    assert found.to_dict() == plain


def test_settings_need_neither_title_nor_notes(plain):
    for settings in ({}, {"title": None, "seed": 1}):
        found = Findings.from_dict({**plain, "settings": settings})
        assert (found.title, found.data_notes) == ("", [])


@pytest.mark.parametrize("wrong", [{"title": 5}, {"data_notes": "a text"}, {"data_notes": [1]}])
def test_a_title_or_notes_of_another_type_are_refused(plain, wrong):
    with pytest.raises(ShapeError):
        Findings.from_dict({**plain, "settings": wrong})


@pytest.mark.parametrize("schema", ["trailprint.result/2", "trailprint.comparison/1", None])
def test_a_result_of_another_schema_is_refused(plain, schema):
    with pytest.raises(ShapeError):
        Findings.from_dict({**plain, "schema": schema})


def test_a_result_that_names_no_schema_is_refused(plain):
    del plain["schema"]
    with pytest.raises(ShapeError, match="the schema must be"):
        Findings.from_dict(plain)
