"""Pages to set up an audit: meaning of the data, questions, plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.drafts import Draft, check_paths, propose_folder
from trailprint.app.failures import Failure
from trailprint.app.folders import JOB
from trailprint.app.forms import (
    MEANING,
    PATHS,
    QUESTIONS,
    FormPanel,
    Values,
    check_values,
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
#: Key of what was wrong with a draft's values, beside the values themselves.
_FAILURE = "_failure"
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
        return site.say(
            "No data", wrong.message if wrong else "Name a file of the folder to audit."
        )
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
    failure = _kept_failure(draft) or (job.failure() if state == "failed" else None)
    look = _columns(site, draft)
    names = [column.name for column in look.columns if column.name]
    suggestions = {f"{column}-column": names for column in _COLUMNS}
    panels = make_panels(
        "audit",
        MEANING,
        draft.values,
        failure=failure,
        suggestions=suggestions,
        found=_list_found(look),
    )
    return site.render(
        "meaning.html.j2",
        draft=draft,
        panels=panels,
        failure=failure,
        wants_table=_is_about(failure, "table") and "::" not in draft.data,
        look=look,
        state=state,
        summary=job.result() or {},
        watch=site.watch(job),
        wrong=_find_field(failure, panels, *_ARGUMENTS),
        others=[one.name for one in site.folder.list_contents().data if one.name != draft.data],
        command=write_command("audit", _public(draft.values)),
    )


def _kept_failure(draft: Draft) -> Failure | None:
    """What was wrong with the values when they were saved."""
    return Failure.read(draft.values.get(_FAILURE))


def _is_about(failure: Failure | None, option: str) -> bool:
    return failure is not None and failure.option == option


def _find_field(failure: Failure | None, panels: list[FormPanel], *others: str) -> str | None:
    """The field that a failure is about; None if the page has no such field."""
    shown = {field.flag for panel in panels for field in (*panel.fields, *panel.folded)}
    return failure.option if failure and failure.option in {*shown, *others} else None


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


def _save(site: Site, draft: Draft, fields: Fields, keys: list[str]) -> tuple[Draft, bool]:
    """Save what was typed, even if invalid; return the draft and whether it is valid."""
    kept = {key: value for key, value in _public(draft.values).items() if key not in keys}
    values = kept | read_values("audit", fields, keys)
    failure = check_paths(site.folder, values) or check_values("audit", values)
    saved = {**values, _FAILURE: failure.to_dict()} if failure else values
    return site.drafts.save(replace(draft, values=saved)), failure is None


def save_meaning(site: Site, request: Request, fields: Fields) -> Response:
    """Save the form; look at the data again and stay, or go on to the questions."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    if first(fields, "use_format"):
        fields = {**fields, "time_format": fields["use_format"]}
    draft, is_valid = _save(site, draft, fields, [*_keys(MEANING), *_ARGUMENTS])
    if is_valid:
        _look(site, draft)
    if not is_valid or first(fields, "next") != "questions":
        return go_to(f"/drafts/{draft.name}")
    return go_to(f"/drafts/{draft.name}/questions")


def show_questions(site: Site, request: Request) -> Response:
    """Show the form for attacks, the adversary's knowledge, protections and time limit."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    failure = _kept_failure(draft)
    job, _ = site.drafts.planning(draft)
    if not failure and request.query_params.get("refused") and job.state() == "failed":
        failure = job.failure()
    panels = make_panels("audit", QUESTIONS, draft.values, failure=failure)
    return site.render(
        "questions.html.j2",
        draft=draft,
        panels=panels,
        protections=describe_protections(),
        failure=failure,
        wrong=_find_field(failure, panels),
        command=write_command("audit", _public(draft.values)),
    )


def save_questions(site: Site, request: Request, fields: Fields) -> Response:
    """Save the form and start the plan."""
    draft = _draft(site, request)
    if draft is None:
        return site.say("No such draft", _GONE, status=404)
    draft, is_valid = _save(site, draft, fields, _keys(QUESTIONS))
    if not is_valid:
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
    if check_paths(site.folder, values) or check_values("audit", values):
        return go_to(f"/drafts/{draft.name}/questions")
    place = site.folder.inside(str(values["out"]))
    Job(place / JOB).start(list_words("audit", values), within=site.folder.root)
    return go_to("/audit", at=site.folder.relative(place))
