"""Sheets of Excel workbooks are read like text, their dates as dates."""

from __future__ import annotations

import builtins
import datetime
import hashlib
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest

import trailprint as tp
from trailprint.audit.sources import describe_source
from trailprint.errors import OptionError, SourceError

CANARY = "SECRETZQX"
START = datetime.datetime(2024, 5, 13, 8, 10)
HEADER = ("Card ID", "Stop ID", "Tap time")
ROWS = [
    (7, "A", START),
    (7, "B", START + datetime.timedelta(hours=1)),
    (),
    (CANARY, "A", datetime.date(2024, 5, 14)),
]


@pytest.fixture
def make(tmp_path):
    def make(rows=ROWS, name="taps.xlsx", header=HEADER, sheets=("Taps",)):
        book = openpyxl.Workbook()
        book.remove(book.worksheets[0])
        for title in sheets:
            sheet = book.create_sheet(title)
            for row in (header, *rows):
                sheet.append(row)
        book.save(tmp_path / name)
        return str(tmp_path / name)

    return make


def test_a_sheet_is_read_with_its_dates(run, make):
    path = make()
    for source in (path, f"{path}::Taps"):
        found = run("inspect", source, "--json")
        assert found.code == 0, found.err
        shown = json.loads(found.out)
        assert (shown["users"], shown["events"], shown["last"]) == (2, 3, "2024-05-14")


def test_values_are_those_of_the_cells(make, rows_of):
    events = tp.read(make())
    rows = events.engine.rows(f'SELECT "user", location, "start" FROM ({events.query}) ORDER BY 3')
    assert rows == [
        ("7", "A", START),
        ("7", "B", START + datetime.timedelta(hours=1)),
        (CANARY, "A", datetime.datetime(2024, 5, 14)),
    ]


def test_one_of_several_sheets_must_be_named(make):
    path = make(sheets=("Sheet1", "Sheet2"))
    with pytest.raises(SourceError, match=r"none was named\. There are: Sheet1, Sheet2"):
        tp.read(path)
    with pytest.raises(SourceError, match="none is named 'Sheet3'"):
        tp.read(f"{path}::Sheet3")
    assert tp.read(f"{path}::Sheet2").count() == 3
    assert tp.read(f"{path}::sheet2").count() == 3


def test_names_of_sheets_that_may_be_data_are_not_shown(make):
    path = make(sheets=(CANARY, "Sheet2"))
    with pytest.raises(SourceError) as caught:
        tp.read(path)
    assert CANARY not in str(caught.value)


def test_rows_that_are_longer_than_the_header_are_counted(make):
    rows = [("u", "a", START)] * 300 + [("u", "a", START, "more")]
    assert tp.read(make(rows)).tally.bad == {"wrong number of fields": 1}


def test_what_excel_could_not_compute_is_missing(make):
    rows = [("u", "a", START)] * 300 + [("u", "#N/A", START)]
    assert tp.read(make(rows)).tally.bad == {"missing location": 1}


def test_a_sheet_without_header_is_named_by_columns(make):
    path = make(header=("u", "x", START))
    options = tp.ReadOptions(header=("user", "location", "start"))
    assert tp.read(path, options).count() == 4


def test_an_empty_sheet_has_no_rows(make):
    with pytest.raises(SourceError, match="is empty"):
        tp.read(make(rows=(), header=()))


def test_a_damaged_workbook_is_refused(make, tmp_path):
    path = make()
    with zipfile.ZipFile(path) as parts:
        inside = {name: parts.read(name) for name in parts.namelist()}
    broken = tmp_path / "broken.xlsx"
    for damaged in ("xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"):
        with zipfile.ZipFile(broken, "w") as parts:
            for name, content in inside.items():
                parts.writestr(name, content[: len(content) // 2] if name == damaged else content)
        with pytest.raises(SourceError, match="workbook must be whole") as caught:
            tp.read(str(broken))
        assert CANARY not in str(caught.value)


def test_an_old_workbook_is_refused(write):
    path = write("v.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    with pytest.raises(SourceError, match="Save it as"):
        tp.read(path)


def test_without_openpyxl_it_is_said_how_to_install_it(make, monkeypatch):
    path, really = make(), builtins.__import__

    def without(name, *others, **options):
        if name == "openpyxl":
            raise ImportError(name)
        return really(name, *others, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(OptionError, match=r"trailprint\[excel\]"):
        tp.read(path)


def test_a_report_names_the_file_of_a_sheet(make):
    path = make()
    reported = describe_source(f"{path}::Taps")
    assert reported.name == "taps.xlsx::Taps"
    assert reported.sha256 == hashlib.sha256(Path(path).read_bytes()).hexdigest()
