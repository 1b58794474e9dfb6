"""Malin 2005, trail re-identification: every experiment of the paper."""

from __future__ import annotations

from trailprint.papers.malin_2005.household_growth import EXPERIMENTS as _HOUSEHOLDS
from trailprint.papers.malin_2005.popularity import EXPERIMENTS as _POPULARITY
from trailprint.papers.malin_2005.shops import EXPERIMENTS as _SHOPS

EXPERIMENTS = (*_SHOPS, *_POPULARITY, *_HOUSEHOLDS)
