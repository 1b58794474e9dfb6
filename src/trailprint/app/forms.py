"""
Forms whose fields are the flags of a command.

Labels, help, defaults, choices and checks come from the options classes; this module only says
which flags are shown on which page. The command's own parser checks what was typed, so a page and
a terminal show the same error message.
"""

from __future__ import annotations

import shlex
import typing
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

import typer

from trailprint.app.failures import Failure
from trailprint.audit.attacks.registry import family_names, find_family
from trailprint.cli.option_fields import OptionField, choices_of, type_for_typer
from trailprint.cli.program import build_program, find_option
from trailprint.cli.settings import Typed
from trailprint.errors import TrailprintError
from trailprint.events.reading.layouts import LAYOUTS

Widget = Literal["text", "number", "switch", "choice", "many", "attacks"]
Values = dict[str, Any]

ARGUMENTS = ("data", "auxiliary")
#: Flags whose values are paths, which must be inside the folder.
PATHS = ("auxiliary", "truth", "links", "regions", "out", "keys", "release", "audit")
#: Flags that the app sets itself, and flags for clusters: the page is for a single machine.
_LEFT_OUT = (
    *("json", "settings", "dry-run", "measure"),
    *("engine", "spark-master", "spark-conf", "worker-memory"),
)

#: Flags that most users need, by panel; the other flags of a panel are collapsed.
MEANING = {
    "Reading": (
        *("user-column", "location-column", "start-column", "end-column", "lat-column"),
        *("lon-column", "timezone", "time-format", "allow-bad-rows"),
    ),
    "Places": ("stays", "cell"),
    "Filters": ("between", "min-events"),
    "Split": (),
    "Truth and links": (),
}
QUESTIONS = {
    "Audit": ("title", "attacks", "knows", "protect", "target-risk", "time-limit", "out"),
    "Running": (),
}

#: Titles of flags whose names are not clear enough on a page.
_TITLES = {
    "between": "Period",
    "cell": "Size of cells, in metres",
    "knows": "What an adversary knows",
    "lat-column": "Latitude column",
    "lon-column": "Longitude column",
    "min-events": "Fewest events of a person",
    "out": "Folder of the audit",
    "protect": "Protections to try",
    "timezone": "Time zone",
}
#: Replacements for help texts that refer to the command line.
_ABOUTS = {
    "out": "Below the folder of this page. An audit that is there already goes on.",
    "protect": "Written as NAME:key=value, several in order joined by 'then'; see the list "
    "below. Left empty, what fits the data is tried, and more can be tried after the audit.",
}
_PANELS = {
    "Audit": "The audit",
    "Running": "How it runs",
    "Split": "How the data is split in two",
    "Truth and links": "Who is who, and links",
}
#: Suggested values for flags whose help describes a notation.
_EXAMPLES = {
    "knows": ("everything", "home-work", "top:3", "points:4", "days:7"),
    "time-limit": ("5m", "10m", "1h", "none"),
    "target-risk": ("0.01", "0.05", "0.1"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """A value that can be chosen, and its meaning."""

    value: str
    title: str
    about: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A command-line flag as a form field."""

    key: str
    flag: str
    title: str
    about: str
    widget: Widget
    value: str = ""
    usual: str = ""
    choices: tuple[FormChoice, ...] = ()
    suggestions: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPanel:
    """Fields under one heading; those that few users need are collapsed."""

    title: str
    fields: tuple[FormField, ...]
    folded: tuple[FormField, ...]

    @property
    def is_open(self) -> bool:
        """Whether a collapsed field has a value or an error."""
        return any(field.value or field.error for field in self.folded)


@cache
def list_flags(command: str) -> dict[str, OptionField]:
    """Every flag of a command that may appear in a form, by parameter."""
    declared = import_module(f"trailprint.cli.{command}").run.options
    flags = [flag for group in declared.values() for _, flag in group.all_flags()]
    return {flag.key: flag for flag in flags if flag.flag not in _LEFT_OUT}


def read_values(command: str, fields: Mapping[str, list[str]], keys: Iterable[str]) -> Values:
    """Values of these parameters in a form, as the command takes them; blank ones are omitted."""
    flags = list_flags(command)
    found: Values = {}
    for key in keys:
        given = [text.strip() for text in fields.get(key, [])]
        value = _value(flags.get(key), [text for text in given if text])
        if value:
            found[key] = value
    return found


def _value(flag: OptionField | None, given: list[str]) -> Any:
    if not given:
        return None
    if flag is None:
        return given[0]
    widget = _widget(flag)
    if widget == "switch":
        return True
    if widget == "many":
        return [line.strip() for text in given for line in text.splitlines() if line.strip()]
    if widget == "attacks":
        return None if set(given) == set(family_names()) else ",".join(given)
    return given[0]


def make_panels(
    command: str,
    shown: Mapping[str, Sequence[str]],
    values: Mapping[str, Any],
    *,
    failure: Failure | None = None,
    suggestions: Mapping[str, Sequence[str]] | None = None,
    found: Mapping[str, str] | None = None,
) -> list[FormPanel]:
    """
    Make form panels from the flags, with the values typed and what is wrong.

    ``found`` gives, by flag, the value that is used if none is typed.
    """
    panels = []
    for title, first in shown.items():
        flags = [flag for flag in list_flags(command).values() if flag.panel == title]
        fields = {
            flag.flag: _field(
                flag,
                values,
                failure if failure and failure.option == flag.flag else None,
                suggestions or {},
                found or {},
            )
            for flag in flags
        }
        chosen = first or ()
        panels.append(
            FormPanel(
                title=_PANELS.get(title, title),
                fields=tuple(fields[name] for name in chosen if name in fields),
                folded=tuple(field for name, field in fields.items() if name not in chosen),
            )
        )
    return panels


def _field(
    flag: OptionField,
    values: Mapping[str, Any],
    failure: Failure | None,
    suggestions: Mapping[str, Sequence[str]],
    found: Mapping[str, str],
) -> FormField:
    value = values.get(flag.key)
    widget = _widget(flag)
    text = "\n".join(value) if isinstance(value, list) else "" if value is None else str(value)
    return FormField(
        key=flag.key,
        flag=flag.flag,
        title=_TITLES.get(flag.flag, flag.flag.replace("-", " ").capitalize()),
        about=_ABOUTS.get(flag.flag) or _explain(flag, widget),
        widget=widget,
        value=text,
        usual=found.get(flag.flag) or (flag.show_default() if widget in ("text", "number") else ""),
        choices=_choices(flag, widget, text),
        suggestions=_suggest(flag, failure, suggestions.get(flag.flag, ())),
        error=failure.message if failure else "",
    )


def _explain(flag: OptionField, widget: Widget) -> str:
    """The help; without choices and default where these are shown as boxes."""
    return flag.about if widget == "attacks" else flag.help()


def _widget(flag: OptionField) -> Widget:
    if flag.flag == "attacks":
        return "attacks"
    if choices_of(flag.kind) or flag.flag == "layout":
        return "choice"
    kind = type_for_typer(flag.kind, flag.written)
    if typing.get_origin(kind) is list:
        return "many"
    return {bool: "switch", int: "number", float: "number"}.get(kind, "text")  # type: ignore[return-value]


def _choices(flag: OptionField, widget: Widget, chosen: str) -> tuple[FormChoice, ...]:
    if widget == "attacks":
        named = chosen.split(",") if chosen else family_names()
        return tuple(
            FormChoice(
                value=name,
                title=find_family(name).title,
                about=find_family(name).question,
                is_chosen=name in named,
            )
            for name in family_names()
        )
    names = tuple(LAYOUTS) if flag.flag == "layout" else choices_of(flag.kind)
    return tuple(FormChoice(value=name, title=name, is_chosen=name == chosen) for name in names)


def _suggest(flag: OptionField, failure: Failure | None, known: Sequence[str]) -> tuple[str, ...]:
    """Values to try: first those of the error, then those known of the data or usual ones."""
    first = failure.suggestions if failure else ()
    return tuple(dict.fromkeys([*first, *(known or _usual_suggestions(flag))]))


def _usual_suggestions(flag: OptionField) -> tuple[str, ...]:
    return _timezones() if flag.flag == "timezone" else _EXAMPLES.get(flag.flag, ())


@cache
def _timezones() -> tuple[str, ...]:
    return tuple(sorted(zoneinfo.available_timezones()))


def write_command(command: str, values: Mapping[str, Any]) -> str:
    """The equivalent command line, quoted for a shell."""
    ordered = {key: values[key] for key in (*ARGUMENTS, *values) if key in values}
    return Typed(ordered).command(command)


def list_words(command: str, values: Mapping[str, Any]) -> list[str]:
    """The arguments of the equivalent command, without the program's name."""
    return shlex.split(write_command(command, values))[1:]


def check_values(command: str, values: Mapping[str, Any]) -> Failure | None:
    """The error the command would raise for these values before any work; None if none."""
    words = list_words(command, values)[1:]
    try:
        made = _parse(command, words)
        if command == "audit":
            made["auditing"].options(made["giving"], made["drawing"], made["running"].seed)
    except TrailprintError as error:
        return Failure.describe(error)
    except typer.Exit:
        return None
    except Exception as error:
        # The parser raises its own exceptions, which format their messages themselves.
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        return Failure(message=str(describe()), option=find_option(error))
    return None


def _parse(command: str, words: list[str]) -> dict[str, Any]:
    """The options objects of a command line; each is validated when it is made."""
    program: Any = build_program((command,))
    own = program.commands[command]
    with own.make_context(command, words) as context:
        typed = dict(context.params)
    declared = import_module(f"trailprint.cli.{command}").run.options
    return {name: group.collect(typed) for name, group in declared.items()}
