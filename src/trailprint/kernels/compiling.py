"""
Numba as all kernels use it: without settings from the current folder, and with a safer code cache.

Numba caches compiled code as pickles, which can execute arbitrary code when loaded. It reads
settings, such as the cache folder, from a file in the current folder, which another user may own.
And it treats cached code as fresh while its own source file is unchanged, although code of other
files is compiled into it. So Numba is loaded without that file, and kernels are cached under a
stamp of all kernels.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

_KERNELS = Path(__file__).parent


@contextlib.contextmanager
def _without_module(name: str) -> Iterator[None]:
    """Make a module impossible to import inside the ``with`` block."""
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
    """Load Numba so that it never reads settings from the current folder, now or later."""
    if "numba" in sys.modules:
        # Other code has loaded it already, with its own settings.
        return
    # Without YAML, Numba warns about the file and ignores it, and does not read it later either.
    with _without_module("yaml"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from numba.core import config
    config._config_fname = ""


_load_numba()

from numba import njit, types  # noqa: E402
from numba.core import caching, event  # noqa: E402
from numba.extending import intrinsic  # noqa: E402


@cache
def stamp() -> bytes:
    """Return a hash of all kernels: a change in one makes the compiled code of all stale."""
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.rglob("*.py")):
        digest.update(str(path.relative_to(_KERNELS)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()


def is_compiled(kernel: Any) -> bool:
    """Return whether compiled code of a kernel, for any arguments, is cached and fresh."""
    with contextlib.suppress(Exception):  # A damaged index counts as not compiled.
        return bool(kernel._cache._cache_file._load_index())
    return False


class _Stamped:
    """Mixin for Numba's cache locators: cached code is fresh while no kernel has changed."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        """Return a locator, or None for a function that is not a kernel, left to Numba's own."""
        is_kernel = _KERNELS in Path(py_file).parents
        return super().from_function(py_func, py_file) if is_kernel else None  # type: ignore[misc]

    def get_source_stamp(self) -> bytes:
        """Return the stamp that must be unchanged since the code was compiled."""
        return stamp()


class _StampedIndex(caching.IndexDataCacheFile):
    """
    A cache index that names in its first line the kernels that it belongs to.

    Numba compares stamps only after it has unpickled everything, which fails if a class of the
    kernels has been renamed since.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)  # type: ignore[no-untyped-call]
        if source_stamp == stamp():
            self._version = f"{self._version} {stamp().hex()}"


def _stamp_kernels(caching: Any) -> None:
    """Cache kernels where Numba would, but under our stamp."""
    usual = (
        caching.UserProvidedCacheLocator,
        caching.InTreeCacheLocator,
        caching.UserWideCacheLocator,
    )
    ours = [type(f"Stamped{place.__name__}", (_Stamped, place), {}) for place in usual]
    caching.IndexDataCacheFile = _StampedIndex
    caching.CacheImpl._locator_classes = [*ours, *caching.CacheImpl._locator_classes]


class _Listener(event.Listener):
    """Hears from Numba when a function is compiled; where it is cached, Numba says nothing."""

    announce: Callable[[], None] | None = None

    def on_start(self, event: Any) -> None:
        """Announce once that a kernel is compiled."""
        function = getattr(event.data["dispatcher"], "py_func", None)  # Some have none.
        is_kernel = function is not None and _KERNELS in Path(function.__code__.co_filename).parents
        if is_kernel and self.announce is not None:
            announce, self.announce = self.announce, None
            announce()

    def on_end(self, event: Any) -> None:
        """Ignore the end."""


_LISTENER = _Listener()


def call_before_compiling(announce: Callable[[], None]) -> None:
    """Call a function before the next kernel is compiled, once; cached kernels do not count."""
    _LISTENER.announce = announce


_stamp_kernels(caching)
event.register("numba:compile", _LISTENER)  # type: ignore[no-untyped-call]

__all__ = ["call_before_compiling", "intrinsic", "is_compiled", "njit", "stamp", "types"]
