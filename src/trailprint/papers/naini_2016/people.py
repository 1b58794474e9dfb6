"""Naini et al. 2016: callers and web users, from the user's own data or simulated.

Call records: two weeks, people who call in both. Web histories: the two consecutive weeks with
the most people active in both.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from trailprint.errors import InputError
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.events.reading.read import read
from trailprint.events.split import Split, SplitOptions, split
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.papers.comparison import tuned
from trailprint.papers.experiment import Context
from trailprint.simulate.call_records import call_records
from trailprint.simulate.calls import (
    PAPER_ANTENNAS,
    PAPER_CITIES,
    PAPER_USERS,
    CallPopulation,
    WeekCalls,
    simulate_calls,
)
from trailprint.simulate.web import WebOptions, simulate_web

PAPER = "Naini et al. 2016"
CALLS, WEB, GEOLIFE = "call-records", "web-history", "geolife"

CALLERS_TUNED = tuned(
    "The makers of the simulated callers chose the recipe for the accuracies the paper prints at "
    "1,000 and at 46,986 people."
)
WEB_TUNED = tuned(
    "The makers of the simulated web users fitted the recipe to the paper's row of Table II."
)
RECEIVERS_TUNED = tuned(
    "The makers of the simulated receivers fitted the recipe to the paper's row of Table II at "
    "squares of 1,000 m."
)

#: Released and auxiliary histograms of the same people, row for row.
Sides = tuple[Histograms, Histograms]

SMALL_USERS = 10_000
"""People of the small country, which differs from the large one only in size."""
SMALL = (
    f"By default a country of {SMALL_USERS:,} people with cities and antennas in proportion, so "
    "that as many people share an antenna as in the paper; --full takes the paper's size."
)


def shared_engine(context: Context) -> Engine:
    """Return the DuckDB engine shared by all experiments of a run."""
    return context.engine()


def pair_up(sides: Sides) -> Sides:
    """Keep only people on both sides, in the same order."""
    released, auxiliary = sides
    common = released.users.filter(pc.is_in(released.users, value_set=auxiliary.users))
    if not len(common):
        raise InputError("Both sides must have users in common, but no user id is on both.")
    return choose_users(released, common), choose_users(auxiliary, common)


def choose_users(histograms: Histograms, users: pa.Array) -> Histograms:
    """Return the histograms of these users, in this order."""
    places = pc.index_in(users, value_set=histograms.users).to_numpy(zero_copy_only=False)
    return histograms.select(places.astype(np.int64))


# Call records.


def call_population(context: Context, *, large: bool) -> CallPopulation:
    """Return the simulated callers: the paper's number of them, or a small country."""
    n_users, scale = (PAPER_USERS, 1.0) if large else (SMALL_USERS, SMALL_USERS / PAPER_USERS)
    return context.share(
        f"2016 call population of {n_users}",
        lambda: simulate_calls(
            n_users,
            n_cities=round(PAPER_CITIES * scale),
            n_antennas=round(PAPER_ANTENNAS * scale),
            seed=context.seed,
        ),
    )


def _own_calls(context: Context, place: str) -> Split | None:
    """Return two weeks of the user's own call records by antenna or region; None without any."""
    if context.own(CALLS) is None:
        return None
    names = dict(context.reading.column_names)
    if place != "location":
        names["location"] = place
    return context.share(
        f"2016 own calls by {place}",
        lambda: _busiest(context.read(CALLS, column_names=names)),
    )


def _busiest(events: Events) -> Split:
    """Keep the two consecutive weeks with the most users active in both, and only these users."""
    return split(events.materialise(), SplitOptions(busiest_weeks=True, active_both=True))


def call_weeks(context: Context) -> Split:
    """Return two weeks of call records as events, with days; the paper's size if ``full``."""
    own = _own_calls(context, "location")
    if own is not None:
        return own
    population = call_population(context, large=context.full)
    return context.share(
        "2016 call weeks",
        lambda: _busiest(
            read(call_records(population, seed=context.seed), engine=shared_engine(context))
        ),
    )


def call_sides(context: Context, *, large: bool = False, by: str = "location") -> Sides:
    """
    Return histograms of two weeks of calls, by antenna or by ``region``.

    ``large`` uses the paper's 46,986 people; otherwise only ``full`` does.
    """
    own = _own_calls(context, by)
    if own is not None:
        return context.share(f"2016 own call sides by {by}", lambda: _count(own))
    population = call_population(context, large=large or context.full)
    place = np.arange(population.n_antennas) if by == "location" else population.antenna_region
    return (
        _week_histograms(population, population.weeks[0], place),
        _week_histograms(population, population.weeks[1], place),
    )


def _count(sides: Split) -> Sides:
    return pair_up(build_histogram_pair(sides.released, sides.auxiliary))


def _week_histograms(
    population: CallPopulation, week: WeekCalls, place: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Histograms:
    """Build the histograms of one simulated week directly from its counts."""
    n_users, n_places = population.n_users, int(place.max()) + 1
    entries = (week.count.astype(np.float64), (week.user, place[week.antenna]))
    return Histograms(
        matrix=sparse.coo_array(entries, shape=(n_users, n_places)).tocsr(),
        users=pa.array(np.arange(n_users)).cast(pa.string()),
        locations=pa.array(np.arange(n_places)).cast(pa.string()),
    )


# Web histories.


def web_sides(context: Context) -> Sides:
    """Return histograms of the two weeks of web browsing."""
    return context.share("2016 web sides", lambda: _count(_busiest(_web_events(context))))


def _web_events(context: Context) -> Events:
    if context.own(WEB) is not None:
        return context.read(WEB)
    return read(simulate_web(WebOptions(seed=context.seed)), engine=shared_engine(context))
