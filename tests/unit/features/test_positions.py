"""Locations lie where what happened there did, on average."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.features.positions import locate


def test_a_location_is_the_mean_of_both_sides():
    first = pa.table({"user": [1, 1], "location": ["a", "b"], "lat": [0.0, 0.0], "lon": [0.0, 9.0]})
    second = pa.table({"user": [1], "location": ["a"], "lat": [0.0], "lon": [2.0]})
    place = locate([tp.read(first), tp.read(second)], pa.array(["a", "b", "c"]))
    lon = np.degrees(np.arctan2(place[:, 1], place[:, 0]))
    assert lon[:2] == pytest.approx([1.0, 9.0])
    assert np.linalg.norm(place[:2], axis=1) == pytest.approx([1.0, 1.0])
    assert np.isnan(place[2]).all()
