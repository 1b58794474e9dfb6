# %% [markdown]
# # Protections: what they cost and what they leave
#
# A protection that leaves the data as it was protects nobody, and one that removes everything
# leaves nothing to release. This notebook looks at what lies between, on a simulated campus.

# %%
from pictures import Axis, points

import trailprint as tp
from trailprint.simulate import CampusOptions, simulate_campus

PEOPLE = 100
DAYS = 21

campus = tp.read(simulate_campus(CampusOptions(n_users=PEOPLE, n_days=DAYS)))
sides = tp.split(campus, tp.SplitOptions(at="median", active_both=True))
before = tp.match(sides.released, sides.auxiliary).risk
print(f"unprotected: {before.accuracy:.0%} linked, {before.chance:.0%} by chance")

# %% [markdown]
# Averages of groups: the histograms of `k` similar people are replaced by their mean. The larger
# the groups, the fewer people can be told apart, and the more of each person's own habits is lost.

# %%
from trailprint.options import SweepOptions
from trailprint.workflows import trade_off

GROUPS = (2, 3, 5, 10)

swept = trade_off(
    sides.released,
    sides.auxiliary,
    "microaggregate:k=2",
    SweepOptions(parameter="k", values=GROUPS),
).to_dict()

# %%
rows = [{"x": 0.0, "y": before.accuracy, "label": "as it is", "on_line": True}]
rows += [
    {
        "x": point["information_loss"],
        "y": point["user_accuracy"],
        "label": f"k = {point['parameters']['k']}",
        "on_line": True,
    }
    for point in swept["sweep"]
]
points(
    "Risk and loss of averages of groups of k",
    rows,
    Axis("information lost", unit="percent", low=0.0, high=1.0),
)

# %% [markdown]
# Protections that remove events are read in the same way. A public map, such as a list of allowed
# locations, is applied to both sides, because an adversary knows it.

# %%
CHOSEN = (
    "top-locations:n=20",
    "weekdays:days=mon+tue",
    "weekdays:days=mon then top-locations:n=20",
)
for chosen in CHOSEN:
    protected = tp.protect(campus, chosen)
    left = tp.split(protected.events, tp.SplitOptions(at="median", active_both=True))
    risk = tp.match(left.released, left.auxiliary).risk
    lost = protected.to_dict()["information_loss"]
    print(f"{chosen}: {risk.accuracy:.0%} linked, {lost:.0%} of the information lost")

# %% [markdown]
# For this campus, averages of small groups buy more safety for the same loss than leaving out rare
# locations or most weekdays. `trailprint protect --sweep` and `trailprint audit` look for the
# cheapest protection that reaches a risk you choose.
