"""Seconds that know which operations they are made of, so that each can be corrected by itself."""

from __future__ import annotations

from collections.abc import Mapping


class Seconds(float):
    """
    An estimate in seconds, as the sum of operations.

    A number like any other; sums and multiples of such estimates know their operations too.

    Parameters
    ----------
    by_operation : mapping
        Seconds for each operation, by its name.
    """

    __slots__ = ("by_operation",)

    by_operation: Mapping[str, float]

    def __new__(cls, by_operation: Mapping[str, float]) -> Seconds:
        """Add the operations up."""
        made = super().__new__(cls, sum(by_operation.values()))
        made.by_operation = dict(by_operation)
        return made

    def __add__(self, other: float) -> Seconds:
        """Both, operation by operation."""
        added = dict(self.by_operation)
        for name, seconds in operations_of(other).items():
            added[name] = added.get(name, 0.0) + seconds
        return Seconds(added)

    __radd__ = __add__

    def __mul__(self, times: float) -> Seconds:
        """Each operation for a number of times."""
        return Seconds({name: times * seconds for name, seconds in self.by_operation.items()})

    __rmul__ = __mul__


def operations_of(seconds: float, name: str = "other") -> Mapping[str, float]:
    """The operations of an estimate; one of this name where it was given as a bare number."""
    if isinstance(seconds, Seconds):
        return seconds.by_operation
    return {name: float(seconds)} if seconds else {}
