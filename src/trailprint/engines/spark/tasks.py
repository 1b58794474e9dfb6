"""What a worker does: a block of a pass or a call, from names of functions and what was shipped."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

#: Says which kernels a process has.
_STAMP = "trailprint.kernels.compiling:stamp"
#: Begins the message of a worker whose trailprint is another.
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


def get_version() -> str:
    """The version of trailprint that this process runs."""
    version: str = sys.modules[__name__.partition(".")[0]].__version__
    return version


def get_stamp() -> bytes:
    """The version of trailprint of this process, and a hash of its kernels."""
    stamp: bytes = find_function(_STAMP)()
    return get_version().encode() + b"/" + stamp


def check_stamp(stamp: bytes) -> None:
    """Refuse to work for a driver that has another version, or other kernels."""
    if get_stamp() != stamp:
        raise RuntimeError(OTHER_KERNELS)


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
        check_stamp(self.stamp)
        low, high = block
        out = self.shape.zeros()
        find_function(self.kernel)(*self.fixed.value, *self.fresh.value, low, high, out)
        return [array[low:high] for array in arrays_of(out)]


#: What this process has prepared last: the name of the function, and of what it was given.
_prepared: tuple[str, str] | None = None


def prepare_once(prepare: str, name: str, shared: Any) -> None:
    """Call a function with what was shipped, unless that was the last thing prepared."""
    global _prepared
    if _prepared != (prepare, name):
        _prepared = None
        find_function(prepare)(*shared.value)
        _prepared = prepare, name


def forget_prepared(prepare: str, name: str) -> None:
    """Call a function without anything, if it is what was prepared last."""
    global _prepared
    if _prepared == (prepare, name):
        _prepared = None
        find_function(prepare)()


@dataclass(frozen=True, slots=True)
class Call:
    """A function as workers see it; ``shared`` is broadcast, and ``name`` is its hash."""

    function: str
    prepare: str
    name: str
    shared: Any
    stamp: bytes

    def __call__(self, task: bytes) -> Any:
        """What the function returns for one task, which arrives pickled."""
        check_stamp(self.stamp)
        prepare_once(self.prepare, self.name, self.shared)
        return find_function(self.function)(*pickle.loads(task))
