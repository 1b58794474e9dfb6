"""
Workflows of the Python API: features, attack and evaluation combined, one file each.

`trailprint` itself exports the most common ones; ``apply_filters``, ``correlate_folds``, ``score``,
``study_sensitivity``, ``to_households``, ``trade_off``, and plans of what workflows would need
(``plan_match`` and the like) are imported from here.

Examples
--------
>>> import trailprint as tp
>>> from trailprint.options import CorrelateOptions, FoldOptions, SweepOptions
>>> from trailprint.simulate import CampusOptions, simulate_campus
>>> from trailprint.workflows import apply_filters, correlate_folds, score, trade_off
>>> from trailprint.workflows import plan_correlate, plan_correlate_folds, plan_match
>>> from trailprint.workflows import plan_points, plan_protect, plan_trade_off
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
>>> [plan_points(campus).work, plan_protect(campus, "top-locations:n=9").work]
['points', 'protect']
>>> markov = CorrelateOptions(model="markov")
>>> plan_correlate(sides.released, sides.auxiliary, markov).pairs
400
>>> plan_correlate_folds(campus, markov, FoldOptions(n_folds=3)).pairs
1200
>>> plan_trade_off(sides.released, sides.auxiliary, "microaggregate", options).released_users
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
    from trailprint.events.households import to_households
    from trailprint.workflows.correlate_plan import plan_correlate, plan_correlate_folds
    from trailprint.workflows.folds import correlate_folds
    from trailprint.workflows.match_plan import plan_match
    from trailprint.workflows.points_plan import plan_points
    from trailprint.workflows.protect import trade_off
    from trailprint.workflows.protect_plan import plan_protect, plan_trade_off
    from trailprint.workflows.scoring import score
    from trailprint.workflows.sensitivity import study_sensitivity

__all__ = [
    "apply_filters",
    "correlate_folds",
    "plan_correlate",
    "plan_correlate_folds",
    "plan_match",
    "plan_points",
    "plan_protect",
    "plan_trade_off",
    "score",
    "study_sensitivity",
    "to_households",
    "trade_off",
]

__getattr__ = late(
    __name__,
    {
        "apply_filters": "trailprint.events.filters",
        "correlate_folds": "trailprint.workflows.folds",
        "plan_correlate": "trailprint.workflows.correlate_plan",
        "plan_correlate_folds": "trailprint.workflows.correlate_plan",
        "plan_match": "trailprint.workflows.match_plan",
        "plan_points": "trailprint.workflows.points_plan",
        "plan_protect": "trailprint.workflows.protect_plan",
        "plan_trade_off": "trailprint.workflows.protect_plan",
        "score": "trailprint.workflows.scoring",
        "study_sensitivity": "trailprint.workflows.sensitivity",
        "to_households": "trailprint.events.households",
        "trade_off": "trailprint.workflows.protect",
    },
)
