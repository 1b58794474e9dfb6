"""A simulated city: housing compounds, places of work, and places for errands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trailprint.arrays import Floats
from trailprint.simulate.grouped_draws import zipf

CITY_M = 39_000.0
"""Side of the square that contains the city, in metres."""

N_CENTRES, CENTRE_SPREAD_M = 12, 7_000.0
N_COMPOUNDS, COMPOUND_SHARE, COMPOUND_M = 60, 0.6, 60.0
"""Number of housing compounds, share of homes in them, and spread of homes around one (m)."""
N_EMPLOYERS, EMPLOYER_EXPONENT = 25, 1.25
N_ERRANDS, ERRAND_EXPONENT, NEAR_M = 200, 0.2, 6_500.0
"""Number of shops, parks and stations, Zipf exponent of their popularity, and distance scale (m):
the larger it is, the less distance matters."""
_EDGE_M = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class City:
    """Positions in metres east and north of the south-western corner, one row per place."""

    centre: Floats
    compound: Floats
    employer: Floats
    errand: Floats
    errand_share: Floats


def build_city(rng: np.random.Generator) -> City:
    """Draw a city with a dozen centres, and everything else around these."""
    centre = _inside(rng.normal(CITY_M / 2, CENTRE_SPREAD_M, (N_CENTRES, 2)))
    return City(
        centre=centre,
        employer=_around(rng, centre, N_EMPLOYERS, 1_500.0),
        compound=_around(rng, centre, N_COMPOUNDS, 3_000.0),
        errand=_around(rng, centre, N_ERRANDS, 4_000.0),
        errand_share=zipf(N_ERRANDS, ERRAND_EXPONENT),
    )


def draw_homes(rng: np.random.Generator, city: City, n: int) -> Floats:
    """Draw homes: most in a compound that many share, others anywhere around a centre."""
    shared = city.compound[rng.integers(0, N_COMPOUNDS, n)] + rng.normal(0, COMPOUND_M, (n, 2))
    alone = _around(rng, city.centre, n, 5_000.0)
    return _inside(np.where(rng.random((n, 1)) < COMPOUND_SHARE, shared, alone))


def draw_work(rng: np.random.Generator, city: City, n: int) -> Floats:
    """Draw places of work: entrances of a few large employers."""
    employer = rng.choice(N_EMPLOYERS, n, p=zipf(N_EMPLOYERS, EMPLOYER_EXPONENT))
    return _inside(city.employer[employer] + rng.normal(0, 40.0, (n, 2)))


def draw_errands(rng: np.random.Generator, city: City, home: Floats) -> Floats:
    """Draw a place for each home: the best of three drawn by popularity, usually a near one."""
    offered = rng.choice(N_ERRANDS, (len(home), 3), p=city.errand_share)
    away = np.linalg.norm(city.errand[offered] - home[:, None], axis=2)
    liked = np.argmin(away + rng.exponential(NEAR_M, offered.shape), axis=1)
    chosen = city.errand[offered[np.arange(len(home)), liked]]
    return _inside(chosen + rng.normal(0, 30.0, chosen.shape))


def _around(rng: np.random.Generator, centre: Floats, n: int, spread_m: float) -> Floats:
    return _inside(centre[rng.integers(0, len(centre), n)] + rng.normal(0, spread_m, (n, 2)))


def _inside(position: Floats) -> Floats:
    inside: Floats = np.clip(position, _EDGE_M, CITY_M - _EDGE_M)
    return inside
