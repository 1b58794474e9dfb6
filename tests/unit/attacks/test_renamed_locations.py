"""Secret names of locations: found again from use, never read."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

import trailprint as tp
from trailprint.attacks.renamed_locations import name_locations
from trailprint.events.split import Split
from trailprint.features.histograms import Histograms
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.workflows.match import MatchResult


def make(counts: np.ndarray) -> Histograms:
    n_users, n_locations = counts.shape
    return Histograms(
        matrix=sparse.csr_array(counts.astype(float)),
        users=pa.array([f"u{i:03}" for i in range(n_users)]),
        locations=pa.array([f"l{k:03}" for k in range(n_locations)]),
    )


@pytest.fixture
def counts() -> np.ndarray:
    """People with a few places of their own, so that the graph of places has a shape."""
    rng = np.random.default_rng(4)
    popularity = 1.0 / np.arange(1, 31) ** 0.7
    return rng.poisson(8 * rng.gamma(0.3, 1.0, (80, 30)) * popularity)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_use_gives_every_location_its_name(counts: np.ndarray, seed: int) -> None:
    secret = np.random.default_rng(9).permutation(30)
    renamed = np.empty_like(counts)
    renamed[:, secret] = counts
    found = name_locations(make(renamed), make(counts), seed=seed)
    used = np.flatnonzero(renamed.sum(axis=0))
    assert (secret[found.name[used]] == used).all()


def test_names_are_one_to_one_and_unused_locations_get_none(counts: np.ndarray) -> None:
    released, auxiliary = counts.copy(), counts.copy()
    released[:, 3] = 0
    auxiliary[:, :5] = 0
    found = name_locations(make(released), make(auxiliary))
    given = found.name[found.name >= 0]
    assert len(np.unique(given)) == len(given) == 25
    assert found.name[3] == -1
    assert not np.isin(given, np.arange(5)).any()


@pytest.fixture(scope="module")
def sides() -> Split:
    campus = tp.read(simulate_campus(CampusOptions(n_users=120, n_days=28)))
    return tp.split(campus, tp.SplitOptions(at="median", active_both=True))


def rate(result: MatchResult) -> float:
    assert result.risk is not None
    assert result.risk.accuracy is not None
    return result.risk.accuracy


def test_secret_names_hardly_protect_a_campus(sides: Split) -> None:
    known = tp.match(sides.released, sides.auxiliary)
    secret = sides.released.derive(
        f"SELECT * REPLACE (md5(CAST(location AS VARCHAR) || 'salt') AS location) "
        f"FROM ({sides.released.query})"
    )
    hidden = tp.match(secret, sides.auxiliary)
    found = tp.match(secret, sides.auxiliary, renamed_locations=True)
    assert rate(hidden) < 0.1
    assert rate(found) > 0.8 * rate(known) > 0.4
    facts = found.to_dict()["renamed_locations"]
    assert 0 < facts["named"] <= facts["locations"]


def test_names_that_are_no_secret_are_not_read(sides: Split) -> None:
    """Every location gets the name of another: an attack that read them would be misled."""
    query = f"SELECT DISTINCT CAST(location AS VARCHAR) AS name FROM ({sides.released.query})"
    names = sorted(sides.released.engine.arrow(query)["name"].to_pylist())
    turned = dict(zip(names, [*names[1:], names[0]], strict=True))
    with sides.released.engine.registered(
        pa.table({"old": list(turned), "new": list(turned.values())}), "turned"
    ) as table:
        stored = sides.released.engine.materialise(f"FROM {table}", "turned")
    wrong = sides.released.derive(
        f"SELECT * EXCLUDE (location, old, new), new AS location FROM ({sides.released.query}) "
        f"JOIN {stored} ON CAST(location AS VARCHAR) = old"
    )
    rates = [
        rate(tp.match(side, sides.auxiliary, renamed_locations=True))
        for side in (sides.released, wrong)
    ]
    assert rates[0] == pytest.approx(rates[1], abs=0.1)
