"""Drafts of audits that are being set up, kept in the folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trailprint.app.failures import Failure
from trailprint.app.folders import OWN, Folder
from trailprint.app.forms import PATHS, list_flags, list_words
from trailprint.app.jobs import Job
from trailprint.errors import OptionError
from trailprint.protections.registry import file_parameters
from trailprint.system.scratch import replacing_file

_KEPT_S = 30 * 86_400.0
_NAME = re.compile(r"[0-9a-f]{16}")
#: Panels of an audit's flags that the first look uses: those of ``trailprint inspect``.
_INSPECT = ("Reading", "Places", "Filters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An audit that is being set up: values by parameter, as typed."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> str:
        """The dataset."""
        return str(self.values.get("data", ""))


class Drafts:
    """Drafts of a folder, one small file each."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._place = folder.own / "drafts"
        self._jobs = folder.own / "jobs"

    def tidy(self) -> None:
        """Remove drafts and their jobs that were not changed for 30 days, except running jobs."""
        oldest = time.time() - _KEPT_S
        for place in (*self._place.glob("*.json"), *self._jobs.glob("*-*")):
            with contextlib.suppress(OSError):
                if place.stat().st_mtime > oldest or Job(place).is_running:
                    continue
                shutil.rmtree(place) if place.is_dir() else place.unlink()

    def create(self, values: dict[str, Any]) -> Draft:
        """Create and save a draft."""
        return self.save(Draft(name=secrets.token_hex(8), values=values))

    def save(self, draft: Draft) -> Draft:
        """Save a draft atomically."""
        self._folder.own.mkdir(exist_ok=True, mode=0o700)
        self._place.mkdir(exist_ok=True, mode=0o700)
        with replacing_file(self._place / f"{draft.name}.json") as file:
            file.write(json.dumps(draft.values).encode())
        return draft

    def find(self, name: str) -> Draft | None:
        """The draft with this name; None if there is none."""
        if not _NAME.fullmatch(name):
            return None
        try:
            values = json.loads((self._place / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return Draft(name=name, values=values) if isinstance(values, dict) else None

    def looking(self, draft: Draft) -> tuple[Job, list[str]]:
        """The job of the first look at a draft's data and its command; equal looks share a job."""
        chosen = {key for key, flag in list_flags("audit").items() if flag.panel in _INSPECT}
        values = {key: draft.values[key] for key in draft.values if key in chosen | {"data"}}
        return self._job("inspect", list_words("inspect", values))

    def planning(self, draft: Draft) -> tuple[Job, list[str]]:
        """The job that plans a draft, and its command."""
        return self._job("plan", [*list_words("audit", draft.values), "--dry-run"])

    def _job(self, kind: str, words: list[str]) -> tuple[Job, list[str]]:
        data = next((word for word in words[1:]), "")
        seen = [words, _stamp(self._folder.root / data)]
        digest = hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:24]
        return Job(self._jobs / f"{kind}-{digest}"), words


def _stamp(path: Path) -> list[int]:
    """Size and time of change of a file; of a folder, not those of the files in it."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return []
    return [about.st_size, about.st_mtime_ns]


def check_paths(folder: Folder, values: dict[str, Any]) -> Failure | None:
    """The reason why a path among the values may not be used; None if all may."""
    try:
        for key in ("data", "auxiliary"):
            if key in values:
                folder.check_source(str(values[key]))
        for key in PATHS:
            if key in values:
                _check_named(folder, key, str(values[key]))
        for text in values.get("protect", []):
            for name in file_parameters(text):
                folder.inside(name)
    except OptionError as error:
        return Failure.describe(error)
    return None


def _check_named(folder: Folder, key: str, name: str) -> None:
    flag = key.replace("_", "-")
    try:
        path = folder.inside(name)
    except OptionError as error:
        raise OptionError(f"--{flag}: {error.for_command_line()}", option=flag) from None
    if key in ("out", "release") and OWN in path.relative_to(folder.root).parts:
        raise OptionError(f"--{flag} must not be the folder that the app itself uses.", option=flag)


def propose_folder(folder: Folder, data: str) -> str:
    """Propose an unused name for an audit's folder."""
    # The data file of a release is always named events: use its folder's name.
    named = [part.split(".")[0] for part in reversed(Path(data).parts)]
    own = next((name for name in named if name not in ("", "events")), "data")
    stem = re.sub(r"[^\w-]+", "-", own).strip("-") or "data"
    names = (f"audit-{stem}" + (f"-{n}" if n > 1 else "") for n in range(1, 10_000))
    return next(name for name in names if not os.path.lexists(folder.root / name))
