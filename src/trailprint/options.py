"""
Every options class, under one roof.

Those used most are also names of `trailprint` itself.
"""

from trailprint.attacks.matching import MatchOptions
from trailprint.attacks.rejection import RejectionOptions
from trailprint.attacks.sequence import CorrelateOptions
from trailprint.attacks.trail import TrailOptions
from trailprint.audit.options import AuditOptions
from trailprint.events.filters import FilterOptions
from trailprint.events.grid import Box
from trailprint.events.options import ReadOptions, Window
from trailprint.events.placing import PlaceOptions
from trailprint.events.split import SplitOptions
from trailprint.features.histograms import HistogramOptions
from trailprint.studies.folds import FoldOptions
from trailprint.studies.frontier import SweepOptions
from trailprint.workflows.views import ViewOptions

__all__ = [
    "AuditOptions",
    "Box",
    "CorrelateOptions",
    "FilterOptions",
    "FoldOptions",
    "HistogramOptions",
    "MatchOptions",
    "PlaceOptions",
    "ReadOptions",
    "RejectionOptions",
    "SplitOptions",
    "SweepOptions",
    "TrailOptions",
    "ViewOptions",
    "Window",
]
