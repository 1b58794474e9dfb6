"""
Option groups: written once as a dataclass, understood by every command that takes them.

``@takes(ReadFlags, FilterFlags)`` gives a command all the fields of those classes as options and
hands it one object for each, by its parameter's type.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

import typer


def option(*names: str, help: str, panel: str, metavar: str | None = None) -> Any:
    """A Typer option that belongs to a panel of the help."""
    return typer.Option(
        *names, help=help, rich_help_panel=panel, metavar=metavar, show_default=False
    )


def argument(metavar: str, help: str) -> Any:
    """A Typer argument."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def takes(*groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Expand the fields of ``groups`` into options of the command below."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = typing.get_type_hints(command, include_extras=True)
        receivers = {hints[name]: name for name in hints if hints[name] in groups}

        @functools.wraps(command)
        def wrapper(**values: Any) -> None:
            for group in groups:
                own = {field.name: values.pop(field.name) for field in fields(group)}
                values[receivers[group]] = group(**own)
            command(**values)

        own = [
            parameter.replace(annotation=hints[name])
            for name, parameter in inspect.signature(command).parameters.items()
            if hints[name] not in groups
        ]
        added = [parameter for group in groups for parameter in _parameters(group)]
        signature = inspect.Signature(
            [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*own, *added]]
        )
        wrapper.__signature__ = signature  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in [*own, *added]}
        del wrapper.__wrapped__  # Typer would look through it at the short signature.
        return wrapper

    return decorate


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[field.name],
            default=_default(field),
        )
        for field in fields(group)
    ]


def _default(field: Any) -> Any:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else ...
