"""Pages to set up an audit: meaning of the data, questions, plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.drafts import Draft, check_paths, propose_folder
from trailprint.app.folders import JOB
from trailprint.app.forms import (
    MEANING,
    PATHS,
    QUESTIONS,
    Values,
    check_values,
    find_flag,
    find_formats,
    list_flags,
    list_words,
    make_panels,
    read_values,
    write_command,
)
from trailprint.app.jobs import Job
from trailprint.app.site import Fields, Site, first, go_to
from trailprint.audit.settings import SETTINGS, read_settings
from trailprint.errors import TrailprintError
from trailprint.events.options import ReadOptions
from trailprint.events.reading.first_look import FirstLook
from trailprint.protections.registry import describe_protections

_ARGUMENTS = ("auxiliary",)
_GONE = "This draft is not there any more. Choose the data again."
_COLUMNS = ("user", "location", "start", "end", "lat", "lon", "count")


def create_draft(site: Site, request: Request, fields: Fields) -> Response:
    """Create a draft from a dataset or from an earlier audit's options."""
    data, again, table = (first(fields, name) for name in ("data", "again", "table"))
    data = f"{data}::{table}" if table else data
    values: Values = {"data": data}
    if again:
        values = read_again(site, again)
        values |= {"data": data} if data else {}
    wrong = check_paths(site.folder, {"data": values.get("data", "")})
    if wrong or not values.get("data"):
        return site.say("No data", wrong or "Name a file of the folder to audit.")
    values["data"] = site.folder.check_source(values["data"])
    values["out"] = propose_folder(site.folder, values["data"])
    draft = site.drafts.create(values)
    _look(site, draft)
    return go_to(f"/drafts/{draft.name}")


def read_again(site: Site, audit: str) -> Values:
    """The options of an earlier audit, by parameter."""
    found = read_settings(site.folder.inside(f"{audit}/{SETTINGS}"))
    known = {*list_flags("audit"), "data", *_ARGUMENTS}
    plain = {name.replace("-", "_"): value for name, value in found.items()}
    values = {
        name: value if isinstance(value, bool | list) else str(value)
        for name, value in plain.items()
        if name in known
    }
    paths = [name for name in ("data", *PATHS) if isinstance(values.get(name), str)]
    return {**values, **{name: site.folder.find_again(str(values[name])) for name in paths}}


def _look(site: Site, draft: Draft) -> None:
    """Start a first look at the data, unless one is running or finished."""
    job, words = site.drafts.looking(draft)
    if job.state() not in ("running", "finished"):
        job.start(words, within=site.folder.root)


def _draft(site: Site, request: Request) -> Draft | None:
    return site.drafts.find(request.path_params["draft"])


def show_meaning(site: Site, request: Request) -> Response:
    """Show what is in the data, and the form for its meaning."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    job, _ = site.drafts.looking(draft)
    state = job.state()
    error = str(draft.values.get("_error") or "") or (job.message() if state == "failed" else "")
    look = _columns(site, draft)
    names = [column.name for column in look.columns if column.name]
    suggestions = {f"{column}-column": names for column in _COLUMNS}
    formats = find_formats(error) if find_flag(error) == "time-format" else []
    return site.render(
        "meaning.html.j2",
        draft=draft,
        panels=make_panels(
            "audit",
            MEANING,
            draft.values,
            error=error,
            suggestions=suggestions,
            found=_list_found(look),
        ),
        formats=formats,
        wants_table="::" in error and "::" not in draft.data,
        look=look,
        state=state,
        summary=job.result() or {},
        watch=site.watch(job),
        error=error,
        wrong=find_flag(error),
        others=[one.name for one in site.folder.list_contents().data if one.name != draft.data],
        command=write_command("audit", _public(draft.values)),
    )


def _list_found(look: FirstLook) -> dict[str, str]:
    """The detected columns, by flag, which are used if none is named."""
    return {
        f"{'count' if column.meaning == 'weight' else column.meaning}-column": column.name
        for column in look.columns
        if column.meaning and column.name
    }


def _columns(site: Site, draft: Draft) -> FirstLook:
    """The columns and their detected meanings; empty if they cannot be read."""
    values = draft.values
    names = {name: values.get(f"{name}_column") for name in _COLUMNS}
    wanted = {("weight" if name == "count" else name): text for name, text in names.items() if text}
    header = tuple(part.strip() for part in str(values.get("columns", "")).split(",") if part)
    try:
        options = ReadOptions(
            column_names=wanted,  # type: ignore[arg-type]
            layout=values.get("layout"),
            delimiter=values.get("delimiter"),
            header=header,
        )
        return site.look(draft.data, options)
    except TrailprintError:
        return FirstLook()


def _public(values: Mapping[str, Any]) -> Values:
    return {key: value for key, value in values.items() if not key.startswith("_")}


def _keys(panels: Iterable[str]) -> list[str]:
    return [key for key, flag in list_flags("audit").items() if flag.panel in panels]


def _save(site: Site, draft: Draft, fields: Fields, keys: list[str]) -> tuple[Draft, str]:
    """Save what was typed, even if invalid; return the draft and the error message."""
    kept = {key: value for key, value in _public(draft.values).items() if key not in keys}
    values = kept | read_values("audit", fields, keys)
    error = check_paths(site.folder, values) or check_values("audit", values)
    saved = {**values, "_error": error} if error else values
    return site.drafts.save(replace(draft, values=saved)), error


def save_meaning(site: Site, request: Request, fields: Fields) -> Response:
    """Save the form; look at the data again and stay, or go on to the questions."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    if first(fields, "use_format"):
        fields = {**fields, "time_format": fields["use_format"]}
    draft, error = _save(site, draft, fields, [*_keys(MEANING), *_ARGUMENTS])
    if not error:
        _look(site, draft)
    if error or first(fields, "next") != "questions":
        return go_to(f"/drafts/{draft.name}")
    return go_to(f"/drafts/{draft.name}/questions")


def show_questions(site: Site, request: Request) -> Response:
    """Show the form for attacks, the adversary's knowledge, protections and time limit."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    error = str(draft.values.get("_error") or "")
    job, _ = site.drafts.planning(draft)
    if not error and request.query_params.get("refused") and job.state() == "failed":
        error = job.message()
    return site.render(
        "questions.html.j2",
        draft=draft,
        panels=make_panels("audit", QUESTIONS, draft.values, error=error),
        protections=describe_protections(),
        error=error,
        wrong=find_flag(error),
        command=write_command("audit", _public(draft.values)),
    )


def save_questions(site: Site, request: Request, fields: Fields) -> Response:
    """Save the form and start the plan."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    draft, error = _save(site, draft, fields, _keys(QUESTIONS))
    if error:
        return go_to(f"/drafts/{draft.name}/questions")
    job, words = site.drafts.planning(draft)
    if job.state() != "running":
        job.start(words, within=site.folder.root)
    return go_to(f"/drafts/{draft.name}/plan")


def show_plan(site: Site, request: Request) -> Response:
    """Show what would be done and how long it should take."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    job, _ = site.drafts.planning(draft)
    state = job.state()
    if state == "none":
        return go_to(f"/drafts/{draft.name}/questions")
    return site.render(
        "plan.html.j2",
        draft=draft,
        state=state,
        plan=job.result() or {},
        message=job.message() if state not in ("running", "finished") else "",
        watch=site.watch(job),
        command=write_command("audit", _public(draft.values)),
    )


def start_audit(site: Site, request: Request, fields: Fields) -> Response:
    """Start the audit, unless it is already running."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    values = _public(draft.values)
    error = check_paths(site.folder, values) or check_values("audit", values)
    if error:
        return go_to(f"/drafts/{draft.name}/questions")
    place = site.folder.inside(str(values["out"]))
    Job(place / JOB).start(list_words("audit", values), within=site.folder.root)
    return go_to("/audit", at=site.folder.relative(place))
