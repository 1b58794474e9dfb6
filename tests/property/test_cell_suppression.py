"""What is published of tables with small counts, against a list of every possible table."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.suppression import choose_labels_by_enumeration

from trailprint.studies.cell_suppression import PublishedCounts, choose_labels

N_ATOMS = 4
ROLES = st.sampled_from(["total", "cell", "cell", "cell", "unpublished"])


@st.composite
def counts(draw) -> PublishedCounts:
    """Some sums of four groups of people, of whom all together are counted first."""
    atoms = draw(st.lists(st.integers(0, 5), min_size=N_ATOMS, max_size=N_ATOMS))
    rows = st.lists(st.integers(0, 1), min_size=N_ATOMS, max_size=N_ATOMS).filter(any)
    sums = np.array([[1] * N_ATOMS, *draw(st.lists(rows, min_size=2, max_size=8))], dtype=float)
    return PublishedCounts(
        sums=sums,
        values=[int(n) for n in sums @ np.array(atoms)],
        roles=["size", *(draw(ROLES) for _ in sums[1:])],
    )


@settings(max_examples=100, deadline=None)
@given(counts(), st.integers(3, 4))
def test_all_is_shown_that_tells_nothing_of_a_few_people(cells, small):
    expected = choose_labels_by_enumeration(cells.sums, cells.values, cells.roles, small)
    assert choose_labels(cells, small) == expected
