"""Naini et al. 2016, "Where You Are Is Who You Are": its experiments in the paper's order."""

from __future__ import annotations

from dataclasses import replace

from trailprint.papers import naini_2016_calls, naini_2016_gps, naini_2016_web
from trailprint.papers.naini_2016_overall import FIGURE_12, SECTION_4D, TABLE_2
from trailprint.papers.naini_2016_positions import check_protocol

EXPERIMENTS = tuple(
    replace(each, check=check_protocol) if each.settings else each
    for each in (
        TABLE_2,
        *naini_2016_calls.EXPERIMENTS,
        *naini_2016_web.EXPERIMENTS,
        *naini_2016_gps.EXPERIMENTS,
        SECTION_4D,
        FIGURE_12,
    )
)
