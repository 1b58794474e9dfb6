"""A folder with data, and a browser that needs no server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from trailprint.app.folders import Folder
from trailprint.app.jobs import Job
from trailprint.app.security import FORGERY, Session
from trailprint.app.server import build_site

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one dataset; beside it lies something that is nobody's business."""
    (tmp_path / "secret.csv").write_text("user,location\nanna,bank\n")
    place = tmp_path / "folder"
    place.mkdir()
    rows = "".join(f"u{n % 7},l{n % 5},2024-03-{1 + n % 20:02}\n" for n in range(200))
    (place / "visits.csv").write_text("user,location,start\n" + rows)
    return place


@pytest.fixture
def session() -> Session:
    return Session(host="127.0.0.1", port=8000)


@pytest.fixture
def stranger(folder: Path, session: Session) -> Iterator[TestClient]:
    """A client without the cookie."""
    site = build_site(Folder(folder), session)
    with TestClient(site, base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(stranger: TestClient, session: Session) -> TestClient:
    """A client that came with the token."""
    stranger.get(f"/?token={session.token}")
    return stranger


@pytest.fixture
def send(client: TestClient, session: Session) -> Callable[..., Any]:
    """Send a form as a page of ours would."""

    def send(path: str, **fields: Any) -> Any:
        data = {FORGERY: session.forgery, **fields}
        return client.post(path, data=data, headers={"origin": ORIGIN})

    return send


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would be started, instead of processes."""
    started: list[list[str]] = []

    def start(self: Job, words: list[str], *, within: Path) -> bool:
        started.append(list(words))
        return True

    monkeypatch.setattr(Job, "start", start)
    return started


def text_of(page: str) -> str:
    """What a page says, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
