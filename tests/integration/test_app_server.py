"""
The app as it is started, and what reaches it over a socket.

Strangers, malformed requests, names with spaces and umlauts, databases and sheets, many audits at
once, a process that is killed, a server that is started again.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import threading
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.browser.app_server import Running, start_app, stop_app

from trailprint.app.security import FORGERY

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
ROWS = [(f"u{n % 12}", f"Örtli {n % 7}", f"2024-03-{1 + n % 28:02}") for n in range(400)]
PATIENCE_S = 60


class Visitor:
    """A browser without a screen: keeps the cookie, and sends forms as pages do."""

    def __init__(self, app: Running) -> None:
        self.place = urllib.parse.urlsplit(app.address)
        self.cookie = ""
        _, headers, _ = self.ask("GET", f"/?{self.place.query}")
        self.cookie = headers["set-cookie"].partition(";")[0]
        found = re.search(rf'name="{FORGERY}" value="([^"]+)"', self.get("/")[1])
        assert found is not None
        self.forgery = found[1]

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, Any, str]:
        sent = {"Cookie": self.cookie, **{k.replace("_", "-"): v for k, v in headers.items()}}
        connection = http.client.HTTPConnection(self.place.netloc, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body.encode() if body else None, sent)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def get(self, path: str, **query: str) -> tuple[int, str]:
        status, _, text = self.ask("GET", path + ("?" if query else "") + _encode(query))
        return status, text

    def send(self, path: str, **fields: str) -> tuple[int, str]:
        """Send a form; where it leads to."""
        body = _encode({FORGERY: self.forgery, **fields})
        kind = "application/x-www-form-urlencoded"
        status, headers, text = self.ask(
            "POST", path, body, Origin=f"http://{self.place.netloc}", Content_Type=kind
        )
        return status, headers.get("location") or text

    def look(self, data: str, **fields: str) -> str:
        """The page of a first look, once it is over."""
        _, address = self.send("/drafts", data=data)
        if fields:
            self.send(address, next="look", **fields)
        return self.wait(address)

    def wait(self, address: str) -> str:
        end = time.monotonic() + PATIENCE_S
        while "data-watch" in (page := self.get(address)[1]):
            assert time.monotonic() < end
            time.sleep(0.1)
        return page


def _encode(fields: dict[str, str]) -> str:
    return urllib.parse.urlencode(fields)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("server") / "Fahrgäste 2024"
    folder.mkdir()
    text = "".join(";".join(row) + "\r\n" for row in [("Card ID", "Station", "Date"), *ROWS])
    (folder / "Taps März.csv").write_bytes(text.encode("cp1252"))
    with duckdb.connect(str(folder / "lake.duckdb")) as lake:
        lake.execute("CREATE TABLE taps (user VARCHAR, location VARCHAR, start VARCHAR)")
        lake.executemany("INSERT INTO taps VALUES (?, ?, ?)", ROWS)
        lake.execute("CREATE TABLE shop (name VARCHAR)")
    running = start_app(folder)
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def visitor(app: Running) -> Visitor:
    return Visitor(app)


# Requests that are not ours.

STRANGE = {
    "no host": b"GET / HTTP/1.0\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n",
    "another name": b"GET /?token={token} HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "an address as path": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "up and out": b"GET /static/../../../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "encoded": b"GET /static/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "a null": b"GET /document?at=%00 HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
    "no request": b"\x00\x01\x02\r\n\r\n",
    "a method of its own": b"BREW / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n",
    "a huge header": b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    "a wrong cookie": b"GET / HTTP/1.1\r\nHost: {host}\r\nCookie: trailprint=x\r\n\r\n",
    "a websocket": b"GET /watch HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
}


@pytest.mark.parametrize("case", STRANGE)
def test_a_strange_request_gets_nothing_and_breaks_nothing(app, visitor, case):
    token = visitor.place.query.removeprefix("token=")
    raw = STRANGE[case].replace(b"{host}", visitor.place.netloc.encode())
    raw = raw.replace(b"{token}", token.encode()).replace(b"{cookie}", visitor.cookie.encode())
    answer = b""
    with socket.create_connection((visitor.place.hostname, visitor.place.port), timeout=10) as line:
        line.sendall(raw.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        try:
            while piece := line.recv(65536):
                answer += piece
        except (TimeoutError, ConnectionResetError):
            pass
    assert not answer.startswith(b"HTTP/1.1 200")
    assert b"root:" not in answer
    assert b"Taps" not in answer
    assert b"set-cookie" not in answer.lower()
    assert visitor.get("/")[0] == 200


def test_nothing_of_a_request_gets_into_a_header(visitor):
    for path in ("/download", "/audit"):
        status, headers, _ = visitor.ask(
            "GET", f"{path}?at=x%0d%0aX-Evil:%201&name=a%0d%0aX-Evil:1"
        )
        assert status in (400, 404)
        assert "x-evil" not in headers
    _, location = visitor.send("/drafts", data="Taps März.csv\r\nX-Evil: 1")
    assert "\n" not in location.partition("<")[0]


def test_a_form_of_another_kind_or_size_is_refused(visitor):
    origin = f"http://{visitor.place.netloc}"
    for body, kind in (
        (json.dumps({FORGERY: visitor.forgery, "data": "Taps März.csv"}), "application/json"),
        ("x" * 3_000_000, "application/x-www-form-urlencoded"),
        ("&".join(f"a{n}=1" for n in range(5000)), "application/x-www-form-urlencoded"),
    ):
        try:
            status, _, _ = visitor.ask("POST", "/drafts", body, Origin=origin, Content_Type=kind)
        except (BrokenPipeError, ConnectionResetError):
            continue  # It hung up before all was sent.
        assert status == 403


def test_the_cookie_of_one_server_opens_no_other(app, visitor, tmp_path):
    other = start_app(tmp_path)
    try:
        status, _, _ = Visitor(other).ask("GET", "/", Cookie=visitor.cookie)
        assert status == 403
    finally:
        stop_app(other)


# What people have.


def test_a_file_of_umlauts_is_described_as_on_the_command_line(app, visitor, run):
    page = visitor.look("Taps März.csv")
    path = app.folder / "Taps März.csv"
    reported = run("inspect", path, "--json").json
    assert (reported["users"], reported["locations"]) == (12, 7)
    for note in reported["notes"]:
        assert note in _text(page)
    assert "Örtli" not in page


def _text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page)).replace("&#39;", "'")


def test_a_table_of_a_database_is_asked_for_by_name(app, visitor, run):
    assert "lake.duckdb" in visitor.get("/")[1]
    page = visitor.look("lake.duckdb")
    said = run("inspect", app.folder / "lake.duckdb").err.removeprefix("trailprint: ").strip()
    assert said in _text(page)
    assert "Table or sheet" in page
    assert '<option value="taps"></option>' in page
    _, address = visitor.send("/drafts", data="lake.duckdb", table="taps")
    page = visitor.wait(address)
    assert '<span class="value">12</span>' in page
    assert "lake.duckdb::taps" in page


def test_a_sheet_is_read_by_its_name(app, visitor):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Mai"
    for row in [("user", "location", "start"), *ROWS]:
        book.active.append(row)
    book.save(app.folder / "Buch.xlsx")
    assert '<span class="value">12</span>' in visitor.look("Buch.xlsx::Mai")


# Many at once.


@pytest.fixture
def busy(app: Running) -> Iterator[list[str]]:
    """Fifty audits, of which three are under way and report their progress."""
    names = [f"busy-{number:02}" for number in range(50)]
    for name in names:
        (app.folder / name).mkdir()
        shutil.copy(EXAMPLE, app.folder / name / "result.json")
    over, handles = threading.Event(), []
    for name in names[:3]:
        job = app.folder / name / "job"
        job.mkdir()
        (job / "job.json").write_text(json.dumps({"words": ["audit", "x.csv"], "pid": 0}))
        handles.append(os.open(job / "lock", os.O_CREAT | os.O_RDWR))
        fcntl.flock(handles[-1], fcntl.LOCK_EX)

    def report() -> None:
        for step in range(10_000):
            for name in names[:3]:
                reported = json.dumps({"what": f"Step {step}", "done": step / 10_000})
                (app.folder / name / "job" / "progress.json").write_text(reported)
            if over.wait(0.05):
                return

    teller = threading.Thread(target=report)
    teller.start()
    yield names
    over.set()
    teller.join()
    for handle in handles:
        os.close(handle)
    for name in names:
        shutil.rmtree(app.folder / name)


def test_pages_answer_at_once_while_three_audits_report_progress(visitor, busy):
    lines: dict[str, list[str]] = {name: [] for name in busy[:3]}
    over = threading.Event()

    def follow(name: str) -> None:
        connection = http.client.HTTPConnection(visitor.place.netloc, timeout=PATIENCE_S)
        job = _encode({"job": f"{name}/job"})
        connection.request("GET", f"/watch?{job}", headers={"Cookie": visitor.cookie})
        answer = connection.getresponse()
        while not over.is_set():
            lines[name].append(answer.readline().decode())
        connection.close()

    followers = [threading.Thread(target=follow, args=(name,)) for name in lines]
    for follower in followers:
        follower.start()
    bare, first = [], []
    for _ in range(15):
        bare.append(_time(visitor, "/static/app.css"))
        first.append(_time(visitor, "/"))
        page = _time(visitor, f"/audit?at={busy[0]}")
    until = time.monotonic() + PATIENCE_S
    while not _have_followed(lines) and time.monotonic() < until:
        time.sleep(0.05)
    over.set()
    for follower in followers:
        follower.join()
    assert _have_followed(lines)
    # On a machine that is busy with other things, a bare file takes long too.
    allowed = 0.2 + 20 * statistics.median(bare)
    assert min(first) < allowed
    assert page < allowed


def _have_followed(lines: dict[str, list[str]]) -> bool:
    """Whether every follower got more than one step."""
    return all(sum("Step" in line for line in reported) > 1 for reported in lines.values())


def _time(visitor: Visitor, path: str) -> float:
    began = time.perf_counter()
    assert visitor.get(path)[0] == 200
    return time.perf_counter() - began


def test_two_people_start_the_same_at_once_and_it_runs_once(app, visitor):
    other = Visitor(app)
    _, address = visitor.send("/drafts", data="Taps März.csv")
    fields = {"out": "twice", "attacks": "trail", "time_limit": "0.01s"}
    visitor.send(f"{address}/questions", **fields)
    answers: list[tuple[int, str]] = []
    senders = [
        threading.Thread(
            target=lambda who: answers.append(who.send(f"{address}/start")), args=(who,)
        )
        for who in (visitor, other, visitor, other)
    ]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert answers == [(303, "/audit?at=twice")] * 4
    assert "Read the report" in other.wait("/audit?at=twice")
    result = json.loads((app.folder / "twice" / "result.json").read_text())
    assert result["headline"]["people"] == 12


# Killed, and started again.


def test_an_audit_outlives_the_server_and_continues_after_it_was_killed(app, tmp_path, run):
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(app.folder / "Taps März.csv", folder / "taps.csv")
    first = start_app(folder)
    visitor = Visitor(first)
    _, address = visitor.send("/drafts", data="taps.csv")
    visitor.send(f"{address}/questions", out="a", attacks="trail", time_limit="0.01s")
    visitor.send(f"{address}/start")
    pid = json.loads((folder / "a" / "job" / "job.json").read_text())["pid"]
    os.killpg(pid, signal.SIGSTOP)  # However fast the machine is, it is not over yet.
    stop_app(first)
    second = start_app(folder)
    try:
        visitor = Visitor(second)
        assert "Stop the audit" in visitor.get("/audit?at=a")[1]
        os.killpg(pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE_S
        while "The audit was interrupted" not in (page := visitor.get("/audit?at=a")[1]):
            assert time.monotonic() < end, page
            time.sleep(0.05)
        assert "interrupted" in visitor.get("/")[1]
        assert visitor.send("/audit/resume", at="a") == (303, "/audit?at=a")
        assert "Read the report" in visitor.wait("/audit?at=a")
        # What the command line makes is listed beside it.
        asked = ("--out", folder / "b", "--attacks", "trail", "--time-limit", "0.01s")
        assert run("audit", folder / "taps.csv", *asked).code == 0
        assert "/audit?at=b" in visitor.get("/")[1]
        status, location = visitor.send("/drafts", again="b")
        assert (status, location[:8]) == (303, "/drafts/")
        assert "--attacks trail" in visitor.get(f"{location}/questions")[1]
    finally:
        stop_app(second)
