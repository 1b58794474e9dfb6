"""
Every options class, under one roof.

Those used most are also names of `trailprint` itself.
"""

from trailprint.attacks.options import (
    CorrelateOptions,
    MatchOptions,
    RejectionOptions,
    TrailOptions,
)
from trailprint.attacks.points.options import PointsOptions
from trailprint.audit.options import AuditOptions
from trailprint.events.filters import FilterOptions
from trailprint.events.fixes import StayOptions
from trailprint.events.grid import Box
from trailprint.events.knowledge import Knowledge
from trailprint.events.options import ReadOptions, Window
from trailprint.events.placing import PlaceOptions
from trailprint.events.split import SplitOptions
from trailprint.features.options import HistogramOptions
from trailprint.studies.options import FoldOptions, SweepOptions
from trailprint.workflows.options import ViewOptions

__all__ = [
    "AuditOptions",
    "Box",
    "CorrelateOptions",
    "FilterOptions",
    "FoldOptions",
    "HistogramOptions",
    "Knowledge",
    "MatchOptions",
    "PlaceOptions",
    "PointsOptions",
    "ReadOptions",
    "RejectionOptions",
    "SplitOptions",
    "StayOptions",
    "SweepOptions",
    "TrailOptions",
    "ViewOptions",
    "Window",
]
