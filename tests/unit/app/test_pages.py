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
from trailprint.workflows.release_risk import add_measured

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"
TRIED = json.loads(EXAMPLE.read_text())["protections"]["points"][1]
POINT = {
    **TRIED,
    "label": "Averages of groups of 7",
    "name": "microaggregate",
    "written": "microaggregate:k=7",
    "parameters": {"k": 7},
    "loss": 0.3,
    "accuracy": 0.1,
    "interval": [0.05, 0.2],
    "attack": "combined",
    "judged": [{**TRIED["judged"][0], "attack": name} for name in ("histogram", "combined")],
    "judged_by_all": True,
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
        reported = {"what": "Reading", "done": 0.5}
        (place / "progress.json").write_text(json.dumps(reported))
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


def test_an_audit_made_on_the_command_line_shows_its_command(client, audit):
    assert "command line" not in client.get("/audit", params={"at": "audit"}).text
    kept = json.loads((audit / "manifest.json").read_text())
    kept["command"] = "trailprint audit visits.csv --seed 3"
    (audit / "manifest.json").write_text(json.dumps(kept))
    page = text_of(client.get("/audit", params={"at": "audit"}).text)
    assert "trailprint audit visits.csv --seed 3 As it was run" in page


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


def test_the_first_look_shows_columns_and_never_a_value(client, send, folder, commands):
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
        *("--attacks", "trail", "--out", "audit-visits", "--time-limit", "1m", "--dry-run"),
    }
    answer = send(f"{address}/start")
    assert answer.headers["location"] == "/audit?at=audit-visits"
    assert "--dry-run" not in commands[-1]


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


def test_an_interrupted_audit_can_be_resumed(client, send, folder, commands):
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
    add_measured(audit, POINT)
    points = list_points(audit)
    assert [point.loss for point in points] == sorted(point.loss for point in points)
    (added,) = (point for point in points if point.is_later)
    assert (added.chain, added.risk) == ("microaggregate:k=7", 0.1)
    assert (added.attack, added.judges[0]) == ("Combined matching", "Histogram matching")
    page = client.get("/protect", params={"at": "audit"}).text
    assert "Averages of groups of 7" in page
    assert "<svg" in page
    assert "No protection" in page


def test_points_of_an_earlier_audit_in_the_same_folder_are_gone(audit):
    add_measured(audit, POINT)
    result = json.loads((audit / "result.json").read_text())
    (audit / "result.json").write_text(json.dumps({**result, "seed": 99}))
    assert not any(point.is_later for point in list_points(audit))


@pytest.mark.parametrize(
    "damage", [{"interval": ["a", "b"]}, {"judged": [{}]}, {"judged": 7}, {"loss": "low"}]
)
def test_a_point_that_was_damaged_is_left_out(audit, client, damage):
    before = [point.label for point in list_points(audit)]
    result = json.loads((audit / "result.json").read_text())
    damaged = result["protections"]["points"][1]
    damaged |= damage
    (audit / "result.json").write_text(json.dumps(result))
    after = [point.label for point in list_points(audit)]
    assert after == [label for label in before if label != damaged["label"]] != before
    assert client.get("/protect", params={"at": "audit"}).status_code == 200


@pytest.mark.parametrize("content", ["", "[]", '{"point": 7}', "{", "[" * 9999])
def test_a_measurement_that_is_none_breaks_nothing(audit, client, content):
    add_measured(audit, POINT).write_text(content)
    assert client.get("/protect", params={"at": "audit"}).status_code == 200


def test_values_are_measured_as_the_audit_was_asked(send, audit, commands):
    send("/protect/measure", at="audit", parameter="microaggregate:k", slid="0", values="3,7")
    assert commands == [
        [
            *("audit", "visits.csv", "--out", "audit", "--time-limit", "5m"),
            *("--measure", "microaggregate:k=3", "--measure", "microaggregate:k=7"),
        ]
    ]


def test_what_was_measured_is_not_measured_again(send, client, audit, commands):
    add_measured(audit, POINT)
    sent = {"at": "audit", "parameter": "microaggregate:k"}
    answer = send("/protect/measure", **sent, values="7")
    assert commands == []
    assert "was measured before" in client.get(answer.headers["location"]).text
    send("/protect/measure", **sent, values="7,8")
    assert commands[0][-2:] == ["--measure", "microaggregate:k=8"]


def test_a_slider_works_without_script(send, audit, commands):
    send("/protect/measure", at="audit", parameter="microaggregate:k", slid="1", values="")
    assert commands[0][-2:] == ["--measure", "microaggregate:k=3"]


def test_several_protections_are_measured_as_they_are_written(send, client, audit, commands):
    chain = "top-locations:n=50 then coarsen-time:unit_s=3600"
    send("/protect/measure", at="audit", written=chain)
    assert commands[0][-1] == chain
    answer = send("/protect/measure", at="audit", written="magic:k=2")
    assert "A protection must be one of" in client.get(answer.headers["location"]).text
    answer = send("/protect/measure", at="audit", written="coarsen-regions:mapping=../secret.csv")
    assert "must lie inside the folder" in client.get(answer.headers["location"]).text
    assert len(commands) == 1


def test_a_sentence_in_an_address_is_not_shown(client, audit):
    address = "/protect?at=audit&said=Send+your+password&error=Send+your+password"
    assert "password" not in client.get(address).text


def test_measuring_is_stopped_when_asked(send, audit, monkeypatch):
    stopped = []
    monkeypatch.setattr(Job, "cancel", lambda self: stopped.append(self.folder.name))
    for name in ("one", "two"):
        (audit / "job" / "measured" / name).mkdir(parents=True)
    send("/protect/stop", at="audit", job="audit/job/measured/two")
    send("/protect/stop", at="audit", job="audit/job")
    assert stopped == ["two"]


def test_a_release_is_written_for_a_measured_point_only(send, client, audit, commands):
    add_measured(audit, POINT)
    sent = {"at": "audit", "release": "r"}
    answer = send("/protect/release", **sent, chain="noise:epsilon=3")
    assert "that were measured" in client.get(answer.headers["location"]).text
    assert commands == []
    for chain in ("microaggregate:k=7", "top-locations:n=100"):
        send("/protect/release", **sent, chain=chain, keep_keys="yes", keys="k.csv")
        assert commands.pop() == [
            *("protect", "visits.csv", "--apply", chain, "--release", "r", "--audit", "audit"),
            *("--keys", "k.csv"),
        ]
    answer = send("/protect/release", at="audit", chain=chain, release="../r")
    assert "inside the folder" in client.get(answer.headers["location"]).text
    assert commands == []


def test_a_file_that_a_command_named_from_elsewhere_is_found(send, folder, audit, commands):
    for name in ("elsewhere/folder/visits.csv", str(folder / "visits.csv"), "visits.csv"):
        (audit / "settings.toml").write_text(f'data = "{name}"\nout = "folder/audit"\n')
        send("/drafts", again="audit")
        assert commands.pop() == ["inspect", "visits.csv"]


def test_progress_is_sent_as_events_until_the_end(client, folder):
    job = Job(folder / "half" / "job")
    job.folder.mkdir(parents=True)
    (job.folder / "progress.json").write_text('{"what": "Reading", "done": 0.5}')
    answer = client.get("/watch", params={"job": "half/job"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    reported = [line for line in answer.text.splitlines() if line.startswith("data:")]
    assert json.loads(reported[0].removeprefix("data:"))["what"] == "Reading"
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
