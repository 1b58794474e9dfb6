"""Encode names as numbers: ids are sorted text, values are codes into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.arrays import Indices

Codes = NDArray[np.int64]


def encode(column: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """
    Codes of a column's values, and the ids they point to: distinct, sorted, as text.

    The order depends only on the ids, not on the order of the rows, so that the number of threads
    does not affect results.
    """
    if pa.types.is_integer(column.type) and len(column):
        codes, numbers = _encode_integers(column.to_numpy())
        return codes, pa.array(numbers).cast(pa.string())
    if not len(column):
        return np.empty(0, dtype=np.int64), pa.array([], pa.string())
    encoded = pa.concat_arrays(column.cast(pa.string()).chunks).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(pa.array(order))


def _encode_integers(values: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
    """Codes of whole numbers; by a lookup table if their range is small."""
    low, high = int(values.min()), int(values.max())
    if high - low > 8 * len(values):
        numbers, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64), numbers
    # The range of a small signed type may overflow it; uint64 fits in no signed type.
    wide = values if values.dtype == np.uint64 else values.astype(np.int64)
    offsets = (wide - wide.dtype.type(low)).astype(np.int64)
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[offsets] = True
    places = np.cumsum(occurs) - 1
    return places[offsets], np.flatnonzero(occurs).astype(wide.dtype) + wide.dtype.type(low)


class BatchEncoder:
    """
    Encode a column that arrives batch by batch, with the same result as `encode`.

    Keeps only numbers of each batch: the column's own integers, or codes of its texts.
    """

    def __init__(self) -> None:
        self._batches: list[Any] = []

    def add(self, batch: pa.Array) -> None:
        """Add the next rows."""
        if pa.types.is_integer(batch.type):
            # A copy, because the memory of a batch is shared by all of its columns.
            self._batches.append(batch.to_numpy().copy())
        else:
            self._batches.append(batch.cast(pa.string()).dictionary_encode())

    def finish(self) -> tuple[Indices, pa.Array]:
        """Return all codes in order, and the ids; the encoder is empty afterwards."""
        batches, self._batches = self._batches, []
        if isinstance(batches[0], np.ndarray):
            codes, numbers = _encode_batches(batches)
            return codes, pa.array(numbers).cast(pa.string())
        whole = pa.chunked_array(batches).unify_dictionaries()
        ids = whole.chunk(0).dictionary
        order = pc.sort_indices(ids).to_numpy()
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        codes = np.concatenate([rank[chunk.indices.to_numpy()] for chunk in whole.chunks])
        return codes, ids.take(pa.array(order))


def _encode_batches(batches: list[NDArray[Any]]) -> tuple[Indices, NDArray[Any]]:
    """Codes of whole numbers; converts one batch at a time to 64 bits, if their range is small."""
    low, high = min(int(b.min()) for b in batches), max(int(b.max()) for b in batches)
    if high - low > 8 * sum(map(len, batches)):
        numbers, codes = np.unique(np.concatenate(batches), return_inverse=True)
        return codes.astype(np.int32), numbers
    wide = np.uint64 if batches[0].dtype == np.uint64 else np.int64
    offsets = (batch.astype(wide) - wide(low) for batch in batches)
    occurs = np.zeros(high - low + 1, dtype=bool)
    for offset in offsets:
        occurs[offset] = True
    places = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    found: Indices = np.concatenate([places[batch.astype(wide) - wide(low)] for batch in batches])
    return found, np.flatnonzero(occurs).astype(wide) + wide(low)


def encode_together(columns: Sequence[pa.ChunkedArray]) -> tuple[list[Codes], pa.Array]:
    """Codes of several columns into one shared list of ids."""
    encoded = [encode(column) for column in columns]
    shared = unite([ids for _, ids in encoded])
    maps = [pc.index_in(ids, value_set=shared).to_numpy() for _, ids in encoded]
    codes = [places.astype(np.int64)[own] for places, (own, _) in zip(maps, encoded, strict=True)]
    return codes, shared


def unite(lists: Sequence[pa.Array]) -> pa.Array:
    """All ids of several lists, each once, sorted."""
    united = pc.unique(pa.concat_arrays(list(lists)))
    return united.take(pc.sort_indices(united))
