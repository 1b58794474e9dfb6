"""Naini et al. 2016, "Where You Are Is Who You Are": its experiments in the paper's order."""

from __future__ import annotations

from dataclasses import replace

from trailprint.papers.naini_2016 import calls, gps, maps, web
from trailprint.papers.naini_2016.overall import FIGURE_12, SECTION_4D, TABLE_2
from trailprint.papers.naini_2016.positions import check_protocol

EXPERIMENTS = tuple(
    replace(each, check=check_protocol) if each.settings else each
    for each in (
        TABLE_2,
        *maps.EXPERIMENTS,
        *calls.EXPERIMENTS,
        *web.EXPERIMENTS,
        *gps.EXPERIMENTS,
        SECTION_4D,
        FIGURE_12,
    )
)
