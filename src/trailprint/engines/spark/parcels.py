"""
Arrays on their way to workers: shipped once, and mapped into memory where they arrive.

A parcel is any structure of arrays, such as a join. It travels as one broadcast. The first Python
worker of an executor to open it writes its arrays to one file beside the executor's others; all
workers there map that file, so that they share the memory.
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

#: Arrays begin at multiples of this, as compiled loops like them.
_ALIGNMENT = 64
_PREFIX = "trailprint-"


class Parcel:
    """Something made of arrays; where it is unpickled, that something, with its arrays mapped."""

    def __init__(self, contents: Any) -> None:
        self._buffers: list[pickle.PickleBuffer] = []
        self._structure = pickle.dumps(contents, 5, buffer_callback=self._buffers.append)

    @cached_property
    def name(self) -> str:
        """A hash of the contents, computed when it is first needed."""
        digest = hashlib.blake2b(self._structure, digest_size=16)
        for buffer in self._buffers:
            digest.update(buffer.raw())
        return _PREFIX + digest.hexdigest()

    @property
    def n_bytes(self) -> int:
        """The size of the arrays."""
        return sum(buffer.raw().nbytes for buffer in self._buffers)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return open_parcel, (self.name, self._structure, *self._buffers)


def open_parcel(name: str, structure: bytes, *buffers: bytes) -> Any:
    """What was packed; its arrays lie in a file that all workers of an executor share."""
    sizes = [memoryview(buffer).nbytes for buffer in buffers]
    if sum(sizes) == 0:
        return pickle.loads(structure, buffers=[bytearray(size) for size in sizes])
    path = _folder() / name
    if not path.exists():
        _write(path, buffers)
    return pickle.loads(structure, buffers=_map(path, sizes))


def drop_parcel(name: str) -> None:
    """Remove the file of a parcel; who has mapped it keeps it."""
    with contextlib.suppress(OSError):
        (_folder() / name).unlink()


def _folder() -> Path:
    """A folder that Spark removes with the executor."""
    from pyspark import SparkFiles

    return Path(SparkFiles.getRootDirectory())


def _write(path: Path, buffers: Sequence[bytes]) -> None:
    """Write the file under another name first: it is there whole, or not at all."""
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
    """Map the buffers of a file, as if they could be written to: kernels expect such arrays."""
    with path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    views, start = [], 0
    for size in sizes:
        start += -start % _ALIGNMENT
        views.append(whole[start : start + size])
        start += size
    return views
