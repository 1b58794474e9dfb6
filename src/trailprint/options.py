"""
All options classes.

The most common ones can also be imported from `trailprint` itself.

Examples
--------
>>> from trailprint.options import *
>>> MatchOptions(metric="l1").method
'joint'
>>> str(Window.parse("9:00-17:30")), Box.parse("46.5,6.5,46.6,6.7").north
('09:00-17:30', 46.6)
>>> HistogramOptions(weight="duration").slots
'none'
>>> list(FoldOptions(n_folds=5, n_rounds=2).rounds)
[0, 1]
>>> SweepOptions(parameter="k", values=(2, 5, 10)).target_risk is None
True
>>> RejectionOptions(reject_lambda=0.5, string_length=100).reject_lambda
0.5
>>> EngineOptions(engine="spark").spark_master is None
True
>>> ViewOptions(names=["visits", "days"], weights="equal").cut
'median'
"""

from trailprint.attacks.options import (
    CorrelateOptions,
    MatchOptions,
    RejectionOptions,
    TrailOptions,
)
from trailprint.attacks.points.options import PointsOptions
from trailprint.audit.options import AuditOptions
from trailprint.engines.options import EngineOptions
from trailprint.events.filters import FilterOptions
from trailprint.events.knowledge import Knowledge
from trailprint.events.options import ReadOptions, Window
from trailprint.events.places.fixes import StayOptions
from trailprint.events.places.grid import Box
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.split import SplitOptions
from trailprint.features.options import HistogramOptions
from trailprint.studies.options import FoldOptions, SensitivityOptions, SweepOptions
from trailprint.workflows.options import ViewOptions

__all__ = [
    "AuditOptions",
    "Box",
    "CorrelateOptions",
    "EngineOptions",
    "FilterOptions",
    "FoldOptions",
    "HistogramOptions",
    "Knowledge",
    "MatchOptions",
    "PlaceOptions",
    "PointsOptions",
    "ReadOptions",
    "RejectionOptions",
    "SensitivityOptions",
    "SplitOptions",
    "StayOptions",
    "SweepOptions",
    "TrailOptions",
    "ViewOptions",
    "Window",
]
