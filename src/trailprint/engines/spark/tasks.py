"""Tasks that workers run: a block of a pass, or a call, given names of functions and inputs."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

#: Function that returns a hash of the kernels of a process.
_STAMP = "trailprint.kernels.compiling:stamp"
#: Start of the error message of a worker with another version of trailprint.
OTHER_KERNELS = "trailprint-other-kernels"

Block = tuple[int, int]


@cache
def find_function(name: str) -> Callable[..., Any]:
    """The function with this name, ``module:function``."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, as `find_function` takes it."""
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
    """Raise an error if the driver has another version or other kernels."""
    if get_stamp() != stamp:
        raise RuntimeError(OTHER_KERNELS)


@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of a result: the type of the named tuple, if it is one, and its arrays."""

    kind: type[Any] | None
    arrays: tuple[tuple[str, tuple[int, ...]], ...]

    @classmethod
    def of(cls, out: Any) -> Shape:
        """The shape of a result."""
        described = tuple((array.dtype.str, array.shape) for array in arrays_of(out))
        return cls(type(out) if isinstance(out, tuple) else None, described)

    def zeros(self) -> Any:
        """A result of zeros; the system allocates memory only for entries that are written."""
        arrays = [np.zeros(shape, dtype) for dtype, shape in self.arrays]
        return arrays[0] if self.kind is None else self.kind(*arrays)

    @property
    def item_bytes(self) -> int:
        """Bytes per item in the result."""
        return sum(
            np.dtype(dtype).itemsize * int(np.prod(shape[1:], dtype=np.int64))
            for dtype, shape in self.arrays
        )


def arrays_of(out: Any) -> tuple[Any, ...]:
    """The arrays of a result."""
    return tuple(out) if isinstance(out, tuple) else (out,)


@dataclass(frozen=True, slots=True)
class Task:
    """A pass as sent to workers; ``fixed`` and ``fresh`` are broadcasts."""

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


#: The last preparation in this process: names of the function and of its shared arguments.
_prepared: tuple[str, str] | None = None


def prepare_once(prepare: str, name: str, shared: Any) -> None:
    """Call a function with its shared arguments, unless that was the last preparation."""
    global _prepared
    if _prepared != (prepare, name):
        _prepared = None
        find_function(prepare)(*shared.value)
        _prepared = prepare, name


def forget_prepared(prepare: str, name: str) -> None:
    """Undo the last preparation, if it was this one, by calling its function without arguments."""
    global _prepared
    if _prepared == (prepare, name):
        _prepared = None
        find_function(prepare)()


@dataclass(frozen=True, slots=True)
class Call:
    """A function as sent to workers; ``shared`` is a broadcast, and ``name`` its hash."""

    function: str
    prepare: str
    name: str
    shared: Any
    stamp: bytes

    def __call__(self, task: bytes) -> Any:
        """Return the function's result for one pickled task."""
        check_stamp(self.stamp)
        prepare_once(self.prepare, self.name, self.shared)
        return find_function(self.function)(*pickle.loads(task))
