"""
The compiler of all kernels: whose settings it takes, and which compiled code it uses again.

Numba keeps compiled code as pickles, which run whatever they hold. It takes settings, such as where
these are, from a file in the current folder, which may be anybody's. And it takes code for fresh as
long as one file is unchanged, although code of other files is compiled into it. So it is loaded
without that file, and kernels are stored under a stamp of all kernels.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_KERNELS = Path(__file__).parent


@contextlib.contextmanager
def _without_module(name: str) -> Iterator[None]:
    """A module cannot be imported inside."""
    missing = object()
    before: Any = sys.modules.get(name, missing)
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not missing:
            sys.modules[name] = before


def _load_numba() -> None:
    """Load Numba so that it never reads settings from the current folder; once is for ever."""
    if "numba" in sys.modules:
        # Somebody else loaded it, and its settings are theirs.
        return
    # Without YAML it warns of the file and leaves it alone, and reads it at no later time.
    with _without_module("yaml"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from numba.core import config
    config._config_fname = ""


_load_numba()

from numba import njit, types  # noqa: E402
from numba.core import caching  # noqa: E402
from numba.extending import intrinsic  # noqa: E402


@cache
def stamp() -> bytes:
    """A hash of all kernels: a change in one makes what was compiled of any other stale."""
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.rglob("*.py")):
        digest.update(str(path.relative_to(_KERNELS)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel was compiled before, for any arguments, and is fresh."""
    with contextlib.suppress(Exception):  # A damaged index is no compiled kernel.
        return bool(kernel._cache._cache_file._load_index())
    return False


class _Stamped:
    """Mixed into a place where Numba keeps compiled code: fresh while no kernel has changed."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """None where a function is no kernel, so that Numba looks elsewhere as ever."""
        is_kernel = _KERNELS in Path(py_file).parents
        return super().from_function(py_func, py_file) if is_kernel else None  # type: ignore[misc]

    def get_source_stamp(self) -> bytes:
        """What must be unchanged since the code was compiled."""
        return stamp()


class _StampedIndex(caching.IndexDataCacheFile):
    """
    An index that says in its first line which kernels it belongs to.

    Numba compares stamps after it has unpickled everything, which fails where a class of the
    kernels has another name by now.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)  # type: ignore[no-untyped-call]
        if source_stamp == stamp():
            self._version = f"{self._version} {stamp().hex()}"


def _stamp_kernels(caching: Any) -> None:
    """Let kernels be kept where Numba would keep them, under our stamp."""
    usual = (
        caching.UserProvidedCacheLocator,
        caching.InTreeCacheLocator,
        caching.UserWideCacheLocator,
    )
    ours = [type(f"Stamped{place.__name__}", (_Stamped, place), {}) for place in usual]
    caching.IndexDataCacheFile = _StampedIndex
    caching.CacheImpl._locator_classes = [*ours, *caching.CacheImpl._locator_classes]


_stamp_kernels(caching)

__all__ = ["intrinsic", "is_compiled", "njit", "stamp", "types"]
