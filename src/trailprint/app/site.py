"""State shared by all pages: the folder, the session, the templates."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from trailprint import __version__
from trailprint.app.drafts import Drafts
from trailprint.app.folders import Folder
from trailprint.app.jobs import Job
from trailprint.app.security import FORGERY, Session
from trailprint.audit.wording import duration
from trailprint.display.numbers import format_number, format_percent
from trailprint.events.engine import Engine
from trailprint.events.options import ReadOptions
from trailprint.events.reading.first_look import FirstLook, look_at_columns
from trailprint.report.charts.svg import clean

Fields = Mapping[str, list[str]]

#: Maximum number of messages kept for pages that are not shown yet.
_MOST_SAID = 200
#: A percent sign after a digit; a non-breaking space is put between them.
_PERCENT = re.compile(r"(?<=\d) ?%")


class Site:
    """One folder, served to one user."""

    def __init__(self, folder: Folder, session: Session) -> None:
        self.folder = folder
        self.session = session
        self.drafts = Drafts(folder)
        self._looking = threading.Lock()
        self._said: dict[str, str] = {}

    @cached_property
    def _engine(self) -> Engine:
        return Engine(memory="1GB", threads=1)

    def look(self, source: str, options: ReadOptions) -> FirstLook:
        """The columns of a dataset; one dataset is read at a time."""
        with self._looking:
            return look_at_columns(str(self.folder.root / source), options, self._engine)

    def remember(self, sentence: str) -> str:
        """Store a message for the next page; return a random key to put in its address."""
        name = secrets.token_hex(8)
        self._said[name] = sentence
        for old in list(self._said)[:-_MOST_SAID]:
            self._said.pop(old, None)
        return name

    def recall(self, name: str) -> str:
        """A stored message; empty for an unknown key, so a link cannot inject text."""
        return self._said.get(name, "")

    @cached_property
    def _templates(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("trailprint.app"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {
            "clean": lambda text: _PERCENT.sub("\u00a0%", clean(text)),
            "number": format_number,
            "percent": format_percent,
            "duration": duration,
            "size": show_size,
            "day": lambda seconds: datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M"),
        }
        environment.globals |= {"link": link, "forgery_name": FORGERY, "version": __version__}
        return environment

    def render(self, template: str, *, status: int = 200, **context: Any) -> Response:
        """Render a template as a page."""
        text = self._templates.get_template(template).render(
            forgery=self.session.forgery,
            folder_name=self.folder.root.name or str(self.folder.root),
            **context,
        )
        return HTMLResponse(text, status)

    def say(self, title: str, sentence: str, *, status: int = 400) -> Response:
        """Render a page with one sentence."""
        return self.render("sentence.html.j2", status=status, title=title, sentence=sentence)

    def watch(self, job: Job) -> str:
        """The address that reports a job's progress."""
        return link("/watch", job=self.folder.relative(job.folder))


def link(path: str, **query: Any) -> str:
    """An address on this site."""
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def go_to(path: str, **query: Any) -> Response:
    """Redirect the browser to another page after a form."""
    return RedirectResponse(link(path, **query), 303)


def first(fields: Fields, name: str) -> str:
    """First value of a form field; empty if it was not sent."""
    return fields.get(name, [""])[0].strip()


def show_size(n_bytes: float) -> str:
    """A number of bytes with a unit, such as ``1.5 MB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000 or unit == "GB":
            return f"{n_bytes:,.0f} {unit}" if unit == "bytes" else f"{n_bytes:,.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError
