"""Each sentence of "Safe": who may ask, what a page may do, and where paths may lead."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from trailprint.app.folders import Folder
from trailprint.app.security import FORGERY, Session
from trailprint.app.server import _FORMS, _PAGES, build_site, listen
from trailprint.cli.app import AppOptions, _announce
from trailprint.errors import OptionError

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"
MARKUP = "<img src=x onerror=alert(1)>.csv"


# It listens on the loopback address only.


def test_it_listens_on_the_loopback_address():
    assert AppOptions().host == "127.0.0.1"
    assert AppOptions().is_local
    with listen("127.0.0.1", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_it_refuses_to_listen_everywhere(host):
    with pytest.raises(OptionError, match="must name one address"):
        AppOptions(host=host)


def test_another_address_is_not_local_and_a_name_is_refused():
    assert not AppOptions(host="192.168.1.7").is_local
    with pytest.raises(OptionError, match="must be an address"):
        AppOptions(host="example.org")


def test_an_address_that_others_can_reach_is_warned_of(capsys):
    for host in ("192.168.1.7", "127.0.0.1"):
        _announce("http://x", AppOptions(host=host, no_browser=True), as_json=True)
        printed = capsys.readouterr()
        assert json.loads(printed.out) == {"address": "http://x"}
        assert ("can be reached from other machines" in printed.err) == (host != "127.0.0.1")


def test_a_port_that_is_taken_is_reported_in_one_sentence(run, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        finished = run("app", tmp_path, "--port", taken.getsockname()[1], "--no-browser")
    assert finished.code == 2
    assert "Name another --port" in finished.err


def test_a_folder_that_is_none_is_refused(run, tmp_path):
    assert "must be given a folder" in run("app", tmp_path / "nothing").err


def test_without_its_libraries_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        f"from trailprint.cli.main import main; main(['app', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'trailprint[app]'" in done.stderr


# A random token in the first address, then a same-site strict, http-only cookie.


def test_a_stranger_is_refused_everywhere(stranger):
    for path in [*_PAGES, "/watch", "/static/app.js"]:
        answer = stranger.get(path.replace("{draft}", "0" * 16))
        assert answer.status_code == 403
        assert "visits" not in answer.text


def test_the_token_is_traded_for_a_strict_cookie_and_leaves_the_address(stranger, session):
    answer = stranger.get(f"/?token={session.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert session.token not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "é"])
def test_a_wrong_token_is_refused(stranger, token):
    assert stranger.get("/", params={"token": token}).status_code == 403


def test_every_run_has_secrets_of_its_own():
    one, two = (Session(host="127.0.0.1", port=8000) for _ in range(2))
    secrets = {one.token, one.cookie, one.forgery, two.token, two.cookie, two.forgery}
    assert len(secrets) == 6
    assert min(map(len, secrets)) >= 40


# Requests with a foreign Host or Origin are refused.


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1", ""])
def test_a_foreign_host_is_refused(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


def test_localhost_is_the_same_host(client):
    assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000"])
def test_a_foreign_origin_is_refused(client, session, origin):
    assert client.get("/", headers={"origin": origin}).status_code == 403
    data = {FORGERY: session.forgery, "data": "visits.csv"}
    assert client.post("/drafts", data=data, headers={"origin": origin}).status_code == 403


def test_a_form_without_an_origin_is_refused(client, session):
    data = {FORGERY: session.forgery, "data": "visits.csv"}
    assert client.post("/drafts", data=data).status_code == 403


# Every changing request carries a token against forgery.


@pytest.mark.parametrize("path", _FORMS)
@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_a_form_without_the_token_changes_nothing(client, folder, commands, path, token):
    data = {"data": "visits.csv"} | ({} if token is None else {FORGERY: token})
    address = path.replace("{draft}", "0" * 16)
    answer = client.post(address, data=data, headers={"origin": ORIGIN})
    assert answer.status_code == 403
    assert commands == []
    assert not (folder / ".trailprint").exists()


def test_a_huge_form_is_refused(client, session):
    data = {FORGERY: session.forgery, "data": "x" * 2_000_000}
    answer = client.post("/drafts", data=data, headers={"origin": ORIGIN})
    assert answer.status_code == 403


def test_reading_pages_changes_nothing(client, folder, commands):
    for path in _PAGES:
        client.get(path.replace("{draft}", "0" * 16))
    assert commands == []
    assert os.listdir(folder) == ["visits.csv"]


# A strict content security policy without inline script.


def test_every_answer_has_a_policy_and_no_page_has_inline_script(client, send, commands):
    address = send("/drafts", data="visits.csv").headers["location"]
    for path in ("/", address, f"{address}/questions", "/nothing", "/static/app.js"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not re.search(r"<script(?! src=)|<style|\son\w+=|\sstyle=", answer.text)
        assert not re.search(r"(src|href|action)=\"(https?:)?//", answer.text)


def test_a_report_is_shown_without_script_and_without_our_origin(client, folder):
    place = folder / "audit"
    place.mkdir()
    (place / "report.html").write_text("<script>alert(1)</script>")
    answer = client.get("/document", params={"at": "audit", "name": "report.html"})
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox;")
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy


# Paths stay inside the folder, symlinks resolved.


@pytest.fixture
def links(folder):
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "parts").mkdir()
    (folder / "parts" / "a.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "out").symlink_to(folder.parent)


OUTSIDE = ["../secret.csv", "/etc/passwd", "link.csv", "parts", "parts/*.csv", "out/secret.csv"]


@pytest.mark.parametrize("name", [*OUTSIDE, "a/../../secret.csv", "visits.csv\0"])
def test_data_outside_the_folder_is_refused(send, links, commands, name):
    answer = send("/drafts", data=name)
    assert answer.status_code == 400
    assert commands == []


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "out/x", "link.csv", ".trailprint/x"])
def test_nothing_is_written_outside_the_folder(client, send, links, commands, name):
    address = send("/drafts", data="visits.csv").headers["location"]
    commands.clear()
    send(f"{address}/questions", out=name, attacks="trail")
    assert commands == []
    send(f"{address}/start")
    assert commands == []
    assert "must" in client.get(f"{address}/questions").text


@pytest.mark.parametrize("field", ["auxiliary", "truth", "regions", "links"])
def test_no_field_reads_or_writes_outside_the_folder(client, send, links, commands, field):
    address = send("/drafts", data="visits.csv").headers["location"]
    commands.clear()
    send(address, **{field: "../secret.csv", "next": "questions"})
    assert commands == []
    assert "must lie inside the folder" in client.get(address).text


def test_a_protection_reads_no_file_outside_the_folder(client, send, commands):
    address = send("/drafts", data="visits.csv").headers["location"]
    commands.clear()
    protect = "coarsen-time:unit_s=3600 then coarsen-regions:mapping=../secret.csv"
    send(f"{address}/questions", out="a", protect=protect)
    assert commands == []
    assert "must lie inside the folder" in client.get(f"{address}/questions").text


@pytest.mark.parametrize("path", ["/audit", "/document", "/download", "/comparison", "/protect"])
@pytest.mark.parametrize("at", ["..", "../..", "/etc", "out"])
def test_no_page_shows_what_is_outside(client, links, path, at):
    answer = client.get(path, params={"at": at, "name": "secret.csv"})
    assert answer.status_code in (400, 404)
    assert "anna" not in answer.text


def test_no_file_of_an_audit_may_be_a_link_to_elsewhere(client, send, folder, commands):
    elsewhere = folder.parent / "elsewhere"
    (elsewhere / "tables").mkdir(parents=True)
    (elsewhere / "result.json").write_text('{"headline": {"sentence": "secret", "people": 3}}')
    (elsewhere / "settings.toml").write_text('data = "visits.csv"\ntitle = "secret"\n')
    (elsewhere / "tables" / "secret.csv").write_text("secret")
    place = folder / "audit"
    place.mkdir()
    (place / "result.json").symlink_to(elsewhere / "result.json")
    assert "secret" not in client.get("/").text
    (place / "result.json").unlink()
    (place / "result.json").write_text('{"headline": {"share": 0.5, "people": 3, "chance": 0.1}}')
    for name in ("settings.toml", "tables"):
        (place / name).symlink_to(elsewhere / name)
    (place / "report.html").symlink_to(elsewhere / "tables" / "secret.csv")
    for path in ("/document", "/download"):
        for name in ("report.html", "tables/secret.csv", "settings.toml"):
            answer = client.get(path, params={"at": "audit", "name": name})
            assert answer.status_code in (400, 404)
            assert "secret" not in answer.text.replace("secret.csv", "")
    answer = send("/drafts", again="audit")
    assert answer.status_code == 400
    assert commands == []


def test_a_job_that_is_a_link_is_none(client, send, folder, commands):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "job.json").write_text(
        '{"words": ["audit", "visits.csv", "--out", "a"], "pid": 1}'
    )
    (folder / "a").mkdir()
    (folder / "a" / "job").symlink_to(elsewhere)
    assert client.get("/audit", params={"at": "a"}).status_code == 404
    assert send("/audit/resume", at="a").status_code == 404
    assert commands == []
    assert os.listdir(elsewhere) == ["job.json"]


def test_the_apps_own_folder_may_not_be_a_link(run, folder):
    (folder / ".trailprint").symlink_to(folder.parent)
    finished = run("app", folder, "--no-browser")
    assert finished.code == 2
    assert "must be a folder of its own" in finished.err


def test_links_out_of_the_folder_are_not_listed(client, links):
    page = client.get("/").text
    assert "visits.csv" in page
    assert "link.csv" not in page
    assert "secret.csv" not in page


def test_a_kept_command_that_was_changed_is_not_run(send, folder, commands):
    job = folder / "audit" / "job"
    job.mkdir(parents=True)
    for more in (["--out", "../elsewhere"], ["--spark-conf", "x=y"], ["--settings", "x.toml"]):
        words = ["audit", "visits.csv", *more]
        (job / "job.json").write_text(json.dumps({"words": words, "pid": 1, "started": 1.0}))
        assert send("/audit/resume", at="audit").status_code == 400
    (job / "job.json").write_text(json.dumps({"words": ["simulate", "campus"], "pid": 1}))
    assert send("/audit/resume", at="audit").status_code == 404
    assert commands == []


# Links and per-person risks are files, never pages.


def test_each_persons_risk_is_a_file_and_never_a_page(client, folder):
    place = folder / "audit"
    place.mkdir()
    (place / "result.json").write_text('{"headline": {}}')
    (place / "per_user.parquet").write_bytes(b"PAR1 anna")
    (place / "links.csv").write_text("released,auxiliary\nanna,bank\n")
    answer = client.get("/download", params={"at": "audit", "name": "per_user.parquet"})
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"] == "application/octet-stream"
    for name in ("links.csv", "work/parts/x", "../visits.csv", "job/job.json"):
        assert client.get("/download", params={"at": "audit", "name": name}).status_code == 404
    for name in ("per_user.parquet", "links.csv"):
        assert client.get("/document", params={"at": "audit", "name": name}).status_code == 404


# Names with markup, files that vanish, two people at once: nothing breaks, nothing runs.


def test_names_with_markup_are_text(client, send, folder, commands):
    (folder / MARKUP).write_text("<b>user</b>,location\na,b\n")
    page = client.get("/").text
    assert MARKUP not in page
    assert "&lt;img src=x" in page
    address = send("/drafts", data=MARKUP).headers["location"]
    page = client.get(address).text
    assert "<img" not in page
    assert "<b>user" not in page


def test_a_file_that_vanished_is_a_sentence(client, send, folder, commands):
    address = send("/drafts", data="visits.csv").headers["location"]
    (folder / "visits.csv").unlink()
    assert client.get(address).status_code == 200
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("draft", ["0" * 16, "x", "..%2f..%2fsecret", "a" * 300])
def test_a_draft_that_is_none_is_a_sentence(client, draft):
    assert client.get(f"/drafts/{draft}").status_code == 404


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{", '{"headline": 7}', '{"headline": {"people": "<b>", "share": "<b>"}}'),
        '{"headline": {"share": 1}, "protections": {"points": [7, {"loss": 1, "accuracy": "x"}]}}',
        '{"headline": {"share": 1}, "protections": 7, "data": 7}',
        '{"headline": {"sentence": ["<b>"]}}',
        "[" * 9999,
    ],
)
def test_a_result_that_is_none_breaks_no_list(client, folder, content):
    place = folder / "audit"
    place.mkdir()
    (place / "result.json").write_text(content)
    (place / "manifest.json").write_text(content)
    for path in ("/", "/audit?at=audit", "/protect?at=audit", "/compare?at=audit&at=audit"):
        answer = client.get(path)
        assert answer.status_code in (200, 400, 404)
        assert "<b>" not in answer.text


def test_two_people_have_drafts_of_their_own(folder, session, commands):
    site = build_site(Folder(folder), session)
    addresses = []
    for _ in range(2):
        with TestClient(site, base_url=ORIGIN, follow_redirects=False) as client:
            client.get(f"/?token={session.token}")
            data = {FORGERY: session.forgery, "data": "visits.csv"}
            answer = client.post("/drafts", data=data, headers={"origin": ORIGIN})
            addresses.append(answer.headers["location"])
    assert len(set(addresses)) == 2


def test_a_folder_that_cannot_be_written_to_is_a_sentence(send, monkeypatch):
    def refuse(*given, **named):
        raise PermissionError(13, "anna.csv")

    monkeypatch.setattr("trailprint.app.drafts.replacing_file", refuse)
    answer = send("/drafts", data="visits.csv")
    assert answer.status_code == 400
    assert "Permission denied" in answer.text
    assert "anna" not in answer.text


def test_a_defect_of_ours_says_nothing_of_the_data(folder, session, monkeypatch):
    def fail(*given):
        raise RuntimeError("anna")

    monkeypatch.setattr("trailprint.app.folders.Folder.list_contents", fail)
    site = build_site(Folder(folder), session)
    with TestClient(site, base_url=ORIGIN, raise_server_exceptions=False) as client:
        answer = client.get(f"/?token={session.token}")
    assert answer.status_code == 500
    assert "RuntimeError" in answer.text
    assert "anna" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
