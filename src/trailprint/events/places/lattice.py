"""Positions of grid cells: from their names back to degrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trailprint.arrays import Floats
from trailprint.display.discreet import Discreet

#: WGS 84: equatorial radius in metres and squared eccentricity.
RADIUS_M = 6_378_137.0
ECCENTRICITY2 = 0.00669437999014
_E4, _E6 = ECCENTRICITY2**2, ECCENTRICITY2**3
#: Coefficients of the series for the length of a meridian from the equator to a latitude.
ARC = (
    1 - ECCENTRICITY2 / 4 - 3 * _E4 / 64 - 5 * _E6 / 256,
    3 * ECCENTRICITY2 / 8 + 3 * _E4 / 32 + 45 * _E6 / 1024,
    15 * _E4 / 256 + 45 * _E6 / 1024,
    35 * _E6 / 3072,
)
CELL_NAME = r"x(-?\d+)_y(-?\d+)"
"""Pattern of the name of a grid cell: its column and its row."""
_METRES_PER_DEGREE = float(np.radians(1) * RADIUS_M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid(Discreet):
    """
    Square cells in the sinusoidal projection, named ``x<column>_y<row>``.

    Attributes
    ----------
    cell_m : float
        Width and height of a cell in metres.
    meridian, parallel : float
        The middle of the box the grid was laid over, in degrees.
    corner_x, corner_y : float
        Metres from that meridian and from the equator to the corner of the first cell.
    is_public : bool
        Whether the box was given; otherwise it is the extent of the data, and its edges reveal
        positions.
    """

    cell_m: float
    meridian: float
    parallel: float
    corner_x: float
    corner_y: float
    is_public: bool = False

    def for_public(self) -> Grid:
        """
        Return the grid moved by at most half a cell, from which the data's outermost positions
        cannot be derived; unchanged if the box was given.
        """
        if self.is_public:
            return self
        step = self.cell_m / _METRES_PER_DEGREE
        meridian = round(self.meridian / step) * step
        moved = np.radians(self.meridian - meridian) * _parallel_radius(np.radians(self.parallel))
        return replace(
            self,
            meridian=meridian,
            corner_x=round((self.corner_x + float(moved)) / self.cell_m) * self.cell_m,
            corner_y=round(self.corner_y / self.cell_m) * self.cell_m,
        )

    def centres(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes of cell centres; NaN for other names."""
        found = [re.fullmatch(CELL_NAME, name) for name in names]
        nowhere = (np.nan, np.nan)
        pairs = [nowhere if match is None else match.groups() for match in found]
        places = np.array(pairs, dtype=np.float64).reshape(-1, 2) + 0.5
        x = self.corner_x + places[:, 0] * self.cell_m
        phi = _latitude(self.corner_y + places[:, 1] * self.cell_m)
        lon = self.meridian + np.degrees(x / np.maximum(_parallel_radius(phi), 1.0))
        # The centre of a cell at the edge of the map may lie outside it.
        return np.clip(np.degrees(phi), -90.0, 90.0), np.clip(lon, -180.0, 180.0)


def _parallel_radius(phi: Floats) -> Floats:
    return RADIUS_M * np.cos(phi) / np.sqrt(1 - ECCENTRICITY2 * np.sin(phi) ** 2)


def _latitude(north_m: Floats) -> Floats:
    """Return the latitude in radians from metres north of the equator (fixed-point iteration)."""
    along = north_m / RADIUS_M
    phi = along / ARC[0]
    # Each step gains two to three digits: five steps reach the precision of a double.
    for _ in range(5):
        waves = ARC[1] * np.sin(2 * phi) - ARC[2] * np.sin(4 * phi) + ARC[3] * np.sin(6 * phi)
        phi = (along + waves) / ARC[0]
    return np.asarray(phi)
