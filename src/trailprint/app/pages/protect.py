"""Trying protections on an audit's data, and writing a release."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.audits import Audit, find_audit
from trailprint.app.drafts import check_paths
from trailprint.app.forms import (
    Values,
    check_values,
    list_flags,
    list_words,
)
from trailprint.app.jobs import Job, State
from trailprint.app.measured import (
    draw_points,
    list_jobs,
    list_points,
    measure_job,
    release_job,
    tell_risk,
)
from trailprint.app.pages.setup import read_again
from trailprint.app.site import Fields, Site, first, go_to
from trailprint.errors import TrailprintError
from trailprint.protections.registry import describe_protections
from trailprint.report.page_layout import render_blocks

_GONE = "There is no such audit in the folder any more."
#: How data was read and shaped; where it was cut matters to measurements only.
_SHAPE = ("Reading", "Places", "Filters")


def show_protect(site: Site, request: Request) -> Response:
    """Measured points, a form for more, and the releases that were written."""
    audit = find_audit(site.folder, request.query_params.get("at", ""))
    if audit is None or not audit.headline:
        return site.say("No such audit", _GONE, status=404)
    place = site.folder.root / audit.name
    points = list_points(place)
    measuring = list_jobs(place, "measured")
    releases = list_jobs(place, "releases")
    running = [job for job in (*measuring, *releases) if job.state() == "running"]
    stem = re.sub(r"[^\w-]+", "-", audit.data.split(".")[0]).strip("-") or "data"
    return site.render(
        "protect.html.j2",
        audit=audit,
        points=[(number, point, tell_risk(point)) for number, point in enumerate(points, 1)],
        chart=render_blocks([draw_points(points)]) if points else "",
        choices=list_parameters(),
        failed=[job.message() for job in measuring if job.state() == "failed"],
        releases=[_describe(job) for job in releases],
        running=running[0] if running else None,
        watch=site.watch(running[0]) if running else "",
        error=request.query_params.get("error", ""),
        release_name=_free(site, f"release-{stem}"),
        keys_name=_free(site, f"keys-{stem}", ".csv"),
    )


def _free(site: Site, stem: str, ending: str = "") -> str:
    names = (stem + (f"-{n}" if n > 1 else "") + ending for n in range(1, 10_000))
    return next(name for name in names if not os.path.lexists(site.folder.root / name))


def list_parameters() -> list[tuple[str, str, str]]:
    """Numbers of protections that can be moved: what is sent, what is shown, what it does."""
    return [
        (f"{name}:{key}", f"{name}: {key} (usually {value:g})", str(about["summary"]))
        for name, about in describe_protections().items()
        for key, value in about["parameters"].items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release that was asked for: where it is and what it cost, or why it is not."""

    out: str
    key_file: str
    chain: str
    state: State
    found: dict[str, Any]
    message: str

    @property
    def data(self) -> str:
        """The protected data."""
        return f"{self.out}/events.parquet"


def _describe(job: Job) -> Release:
    words = job.words
    given = {word: after for word, after in pairwise(words) if word.startswith("--")}
    state = job.state()
    return Release(
        out=given.get("--release", ""),
        key_file=given.get("--keys", ""),
        chain=given.get("--apply", ""),
        state=state,
        found=job.result() or {},
        message=job.message() if state == "failed" else "",
    )


def _shape(site: Site, audit: Audit, panels: tuple[str, ...]) -> Values:
    """How the audit read its data, as ``trailprint protect`` takes it."""
    asked = read_again(site, audit.name)
    flags = list_flags("protect")
    kept = {key: value for key, value in asked.items() if key in flags}
    return {
        "data": asked.get("data", ""),
        **{key: value for key, value in kept.items() if flags[key].panel in panels},
    }


def _refuse(site: Site, audit: Audit, error: str) -> Response:
    return go_to("/protect", at=audit.name, error=error)


def measure(site: Site, request: Request, fields: Fields) -> Response:
    """Measure risk and loss for values of a parameter; what was measured is not measured again."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    name, _, key = first(fields, "parameter").partition(":")
    try:
        values = _shape(site, audit, (*_SHAPE, "Split"))
    except TrailprintError as error:
        return _refuse(site, audit, error.for_command_line())
    values |= {"apply": [name], "sweep": f"{key}={first(fields, 'values')}"}
    wrong = check_paths(site.folder, values) or check_values("protect", values)
    if wrong:
        return _refuse(site, audit, wrong)
    words = list_words("protect", values)
    job = measure_job(site.folder.root / audit.name, words)
    if job.state() not in ("running", "finished"):
        job.start(words, within=site.folder.root)
    return go_to("/protect", at=audit.name)


def write_release(site: Site, request: Request, fields: Fields) -> Response:
    """Write the protected data with everything a release needs."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    chain = first(fields, "chain")
    points = {point.chain: point for point in list_points(site.folder.root / audit.name)}
    if not chain or chain not in points:
        return _refuse(site, audit, "Choose one of the points that were measured.")
    try:
        values = _shape(site, audit, _SHAPE)
    except TrailprintError as error:
        return _refuse(site, audit, error.for_command_line())
    values |= {"apply": [chain], "release": first(fields, "release")}
    if points[chain].by_audit:
        values["audit"] = audit.name
    if first(fields, "keep_keys"):
        values["keys"] = first(fields, "keys")
    wrong = check_paths(site.folder, values) or check_values("protect", values)
    if wrong:
        return _refuse(site, audit, wrong)
    words = list_words("protect", values)
    release_job(site.folder.root / audit.name, words).start(words, within=site.folder.root)
    return go_to("/protect", at=audit.name)
