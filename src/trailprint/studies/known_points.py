"""How much less a few known points reveal at coarser places and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Indices
from trailprint.attacks.points.drawn import draw_candidates, open_coarser
from trailprint.evaluation.unicity import measure_unicity
from trailprint.events.events import Events
from trailprint.events.places.grid import GridOptions, to_cells
from trailprint.events.places.lattice import CELL_NAME
from trailprint.features.points import Points

#: Each factor is a multiple of the previous one, so small cells and bins nest in large ones.
CELL_FACTORS = (1, 2, 4, 8)
TIME_FACTORS = (1, 2, 4, 24)
#: Cell sizes for grouping named places that have positions, in metres.
_CELLS_M = (500.0, 1000.0, 2000.0, 4000.0)
_MOST_TARGETS = 20_000
#: Budget of point sets per combination of resolutions: the number of draws is reduced to fit, but
#: not below ``_LEAST_DRAWS``.
_MOST_SETS = 60_000
_LEAST_DRAWS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLevel:
    """A spatial resolution: the coarse place that each place lies in."""

    name: str
    cell_m: float | None
    place_of: Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class GridShare:
    """Unicity at one spatial and one temporal resolution."""

    points: int
    cell_m: float | None
    place: str
    time_s: int | None
    share: float
    candidates_median: float


def find_levels(points: Points, events: Events) -> tuple[PlaceLevel, ...]:
    """
    Return the spatial resolutions: places as released, then coarser ones.

    Grid cells are merged by factors of two; places with positions are assigned to the cell of
    their mean position, and names such as ``x.y.z`` to ``x.y``. Other places cannot be made
    coarser.
    """
    own = PlaceLevel(name="as released", cell_m=events.cell_m, place_of=_every(points))
    if not len(points.locations):
        return (replace(own, name="none", cell_m=None, place_of=np.zeros(1, np.int32)),)
    if events.cell_m is not None:
        return _cell_levels(points, events.cell_m)
    if {"lat", "lon"} <= events.columns:
        return (own, *_position_levels(points, events))
    return (own, *_name_levels(points))


def _every(points: Points) -> Indices:
    return np.arange(len(points.locations), dtype=np.int32)


def _cell_levels(points: Points, cell_m: float) -> tuple[PlaceLevel, ...]:
    found = [re.fullmatch(CELL_NAME, name) for name in points.locations.to_pylist()]
    at = np.array([[int(cell[1]), int(cell[2])] for cell in found if cell is not None])
    if len(at) < len(found):
        return (PlaceLevel(name="as released", cell_m=cell_m, place_of=_every(points)),)
    return tuple(
        PlaceLevel(
            name=_metres(factor * cell_m), cell_m=factor * cell_m, place_of=_number(at // factor)
        )
        for factor in CELL_FACTORS
    )


def _position_levels(points: Points, events: Events) -> list[PlaceLevel]:
    """Levels made of grid cells that contain the mean positions of places."""
    means = events.derive(
        'SELECT location AS "user", avg(lat) AS lat, avg(lon) AS lon '
        f"FROM ({events.query}) GROUP BY location"
    )
    middle = replace(means, columns=frozenset({"user", "lat", "lon"})).materialise()
    cells = to_cells(middle, GridOptions(cell_m=_CELLS_M[0]))
    table = middle.engine.arrow(f'SELECT "user"::VARCHAR AS place, location FROM ({cells.query})')
    order = pc.index_in(points.locations, value_set=table["place"].combine_chunks())
    names = table["location"].combine_chunks().take(order).to_pylist()
    found = [re.fullmatch(CELL_NAME, name) for name in names]
    at = np.array([[int(cell[1]), int(cell[2])] for cell in found if cell is not None])
    return [
        PlaceLevel(
            name=_metres(cell_m), cell_m=cell_m, place_of=_number(at // int(cell_m / _CELLS_M[0]))
        )
        for cell_m in _CELLS_M
    ]


def _name_levels(points: Points) -> list[PlaceLevel]:
    """Levels made by truncating names after each part, if all names have parts."""
    parts = [name.split(".") for name in points.locations.to_pylist()]
    depth = min(map(len, parts))
    levels = []
    for kept in range(depth - 1, 0, -1):
        cut = pa.array([".".join(part[:kept]) for part in parts])
        codes = cut.dictionary_encode().indices.to_numpy().astype(np.int32)
        levels.append(
            PlaceLevel(
                name="first part of names" if kept == 1 else f"first {kept} parts of names",
                cell_m=None,
                place_of=codes,
            )
        )
    return levels


def _number(at: Indices) -> Indices:
    return np.unique(at, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _metres(length: float) -> str:
    return f"{length:,.0f} m" if length >= 1 else f"{length:g} m"


def measure_grid(
    points: Points,
    levels: Sequence[PlaceLevel],
    *,
    n_points: int,
    n_draws: int,
    resolution_s: int | None,
    seed: int = 0,
    n_threads: int | None = None,
) -> tuple[GridShare, ...]:
    """
    Measure unicity of the same drawn points at increasingly coarse places and times.

    For large populations a random sample of people is targeted; candidates are still sought among
    all. If all draws fit the budget, the share at full resolution equals that of
    `draw_candidates`; with more people there are fewer draws, at least three. ``resolution_s`` is
    the length of a time bin in seconds, None if points have no time.
    """
    random = np.random.default_rng([seed, 7])
    targets = None
    if points.n_users > _MOST_TARGETS:
        targets = np.sort(random.permutation(points.n_users)[:_MOST_TARGETS])
    affordable = max(_LEAST_DRAWS, _MOST_SETS // points.n_users)
    found = []
    for level in levels:
        for factor in TIME_FACTORS if resolution_s is not None else (1,):
            counts = draw_candidates(
                points,
                (n_points,),
                n_draws=min(n_draws, affordable),
                seed=seed,
                release=open_coarser(points, level.place_of, factor),
                targets=targets,
                n_threads=n_threads,
            )
            (share,) = measure_unicity(counts)
            found.append(
                GridShare(
                    points=n_points,
                    cell_m=level.cell_m,
                    place=level.name,
                    time_s=None if resolution_s is None else factor * resolution_s,
                    share=share.share,
                    candidates_median=share.candidates_median,
                )
            )
    return tuple(found)
