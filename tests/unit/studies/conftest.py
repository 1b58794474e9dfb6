"""A synthetic population for tests of studies: habits that last from one period to the next."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms


def _histograms(counts: np.ndarray, users: list[str]) -> Histograms:
    names = pa.array([f"p{k:03}" for k in range(counts.shape[1])])
    matrix = sparse.csr_array(counts.astype(float))
    return Histograms(matrix=matrix, users=pa.array(users), locations=names)


@pytest.fixture(scope="session")
def make_population():
    """Both sides of ``n_users``, whose auxiliary rows are in another order, and the truth."""

    def make(n_users=60, n_places=40, n_visits=30, seed=0, concentration=0.15):
        random = np.random.default_rng(seed)
        habits = random.dirichlet(np.full(n_places, concentration), n_users)
        sides = [np.array([random.multinomial(n_visits, h) for h in habits]) for _ in range(2)]
        order = random.permutation(n_users)
        released = _histograms(sides[0], [f"u{i:03}" for i in range(n_users)])
        auxiliary = _histograms(sides[1][order], [f"u{i:03}" for i in order])
        partner = np.argsort(order).astype(np.int64)
        return released, auxiliary, Truth.from_partner(partner, "same-ids")

    return make


@pytest.fixture(scope="session")
def population(make_population):
    return make_population()
