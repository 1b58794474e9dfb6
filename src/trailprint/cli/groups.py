"""
A command's flags are the fields of the options classes it takes.

``@takes_options`` reads the parameters of the decorated command. A parameter annotated as
``Annotated[MatchOptions, Panel("Matching", without=("seed",))]`` becomes one flag for each field of
the class, and receives the object. With ``Given[MatchOptions]`` the command receives the values
typed and makes the object itself. A dataclass whose fields are such parameters is expanded into
them. A command with a parameter of type ``Typed`` takes ``--settings``.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Generic, TypeVar

import typer

from trailprint.cli.option_fields import OptionField, Written, read_fields
from trailprint.cli.settings import Typed, add_settings, is_typed
from trailprint.engines.options import EngineOptions
from trailprint.errors import OptionError

Options = TypeVar("Options")


@dataclass(frozen=True, slots=True)
class Panel:
    """
    Where an options class appears in the help, and which of its fields are not flags.

    Attributes
    ----------
    title : str
        The heading of the flags.
    without : tuple of str
        Fields that are set elsewhere or available in Python only.
    names : mapping
        Flags, without dashes, whose names differ from those of their fields.
    written : mapping
        How values are typed, where their types do not determine it.
    """

    title: str
    without: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, Written] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Given(Generic[Options]):
    """
    The typed flags of an options class; true if there is at least one.

    Attributes
    ----------
    kind : type
        The options class.
    values : mapping
        Values by field.
    typed : mapping
        The same values as typed, by flag.
    """

    kind: type[Options]
    values: Mapping[str, Any] = field(default_factory=dict)
    typed: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.values)

    def options(self, **others: Any) -> Options:
        """Make the options, with ``others`` for fields without a flag and defaults for the rest."""
        return self.kind(**{**self.values, **others})


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """An options class of a command, its flags, and how they are collected."""

    kind: type[Any]
    flags: list[OptionField]
    is_given: bool

    def all_flags(self) -> Iterator[tuple[Group, OptionField]]:
        """Every flag, with the group it belongs to."""
        return ((self, flag) for flag in self.flags)

    def collect(self, typed: dict[str, Any]) -> Any:
        """Remove the group's values from ``typed`` and make the options; defaults for the rest."""
        own = [(flag, typed.pop(flag.key)) for flag in self.flags]
        own = [(flag, value) for flag, value in own if is_typed(value)]
        values = {flag.name: flag.written.read(value) for flag, value in own}
        if not self.is_given:
            return self.kind(**values)
        missing = [flag for flag in self.flags if flag.is_required]
        if values and any(flag.name not in values for flag in missing):
            names = " and ".join(f"--{flag.flag}" for flag in missing)
            given = " and ".join(f"--{flag.flag}" for flag, _ in own)
            raise OptionError(f"{names} must be given with {given}.", option=missing[0].flag)
        return Given(self.kind, values, {flag.key: value for flag, value in own})


@dataclass(frozen=True, slots=True)
class Bundle:
    """A dataclass of several groups."""

    kind: type[Any]
    groups: dict[str, Group | Bundle]

    def all_flags(self) -> Iterator[tuple[Group, OptionField]]:
        """Every flag of every group, with its group."""
        return (one for group in self.groups.values() for one in group.all_flags())

    def collect(self, typed: dict[str, Any]) -> Any:
        """Make the dataclass from the options that each of its groups collects."""
        return self.kind(**{name: group.collect(typed) for name, group in self.groups.items()})


def argument(metavar: str, help: str) -> Any:
    """A Typer argument."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the flags of the options classes among its parameters."""
    hints = typing.get_type_hints(command, include_extras=True)
    receiver = next((name for name, hint in hints.items() if hint is Typed), None)
    groups = find_groups({name: hint for name, hint in hints.items() if name != receiver})
    own = [
        _as_own(parameter, hints[name], may_lack=receiver is not None)
        for name, parameter in inspect.signature(command).parameters.items()
        if name not in groups and name != receiver
    ]
    declared = [one for group in groups.values() for one in group.all_flags()]
    needed = [flag for owner, flag in declared if flag.is_required and not owner.is_given]

    @functools.wraps(command)
    def wrapper(**typed: Any) -> None:
        if receiver is not None:
            all_typed = add_settings(typed, [flag for _, flag in declared], needed)
            typed = {**typed, **all_typed.values}
        made = {name: group.collect(typed) for name, group in groups.items()}
        with _on_engine(made):
            command(**typed, **made, **({} if receiver is None else {receiver: all_typed}))

    flags = [
        flag.parameter(may_lack=owner.is_given or receiver is not None) for owner, flag in declared
    ]
    parameters = [*own, *flags]
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {one.name: one.annotation for one in parameters}
    wrapper.options = groups  # type: ignore[attr-defined]
    del wrapper.__wrapped__  # Typer would follow it to the undecorated signature.
    return wrapper


def _on_engine(made: Mapping[str, Any]) -> contextlib.AbstractContextManager[None]:
    """Context in which the command's engine is open, for reading data as well."""
    wanted = next((one for one in made.values() if isinstance(one, EngineOptions)), None)
    if wanted is None or wanted.engine == "local":
        return contextlib.nullcontext()
    from trailprint.workflows.engines import run_on

    return run_on(wanted)


def _as_own(parameter: inspect.Parameter, hint: Any, *, may_lack: bool) -> inspect.Parameter:
    """A parameter that is not an options class; optional if a settings file may supply it."""
    if may_lack and parameter.default is inspect.Parameter.empty:
        parameter = parameter.replace(default=None)
    return parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)


def find_groups(hints: Mapping[str, Any]) -> dict[str, Group | Bundle]:
    """The parameters, or fields of a bundle, that are options classes or bundles."""
    found = {name: _find_group(hint) for name, hint in hints.items()}
    return {name: group for name, group in found.items() if group is not None}


def _find_group(hint: Any) -> Group | Bundle | None:
    kind, *marks = typing.get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    panel = next((mark for mark in marks if isinstance(mark, Panel)), None)
    if panel is not None:
        is_given = typing.get_origin(kind) is Given
        options = typing.get_args(kind)[0] if is_given else kind
        flags = read_fields(
            options,
            panel.title,
            without=panel.without,
            names=panel.names,
            written=panel.written,
        )
        return Group(options, flags, is_given)
    if is_dataclass(kind) and isinstance(kind, type):
        return Bundle(kind, find_groups(typing.get_type_hints(kind, include_extras=True)))
    return None
