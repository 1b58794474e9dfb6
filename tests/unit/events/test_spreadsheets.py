"""Text in tables for people is never run by a spreadsheet, however it is disguised."""

import csv
import io
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trailprint.events.engine import Engine
from trailprint.events.spreadsheets import guard_text, write_csv
from trailprint.events.write import write_table

DISGUISED = [
    "=cmd|' /C calc'!A0",
    "\r=cmd",
    "\n=cmd",
    "\t=cmd",
    "\r\n@SUM(A1)",
    "   +cmd",
    "\u00a0-cmd",
    "\u3000=cmd",
    "\u200b=cmd",
    "\ufeff=cmd",
    "\u202e@cmd",
    "\x00=cmd",
    "\x0b\x0c=cmd",
    "\u2028=cmd",
    "\x85=cmd",
    "＝cmd",
    "＋cmd",
    "－cmd",
    "＠cmd",
    "\u2212cmd",
    "a\r=cmd",
    "a\n=cmd",
    "a;=cmd",
    'a"\n=cmd',
]


def assert_harmless(cell):
    """What a spreadsheet sees first is no formula, and nothing in the cell starts another."""
    seen = "".join(c for c in cell if unicodedata.category(c) not in {"Cc", "Cf", "Zl", "Zp"})
    first = unicodedata.normalize("NFKC", seen).strip()[:1]
    assert first not in set("=+-@\u2212") - {""} or cell.lstrip("+-").replace(".", "").isdigit()
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} for c in cell)


@pytest.mark.parametrize("name", DISGUISED)
def test_a_disguised_formula_is_guarded(name):
    text = write_csv([{"label": name, "users": 20}])
    ((label, users),) = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert_harmless(label)
    assert users == "20"
    # A spreadsheet may part cells at semicolons, but not within quotes.
    assert ";" not in name or f'"{name}"' in text


@settings(max_examples=300, deadline=None)
@example("")
@example("'=")
@given(st.text(max_size=12))
def test_any_text_is_one_harmless_cell(name):
    rows = list(csv.reader(io.StringIO(write_csv([{"a": name, "b": -0.5}]), newline="")))
    assert [rows[0], rows[1][1:], len(rows)] == [["a", "b"], ["-0.5"], 2]
    if rows[1][0]:
        assert_harmless(rows[1][0])


@pytest.mark.parametrize("plain", ["Main Street 5", "+41791234567", "-5", "a=b", "x, y", 'say "a"'])
def test_plain_text_stays_as_it_is(plain):
    assert guard_text(plain) == plain
    assert list(csv.reader(io.StringIO(write_csv([{"a": plain}]))))[1] == [plain]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_links_are_guarded_in_text_files_and_exact_in_parquet(tmp_path, ending):
    links = pa.table({"released": DISGUISED, "auxiliary": DISGUISED, "confidence": [1.5] * 24})
    path = tmp_path / f"links.{ending}"
    write_table(links, path, Engine(), private=True, for_people=True)
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="," if ending == "csv" else "\t"))
    assert len(rows) == len(DISGUISED)
    for row in rows:
        assert_harmless(row["released"])
        assert_harmless(row["auxiliary"])
        assert row["confidence"] == "1.5"
    exact = tmp_path / "links.parquet"
    write_table(links, exact, Engine(), private=True, for_people=True)
    assert pq.read_table(exact)["released"].to_pylist() == DISGUISED


def test_each_value_stands_under_its_name_where_rows_have_different_names():
    text = write_csv([{"a": 1, "low": 2}, {"a": 3, "at_most": 4, "low": 5}])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows == [
        {"a": "1", "low": "2", "at_most": ""},
        {"a": "3", "low": "5", "at_most": "4"},
    ]
