"""``--settings FILE``: options of an earlier run; what is typed overrides them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trailprint.cli.option_fields import OptionField, type_for_typer
from trailprint.errors import OptionError

_FILE = "settings"
#: How this run answers is not repeated by another.
_NOT_KEPT = (_FILE, "json")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}
_ARGUMENTS = ("data", "auxiliary")


@dataclass(frozen=True, slots=True)
class Typed:
    """
    All that was asked for, on the command line or in a settings file, as it was typed.

    Attributes
    ----------
    values : mapping
        Arguments and flags by parameter; only those that were given.
    """

    values: Mapping[str, Any]

    def kept(self) -> dict[str, Any]:
        """What another run is told to do the same, by flag."""
        return {
            name.replace("_", "-"): value
            for name, value in self.values.items()
            if name not in _NOT_KEPT
        }

    def command(self, name: str) -> str:
        """The command that asks for all of it, as a shell takes it."""
        words = ["trailprint", name]
        for flag, value in self.kept().items():
            words += [value] if flag in _ARGUMENTS else spell_flag(flag, value)
        return shlex.join(words)


def add_settings(
    typed: Mapping[str, Any], flags: Sequence[OptionField], needed: Sequence[OptionField]
) -> Typed:
    """What was typed, and from the file it names what was not; ``needed`` flags must be there."""
    given = {name: value for name, value in typed.items() if is_typed(value)}
    path = given.get(_FILE)
    from_file = {} if path is None else _read(path, flags)
    values = {name: {**from_file, **given}.get(name) for name in typed}
    _check_complete(values, needed)
    return Typed({name: value for name, value in values.items() if is_typed(value)})


def is_typed(value: object) -> bool:
    """Whether a flag was given; a number of zero was."""
    return value is not None and value is not False and value != []


def _read(path: str, flags: Sequence[OptionField]) -> dict[str, Any]:
    """The file's values by parameter, each of the type of its flag."""
    from trailprint.audit.settings import check_names, read_settings

    kinds: dict[str, Any] = dict.fromkeys(_ARGUMENTS, str)
    kinds |= {flag.flag: type_for_typer(flag.kind, flag.written) for flag in flags}
    kinds = {name: kind for name, kind in kinds.items() if name not in _NOT_KEPT}
    found = read_settings(path)
    check_names(found, kinds)
    return {name.replace("-", "_"): _check(name, found[name], kinds[name]) for name in found}


def _check(name: str, value: object, kind: Any) -> object:
    """A value of the type that its flag has."""
    is_many = kind not in _WORDS
    if is_many:
        listed = value if isinstance(value, list) else [value]
        return [_check(name, one, str) for one in listed]
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise OptionError(
            f"In --settings, {name} must be {_WORDS[kind]}, got {type(value).__name__} instead."
        )
    return value


def _check_complete(values: Mapping[str, Any], needed: Sequence[OptionField]) -> None:
    """Refuse what lacks an argument or a flag that nothing stands in for."""
    if values.get("data") is None:
        raise OptionError("Missing argument 'DATA'. Try --help.")
    for flag in needed:
        if values.get(flag.key) is None:
            raise OptionError(f"Missing option '--{flag.flag}'. Try --help.")


def spell_flag(flag: str, value: Any) -> list[str]:
    """A flag and its value as words; one that may be repeated, for each of its values."""
    if value is True:
        return [f"--{flag}"]
    listed = value if isinstance(value, list) else [value]
    return [word for one in listed for word in (f"--{flag}", str(one))]
