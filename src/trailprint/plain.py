"""
Results as plain values and back: one way to write every type, one way to read it.

`to_plain` and `from_plain` follow the annotations of frozen dataclasses. What does not fit its
type is refused, so that whoever reads a stored result can rely on it.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

OMITTED: Final[Mapping[str, bool]] = {"omitted_when_none": True}
"""Metadata of a field that is left out of the plain values where it is None."""


class ShapeError(ValueError):
    """Plain values that are not what a type asks for."""


def to_plain(value: Any) -> Any:
    """A result as dicts, lists, texts and numbers, in the order of its fields."""
    if is_dataclass(value) and not isinstance(value, type):
        members = ((item, getattr(value, item.name)) for item in fields(value))
        return {item.name: to_plain(own) for item, own in members if not _is_omitted(item, own)}
    if isinstance(value, Mapping):
        return {name: to_plain(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(own) for own in value]
    return value


def _is_omitted(item: Field[Any], value: object) -> bool:
    return value is None and is_omittable(item)


def is_omittable(item: Field[Any]) -> bool:
    """Whether a field is left out of the plain values where it is None."""
    return "omitted_when_none" in item.metadata


def from_plain(kind: type[T], plain: object) -> T:
    """
    A result from its plain values.

    Members the type does not have are ignored; missing ones must have a default.

    Raises
    ------
    ShapeError
        Where something is missing or of another type.
    """
    return cast("T", _read(kind, plain))


def _read(kind: Any, plain: object) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return plain
    if origin in (types.UnionType, Union):
        return _read_union(get_args(kind), plain)
    if origin is Literal:
        return _check(plain in get_args(kind), plain)
    if origin is tuple:
        return _read_tuple(get_args(kind), plain)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _read_mapping(get_args(kind)[1], plain)
    return _read_object(kind, plain) if is_dataclass(kind) else _read_single(kind, plain)


def _read_single(kind: type, plain: object) -> object:
    if kind is bool or isinstance(plain, bool):
        return _check(kind is bool and isinstance(plain, bool), plain)
    # A whole number may stand for a real one, and stays as it is written.
    return _check(isinstance(plain, (int, float) if kind is float else kind), plain)


def _read_union(kinds: tuple[Any, ...], plain: object) -> object:
    for kind in kinds:
        try:
            return _read(kind, plain)
        except ShapeError:
            continue
    raise ShapeError("none of the types a value may have fits it")


def _read_tuple(kinds: tuple[Any, ...], plain: object) -> tuple[Any, ...]:
    _check(isinstance(plain, list | tuple), plain)
    items = cast("list[object]", plain)
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], item) for item in items)
    _check(len(items) == len(kinds), plain)
    return tuple(_read(kind, item) for kind, item in zip(kinds, items, strict=True))


def _read_mapping(kind: Any, plain: object) -> dict[str, Any]:
    _check(isinstance(plain, Mapping) and all(isinstance(name, str) for name in plain), plain)
    return {name: _read(kind, own) for name, own in cast("dict[str, object]", plain).items()}


def _read_object(kind: Any, plain: object) -> object:
    _check(isinstance(plain, Mapping), plain)
    given = cast("Mapping[str, object]", plain)
    hints = _hints(kind)
    known = {
        name: _read(hints[name], given[name])
        for name in (item.name for item in fields(kind))
        if name in given
    }
    try:
        return kind(**known)
    except TypeError:
        raise ShapeError(f"a member of {kind.__name__} is missing") from None


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _check(fits: bool, plain: object) -> object:
    """The value where it fits; no value is ever told."""
    if not fits:
        raise ShapeError("a value is not of the type it must have")
    return plain
