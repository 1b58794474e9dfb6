"""``--settings FILE``: options of an earlier run; what is typed overrides them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trailprint.cli.option_fields import OptionField, type_for_typer
from trailprint.errors import OptionError

_FILE = "settings"
#: Options that are not saved: the settings file, and how the result is printed.
_NOT_KEPT = (_FILE, "json")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}
_ARGUMENTS = ("data", "auxiliary")


@dataclass(frozen=True, slots=True)
class Typed:
    """
    All arguments and flags given on the command line or in a settings file, as typed.

    Attributes
    ----------
    values : mapping
        Values by parameter; only those that were given.
    """

    values: Mapping[str, Any]

    def kept(self) -> dict[str, Any]:
        """The values, by flag, that make another run do the same."""
        return {
            name.replace("_", "-"): value
            for name, value in self.values.items()
            if name not in _NOT_KEPT
        }

    def command(self, name: str) -> str:
        """The equivalent command line, quoted for a shell."""
        words = ["trailprint", name]
        for flag, value in self.kept().items():
            words += [value] if flag in _ARGUMENTS else spell_flag(flag, value)
        return shlex.join(words)


def add_settings(
    typed: Mapping[str, Any], flags: Sequence[OptionField], needed: Sequence[OptionField]
) -> Typed:
    """Add the values of the settings file to those typed; ``needed`` flags must be present."""
    given = {name: value for name, value in typed.items() if is_typed(value)}
    path = given.get(_FILE)
    from_file = {} if path is None else _read(path, flags)
    values = {name: {**from_file, **given}.get(name) for name in typed}
    _check_complete(values, needed)
    return Typed({name: value for name, value in values.items() if is_typed(value)})


def is_typed(value: object) -> bool:
    """Whether a flag was given; zero counts as given."""
    return value is not None and value is not False and value != []


def _read(path: str, flags: Sequence[OptionField]) -> dict[str, Any]:
    """Read the file's values by parameter; each must have the type of its flag."""
    from trailprint.audit.settings import check_names, read_settings

    kinds: dict[str, Any] = dict.fromkeys(_ARGUMENTS, str)
    kinds |= {flag.flag: type_for_typer(flag.kind, flag.written) for flag in flags}
    kinds = {name: kind for name, kind in kinds.items() if name not in _NOT_KEPT}
    found = read_settings(path)
    check_names(found, kinds)
    for name in {flag.flag for flag in flags if flag.takes_list} & found.keys():
        found[name] = _join(name, found[name])
    return {name.replace("-", "_"): _check(name, found[name], kinds[name]) for name in found}


def _join(name: str, value: object) -> object:
    """Return a list of texts as it would be typed, and any other value as it is."""
    if not isinstance(value, list):
        return value
    return ",".join(str(_check(name, one, str)) for one in value)


def _check(name: str, value: object, kind: Any) -> object:
    """Return a value if it has the type of its flag, else raise an error."""
    is_many = kind not in _WORDS
    if is_many:
        listed = value if isinstance(value, list) else [value]
        return [_check(name, one, str) for one in listed]
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise OptionError(
            f"In --settings, {name} must be {_WORDS[kind]}, got {type(value).__name__} instead.",
            option="settings",
        )
    return value


def _check_complete(values: Mapping[str, Any], needed: Sequence[OptionField]) -> None:
    """Raise an error if DATA or a required flag is missing."""
    if values.get("data") is None:
        raise OptionError("Missing argument 'DATA'. Try --help.", option="data")
    for flag in needed:
        if values.get(flag.key) is None:
            raise OptionError(f"Missing option '--{flag.flag}'. Try --help.", option=flag.flag)


def spell_flag(flag: str, value: Any) -> list[str]:
    """A flag and its value as words; a list repeats the flag for each value."""
    if value is True:
        return [f"--{flag}"]
    listed = value if isinstance(value, list) else [value]
    return [word for one in listed for word in (f"--{flag}", str(one))]
