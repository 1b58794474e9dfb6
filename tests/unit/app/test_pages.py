"""Pages without a browser: lists, setting up, what an audit says, comparing and protecting."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from tests.unit.app.conftest import text_of

from trailprint.app.drafts import Drafts
from trailprint.app.folders import Folder
from trailprint.app.jobs import Job
from trailprint.app.measured import list_points

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"
SWEEP = {
    "applied": [{"name": "microaggregate", "parameters": {"k": 5}}],
    "parameter": "k",
    "sweep": [
        {
            "parameters": {"k": 7},
            "information_loss": 0.3,
            "user_accuracy": 0.1,
            "accuracy_interval": [0.05, 0.2],
        }
    ],
}


@pytest.fixture
def audit(folder):
    """A finished audit, as the command leaves it."""
    return make_audit(folder, "audit")


def make_audit(folder: Path, name: str) -> Path:
    place = folder / name
    (place / "tables").mkdir(parents=True)
    shutil.copy(EXAMPLE, place / "result.json")
    manifest = {"written": "2026-01-02", "inputs": [{"name": "visits.csv"}]}
    (place / "manifest.json").write_text(json.dumps(manifest))
    (place / "report.html").write_text("<h1>Report</h1>")
    (place / "settings.toml").write_text('data = "visits.csv"\nout = "audit"\ntime-limit = "5m"\n')
    (place / "tables" / "risk.csv").write_text("a,b\n")
    return place


@pytest.fixture
def holding():
    """Hold the lock of a job, as its process would."""
    handles = []

    def hold(place: Path) -> None:
        place.mkdir()
        (place / "job.json").write_text('{"words": ["audit", "visits.csv"], "pid": 0}')
        told = {"what": "Reading", "done": 0.5}
        (place / "progress.json").write_text(json.dumps(told))
        handles.append(os.open(place / "lock", os.O_CREAT | os.O_RDWR))
        fcntl.flock(handles[-1], fcntl.LOCK_EX)

    yield hold
    for handle in handles:
        os.close(handle)


def test_the_first_page_lists_data_audits_and_comparisons(client, folder, audit):
    (folder / "sub").mkdir()
    (folder / "sub" / "more.parquet").write_bytes(b"PAR1")
    (folder / "notes.pdf").write_bytes(b"")
    (folder / "compared").mkdir()
    (folder / "compared" / "comparison.json").write_text('{"sentence": "Less risk."}')
    page = text_of(client.get("/").text)
    headline = json.loads(EXAMPLE.read_text())["headline"]["sentence"].split(" (")[0]
    for words in ("visits.csv", "sub/more.parquet", "2026-01-02", headline, "Less risk."):
        assert words in page
    assert "notes.pdf" not in page
    assert "risk.csv" not in page


def test_files_are_found_by_name(client, folder):
    (folder / "other.csv").write_text("user,location\n")
    page = client.get("/", params={"find": "OTH"}).text
    assert "other.csv" in page
    assert "visits.csv" not in page


def test_fifty_audits_three_of_them_running_are_listed_within_200_ms(client, folder, holding):
    for number in range(50):
        make_audit(folder, f"audit-{number}")
    for number in range(3):
        holding(folder / f"audit-{number}" / "job")
    assert client.get("/").text.count('class="badge running"') == 3
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        assert client.get("/").text.count("audit-4") >= 10
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.2


def test_a_huge_folder_is_listed_in_part(folder, monkeypatch):
    monkeypatch.setattr("trailprint.app.folders._MOST_FILES", 20)
    for number in range(50):
        (folder / f"{number}.csv").write_text("")
    found = Folder(folder).list_contents()
    assert len(found.data) == 20
    assert not found.is_whole


def test_the_first_look_tells_columns_and_never_a_value(client, send, folder, commands):
    (folder / "odd.csv").write_text(
        "card_id,Stop,zeit\nanna,bank,2024-01-01\nbob,home,2024-01-02\n"
    )
    address = send("/drafts", data="odd.csv").headers["location"]
    page = client.get(address).text
    assert commands == [["inspect", "odd.csv"]]
    assert "card_id" in page
    assert "<strong>user</strong>" in page
    assert "anna" not in page
    assert "bank" not in page


def test_a_file_without_header_shows_no_names(client, send, folder, commands):
    (folder / "odd.csv").write_text("anna,bank,2024-01-01\nbob,home,2024-01-02\n")
    page = client.get(send("/drafts", data="odd.csv").headers["location"]).text
    assert "anna" not in page


def test_the_road_to_a_plan(client, send, folder, commands):
    address = send("/drafts", data="visits.csv").headers["location"]
    answer = send(address, user_column="user", timezone="Europe/Zurich", next="questions")
    assert answer.headers["location"] == f"{address}/questions"
    page = client.get(f"{address}/questions").text
    assert "--timezone Europe/Zurich" in page
    assert "Histogram matching" in page
    send(f"{address}/questions", attacks="trail", out="audit-visits", time_limit="1m")
    assert set(commands[-1]) == {
        *("audit", "visits.csv", "--user-column", "user", "--timezone", "Europe/Zurich"),
        *("--attacks", "trail", "--out", "audit-visits", "--time-limit", "1m", "--plan"),
    }
    answer = send(f"{address}/start")
    assert answer.headers["location"] == "/audit?at=audit-visits"
    assert "--plan" not in commands[-1]


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_started(client, send, commands):
    address = send("/drafts", data="visits.csv").headers["location"]
    commands.clear()
    send(f"{address}/questions", out="a", target_risk="7")
    assert commands == []
    page = client.get(f"{address}/questions").text
    assert 'id="field-target-risk-error"' in page
    assert "--target-risk must be a share from 0 to 1" in page
    send(f"{address}/questions", out="a", target_risk="0.05")
    assert "field-target-risk-error" not in client.get(f"{address}/questions").text


def test_an_audit_says_its_headline_and_hands_over_its_files(client, audit):
    page = client.get("/audit", params={"at": "audit"}).text
    for name in ("report.html", "result.json", "settings.toml", "tables%2Frisk.csv"):
        assert f"name={name}" in page
    answer = client.get("/download", params={"at": "audit", "name": "tables/risk.csv"})
    assert (answer.status_code, answer.text) == (200, "a,b\n")
    assert 'filename="audit-tables-risk.csv"' in answer.headers["content-disposition"]


def test_an_audit_that_vanished_is_a_sentence(client):
    assert client.get("/audit", params={"at": "gone"}).status_code == 404


def test_an_interrupted_audit_can_go_on(client, send, folder, commands):
    job = folder / "half" / "job"
    job.mkdir(parents=True)
    words = ["audit", "visits.csv", "--out", "half"]
    (job / "job.json").write_text(json.dumps({"words": words, "pid": 1, "started": 1.0}))
    assert "interrupted" in client.get("/").text
    assert "Go on" in client.get("/audit", params={"at": "half"}).text
    send("/audit/resume", at="half")
    assert commands == [words]


def test_asking_again_starts_from_what_was_asked(client, send, audit, commands):
    address = send("/drafts", again="audit").headers["location"]
    page = client.get(f"{address}/questions").text
    assert "--time-limit 5m" in page
    assert "--out audit-visits" in page


def test_audits_are_compared_with_the_one_that_was_chosen(client, send, folder, commands):
    for name in ("one", "two"):
        make_audit(folder, name)
    assert "one" in client.get("/compare", params={"at": ["one", "two"]}).text
    assert client.get("/compare", params={"at": ["one"]}).status_code == 400
    answer = send("/compare", audit=["one", "two"], reference="two", out="compared", keys="k.csv")
    assert answer.headers["location"] == "/comparison?at=compared"
    assert commands == [["compare", "./two", "./one", "--out", "compared", "--keys", "k.csv"]]


def test_points_of_the_audit_and_measured_ones_are_shown_together(audit, client):
    place = audit / "job" / "measured" / "x"
    place.mkdir(parents=True)
    (place / "job.json").write_text('{"words": ["protect"], "pid": 1, "started": 1}')
    (place / "printed.json").write_text(json.dumps(SWEEP))
    points = list_points(audit)
    assert [point.loss for point in points] == sorted(point.loss for point in points)
    (added,) = (point for point in points if not point.by_audit)
    assert (added.chain, added.risk) == ("microaggregate:k=7", 0.1)
    page = client.get("/protect", params={"at": "audit"}).text
    assert "microaggregate, k = 7" in page
    assert "<svg" in page


def test_values_are_measured_once(send, audit, commands, monkeypatch):
    monkeypatch.setattr(Job, "state", lambda self: "finished" if commands else "none")
    for _ in range(2):
        send("/protect/measure", at="audit", parameter="microaggregate:k", values="3,7")
    assert commands == [["protect", "visits.csv", "--apply", "microaggregate", "--sweep", "k=3,7"]]


def test_a_release_is_written_for_a_measured_point_only(send, client, audit, commands):
    chain = next(point.chain for point in list_points(audit) if point.chain)
    answer = send("/protect/release", at="audit", chain="noise:epsilon=1", release="r")
    assert "error=" in answer.headers["location"]
    assert commands == []
    send("/protect/release", at="audit", chain=chain, release="r", keep_keys="yes", keys="k.csv")
    assert commands == [
        [
            *("protect", "visits.csv", "--apply", chain, "--release", "r", "--audit", "audit"),
            *("--keys", "k.csv"),
        ]
    ]
    answer = send("/protect/release", at="audit", chain=chain, release="../r")
    assert "inside" in answer.headers["location"]
    assert len(commands) == 1


def test_progress_is_told_as_events_until_the_end(client, folder):
    job = Job(folder / "half" / "job")
    job.folder.mkdir(parents=True)
    (job.folder / "progress.json").write_text('{"what": "Reading", "done": 0.5}')
    answer = client.get("/watch", params={"job": "half/job"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = [line for line in answer.text.splitlines() if line.startswith("data:")]
    assert json.loads(told[0].removeprefix("data:"))["what"] == "Reading"
    assert "event: end" in answer.text


def test_what_nobody_came_back_to_for_a_month_is_removed(folder, send, commands):
    send("/drafts", data="visits.csv")
    send("/drafts", data="visits.csv")
    old, new = sorted((folder / ".trailprint" / "drafts").iterdir())
    os.utime(old, (1.0, 1.0))
    Drafts(Folder(folder)).tidy()
    assert not old.exists()
    assert new.exists()
    assert (folder / ".trailprint").stat().st_mode & 0o077 == 0
