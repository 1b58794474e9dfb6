# %% [markdown]
# # Papers: a figure run again
#
# Every table and figure of the four papers Trailprint builds on is an experiment with a name. This
# notebook runs one of them, on simulated people, and puts the paper's numbers beside ours.

# %%
from pictures import Axis, bars

from trailprint.reproduce import list_experiments, reproduce

listed = list_experiments()
print(f"{len(listed)} experiments, among them:")
for each in listed[:6]:
    print(f"  {each.name:20} {each.title}")

# %% [markdown]
# Malin's paper of 2005 asks whether the set of shops a person visits identifies them. Its people
# were 86 households; those here are simulated to resemble them.

# %%
[result] = reproduce("2005-section-4.1.1")
print(result.outcome.reading)

# %%
rows = [
    {"label": f"{each.quantity} ({whose})", "value": value, "text": f"{value:,.1f} {each.unit}"}
    | {"series": series}
    for each in result.outcome.comparisons
    for whose, value, series in (("paper", each.paper, "b"), ("ours", each.ours, "a"))
    if value is not None and each.unit == "%"
]
bars("The paper's numbers and ours", rows, Axis("%", low=0.0, high=100.0))

# %% [markdown]
# `trailprint reproduce 2005 --out papers` runs all experiments of that year and writes a page with
# their charts. With `--data` it runs them on your own copies of the papers' data.
