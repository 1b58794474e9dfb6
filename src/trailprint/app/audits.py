"""Audits and comparisons found in the folder."""

from __future__ import annotations

import json
import os
import shlex
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from trailprint.app.folders import JOB, Folder
from trailprint.app.jobs import Job, State
from trailprint.audit.settings import SETTINGS
from trailprint.display.numbers import format_number, format_percent
from trailprint.report.audit_files import MANIFEST, PER_USER, REPORT, RESULT

#: Files offered for download, in the order of the list, each with its description.
_FILES = {
    REPORT: "The report, one page that opens anywhere; to get a PDF, open it and print.",
    RESULT: "Everything the audit found, for programs.",
    SETTINGS: "What was asked for: runs the same audit again.",
    MANIFEST: "What was read, with fingerprints of the files, and by which version.",
    PER_USER: "The risk of each person. Handle with care: it holds their ids.",
    "comparison.html": "The comparison, one page that opens anywhere.",
    "comparison.json": "The comparison, for programs.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliverable:
    """A file that may be downloaded."""

    name: str
    about: str
    bytes: int

    @property
    def is_table(self) -> bool:
        """Whether the file is one of the tables behind the report."""
        return self.name.startswith("tables/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """
    An audit of the folder: finished, under way or stopped.

    Attributes
    ----------
    name : str
        Path of its folder, relative to the app's folder.
    job : Job
        The process that runs it, if the app started one.
    state : str
        State of the job; ``finished`` also for audits made outside the app.
    written : str
        Date of its report.
    data : str
        Name of the audited data.
    command : str
        The command that runs it, as started here or as recorded beside the report.
    headline : mapping
        Main result; empty until the audit is finished.
    """

    name: str
    job: Job
    state: State
    written: str = ""
    data: str = ""
    command: str = ""
    headline: Mapping[str, Any]

    @property
    def sentence(self) -> str:
        """The headline in words."""
        return str(self.headline.get("sentence", ""))

    @property
    def facts(self) -> dict[str, str]:
        """The headline in figures; missing ones are left blank, because the file is not trusted."""
        share, most = (self.headline.get(name) for name in ("share", "at_most"))
        return {
            "linked": _percent(share) if share is not None else f"at most {_percent(most)}",
            "people": _number(self.headline.get("people")),
            "chance": _percent(self.headline.get("chance")),
            "attack": str(self.headline.get("attack_title") or "–"),
        }


def _percent(found: object) -> str:
    return format_percent(found) if isinstance(found, int | float) else "–"


def _number(found: object) -> str:
    return format_number(found) if isinstance(found, int | float) else ""


def list_audits(folder: Folder, names: Sequence[str]) -> list[Audit]:
    """Audits with these names: unfinished ones first, then the newest first."""
    found = [audit for audit in (find_audit(folder, name) for name in names) if audit]
    by_age = sorted(found, key=lambda audit: _changed(folder.root / audit.name), reverse=True)
    return sorted(by_age, key=lambda audit: audit.state == "finished")


def find_audit(folder: Folder, name: str) -> Audit | None:
    """The audit in a folder; None if there is none or it was removed."""
    place = folder.inside(name)
    if (place / JOB).is_symlink():
        return None  # The app must not start or stop a job behind a link.
    job = Job(place / JOB)
    state = job.state()
    result = read_json(place / RESULT)
    if not result and state == "none":
        return None
    if result and state in ("none", "stopped", "failed", "interrupted") and not job.words:
        state = "finished"
    manifest = read_json(place / MANIFEST)
    words = job.words
    return Audit(
        name=folder.relative(place),
        job=job,
        state=state,
        written=str(manifest.get("written") or ""),
        data=_first_input(manifest) or (os.path.basename(words[1]) if len(words) > 1 else ""),
        command=_command(words, manifest),
        headline=_mapping(result.get("headline")),
    )


def _command(words: Sequence[str], manifest: Mapping[str, Any]) -> str:
    if words:
        return shlex.join(["trailprint", *words])
    return str(manifest.get("command") or "")


def _first_input(manifest: Mapping[str, Any]) -> str:
    inputs = manifest.get("inputs")
    first = inputs[0] if isinstance(inputs, list) and inputs else None
    return str(_mapping(first).get("name") or "")


def _mapping(found: object) -> Mapping[str, Any]:
    """Return ``found`` if it is an object, else an empty one: the file is not trusted."""
    return found if isinstance(found, dict) else {}


def list_files(place: Path) -> list[Deliverable]:
    """Files of an audit or a comparison that may be downloaded."""
    own = list(_FILES.items())
    tables = sorted((place / "tables").glob("*.csv"))
    own += [(f"tables/{path.name}", "") for path in tables]
    return [
        Deliverable(name=name, about=about, bytes=(place / name).stat().st_size)
        for name, about in own
        if _is_own_file(place, name)
    ]


def _is_own_file(place: Path, name: str) -> bool:
    """Whether a file exists and is not a link to one outside ``place``."""
    path = (place / name).resolve()
    return path.is_relative_to(place) and path.is_file()


def read_json(path: Path) -> dict[str, Any]:
    """
    Read a JSON object from a file, cached until the file changes; empty if there is none.

    A link counts as missing: it may point outside the folder.
    """
    try:
        about = path.lstat()
    except OSError:
        return {}
    if not stat.S_ISREG(about.st_mode):
        return {}
    return _read(str(path), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=512)
def _read(path: str, modified: int, size: int) -> dict[str, Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
