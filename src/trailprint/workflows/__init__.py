"""
One file per workflow of the Python API: features, attack and evaluation put together.

`trailprint` itself has the ones used most; ``correlate_folds``, ``score`` and ``trade_off`` are
had from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailprint.lazy import late

if TYPE_CHECKING:
    from trailprint.workflows.correlate_folds import correlate_folds
    from trailprint.workflows.protect import trade_off
    from trailprint.workflows.scoring import score

__all__ = ["correlate_folds", "score", "trade_off"]

__getattr__ = late(
    __name__,
    {
        "correlate_folds": "trailprint.workflows.correlate_folds",
        "score": "trailprint.workflows.scoring",
        "trade_off": "trailprint.workflows.protect",
    },
)
