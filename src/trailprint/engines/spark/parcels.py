"""
Ship arrays to workers once, and map them into memory there.

A parcel is any structure of arrays, such as a join. It is sent as one broadcast. The first Python
worker of an executor to open it writes its arrays to a file in the executor's folder; all workers
of that executor map the file, so that they share the memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

#: Arrays start at multiples of this many bytes, for fast access in compiled loops.
_ALIGNMENT = 64
_PREFIX = "trailprint-"


class Parcel:
    """A structure of arrays; unpickling it gives the structure with its arrays memory-mapped."""

    def __init__(self, contents: Any) -> None:
        self._buffers: list[pickle.PickleBuffer] = []
        self._structure = pickle.dumps(contents, 5, buffer_callback=self._buffers.append)

    @cached_property
    def name(self) -> str:
        """A hash of the contents, computed on first use."""
        digest = hashlib.blake2b(self._structure, digest_size=16)
        for buffer in self._buffers:
            digest.update(buffer.raw())
        return _PREFIX + digest.hexdigest()

    @property
    def n_bytes(self) -> int:
        """Total size of the arrays."""
        return sum(buffer.raw().nbytes for buffer in self._buffers)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return open_parcel, (self.name, self._structure, *self._buffers)


def open_parcel(name: str, structure: bytes, *buffers: bytes) -> Any:
    """Return the packed structure; its arrays map a file shared by all workers of an executor."""
    sizes = [memoryview(buffer).nbytes for buffer in buffers]
    if sum(sizes) == 0:
        return pickle.loads(structure, buffers=[bytearray(size) for size in sizes])
    path = _folder() / name
    if not path.exists():
        _write(path, buffers)
    return pickle.loads(structure, buffers=_map(path, sizes))


def drop_parcel(name: str) -> None:
    """Remove a parcel's file; workers that have mapped it can still use it."""
    with contextlib.suppress(OSError):
        (_folder() / name).unlink()


def _folder() -> Path:
    """A folder that Spark removes with the executor."""
    from pyspark import SparkFiles

    return Path(SparkFiles.getRootDirectory())


def _write(path: Path, buffers: Sequence[bytes]) -> None:
    """Write the file atomically: under a temporary name first, then renamed."""
    handle, temporary = tempfile.mkstemp(prefix=_PREFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for buffer in buffers:
                file.write(b"\0" * (-file.tell() % _ALIGNMENT))
                file.write(buffer)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _map(path: Path, sizes: Sequence[int]) -> list[memoryview]:
    """Map the buffers of a file copy-on-write, because kernels expect writable arrays."""
    with path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    views, start = [], 0
    for size in sizes:
        start += -start % _ALIGNMENT
        views.append(whole[start : start + size])
        start += size
    return views
