"""A column in batches is encoded as the whole of it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from trailprint.features.ids import BatchEncoder, encode

TEXTS = st.lists(st.lists(st.text(max_size=3), min_size=1, max_size=6), min_size=1, max_size=4)
KINDS = {pa.int8(): (-128, 127), pa.int64(): (-(2**63), 2**63 - 1), pa.uint64(): (0, 2**64 - 1)}


@st.composite
def numbers(draw):
    kind = draw(st.sampled_from(list(KINDS)))
    low, high = KINDS[kind]
    span = draw(st.sampled_from([20, high - low]))
    least = draw(st.integers(low, high - min(span, high - low)))
    own = st.integers(least, least + min(span, high - low))
    batches = draw(st.lists(st.lists(own, min_size=1, max_size=6), min_size=1, max_size=4))
    return [pa.array(batch, kind) for batch in batches]


@given(TEXTS.map(lambda batches: [pa.array(batch, pa.string()) for batch in batches]) | numbers())
def test_batches_are_encoded_like_the_whole(batches):
    encoder = BatchEncoder()
    for batch in batches:
        encoder.add(batch)
    codes, ids = encoder.finish()
    wanted, all_ids = encode(pa.chunked_array(batches))
    np.testing.assert_array_equal(codes, wanted)
    assert ids.equals(all_ids)
