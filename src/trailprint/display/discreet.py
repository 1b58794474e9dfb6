"""Objects that hold personal data; their ``repr`` shows counts and rates instead."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

from trailprint.display.numbers import format_number


class Discreet:
    """
    Base class whose ``repr`` shows numbers and sizes, never a user, a place or text from the data.

    Every subclass keeps this ``repr``, dataclasses included; a subclass that has more to show
    overrides `_shown`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        # Set before @dataclass runs, which would otherwise generate one that prints every field.
        cls.__repr__ = Discreet.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        shown = ((name, brief(value)) for name, value in self._shown().items())
        inside = ", ".join(f"{name}={text}" for name, text in shown if text)
        return f"{type(self).__name__}({inside})"

    def _shown(self) -> Mapping[str, object]:
        """Return the values that may be shown, by name; our own texts are wrapped in `Words`."""
        if not is_dataclass(self):
            return {}
        return {item.name: getattr(self, item.name) for item in fields(self) if item.repr}


class Words(str):
    """Text that may be shown: written by us, or the value of an option."""

    __slots__ = ()


def brief(value: object) -> str:
    """Return a number as it is, a sized object as its size, and "" for what might be data."""
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
    n_values = getattr(value, "nnz", None)  # SciPy matrices have no len().
    if n_values is None and isinstance(value, Sized):
        n_values = len(value)
    return "" if n_values is None else f"<{n_values:,}>"
