"""Models as CRFsuite writes them predict what CRFsuite predicts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trailprint.attacks.sequence.crf_files import is_whole, read_chain
from trailprint.attacks.sequence.workers import prepare, score_queries, train_model
from trailprint.features.templates import Templates, attributes


def draw_templates(seed: int, n_labels: int, n_days: int, *, n_codes: int = 4) -> Templates:
    """Days of up to five records; few codes, so that labels often score the same."""
    rng = np.random.default_rng(seed)
    day_starts = np.concatenate([[0], np.cumsum(rng.integers(1, 6, n_days))])
    n_records = int(day_starts[-1])
    return Templates(
        label=rng.integers(0, n_labels, n_records).astype(np.int32),
        context=rng.integers(-1, n_codes, (n_records, 6)).astype(np.int32),
        day_starts=day_starts,
        user_starts=np.array([0, n_days]),
        n_labels=n_labels,
    )


def count_with_crfsuite(model: bytes, queries: Templates) -> int:
    tagger = pycrfsuite.Tagger()
    with tagger.open_inmemory(model):
        return sum(
            found == str(label)
            for first, last in pairwise(queries.day_starts)
            for found, label in zip(
                tagger.tag(attributes(queries.context[first:last])),
                queries.label[first:last].tolist(),
                strict=True,
            )
        )


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_labels=st.integers(1, 6),
    n_days=st.integers(1, 8),
    c1=st.sampled_from([0.0, 0.5, 1e6]),
)
def test_predictions_are_those_of_crfsuite(seed, n_labels, n_days, c1):
    own = draw_templates(seed, n_labels, n_days)
    # Contexts that the model has never seen, too; with c1 it forgets attributes, or all.
    queries = draw_templates(seed + 1, n_labels, 6, n_codes=7)
    model = train_model(own, {"c1": c1, "c2": 1.0})
    prepare(queries)
    try:
        found, is_exact = score_queries(
            model, np.unique(own.label), np.array([0]), np.array([0]), thorough=True
        )
    finally:
        prepare()
    assert found.tolist() == [count_with_crfsuite(model, queries)]
    assert is_exact.all()


def test_a_chain_has_the_labels_and_contexts_of_its_days():
    own = draw_templates(3, 5, 6)
    chain = read_chain(train_model(own, {"c2": 1.0}), n_codes=9)
    assert sorted(chain.label) == np.unique(own.label).tolist()
    unseen = len(chain.state) - 1
    assert not chain.state[unseen].any()
    for column in range(6):
        codes = np.flatnonzero(chain.place[column] != unseen) - 1
        assert codes.tolist() == np.unique(own.context[:, column]).tolist()


def test_half_a_model_is_not_whole():
    model = train_model(draw_templates(1, 3, 4), {"c2": 1.0})
    assert is_whole(model)
    assert not is_whole(model[: len(model) // 2])
    assert not is_whole(None)


def test_queries_must_be_known_first():
    with pytest.raises(RuntimeError, match="must know the queries"):
        score_queries(b"", np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
