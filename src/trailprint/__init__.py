"""
Trailprint: how many people in a behavioural dataset could be re-identified, why, and what
protecting them would cost.
"""

from trailprint.errors import InputError, OptionError, OutputError, TrailprintError
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.events.filters import FilterOptions, apply_filters
from trailprint.events.options import ReadOptions
from trailprint.events.read import read
from trailprint.events.split import Split, SplitOptions, split
from trailprint.events.summary import Summary, inspect
from trailprint.features.histograms import Histograms
from trailprint.features.sequences import Sequences
from trailprint.features.trails import Trails

__version__ = "0.1.0"

__all__ = [
    "Engine",
    "Events",
    "FilterOptions",
    "Histograms",
    "InputError",
    "OptionError",
    "OutputError",
    "ReadOptions",
    "Sequences",
    "Split",
    "SplitOptions",
    "Summary",
    "TrailprintError",
    "Trails",
    "apply_filters",
    "inspect",
    "read",
    "split",
]
