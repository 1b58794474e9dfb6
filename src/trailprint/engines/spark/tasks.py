"""What a worker does: one block of a pass, from the name of a kernel and what was shipped."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

#: Says which kernels a process has.
_STAMP = "trailprint.kernels.compiling:stamp"
#: Begins the message of a worker whose kernels are others.
OTHER_KERNELS = "trailprint-other-kernels"

Block = tuple[int, int]


@cache
def find_function(name: str) -> Callable[..., Any]:
    """The function with this name, ``module:function``."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def name_of(function: Callable[..., Any]) -> str:
    """The name `find_function` finds a function by."""
    return f"{function.__module__}:{function.__name__}"


def get_stamp() -> bytes:
    """A hash of the kernels of this process."""
    stamp: bytes = find_function(_STAMP)()
    return stamp


@dataclass(frozen=True, slots=True)
class Shape:
    """What a result looks like: the named tuple it is, if any, and its arrays."""

    kind: type[Any] | None
    arrays: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def of(cls, out: Any) -> Shape:
        """The shape of a result."""
        described = tuple((array.dtype.str, array.shape) for array in arrays_of(out))
        return cls(type(out) if isinstance(out, tuple) else None, described)

    def zeros(self) -> Any:
        """A result of this shape; memory is taken only where something is written."""
        arrays = [np.zeros(shape, dtype) for dtype, shape in self.arrays]
        return arrays[0] if self.kind is None else self.kind(*arrays)

    @property
    def item_bytes(self) -> int:
        """The size of what one item has in the result."""
        return sum(
            np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64))
            for dtype, shape in self.arrays
        )


def arrays_of(out: Any) -> tuple[Any, ...]:
    """The arrays of a result."""
    return tuple(out) if isinstance(out, tuple) else (out,)


@dataclass(frozen=True, slots=True)
class Task:
    """A pass as workers see it; ``fixed`` and ``fresh`` are broadcast."""

    kernel: str
    fixed: Any
    fresh: Any
    shape: Shape
    stamp: bytes

    def __call__(self, block: Block) -> list[Any]:
        """The entries of one block in every array of the result."""
        if get_stamp() != self.stamp:
            raise RuntimeError(OTHER_KERNELS)
        low, high = block
        out = self.shape.zeros()
        find_function(self.kernel)(*self.fixed.value, *self.fresh.value, low, high, out)
        return [array[low:high] for array in arrays_of(out)]
