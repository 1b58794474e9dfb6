"""
Trailprint: how many people in a behavioural dataset could be re-identified, why, and what
protecting them would cost.
"""

from __future__ import annotations

import sys
import types

# Not imported from typing: only modules that Python has already loaded are imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from trailprint import options as options
    from trailprint import places as places
    from trailprint import reproduce as reproduce
    from trailprint import simulate as simulate
    from trailprint import store as store
    from trailprint import workflows as workflows
    from trailprint.attacks.options import CorrelateOptions, MatchOptions, TrailOptions
    from trailprint.audit import AuditOptions, audit
    from trailprint.comparison import compare
    from trailprint.errors import TrailprintError
    from trailprint.events.engine import Engine
    from trailprint.events.events import Events
    from trailprint.events.filters import FilterOptions
    from trailprint.events.options import ReadOptions
    from trailprint.events.reading.read import read
    from trailprint.events.split import SplitOptions, split
    from trailprint.events.summary import inspect
    from trailprint.workflows.correlate import correlate
    from trailprint.workflows.match import match
    from trailprint.workflows.points import points
    from trailprint.workflows.protect import protect
    from trailprint.workflows.trails import trails

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
    "audit",
    "compare",
    "correlate",
    "inspect",
    "match",
    "points",
    "protect",
    "read",
    "split",
    "trails",
]

#: Loaded on first use, so that the program handles signals before it has loaded libraries.
_LATE = {
    "AuditOptions": "trailprint.audit",
    "CorrelateOptions": "trailprint.attacks.options",
    "Engine": "trailprint.events.engine",
    "Events": "trailprint.events.events",
    "FilterOptions": "trailprint.events.filters",
    "MatchOptions": "trailprint.attacks.options",
    "ReadOptions": "trailprint.events.options",
    "SplitOptions": "trailprint.events.split",
    "TrailOptions": "trailprint.attacks.options",
    "TrailprintError": "trailprint.errors",
    "compare": "trailprint.comparison",
    "correlate": "trailprint.workflows.correlate",
    "inspect": "trailprint.events.summary",
    "match": "trailprint.workflows.match",
    "points": "trailprint.workflows.points",
    "protect": "trailprint.workflows.protect",
    "read": "trailprint.events.reading.read",
    "split": "trailprint.events.split",
    "trails": "trailprint.workflows.trails",
}


#: Public modules, in addition to the names above.
_MODULES = ("options", "places", "reproduce", "simulate", "store", "workflows")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"trailprint.{name}")
    if name not in _LATE:
        raise AttributeError(f"module 'trailprint' has no attribute {name!r}")
    return _find(_LATE[name], name)


def __dir__() -> list[str]:
    # Completion shows only public names, not every subpackage that happens to be loaded.
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *__all__, *_MODULES})


def _find(module: str, name: str) -> object:
    from importlib import import_module

    return getattr(import_module(module), name)


class _Package(types.ModuleType):
    """A module in which ``audit`` is a function, although a subpackage has the same name."""

    @property
    def audit(self) -> object:
        return _find("trailprint.audit", "audit")

    @audit.setter
    def audit(self, module: object) -> None:
        """Ignore the subpackage that Python assigns here when it is loaded."""


sys.modules[__name__].__class__ = _Package
