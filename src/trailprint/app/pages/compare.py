"""Pages that compare audits with ``trailprint compare``."""

from __future__ import annotations

import hashlib
import os
import re

from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.audits import find_audit, list_files, read_json
from trailprint.app.drafts import check_paths
from trailprint.app.jobs import Job
from trailprint.app.site import Fields, Site, first, go_to

_TWO = "Two audits or more are compared: tick them in the list."


def show_compare(site: Site, request: Request) -> Response:
    """Show the form: which audits, the reference, and the output folder."""
    names = [name for name in request.query_params.getlist("at") if name]
    found = [find_audit(site.folder, name) for name in names]
    audits = [audit for audit in found if audit is not None and audit.headline]
    if len(audits) < 2:
        return site.say("Nothing to compare", _TWO)
    return site.render(
        "compare.html.j2",
        audits=audits,
        out=_propose(site, [audit.name for audit in audits]),
    )


def _propose(site: Site, names: list[str]) -> str:
    stem = "-and-".join(re.sub(r"[^\w-]+", "-", name.split("/")[-1]) for name in names[:2])
    made = (f"comparison-{stem}" + (f"-{n}" if n > 1 else "") for n in range(1, 10_000))
    return next(name for name in made if not os.path.lexists(site.folder.root / name))


def start_compare(site: Site, request: Request, fields: Fields) -> Response:
    """Start a comparison, unless one with the same output folder is running."""
    audits = [name for name in fields.get("audit", []) if name]
    reference = first(fields, "reference")
    ordered = sorted(dict.fromkeys(audits), key=lambda name: name != reference)
    values = {"out": first(fields, "out"), "keys": first(fields, "keys")}
    given = {key: value for key, value in values.items() if value}
    for name in ordered:
        site.folder.inside(name)
    wrong = check_paths(site.folder, given)
    if len(ordered) < 2 or wrong or "out" not in given:
        return site.say("Nothing to compare", wrong.message if wrong else _TWO)
    flags = [word for key, value in given.items() for word in (f"--{key}", value)]
    words = ["compare", *(f"./{name}" for name in ordered), *flags]
    job = _job(site, given["out"])
    job.start(words, within=site.folder.root)
    return go_to("/comparison", at=given["out"])


def _job(site: Site, out: str) -> Job:
    digest = hashlib.sha256(site.folder.relative(site.folder.inside(out)).encode()).hexdigest()
    return Job(site.folder.own / "jobs" / f"compare-{digest[:24]}")


def show_comparison(site: Site, request: Request) -> Response:
    """Show the state of a comparison and its result."""
    at = request.query_params.get("at", "")
    place = site.folder.inside(at)
    job = _job(site, at)
    state = job.state()
    found = read_json(place / "comparison.json")
    if state == "none" and not found:
        return site.say("No such comparison", "It is not in the folder any more.", status=404)
    return site.render(
        "comparison.html.j2",
        at=site.folder.relative(place),
        state="finished" if found and state == "none" else state,
        sentence=str(found.get("sentence") or ""),
        message=job.message() if state in ("failed", "stopped", "interrupted") else "",
        files=list_files(place),
        watch=site.watch(job),
    )
