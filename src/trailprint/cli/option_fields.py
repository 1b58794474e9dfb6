"""
One field of an options class as a flag of the command line.

The field defines its type, default and choices, and the class's docstring defines its meaning, so
none of these is written twice.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

import typer

from trailprint.errors import OptionError, spell_option

#: Placeholder for a number in the help.
_NUMBER = "NUMBER"
_NUMBERS = {int: "a whole number", float: "a number"}
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[A-Z`0-9])")
_NAME_IN_TEXT = re.compile(r"``([^`]+)``|`([^`]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """
    How a value is typed, where its type does not determine it.

    Attributes
    ----------
    read : callable
        Converts the text to the value.
    show : callable
        Converts the default to text.
    metavar : str
        Placeholder for the value in the help.
    many : bool
        Whether the flag may be given several times; ``read`` then takes the list.
    """

    read: Callable[[Any], Any] = lambda typed: typed
    show: Callable[[Any], str] = str
    metavar: str = "TEXT"
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """A field of an options class, its flag without dashes, and how its value is typed."""

    name: str
    flag: str
    kind: Any
    default: Any
    about: str
    panel: str
    written: Written

    @property
    def key(self) -> str:
        """The parameter name of the value."""
        return self.flag.replace("-", "_")

    @property
    def is_required(self) -> bool:
        """Whether the field has no default."""
        return self.default is MISSING

    @property
    def takes_list(self) -> bool:
        """Whether the value is a list, typed with commas."""
        is_list = typing.get_origin(_parts(self.kind)[0]) in (tuple, Sequence)
        return is_list and not self.written.many

    def parameter(self, *, may_lack: bool) -> inspect.Parameter:
        """The flag as a Typer parameter; None (False for a switch) if it was not typed."""
        chosen = choices_of(self.kind)
        typed = type_for_typer(self.kind, self.written)
        option = typer.Option(
            f"--{self.flag}",
            help=self.help(),
            rich_help_panel=self.panel,
            metavar="" if typed is bool else self.written.metavar,
            show_default=False,
            autocompletion=(lambda: list(chosen)) if chosen else None,
            parser=_read_number(typed, self.flag) if typed in _NUMBERS else None,
        )
        absent: Any = False if typed is bool else None
        return inspect.Parameter(
            self.key,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=typing.Annotated[typed if typed is bool else typed | None, option],
            default=... if self.is_required and not may_lack else absent,
        )

    def help(self) -> str:
        """The help text: meaning, choices and default."""
        chosen = choices_of(self.kind)
        if chosen and not self.takes_list:
            marked = [f"{name} (default)" if name == self.default else name for name in chosen]
            return f"{self.about.removesuffix('.')}: {', '.join(marked)}."
        shown = self.show_default()
        about = f"{self.about.removesuffix('.')}: {', '.join(chosen)}" if chosen else self.about
        return f"{about.removesuffix('.')} (default: {shown})." if shown else about

    def show_default(self) -> str:
        """The default as it would be typed; empty if there is none or it is a switch."""
        if isinstance(self.default, bool) or self.default in (MISSING, None, ()):
            return ""
        return self.written.show(self.default)


def read_fields(
    kind: type[Any],
    panel: str,
    *,
    without: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    written: Mapping[str, Written] | None = None,
) -> list[OptionField]:
    """The fields of an options class in order, except those in ``without``."""
    hints = typing.get_type_hints(kind)
    flags = {
        field.name: (names or {}).get(field.name, spell_option(field.name))
        for field in fields(kind)
    }
    about = explain_fields(kind, flags)
    return [
        OptionField(
            name=field.name,
            flag=flags[field.name],
            kind=hints[field.name],
            default=_default(field),
            about=about.get(field.name, ""),
            panel=panel,
            written=(written or {}).get(field.name) or _usual(hints[field.name]),
        )
        for field in fields(kind)
        if field.name not in without
    ]


def explain_fields(kind: type[Any], flags: Mapping[str, str]) -> dict[str, str]:
    """The first sentence on each field in the class's docstring, with field names as flags."""

    def rename(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return f"--{flags[name]}" if name in flags else name

    return {
        name: _NAME_IN_TEXT.sub(rename, _SENTENCE.split(text.strip())[0])
        for name, text in read_attributes(inspect.getdoc(kind) or "").items()
    }


def read_attributes(docstring: str) -> dict[str, str]:
    """The entries of the ``Attributes`` section of a NumPy docstring."""
    _, _, section = docstring.partition("Attributes\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if line.startswith(" "):
            for name in names:
                found[name] += f"{line.strip()} "
        elif " : " in line:
            names = line.split(" : ")[0].split(", ")
            found |= dict.fromkeys(names, "")
        elif line:
            break
    return found


def choices_of(kind: Any) -> tuple[str, ...]:
    """The values of a ``Literal``, also within a union or a tuple; empty for other types."""
    parts = _parts(kind)
    if typing.get_origin(parts[0]) is tuple:
        parts = typing.get_args(parts[0])[:1]
    literals = [one for one in parts if typing.get_origin(one) is typing.Literal]
    return tuple(value for one in literals for value in typing.get_args(one))


def _parts(kind: Any) -> tuple[Any, ...]:
    """Members of a union without None: ``(int,)`` for ``int | None``."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return tuple(part for part in typing.get_args(kind) if part is not types.NoneType)
    return (kind,)


def type_for_typer(kind: Any, written: Written) -> Any:
    """The type that Typer checks: bool for switches, int or float for numbers, else text."""
    if written.many:
        return list[str]
    parts = _parts(kind)
    is_number = parts[0] in (int, float) and written.metavar == _NUMBER
    return parts[0] if len(parts) == 1 and (is_number or parts[0] is bool) else str


def _read_number(kind: type[int] | type[float], flag: str) -> Callable[[str], int | float]:
    """A parser of a number whose error says the rule, which Typer's own does not."""

    def read(text: str) -> int | float:
        try:
            return kind(text)
        except ValueError:
            raise OptionError(
                f"--{flag} must be {_NUMBERS[kind]}, got {text!r} instead.", option=flag
            ) from None

    return read


def _usual(kind: Any) -> Written:
    """The default way to type values of a type."""
    parts = _parts(kind)
    if typing.get_origin(parts[0]) in (tuple, Sequence):
        return _list_of(typing.get_args(parts[0])[0])
    if choices_of(kind):
        return Written(metavar="NAME")
    if parts[0] in (int, float):
        return Written(show=lambda number: f"{number:g}", metavar=_NUMBER)
    readable = [part for part in parts if hasattr(part, "parse")]
    return Written(read=readable[0].parse) if readable else Written()


def _list_of(kind: Any) -> Written:
    """Comma-separated values; the options class itself splits strings, as in Python."""
    if kind is not float:
        return Written(show=",".join, metavar="NAME,…")
    return Written(show=lambda all_of: ",".join(f"{one:g}" for one in all_of), metavar="NUMBER,…")


def _default(field: Field[Any]) -> Any:
    made = field.default_factory
    return field.default if made is MISSING else made()
