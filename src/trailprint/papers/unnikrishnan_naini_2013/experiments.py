"""Unnikrishnan and Naini 2013: matching statistics of a campus network (Table I and its test)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, RejectionOptions
from trailprint.attacks.rejection import Rejection, decide
from trailprint.display.numbers import format_number
from trailprint.errors import InputError
from trailprint.evaluation.risk import Risk, measure_risk
from trailprint.evaluation.truth import truth_from_ids
from trailprint.events.events import Events
from trailprint.events.options import Window
from trailprint.events.reading.arrivals import stays_in_window
from trailprint.events.reading.read import read
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.linkage import Linkage
from trailprint.papers.comparison import (
    PREDICTED,
    Basis,
    Comparison,
    compare_share,
    forced,
    tuned,
)
from trailprint.papers.experiment import Chart, Context, Experiment, ExperimentOutcome
from trailprint.simulate.weekday_campus import WeekdayCampusOptions, simulate_weekday_campus

PAPER = "Unnikrishnan and Naini 2013"
SOURCE = "associations-2013"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """
    A group of users to match across two weeks.

    Attributes
    ----------
    days : str
        Description shown in results.
    weekdays : tuple of int
        ISO numbers of the weekdays on which the weeks are compared.
    window : Window
        Only users present throughout it on all these days count.
    slots : {"none", "weekday"}
        One histogram per user, or one per weekday.
    n_users, joint_percent, single_percent : float, optional
        Figures printed in the paper.
    """

    days: str
    weekdays: tuple[int, ...]
    window: Window
    slots: Literal["none", "weekday"]
    n_users: int
    joint_percent: float
    single_percent: float | None

    @property
    def string_length(self) -> int:
        """Number of seconds (the paper's samples) in a day's histogram."""
        return (self.window.end - self.window.start) * 60


MONDAYS_LONG = Cohort(
    days="Mondays, 9–17 h",
    weekdays=(1,),
    window=Window.parse("09:00-17:00"),
    slots="none",
    n_users=1154,
    joint_percent=52.9,
    single_percent=44.5,
)
MONDAYS = replace(
    MONDAYS_LONG,
    days="Mondays, 10–17 h",
    window=Window.parse("10:00-17:00"),
    n_users=2174,
    joint_percent=43.0,
    single_percent=32.9,
)
BOTH_DAYS = replace(
    MONDAYS,
    days="Mondays and Tuesdays, 10–17 h",
    weekdays=(1, 2),
    slots="weekday",
    n_users=1047,
    joint_percent=70.5,
    single_percent=53.5,
)
POOLED = replace(
    BOTH_DAYS,
    days="Mondays and Tuesdays in one, 10–17 h",
    slots="none",
    joint_percent=14.0,
    single_percent=None,
)
#: Largest exponent of practical interest: an error probability of one in 2^100.
_MOST_BITS_ASKED = 100.0
_SIZES = forced("The simulated campus is made with the paper's numbers of users.")
_ACCURACY = tuned(
    "The makers of the simulated campus adjusted the size of cohorts and the shares of irregular "
    "visits until Table I and the pooled days came out within about six points."
)
_PENALTY = forced("It follows from the numbers of users, access points and seconds alone.")


def _log(context: Context) -> Events:
    """Return the start-only log: the user's own or a simulated one."""

    def make() -> Events:
        if context.own(SOURCE) is not None:
            return context.read(SOURCE)
        people = simulate_weekday_campus(WeekdayCampusOptions(seed=context.seed))
        return read(people, engine=context.engine())

    return context.share("2013 log", make)


def _sides(context: Context, cohort: Cohort) -> tuple[Histograms, Histograms]:
    """Return histograms of time spent, first week released and second auxiliary."""
    log = _log(context)
    log.require("start", "The 2013 experiments")
    starts = f'SELECT "user", location, "start" FROM ({log.query})'
    stays = stays_in_window(starts, cohort.window, log.timezone, throughout=True)
    present = replace(
        log,
        query=stays,
        columns=frozenset({"user", "location", "start", "end"}),
        notes=(),
        stays_last=True,
    )
    days = ", ".join(str(day) for day in cohort.weekdays)
    present = present.having(f"isodow({present.local_start}) IN ({days})")
    week = f"date_trunc('week', {present.local_start})"
    weeks = [row[0] for row in log.engine.rows(_busiest_weeks(present, week))]
    if len(weeks) < 2:
        raise InputError(
            "The 2013 experiments need two weeks with people present throughout "
            f"{cohort.window} on the same weekdays, but the data has {len(weeks)}."
        )
    first, second = sorted(weeks)
    chosen = _always_there(present, (first, second), week, cohort)
    return build_histogram_pair(
        chosen.having(f"{week} = TIMESTAMP '{first}'"),
        chosen.having(f"{week} = TIMESTAMP '{second}'"),
        HistogramOptions(weight="duration", slots=cohort.slots),
    )


def _busiest_weeks(present: Events, week: str) -> str:
    """Return SQL for the two weeks with the most people; ties go to the earlier week."""
    return (
        f'SELECT {week} AS week, count(DISTINCT "user") AS n FROM ({present.query}) '
        "GROUP BY 1 ORDER BY n DESC, week LIMIT 2"
    )


def _always_there(present: Events, weeks: Sequence[Any], week: str, cohort: Cohort) -> Events:
    """Keep only people present throughout the window on every day that is compared."""
    both = ", ".join(f"TIMESTAMP '{each}'" for each in weeks)
    day = f"date_trunc('day', {present.local_start})"
    there = present.having(f"{week} IN ({both})")
    always = (
        f'SELECT "user" FROM ({there.query}) GROUP BY "user" '
        f"HAVING count(DISTINCT {day}) = {2 * len(cohort.weekdays)}"
    )
    return there.having(f'"user" IN ({always})')


def _histograms(context: Context, cohort: Cohort) -> tuple[Histograms, Histograms]:
    return context.share(f"2013 {cohort.days}", lambda: _sides(context, cohort))


def _match(context: Context, cohort: Cohort, options: MatchOptions) -> tuple[Linkage, Risk]:
    sides = _histograms(context, cohort)
    linkage = match_histograms(*sides, options, n_threads=context.n_threads)
    risk = measure_risk(linkage, truth_from_ids(sides[0].users, sides[1].users))
    if risk is None or not risk.n_common:
        raise InputError(f"Nobody is present throughout {cohort.window} on {cohort.days}.")
    return linkage, risk


def _row(context: Context, cohort: Cohort, method: str) -> dict[str, Any]:
    options = MatchOptions(
        method="joint" if method == "all at once" else "one-by-one",
        direction="auxiliary" if method != "all at once" else "released",
        seed=context.seed,
    )
    risk = _match(context, cohort, options)[1]
    low, high = risk.accuracy_interval or (None, None)
    paper = cohort.joint_percent if method == "all at once" else cohort.single_percent
    return {
        "days": cohort.days,
        "method": method,
        "users": risk.n_common,
        "correct": risk.n_correct,
        "accuracy": risk.accuracy,
        "low": low,
        "high": high,
        "chance": risk.chance,
        "paper": None if paper is None else paper / 100,
    }


def _bars(x: str = "days") -> Chart:
    return Chart(
        kind="bar",
        x=x,
        y="accuracy",
        series="method",
        low="low",
        high="high",
        paper="paper",
        x_title="",
        y_title="matched correctly",
        y_is_share=True,
    )


_NOTES = (
    "A stay begun before the window opens is carried into it; users count if they have a record "
    "at or before its opening on every day compared.",
    "Histograms hold the seconds spent at each access point; a day's sum to the length of the "
    "window. Intervals are Wilson's, 95 %.",
)


def run_table_1(context: Context) -> ExperimentOutcome:
    """Match three cohorts, all users at once and one at a time."""
    rows, comparisons = [], []
    for number, cohort in enumerate((MONDAYS_LONG, MONDAYS, BOTH_DAYS)):
        context.report(f"Matching {cohort.days}", number / 3)
        joint, single = (_row(context, cohort, m) for m in ("all at once", "one at a time"))
        rows += [joint, single]
        comparisons += [
            Comparison(
                quantity=f"{cohort.days}: users",
                paper=cohort.n_users,
                ours=joint["users"],
                basis=_SIZES,
                unit="users",
            ),
            compare_share(
                f"{cohort.days}: all at once", cohort.joint_percent, joint["accuracy"], _ACCURACY
            ),
            compare_share(
                f"{cohort.days}: one at a time",
                cohort.single_percent,
                single["accuracy"],
                _ACCURACY,
            ),
        ]
    return ExperimentOutcome(
        rows=rows,
        comparisons=comparisons,
        reading=_read_table(rows),
        charts=(_bars(),),
        notes=_NOTES,
    )


def _read_table(rows: Sequence[Mapping[str, Any]]) -> str:
    parts = [
        f"{joint['days']}: {joint['accuracy']:.0%} of {joint['users']:,} users all at once, "
        f"{single['accuracy']:.0%} one at a time"
        for joint, single in zip(rows[::2], rows[1::2], strict=True)
    ]
    return f"Matched correctly. {'; '.join(parts)}."


def run_pooled(context: Context) -> ExperimentOutcome:
    """Match with Mondays and Tuesdays pooled, and with each day weighed separately."""
    pooled = _row(context, POOLED, "all at once")
    apart = _row(context, BOTH_DAYS, "all at once")
    return ExperimentOutcome(
        rows=[{**pooled, "days": "pooled"}, {**apart, "days": "each day on its own, summed"}],
        comparisons=(
            compare_share("days pooled", POOLED.joint_percent, pooled["accuracy"], _ACCURACY),
            compare_share("days summed", BOTH_DAYS.joint_percent, apart["accuracy"], _ACCURACY),
        ),
        reading=f"Both days counted as one find {pooled['accuracy']:.0%}; each day weighed on its "
        f"own finds {apart['accuracy']:.0%}.",
        charts=(_bars(),),
        notes=_NOTES,
    )


def run_rejection(context: Context) -> ExperimentOutcome:
    """Apply the test with rejection for several error exponents."""
    context.report("Looking for the second-best matching", 0.2)
    linkage, risk = _match(context, MONDAYS_LONG, MatchOptions(margins=True, seed=context.seed))
    n_locations = len(_histograms(context, MONDAYS_LONG)[0].locations)
    at_one_bit = _test(linkage, n_locations, 1.0)
    penalty, bits = at_one_bit.penalty_bits, at_one_bit.second_best_bits
    rows = [
        {
            "asked": asked,
            "lambda_bits": exponent,
            **asdict(_test(linkage, n_locations, exponent)),
            "accuracy": risk.accuracy,
        }
        for asked, exponent in (
            ("one bit", 1.0),
            ("penalty and half the second-best weight", penalty + 0.5 * bits),
            ("penalty and twice the second-best weight", penalty + 2.0 * bits),
        )
        if math.isfinite(exponent)
    ]
    return ExperimentOutcome(
        rows=rows,
        comparisons=(
            _compare_bits("penalty in the test's threshold", penalty, _PENALTY),
            _compare_bits("exponent beyond which the test says no match", penalty + bits),
        ),
        reading=_read_penalty(penalty),
        charts=(_exponents(),),
        notes=(
            "Theorem 3.3: no match when the second-best matching weighs less than the exponent "
            "less the penalty 2K|Z| log₂(n+1)/n. A threshold of zero or less never rejects.",
            "The paper states the test without applying it and prints no penalty. Ours is its "
            "formula with base-2 logarithms, its 28,800 seconds, and the users and access points "
            "of the data.",
        ),
    )


def _test(linkage: Linkage, n_locations: int, reject_lambda: float) -> Rejection:
    """Apply the test with one error exponent; without a second-best matching it never rejects."""
    weight = linkage.facts["second_best_weight"]
    second_best = math.inf if weight is None else float(weight)
    length = MONDAYS_LONG.string_length
    options = RejectionOptions(reject_lambda=reject_lambda, string_length=length)
    return decide(second_best, linkage.n_links, n_locations, options)


def _compare_bits(quantity: str, bits: float, basis: Basis = PREDICTED) -> Comparison:
    """Compare a number of bits that the paper does not print; None if it is infinite."""
    ours = bits if math.isfinite(bits) else None
    return Comparison(quantity=quantity, paper=None, ours=ours, basis=basis, unit="bits")


def _read_penalty(penalty_bits: float) -> str:
    bits = format_number(penalty_bits)
    text = f"The penalty alone is {bits} bits: below that the test never rejects"
    is_vacuous = penalty_bits > _MOST_BITS_ASKED
    return text + (", and any exponent one would ask for is far below." if is_vacuous else ".")


def _exponents() -> Chart:
    return Chart(
        kind="bar",
        x="asked",
        y="lambda_bits",
        series="decision",
        x_title="",
        y_title="error exponent asked for, bits",
    )


EXPERIMENTS = (
    Experiment(
        name="2013-table-1",
        paper=PAPER,
        title="Users of a campus network matched across two weeks",
        run=run_table_1,
        sources=(SOURCE,),
    ),
    Experiment(
        name="2013-pooled-days",
        paper=PAPER,
        title="Days pooled, and days summed",
        run=run_pooled,
        sources=(SOURCE,),
    ),
    Experiment(
        name="2013-rejection",
        paper=PAPER,
        title="The test with rejection",
        run=run_rejection,
        sources=(SOURCE,),
    ),
)
