"""Page of one audit: its progress while it runs, then its report and files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from trailprint.app.audits import find_audit, list_files
from trailprint.app.drafts import check_paths
from trailprint.app.forms import list_flags
from trailprint.app.jobs import Job, Progress
from trailprint.app.security import DOCUMENT_POLICY
from trailprint.app.site import Fields, Site, first, go_to
from trailprint.audit.wording import duration
from trailprint.report.audit_files import REPORT

_GONE = "There is no such audit in the folder any more."
_DOCUMENTS = (REPORT, "comparison.html")
_PAUSE_S = 0.5


def show_audit(site: Site, request: Request) -> Response:
    """Show the state of an audit, and its result once it is finished."""
    audit = find_audit(site.folder, request.query_params.get("at", ""))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    progress = audit.job.progress()
    return site.render(
        "audit.html.j2",
        audit=audit,
        progress=progress,
        parts_done=list_parts(progress),
        left=describe_time_left(progress),
        message=audit.job.message() if audit.state == "failed" else "",
        files=list_files(site.folder.root / audit.name),
        watch=site.watch(audit.job),
    )


def cancel_audit(site: Site, request: Request, fields: Fields) -> Response:
    """Stop an audit; its finished parts are kept."""
    audit = find_audit(site.folder, first(fields, "at"))
    if audit is None:
        return site.say("No such audit", _GONE, status=404)
    audit.job.cancel()
    return go_to("/audit", at=audit.name)


def resume_audit(site: Site, request: Request, fields: Fields) -> Response:
    """Resume a stopped audit; its finished parts are reused."""
    audit = find_audit(site.folder, first(fields, "at"))
    words = [] if audit is None else audit.job.words
    if audit is None or words[:1] != ["audit"]:
        return site.say("No such audit", _GONE, status=404)
    if not _stays_inside(site, words):
        return site.say("Not inside the folder", "This audit reads or writes outside the folder.")
    audit.job.start(words, within=site.folder.root)
    return go_to("/audit", at=audit.name)


def _stays_inside(site: Site, words: list[str]) -> bool:
    """Whether this app may start a saved command: the file may have been changed."""
    flags = {f"--{flag.flag}": key for key, flag in list_flags("audit").items()}
    if any(word.startswith("--") and word not in flags for word in words):
        return False
    values: dict[str, Any] = {"data": words[1]}
    for place, word in enumerate(words[:-1]):
        if word in flags and flags[word] != "protect":
            values[flags[word]] = words[place + 1]
        elif word in flags:
            values.setdefault("protect", []).append(words[place + 1])
    return not check_paths(site.folder, values)


def list_parts(progress: Progress) -> list[dict[str, Any]]:
    """The parts of a plan with their states: done, now, to do, or no time."""
    parts = [dict(part) for part in (progress.plan or {}).get("parts", [])]
    titles = [part["title"] for part in parts]
    now = titles.index(progress.what) if progress.what in titles else None
    is_over = now is None and progress.plan is not None and progress.what != "Counting events"
    for place, part in enumerate(parts):
        if part["kept"] or is_over or (now is not None and place < now):
            part["state"] = "done" if part["fits"] or part["kept"] else "no time"
        elif place == now:
            part["state"] = "now"
        else:
            part["state"] = "to do" if part["fits"] else "no time"
    return parts


def describe_time_left(progress: Progress) -> str:
    """The estimated remaining time in words."""
    if progress.seconds_left is None:
        return ""
    return f"about {duration(progress.seconds_left)} left"


async def watch_job(site: Site, request: Request) -> Response:
    """Stream a job's progress as server-sent events until it ends."""
    job = Job(site.folder.inside(request.query_params.get("job", "")))

    async def stream() -> AsyncIterator[str]:
        last = ""
        while not await request.is_disconnected():
            state, is_over = await run_in_threadpool(_read_state, job)
            if state != last:
                yield f"data: {state}\n\n"
                last = state
            if is_over:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(_PAUSE_S)

    return StreamingResponse(stream(), media_type="text/event-stream")


def _read_state(job: Job) -> tuple[str, bool]:
    progress = job.progress()
    state = {
        "what": progress.what,
        "done": progress.done,
        "left": describe_time_left(progress),
        "parts": [part["state"] for part in list_parts(progress)],
        "points": progress.n_points,
    }
    return json.dumps(state), job.state() != "running"


def show_document(site: Site, request: Request) -> Response:
    """Send a report or comparison unchanged, sandboxed: no script, no forms, no cookie of ours."""
    name = request.query_params.get("name", REPORT)
    path = site.folder.inside(f"{request.query_params.get('at', '')}/{name}")
    if name not in _DOCUMENTS or not path.is_file():
        return site.say("No such report", _GONE, status=404)
    headers = {"Content-Security-Policy": DOCUMENT_POLICY}
    return FileResponse(path, media_type="text/html", headers=headers)


def download(site: Site, request: Request) -> Response:
    """Send a file of an audit as a download, never as a page."""
    place = site.folder.inside(request.query_params.get("at", ""))
    name = request.query_params.get("name", "")
    if name not in [file.name for file in list_files(place)]:
        return site.say("No such file", _GONE, status=404)
    headers = {"Content-Security-Policy": DOCUMENT_POLICY}
    shown = f"{place.name}-{name.replace('/', '-')}"
    path = site.folder.inside(f"{site.folder.relative(place)}/{name}")
    return FileResponse(
        path, media_type="application/octet-stream", filename=shown, headers=headers
    )
