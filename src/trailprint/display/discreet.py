"""Objects that hold people's data and do not show it: counts and rates instead."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

from trailprint.display.numbers import format_number


class Discreet:
    """
    A base whose ``repr`` shows numbers and sizes, never a user, a place or a text of the data.

    Every class below it keeps this ``repr``, dataclasses included; one that has more to say
    overrides `_shown`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        # Set before @dataclass looks: it would write one that prints every field.
        cls.__repr__ = Discreet.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        shown = ((name, brief(value)) for name, value in self._shown().items())
        inside = ", ".join(f"{name}={text}" for name, text in shown if text)
        return f"{type(self).__name__}({inside})"

    def _shown(self) -> Mapping[str, object]:
        """What may be shown, by name; texts of ours are wrapped in `Words`."""
        if not is_dataclass(self):
            return {}
        return {item.name: getattr(self, item.name) for item in fields(self) if item.repr}


class Words(str):
    """A text that we wrote ourselves or an option's value, which may be shown."""

    __slots__ = ()


def brief(value: object) -> str:
    """A number as it is, anything with a size by its size, nothing of what might be data."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, Words | Discreet):
        return str(value)
    if isinstance(value, Real):
        return format_number(float(value))
    if is_dataclass(value) and type(value).__name__.endswith("Options"):
        return repr(value)
    if isinstance(value, str | bytes) or callable(value):
        return ""
    n_values = getattr(value, "nnz", None)  # Matrices of scipy refuse to tell a length.
    if n_values is None and isinstance(value, Sized):
        n_values = len(value)
    return "" if n_values is None else f"<{n_values:,}>"
