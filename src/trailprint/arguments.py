"""
Check arguments and options against their annotations, and refuse wrong types with a clear message.

The annotations of a function or an options class are the only place where types are declared.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import os
import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from trailprint.errors import OptionError, spell_option, to_flag

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Kept = TypeVar("Kept")
Given = TypeVar("Given")

_WORDS: Mapping[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    type(None): "None",
    os.PathLike: "a path",
}
_EXAMPLE = "such as"
_MANY: Mapping[Any, str] = {
    int: f"whole numbers, {_EXAMPLE} (1, 2, 4)",
    float: f"numbers, {_EXAMPLE} (0.5, 1, 2)",
    str: f"a list of text, {_EXAMPLE} ('a', 'b')",
}
#: Advice on a wrong value, by the name of the expected type.
_ADVICE = {
    "Events": "Open the data with trailprint.read first.",
    "Table": "Make one with pyarrow.table.",
    "Engine": "Make one with trailprint.Engine.",
    "Store": "Make one with trailprint.store.FolderStore or MemoryStore.",
    "Window": "Make one with trailprint.options.Window.parse('09:00-17:00').",
}
#: Seeds are whole numbers below this: databases and kernels take signed numbers of 64 bits.
N_SEEDS = 2**63
#: Ranges of arguments that mean the same in every function. More threads only exhaust a machine.
_RANGES = {"n_threads": (1, 1024), "seed": (0, N_SEEDS - 1)}


if TYPE_CHECKING:

    class Understood(Generic[Kept, Given]):
        """A field that is stored as one type and may also be given as another."""

        def __get__(self, owner: Any, kind: Any = None) -> Kept: ...

        def __set__(self, owner: Any, value: Kept | Given) -> None: ...

else:

    class Understood:
        """At run time, the annotation is just the stored type."""

        def __class_getitem__(cls, kinds):
            return kinds[0]


#: A list of texts; a single text is split at commas.
Texts = Understood[tuple[str, ...], str | Sequence[str]]


def understood(default: Any = (), *, make: Callable[[], Any] | None = None) -> Any:
    """Return a field with a default, or a default factory, for an `Understood` annotation."""
    return field(default=default) if make is None else field(default_factory=make)


def check_arguments(
    *, skip: Sequence[str] = (), unseen: Sequence[str] = ()
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """
    Check the arguments of a function against its annotations, except for those in ``skip``.

    ``unseen`` are names in the annotations that are only imported for type checking.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(*values: Parameters.args, **named: Parameters.kwargs) -> Result:
            given = _bind(function, signature, values, named)
            kinds = _kinds(function, tuple(unseen))
            for name, value in given.items():
                if name not in skip:
                    check_argument(name, value, kinds[name])
                    check_range(name, value)
            return function(*values, **named)

        return checked

    return decorate


def _bind(
    function: Callable[..., Any],
    signature: inspect.Signature,
    values: tuple[Any, ...],
    named: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Arguments by name; errors of Python's own are raised with the function's name."""
    try:
        return signature.bind(*values, **named).arguments
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None


def check_fields(options: Any, *, are_flags: bool = True) -> None:
    """
    Check every field of an options object against its annotation.

    Text is read as on the command line where another type is expected. NumPy numbers become Python
    numbers, and lists, ranges and arrays of numbers become tuples, so that options can be
    serialised and compared. With ``are_flags``, messages name a field by its flag.
    """
    kinds = _kinds(typing.cast(Hashable, type(options)))
    for name in (one.name for one in fields(options)):
        given = getattr(options, name)
        value = _understand(name, given, kinds[name])
        check_argument(name, value, kinds[name])
        _check_choice(to_flag(name) if are_flags else name, value, kinds[name])
        plain = _plain(value)
        check_range(name, plain)
        if plain is not given:
            object.__setattr__(options, name, plain)


def _understand(name: str, value: Any, kind: Any) -> Any:
    """Return text and ordered values as the expected type; other values as they are."""
    if _accepts(value, kind):
        return value
    if isinstance(value, str):
        return _read_text(name, value, kind)
    if not any(map(_is_list, _choices(kind))):
        return value
    is_one = isinstance(value, numbers.Real) and _accepts((value,), kind)
    return (value,) if is_one else _as_tuple(value)


def _read_text(name: str, text: str, kind: Any) -> Any:
    """Read text as on the command line: by the type's own ``parse``, or as a list."""
    for choice in _choices(kind):
        if hasattr(choice, "parse"):
            return choice.parse(text)
        if _is_list(choice) and _accepts((text,), choice):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if _is_list(choice) and typing.get_args(choice)[0] is float:
            return _read_numbers(name, text)
    return text


def _read_numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"{to_flag(name)} must be numbers such as 0.5,1,2, got {text!r} instead."
        ) from None


def _as_tuple(value: Any) -> Any:
    """Return a range, and an array or a Series of numbers, as a tuple; other values as they are."""
    if isinstance(value, range):
        return tuple(value)
    ways = [] if isinstance(value, type) else ["tolist", "to_list", "to_pylist"]
    way = next((getattr(value, name) for name in ways if hasattr(value, name)), None)
    listed: Any = None if way is None else way()
    # A column of texts may hold ids, which messages about an option would quote.
    is_understood = isinstance(listed, list) and _accepts_items(listed, (float,))
    return tuple(listed) if is_understood else value


def check_argument(name: str, value: Any, kind: Any) -> None:
    """Raise an error if a value is not of a type; the message never shows the value."""
    if _accepts(value, kind):
        _check_calls(name, value, kind)
        return
    advice = [_ADVICE[name] for name in map(_name, _choices(kind)) if name in _ADVICE]
    raise OptionError(
        f"{name} must be {_say_any(kind)}, got {_say_given(value)} instead."
        + "".join(f" {text}" for text in advice)
    )


def _say_any(kind: Any) -> str:
    """Return what a value may be; None is not mentioned beside an example of a list."""
    said = dict.fromkeys(map(_say, _choices(kind)))
    if not any(_EXAMPLE in one for one in said):
        return " or ".join(said)
    return " or ".join(one for one in said if one != _WORDS[type(None)])


def _say_given(value: Any) -> str:
    """Return the type of a value, and those of its items, never the value."""
    kind = type(value).__name__
    if not isinstance(value, (list, tuple)) or not value:
        return kind
    return f"{kind} of {' and '.join(dict.fromkeys(type(one).__name__ for one in value))}"


def _check_calls(name: str, value: Any, kind: Any) -> None:
    """Raise an error if a function does not take the arguments it will be called with."""
    functions = [one for one in _choices(kind) if _is_function(one)]
    if not functions or not callable(value):
        return
    given = typing.get_args(functions[0])[0]
    try:
        inspect.signature(value).bind(*given)
    except TypeError:
        raise OptionError(
            f"{name} must be a function of {len(given)} arguments, got one that does not take them."
        ) from None
    except ValueError:  # Some C functions have no signature.
        return


def _is_function(kind: Any) -> bool:
    """Whether a type is a function with declared arguments."""
    is_callable = typing.get_origin(kind) is collections.abc.Callable
    return is_callable and isinstance(typing.get_args(kind)[0], list)


def _check_choice(name: str, value: Any, kind: Any) -> None:
    """Raise an error if a text, or one of a list, is not one of the choices of a ``Literal``."""
    for choice in filter(_is_list, _choices(kind)):
        for one in value if isinstance(value, (list, tuple)) else ():
            _check_choice(name, one, typing.get_args(choice)[0])
    literals = [one for one in _choices(kind) if typing.get_origin(one) is typing.Literal]
    allowed = [choice for one in literals for choice in typing.get_args(one)]
    if allowed and isinstance(value, str) and value not in allowed:
        raise OptionError(
            f"{name} must be one of {', '.join(allowed)}, got {value!r} instead.",
            option=spell_option(name.removeprefix("--")),
            suggestions=allowed,
        )


def check_range(name: str, value: Any) -> None:
    """Raise an error if an argument that means the same everywhere is out of its range."""
    if name not in _RANGES or value is None:
        return
    least, most = _RANGES[name]
    if not least <= value <= most:
        raise OptionError(
            f"{to_flag(name)} must be from {least:,} to {most:,}, got {value:,} instead.",
            option=spell_option(name),
        )


@functools.cache
def _kinds(owner: Hashable, unseen: tuple[str, ...] = ()) -> dict[str, Any]:
    return typing.get_type_hints(owner, localns=dict.fromkeys(unseen, Any))


def _choices(kind: Any) -> tuple[Any, ...]:
    """The members of a union; a single type is a union of one."""
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return typing.get_args(kind) if is_union else (kind,)


def _accepts(value: Any, kind: Any) -> bool:
    return any(_accepts_one(value, choice) for choice in _choices(kind))


def _is_list(kind: Any) -> bool:
    return typing.get_origin(kind) in (tuple, Sequence)


def _accepts_one(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or isinstance(kind, TypeVar):
        return True
    if origin is typing.Literal:
        # The choices have their own message in _check_choice.
        return isinstance(value, tuple({type(choice) for choice in inner}))
    if origin in (tuple, Sequence):
        return isinstance(value, (tuple, list)) and _accepts_items(value, inner)
    if origin is Mapping or origin is dict:
        return isinstance(value, Mapping) and _accepts_entries(value, inner)
    if origin is collections.abc.Callable:
        return callable(value)
    if kind in (int, float):
        is_number = isinstance(value, numbers.Integral if kind is int else numbers.Real)
        return is_number and not isinstance(value, bool)
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    return isinstance(value, origin or kind)


def _accepts_items(values: Sequence[Any], kinds: Sequence[Any]) -> bool:
    """Whether each value is of the type at its position, or all of one (``tuple[int, ...]``)."""
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = [kinds[0]] * len(values)
    elif len(kinds) == 1:
        kinds = list(kinds) * len(values)
    return len(values) == len(kinds) and all(map(_accepts, values, kinds))


def _accepts_entries(values: Mapping[Any, Any], kinds: Sequence[Any]) -> bool:
    return not kinds or all(
        _accepts(key, kinds[0]) and _accepts(value, kinds[1]) for key, value in values.items()
    )


def _say(kind: Any) -> str:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if (origin or kind) in _WORDS:
        return _WORDS[origin or kind]
    if origin is typing.Literal:
        return _WORDS.get(type(inner[0]), "one of its choices")
    if origin in (tuple, Sequence):
        kind_of = "a tuple" if origin is tuple else "a list"
        if inner[0] is Any:
            return kind_of
        return _MANY.get(inner[0]) or f"{kind_of} of {_say_any(inner[0])}"
    if origin is Mapping or origin is dict:
        return "a mapping" + (f" of {_say(inner[0])} to {_say(inner[1])}" if inner else "")
    return "a function" if origin is collections.abc.Callable else _name(kind)


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _plain(value: Any) -> Any:
    if type(value) in (list, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int, float)):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    return value
