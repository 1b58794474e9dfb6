"""
Convert results to plain values and back: one way to write every type, one way to read it.

`to_plain` and `from_plain` follow the annotations of frozen dataclasses. Values that do not match
their type are refused, so that code that reads a stored result can rely on the types.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache, partial
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_Reader = Callable[[object], Any]

OMITTED: Final[Mapping[str, bool]] = {"omitted_when_none": True}
"""Metadata of a field that is left out of the plain values if it is None."""


class ShapeError(ValueError):
    """Plain values that do not match the expected type."""


def to_plain(value: Any) -> Any:
    """Convert a result to dicts, lists, texts and numbers, in the order of its fields."""
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
    """Whether a field is left out of the plain values if it is None."""
    return "omitted_when_none" in item.metadata


def from_plain(kind: type[T], plain: object) -> T:
    """
    Build a result from its plain values.

    Unknown members are ignored; missing ones must have a default.

    Raises
    ------
    ShapeError
        If a member is missing or of another type.
    """
    return cast("T", _reader(kind)(plain))


def _reader(kind: Any) -> _Reader:
    """Return a function that reads a type; inspecting types is slow, so it is done once."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return _read_any
    if origin in (types.UnionType, Union):
        return partial(_read_union, tuple(map(_reader, arguments)))
    if origin is Literal:
        return partial(_read_literal, arguments)
    if origin is tuple:
        is_endless = arguments[-1] is Ellipsis
        readers = tuple(map(_reader, arguments[:-1] if is_endless else arguments))
        return partial(_read_all, readers[0]) if is_endless else partial(_read_each, readers)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return partial(_read_mapping, _reader(arguments[1]))
    return partial(_read_object if is_dataclass(kind) else _read_single, kind)


def _read_any(plain: object) -> object:
    return plain


def _read_literal(allowed: tuple[Any, ...], plain: object) -> object:
    return _check(plain in allowed, plain)


def _read_single(kind: type, plain: object) -> object:
    if kind is bool or isinstance(plain, bool):
        return _check(kind is bool and isinstance(plain, bool), plain)
    # An int is accepted for a float, and stays an int.
    return _check(isinstance(plain, (int, float) if kind is float else kind), plain)


def _read_union(readers: tuple[_Reader, ...], plain: object) -> object:
    for read in readers:
        try:
            return read(plain)
        except ShapeError:
            continue
    raise ShapeError("none of the types a value may have fits it")


def _read_all(read: _Reader, plain: object) -> tuple[Any, ...]:
    _check(isinstance(plain, list | tuple), plain)
    return tuple(map(read, cast("list[object]", plain)))


def _read_each(readers: tuple[_Reader, ...], plain: object) -> tuple[Any, ...]:
    _check(isinstance(plain, list | tuple), plain)
    items = cast("list[object]", plain)
    _check(len(items) == len(readers), plain)
    return tuple(read(item) for read, item in zip(readers, items, strict=True))


def _read_mapping(read: _Reader, plain: object) -> dict[str, Any]:
    _check(isinstance(plain, Mapping) and all(isinstance(name, str) for name in plain), plain)
    return {name: read(own) for name, own in cast("dict[str, object]", plain).items()}


def _read_object(kind: Any, plain: object) -> object:
    _check(isinstance(plain, Mapping), plain)
    given = cast("Mapping[str, object]", plain)
    known = {name: read(given[name]) for name, read in _members(kind) if name in given}
    try:
        return kind(**known)
    except TypeError:
        raise ShapeError(f"a member of {kind.__name__} is missing") from None


@cache
def _members(kind: type) -> tuple[tuple[str, _Reader], ...]:
    """The names of a dataclass's fields and their readers."""
    hints = get_type_hints(kind)
    return tuple((item.name, _reader(hints[item.name])) for item in fields(kind))


def _check(fits: bool, plain: object) -> object:
    """Return the value if it fits; the error never shows the value."""
    if not fits:
        raise ShapeError("a value is not of the type it must have")
    return plain
