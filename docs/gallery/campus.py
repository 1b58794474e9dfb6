# %% [markdown]
# # Campus: three attacks on one Wi-Fi log
#
# A university wants to publish two weeks of its Wi-Fi log, with device numbers replaced by
# pseudonyms. How many people would an adversary recognise who knows the two weeks after them?
#
# The campus and all people in this notebook are simulated.

# %%
from pictures import Axis, bars, lines

import trailprint as tp
from trailprint.simulate import CampusOptions, simulate_campus

PEOPLE = 150
DAYS = 28

campus = tp.read(simulate_campus(CampusOptions(n_users=PEOPLE, n_days=DAYS)))
summary = tp.inspect(campus)
print(f"{summary.users} people, {summary.locations} access points, {summary.events:,} visits")

# %% [markdown]
# The first half of the time is what would be released. The second half stands for what an
# adversary knows.

# %%
sides = tp.split(campus, tp.SplitOptions(at="median", active_both=True))

habits = tp.match(sides.released, sides.auxiliary)
places = tp.trails(sides.released, sides.auxiliary)
order = tp.correlate(sides.released, sides.auxiliary, tp.CorrelateOptions(model="markov"))

# %%
rows = [
    {
        "label": label,
        "value": risk.accuracy,
        "text": f"{risk.accuracy:.0%}",
        "low": risk.accuracy_interval[0],
        "high": risk.accuracy_interval[1],
        "mark": risk.chance,
    }
    for label, risk in (
        ("how often, where (histograms)", habits.risk),
        ("the mere set of places (trails)", places.risk),
        ("the order of visits (Markov chain)", order.risk),
    )
]
bars("What identifies people on this campus", rows)

# %% [markdown]
# The thin lines are 95 % intervals, the ticks are what guessing would achieve. Habits and order
# identify most people. The mere set of places links next to nobody here: over two weeks most people
# go somewhere new, so that the two sets do not agree.
#
# Is anybody safer among more people? Here the same attack is run on ever larger groups.

# %%
sizes = [n for n in (10, 20, 40, 80, 150) if n <= PEOPLE]


def share_linked(n_people: int) -> float:
    """How many of ``n`` people, drawn at random, are linked."""
    drawn = tp.SplitOptions(at="median", released_users=n_people, auxiliary_users=n_people)
    some = tp.split(campus, drawn)
    return tp.match(some.released, some.auxiliary).risk.accuracy


grown = [{"x": n, "y": share_linked(n)} for n in sizes if n <= tp.inspect(sides.released).users]
grown += [{"x": row["x"], "y": 1 / row["x"], "series": "b"} for row in grown]
lines(
    "Linked by habits, by the number of people in the data",
    grown,
    Axis("people", kind="log"),
    a="histogram matching",
    b="guessing",
)

# %% [markdown]
# There are more people to confuse each person with, yet the risk falls slowly, far more slowly
# than the success of guessing. `trailprint audit` does all of this at once, with controls and
# protections.
