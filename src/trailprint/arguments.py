"""
Check arguments and options against their annotations, and refuse wrong types with a clear message.

The annotations of a function or an options class are the only place where types are declared.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
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
}
#: Advice on a wrong value, by the name of the expected type.
_ADVICE = {
    "Events": "Open the data with trailprint.read first.",
    "Table": "Make one with pyarrow.table.",
    "Engine": "Make one with trailprint.Engine.",
    "Window": "Make one with trailprint.options.Window.parse('09:00-17:00').",
}
#: Ranges of arguments that mean the same in every function. More threads only exhaust a machine.
_RANGES = {"n_threads": (1, 1024), "seed": (0, 2**63 - 1)}


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
                    _check_range(name, value)
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


def check_fields(options: Any) -> None:
    """
    Check every field of an options object against its annotation.

    NumPy numbers become Python numbers, and lists become tuples, so that options can be serialised
    and compared.
    """
    kinds = _kinds(typing.cast(Hashable, type(options)))
    for name in (one.name for one in fields(options)):
        value = _as_list(getattr(options, name), kinds[name])
        check_argument(name, value, kinds[name])
        _check_choice(name, value, kinds[name])
        plain = _plain(value)
        if plain is not getattr(options, name):
            object.__setattr__(options, name, plain)


def _as_list(value: Any, kind: Any) -> Any:
    """Split a text at commas if a list of texts is expected, as on the command line."""
    if not isinstance(value, str) or _accepts(value, kind) or not _accepts((value,), kind):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def check_argument(name: str, value: Any, kind: Any) -> None:
    """Raise an error if a value is not of a type; the message never shows the value."""
    if _accepts(value, kind):
        _check_calls(name, value, kind)
        return
    wanted = [_say(choice) for choice in _choices(kind)]
    advice = [_ADVICE[name] for name in map(_name, _choices(kind)) if name in _ADVICE]
    raise OptionError(
        f"{name} must be {' or '.join(wanted)}, got {type(value).__name__} instead."
        + "".join(f" {text}" for text in advice)
    )


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
    """Raise an error if a text is not one of the choices of a ``Literal``."""
    literals = [one for one in _choices(kind) if typing.get_origin(one) is typing.Literal]
    allowed = [choice for one in literals for choice in typing.get_args(one)]
    if allowed and isinstance(value, str) and value not in allowed:
        raise OptionError(
            f"{to_flag(name)} must be one of {', '.join(allowed)}, got {value!r} instead.",
            option=spell_option(name),
            suggestions=allowed,
        )


def _check_range(name: str, value: Any) -> None:
    if name not in _RANGES or value is None:
        return
    least, most = _RANGES[name]
    if not least <= value <= most:
        raise OptionError(
            f"{to_flag(name)} must be from {least} to {most}, got {value} instead.",
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
    if kind in _WORDS:
        return _WORDS[kind]
    if origin is typing.Literal:
        return _WORDS.get(type(inner[0]), "one of its choices")
    if origin in (tuple, Sequence):
        items = [_say(one) for item in inner if item is not ... for one in _choices(item)]
        return f"a tuple of {' or '.join(dict.fromkeys(items))}"
    if origin is Mapping or origin is dict:
        return "a mapping" + (f" of {_say(inner[0])} to {_say(inner[1])}" if inner else "")
    return "a function" if origin is collections.abc.Callable else _name(kind)


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_plain, value))
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int, float)):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    return value
