"""A report names itself, and says what to do next."""

import hashlib
import html
import re

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.audit.results.sources import Source
from trailprint.report.about import About
from trailprint.report.audit_page import render_report
from trailprint.report.blocks import Bullets, Command
from trailprint.report.chapters.next_steps import write_next

DIGEST = hashlib.sha256(b"data").hexdigest()
ABOUT = About(
    written="2024-05-06",
    command="trailprint audit 'my <b>visits.csv' --out o --users 20",
    sources=[Source(name="my <b>visits.csv", files=2, bytes=1_234_567, sha256=DIGEST)],
)


def read(page):
    words = re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.S))
    return " ".join(html.unescape(words).split())


@pytest.fixture
def page(result, blank_charts):
    result["settings"] |= {"title": "Spring <term>"}
    result["data"] |= {"columns": ["user", "location", "start"], "timezone": "Europe/Zurich"}
    return render_report(Findings.from_dict(result), ABOUT)


def test_the_title_is_that_of_the_page_and_the_finding_still_comes_first(page):
    assert "<title>Spring &lt;term&gt;</title>" in page
    assert re.search(r"<h1>\s*Spring &lt;term&gt;\s*</h1>", page)
    first = read(page[page.index("</h1>") : page.index("<nav")])
    assert first.startswith("488 of 1,054 people")
    assert "Re-identification risk report · 2024-05-06" in read(page)


def test_the_first_screen_shows_shape_and_fingerprint(page):
    first = read(page[: page.index("<nav")])
    assert "227,428 events from 2012-04-03 to 2013-02-16" in first
    assert f"my <b>visits.csv: 2 files, 1.235 MB, SHA-256 {DIGEST[:16]}." in first
    assert DIGEST not in first


def test_the_last_chapter_has_all_it_takes_to_run_it_again(page):
    last = read(page[page.index('<section id="again"') :])
    for words in (
        "Title Spring <term>",
        "Written on 2024-05-06",
        "Command trailprint audit 'my <b>visits.csv' --out o --users 20",
        f"SHA-256 {DIGEST}",
        "Columns user, location, start",
        "Time zone Europe/Zurich",
    ):
        assert words in last


def test_without_a_title_and_a_source_nothing_is_invented(result, blank_charts):
    reported = read(render_report(Findings.from_dict(result)))
    assert "risk report 488 of 1,054 people could be linked to their own records 488 of" in reported
    assert "Read from" not in reported
    assert "Command" not in reported


def next_of(result):
    points = write_next(Findings.from_dict(result), About())[0]
    assert isinstance(points, Bullets)
    return points.items


def test_what_to_do_next_is_three_sentences_on_the_first_screen(result, page):
    steps = next_of(result)
    assert len(steps) == 3
    assert all(step.endswith(".") and ". " not in step for step in steps)
    first = read(page[: page.index("<nav")])
    assert " ".join(["What to do next", *" ".join(steps).split()]) in first
    assert first.index("What to do next") < first.index("Of a hundred people like these")


def test_what_to_do_next_follows_from_what_was_found(result, sparse):
    begin = "Do not publish the data as it is"
    assert next_of(result)[0].startswith(begin)
    assert "averages of groups of 10, which leaves" in next_of(result)[1]
    assert "DPIA" in next_of(result)[2]
    result["headline"]["protection"] = None
    assert next_of(result)[1].startswith("None of the protections that were tried")
    assert next_of(sparse)[1].startswith("Try protections")
    result["headline"]["interval"] = [0.0, 0.5]
    assert "a few known points tell most people apart" in next_of(result)[0]
    result["points"] = None
    assert next_of(result)[0].startswith("These attacks do no better than guessing")
    result["headline"] |= {"share": None, "interval": None, "linked": "<10", "at_most": 0.01}
    assert next_of(result)[0].startswith("Treat the data as personal data")
    result["controls"][0]["passed"] = False
    assert next_of(result)[0].endswith(
        "not in the release are as confident. The rates are still valid."
    )
    result["controls"][0]["kind"] = "permuted"
    assert next_of(result)[0].startswith("Do not use these figures")


def test_the_release_that_is_proposed_can_be_typed(result):
    found = Findings.from_dict(result)
    command = write_next(found, About())[1]
    assert isinstance(command, Command)
    written = "--apply microaggregate:k=10 --release release"
    assert command.text == f"trailprint protect DATA {written}"
    reported = write_next(found, About(release="trailprint protect x.csv"))[1]
    assert isinstance(reported, Command)
    assert reported.text == "trailprint protect x.csv"
    result["headline"]["protection"] = None
    assert len(write_next(Findings.from_dict(result), About())) == 1


def test_data_that_reaches_the_target_is_said_to(result):
    result["headline"]["protection"] = None
    result["protections"]["target"] = result["protections"]["points"][0]
    assert next_of(result)[1].startswith("The data as it is reaches the target")


def test_links_that_cannot_be_scored_need_a_truth(unscored):
    assert "--truth" in next_of(unscored)[0]


def test_regulators_words(page):
    reported = read(page[page.index('<section id="regulators"') :])
    for words in ("Recital 26 of the GDPR", "WP216", "DPIA, Article 35", "reasonably likely"):
        assert words in reported


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (15 * 10**12, "15 TB"), (10**16, "1e+04")],
)
def test_sizes(size, shown):
    assert shown in Source(name="x", files=1, bytes=size, sha256=DIGEST).describe()
