"""
One file per workflow of the Python API: features, attack and evaluation put together.

`trailprint` itself has the ones used most; ``apply_filters``, ``correlate_folds``, ``plan_match``,
``score`` and ``trade_off`` are had from here.

Examples
--------
>>> import trailprint as tp
>>> from trailprint.options import CorrelateOptions, FoldOptions, SweepOptions
>>> from trailprint.simulate import CampusOptions, simulate_campus
>>> from trailprint.workflows import apply_filters, correlate_folds, plan_match, score, trade_off
>>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
>>> apply_filters(campus, tp.FilterOptions(weekdays=("mon",))).count() < campus.count()
True
>>> folds = correlate_folds(campus, CorrelateOptions(model="markov"), FoldOptions(n_folds=3))
>>> len(folds.rounds)
3
>>> sides = tp.split(campus, tp.SplitOptions(at="median"))
>>> options = SweepOptions(parameter="k", values=(2, 5))
>>> found = trade_off(sides.released, sides.auxiliary, "microaggregate", options)
>>> len(found.to_dict()["sweep"])
2
>>> plan_match(sides.released, sides.auxiliary).released_users
20
>>> links = tp.match(sides.released, sides.auxiliary).links()
>>> everybody = campus.engine.arrow(f'SELECT DISTINCT "user" FROM ({campus.query})')["user"]
>>> score(links, {"released": everybody, "auxiliary": everybody}).n_common
20
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailprint.lazy import late

if TYPE_CHECKING:
    from trailprint.events.filters import apply_filters
    from trailprint.workflows.folds import correlate_folds
    from trailprint.workflows.match_plan import plan_match
    from trailprint.workflows.protect import trade_off
    from trailprint.workflows.scoring import score

__all__ = ["apply_filters", "correlate_folds", "plan_match", "score", "trade_off"]

__getattr__ = late(
    __name__,
    {
        "apply_filters": "trailprint.events.filters",
        "correlate_folds": "trailprint.workflows.folds",
        "plan_match": "trailprint.workflows.match_plan",
        "score": "trailprint.workflows.scoring",
        "trade_off": "trailprint.workflows.protect",
    },
)
