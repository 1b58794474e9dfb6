"""
Synthetic populations of fictitious people, with known truth.

Each function takes its options and returns an Arrow table that `trailprint.read` and every
workflow accept; ``simulate_calls`` returns its two weeks as arrays.

Examples
--------
>>> from trailprint.simulate import *
>>> simulate_campus(CampusOptions(n_users=20, n_days=7)).column_names
['user', 'location', 'start', 'end']
>>> simulate_weekday_campus(WeekdayCampusOptions(n_users=20)).column_names
['user', 'location', 'start']
>>> simulate_gps(GpsOptions(n_users=5)).column_names
['user', 'lat', 'lon', 'start']
>>> simulate_web(WebOptions(n_users=5)).column_names
['user', 'location', 'start']
>>> simulate_households(HouseholdOptions(n_users=20)).column_names
['user', 'household', 'location', 'start', 'bought']
>>> len(simulate_calls(30, n_cities=2, n_antennas=10).weeks)
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailprint.lazy import late

if TYPE_CHECKING:
    from trailprint.simulate.calls import simulate_calls
    from trailprint.simulate.campus import CampusOptions, simulate_campus
    from trailprint.simulate.gps import GpsOptions, simulate_gps
    from trailprint.simulate.households import HouseholdOptions, simulate_households
    from trailprint.simulate.web import WebOptions, simulate_web
    from trailprint.simulate.weekday_campus import WeekdayCampusOptions, simulate_weekday_campus

__all__ = [
    "CampusOptions",
    "GpsOptions",
    "HouseholdOptions",
    "WebOptions",
    "WeekdayCampusOptions",
    "simulate_calls",
    "simulate_campus",
    "simulate_gps",
    "simulate_households",
    "simulate_web",
    "simulate_weekday_campus",
]

_WHERE = {
    "CampusOptions": "campus",
    "GpsOptions": "gps",
    "HouseholdOptions": "households",
    "WebOptions": "web",
    "WeekdayCampusOptions": "weekday_campus",
    "simulate_calls": "calls",
    "simulate_campus": "campus",
    "simulate_gps": "gps",
    "simulate_households": "households",
    "simulate_web": "web",
    "simulate_weekday_campus": "weekday_campus",
}
__getattr__ = late(__name__, {name: f"{__name__}.{where}" for name, where in _WHERE.items()})
