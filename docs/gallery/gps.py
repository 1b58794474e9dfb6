# %% [markdown]
# # GPS: how coarse is coarse enough?
#
# Positions are rounded before they are released, in the hope that nobody can be recognised in
# large cells. This notebook lays larger and larger cells over the trips of simulated people.

# %%
from pictures import Axis, lines

import trailprint as tp
from trailprint.places import GridOptions, to_cells
from trailprint.simulate import GpsOptions, simulate_gps

PEOPLE = 40

positions = tp.read(simulate_gps(GpsOptions(n_users=PEOPLE)))
print(f"{positions.count():,} positions, columns: {', '.join(sorted(positions.columns))}")

# %% [markdown]
# Each person's active weeks are cut in two: the first half would be released, the second is what
# an adversary knows.

# %%
halves = tp.SplitOptions(halves_of_weeks=True, active_both=True)
CELLS_M = (100, 300, 1000, 3000, 10_000)

rows = []
for cell_m in CELLS_M:
    sides = tp.split(to_cells(positions, GridOptions(cell_m=cell_m)), halves)
    habits = tp.match(sides.released, sides.auxiliary).risk
    places = tp.trails(sides.released, sides.auxiliary).risk
    rows.append({"x": cell_m, "y": habits.accuracy})
    rows.append({"x": cell_m, "y": places.accuracy, "series": "b"})

lines(
    "Linked, by the size of a cell",
    rows,
    Axis("cell, in metres", kind="log"),
    a="how often in which cell (histograms)",
    b="the mere set of cells (trails)",
)

# %% [markdown]
# Large cells help less than one would think: home and work still lie in different cells, and how
# often a person is in either remains a habit. Sets of cells reveal little at any size: no two
# periods of a life touch exactly the same small cells, and the large ones are shared by everybody.
#
# The number of cells shows how much of the map is given up on the way.

# %%
for cell_m in CELLS_M:
    cells = tp.inspect(to_cells(positions, GridOptions(cell_m=cell_m)))
    print(f"{cell_m:6,} m: {cells.locations:6,} cells, {cells.locations_per_user_median:5.0f} each")
