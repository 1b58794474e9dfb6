"""A result in a notebook: the page in a frame where nothing runs."""

from __future__ import annotations

import re
from html import unescape

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.report.audit_page import render_report
from trailprint.report.notebook import embed_report, write_summary

pytestmark = pytest.mark.usefixtures("blank_charts")


def test_the_frame_is_closed_to_scripts_and_holds_the_page(result):
    frame = embed_report(Findings.from_dict(result))
    assert frame.startswith('<iframe title="Audit" sandbox="" srcdoc="')
    assert frame.count("<") == 2  # the frame and its end: everything inside is escaped
    page = unescape(frame.split('srcdoc="', 1)[1].split('" style=', 1)[0])
    assert page.startswith("<!doctype html>")
    assert "<script" not in page


def test_tiles_and_main_chapters_are_there(result):
    page = unescape(embed_report(Findings.from_dict(result)))
    assert f"{round(100 * result['headline']['share'])}" in page
    for title in [attack["title"] for attack in result["attacks"] if attack["ran"]]:
        assert title in page


def test_every_chart_of_the_report_is_in_the_notebook_too(result, sparse):
    for plain in (result, sparse):
        found = Findings.from_dict(plain)
        drawn = re.findall("<figcaption>(.*?)</figcaption>", render_report(found))
        shown = re.findall("<figcaption>(.*?)</figcaption>", unescape(embed_report(found)))
        assert shown == drawn
        assert drawn


def test_next_to_nothing_measured_is_a_page_too(sparse, unscored):
    for found in (sparse, unscored):
        assert embed_report(Findings.from_dict(found)).endswith("</iframe>")


def test_notes_name_options_as_python_does(result):
    attacks = [{**one, "ran": False, "why_not": "No --attacks."} for one in result["attacks"]]
    shown = write_summary(Findings.from_dict({**result, "attacks": attacks}))
    assert "did not run. No attacks." in shown
    assert "--" not in shown
