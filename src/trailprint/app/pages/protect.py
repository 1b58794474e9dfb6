"""Page to try protections on an audit's data and to write a release."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.audits import Audit, find_audit, read_json
from trailprint.app.drafts import check_paths
from trailprint.app.forms import Values, check_values, list_flags, list_words
from trailprint.app.jobs import Job, State
from trailprint.app.measured import (
    describe_risk,
    find_best,
    list_jobs,
    list_points,
    measure_job,
    normalise,
    part_of,
    release_job,
    show_chart,
)
from trailprint.app.pages.setup import read_again
from trailprint.app.site import Fields, Site, first, go_to
from trailprint.app.sliders import choose_chains, list_sliders
from trailprint.errors import OptionError, TrailprintError
from trailprint.protections.registry import parse_protection
from trailprint.report.audit_files import RESULT

_GONE = "There is no such audit in the folder any more."
_KNOWN = "All of this was measured before: see the table."
#: Panels that say how data was read and shaped; the split matters to measurements only.
_SHAPE = ("Reading", "Places", "Filters")
#: What is counted is also part of an audit.
_COUNTED = ("weight",)
_BESIDE = ("links", "per_user")


def show_protect(site: Site, request: Request) -> Response:
    """Show the measured points, sliders to measure more, and the releases written so far."""
    audit = find_audit(site.folder, request.query_params.get("at", ""))
    if audit is None or not audit.headline:
        return site.say("No such audit", _GONE, status=404)
    place = site.folder.root / audit.name
    result, points = read_json(place / RESULT), list_points(place)
    measuring = list_jobs(place, "measured")
    jobs = [*measuring, *list_jobs(place, "releases")]
    running = [job for job in jobs if job.state() == "running"]
    best = find_best(points)
    stem = re.sub(r"[^\w-]+", "-", audit.data.split(".")[0]).strip("-") or "data"
    return site.render(
        "protect.html.j2",
        audit=audit,
        points=[
            (number, point, describe_risk(point), point in best and not point.is_unprotected)
            for number, point in enumerate(points, 1)
        ],
        chart=Markup(show_chart(tuple(points))),
        loss_meaning=str(part_of(part_of(result, "protections"), "loss_meaning") or ""),
        sliders=list_sliders(result.get("data")),
        refused=[text for job in measuring[-1:] for text in _describe_refused(job)],
        releases=[_describe(job) for job in list_jobs(place, "releases")],
        running=[
            (site.watch(job), job.progress(), site.folder.relative(job.folder)) for job in running
        ],
        error=site.recall(request.query_params.get("said", "")),
        release_name=_free(site, f"release-{stem}"),
        keys_name=_free(site, f"keys-{stem}", ".csv"),
    )


def _free(site: Site, stem: str, ending: str = "") -> str:
    names = (stem + (f"-{n}" if n > 1 else "") + ending for n in range(1, 10_000))
    return next(name for name in names if not os.path.lexists(site.folder.root / name))


def _describe_refused(job: Job) -> list[str]:
    """Protections that a measurement left out and why, or why it failed."""
    if job.state() in ("failed", "interrupted"):
        return [job.message()]
    left_out = (job.result() or {}).get("left_out") or []
    return [f"{one['label']}: {one['why']}" for one in left_out]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRelease:
    """A requested release: its location and cost, or why it failed."""

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


def _describe(job: Job) -> AskedRelease:
    words = job.words
    given = {word: after for word, after in pairwise(words) if word.startswith("--")}
    state = job.state()
    return AskedRelease(
        out=given.get("--release", ""),
        key_file=given.get("--keys", ""),
        chain=given.get("--apply", ""),
        state=state,
        found=job.result() or {},
        message=job.message() if state == "failed" else "",
    )


def _refuse(site: Site, audit: Audit, why: str) -> Response:
    return go_to("/protect", at=audit.name, said=site.remember(why))


def measure(site: Site, request: Request, fields: Fields) -> Response:
    """Start measuring further values with the audit's attacks; skips those already measured."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None or not audit.headline:
        return site.say("No such audit", _GONE, status=404)
    place = site.folder.root / audit.name
    try:
        asked = _choose(site, audit, fields)
        known = {point.chain for point in list_points(place)}
        chains = [chain for chain in asked if normalise(chain) not in known]
        values = _ask_again(site, audit)
    except TrailprintError as error:
        return _refuse(site, audit, error.for_command_line())
    named = {**values, "protect": [*values.get("protect", []), *chains]}
    wrong = check_paths(site.folder, named) or check_values("audit", values)
    if wrong or not chains:
        return _refuse(site, audit, wrong.message if wrong else _KNOWN)
    more = [word for chain in chains for word in ("--measure", chain)]
    words = [*list_words("audit", values), *more]
    measure_job(place, words).start(words, within=site.folder.root)
    return go_to("/protect", at=audit.name)


def _ask_again(site: Site, audit: Audit) -> Values:
    """The audit's options, without those for files written beside its report."""
    values = read_again(site, audit.name) | {"out": audit.name}
    return {key: value for key, value in values.items() if key not in _BESIDE}


def _choose(site: Site, audit: Audit, fields: Fields) -> list[str]:
    """The protections in a form: typed as text, or chosen with a slider."""
    written = first(fields, "written")
    if not written:
        result = read_json(site.folder.root / audit.name / RESULT)
        names = (first(fields, name) for name in ("parameter", "slid", "values"))
        return choose_chains(list_sliders(result.get("data")), *names)
    if not normalise(written):
        for step in written.split(" then "):
            parse_protection(step)  # Raises an error that says what is wrong.
        raise OptionError("A protection must be written as NAME:key=value. See the list below.")
    return [written]


def stop_measuring(site: Site, request: Request, fields: Fields) -> Response:
    """Stop a measurement; the points measured so far are kept."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    for job in list_jobs(site.folder.root / audit.name, "measured"):
        if site.folder.relative(job.folder) == first(fields, "job"):
            job.cancel()
    return go_to("/protect", at=audit.name)


def write_release(site: Site, request: Request, fields: Fields) -> Response:
    """Start writing the protected data as a release."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    chain = first(fields, "chain")
    points = {point.chain for point in list_points(site.folder.root / audit.name)}
    if not chain or chain not in points:
        return _refuse(site, audit, "Choose one of the points that were measured.")
    try:
        values = _shape(site, audit)
    except TrailprintError as error:
        return _refuse(site, audit, error.for_command_line())
    values |= {"apply": [chain], "release": first(fields, "release"), "audit": audit.name}
    if first(fields, "keep_keys"):
        values["keys"] = first(fields, "keys")
    wrong = check_paths(site.folder, values) or check_values("protect", values)
    if wrong:
        return _refuse(site, audit, wrong.message)
    words = list_words("protect", values)
    release_job(site.folder.root / audit.name, words).start(words, within=site.folder.root)
    return go_to("/protect", at=audit.name)


def _shape(site: Site, audit: Audit) -> Values:
    """How the audit read its data, as options of ``trailprint protect``."""
    asked = read_again(site, audit.name)
    flags = list_flags("protect")
    kept = {key: value for key, value in asked.items() if key in flags}
    return {
        "data": asked.get("data", ""),
        **{
            key: value
            for key, value in kept.items()
            if flags[key].panel in _SHAPE or key in _COUNTED
        },
    }
