"""Names to numbers: ids as sorted text, values as codes into them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def encode(column: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """
    Codes of a column's values, and the ids they point to: distinct, sorted, as text.

    The order depends on the ids alone, not on the order rows arrive in, so that the number of
    threads changes nothing.
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
    """Codes of whole numbers; a table of those that occur where they lie close together."""
    low, high = int(values.min()), int(values.max())
    if high - low > 8 * len(values):
        numbers, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64), numbers
    # Small signed types cannot hold their own span; the largest unsigned fits in no signed one.
    wide = values if values.dtype == np.uint64 else values.astype(np.int64)
    offsets = (wide - wide.dtype.type(low)).astype(np.int64)
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[offsets] = True
    places = np.cumsum(occurs) - 1
    return places[offsets], np.flatnonzero(occurs).astype(wide.dtype) + wide.dtype.type(low)


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
