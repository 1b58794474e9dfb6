"""Time estimates split by operation, so that each operation can be corrected separately."""

from __future__ import annotations

from collections.abc import Mapping


class Seconds(float):
    """
    An estimate in seconds, as the sum of operations.

    It behaves like a float; sums and multiples of such estimates keep their operations.

    Parameters
    ----------
    by_operation : mapping
        Seconds of each operation, by name.
    """

    __slots__ = ("by_operation",)

    by_operation: Mapping[str, float]

    def __new__(cls, by_operation: Mapping[str, float]) -> Seconds:
        """Sum the operations."""
        made = super().__new__(cls, sum(by_operation.values()))
        made.by_operation = dict(by_operation)
        return made

    def __add__(self, other: float) -> Seconds:
        """Return the sum, operation by operation."""
        added = dict(self.by_operation)
        for name, seconds in operations_of(other).items():
            added[name] = added.get(name, 0.0) + seconds
        return Seconds(added)

    __radd__ = __add__

    def __mul__(self, times: float) -> Seconds:
        """Return a multiple of each operation."""
        return Seconds({name: times * seconds for name, seconds in self.by_operation.items()})

    __rmul__ = __mul__


def operations_of(seconds: float, name: str = "other") -> Mapping[str, float]:
    """Return the operations of an estimate; for a plain number, one operation of this name."""
    if isinstance(seconds, Seconds):
        return seconds.by_operation
    return {name: float(seconds)} if seconds else {}
