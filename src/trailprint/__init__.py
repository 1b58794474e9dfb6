"""
Trailprint: how many people in a behavioural dataset could be re-identified, why, and what
protecting them would cost.
"""

from typing import TYPE_CHECKING, Any

from trailprint.audit import AuditOptions, audit
from trailprint.errors import TrailprintError
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.events.filters import FilterOptions, apply_filters
from trailprint.events.options import ReadOptions
from trailprint.events.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.events.summary import inspect

if TYPE_CHECKING:
    from trailprint.attacks.histogram import MatchOptions
    from trailprint.attacks.sequence import CorrelateOptions
    from trailprint.attacks.trail import TrailOptions
    from trailprint.verbs.correlate import correlate
    from trailprint.verbs.match import match
    from trailprint.verbs.protect import protect
    from trailprint.verbs.trails import trails

__version__ = "0.1.0"

__all__ = [
    "AuditOptions",
    "CorrelateOptions",
    "Engine",
    "Events",
    "FilterOptions",
    "MatchOptions",
    "ReadOptions",
    "SplitOptions",
    "TrailOptions",
    "TrailprintError",
    "apply_filters",
    "audit",
    "correlate",
    "inspect",
    "match",
    "protect",
    "read",
    "split",
    "trails",
]

#: Names whose modules load compiled kernels: looked up when first used.
_LATE = {
    "CorrelateOptions": "trailprint.attacks.sequence",
    "MatchOptions": "trailprint.attacks.histogram",
    "TrailOptions": "trailprint.attacks.trail",
    "correlate": "trailprint.verbs.correlate",
    "match": "trailprint.verbs.match",
    "protect": "trailprint.verbs.protect",
    "trails": "trailprint.verbs.trails",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'trailprint' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATE[name]), name)
