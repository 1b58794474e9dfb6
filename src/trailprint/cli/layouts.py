"""``trailprint layouts``: which research layouts are known."""

from __future__ import annotations

from trailprint.cli.groups import takes_options
from trailprint.cli.present import print_json, print_table
from trailprint.cli.running import Running
from trailprint.events.reading.layouts import LAYOUTS

EXAMPLE = "trailprint layouts"


@takes_options
def run(running: Running) -> None:
    """List the known research layouts, for --layout."""
    descriptions = {name: layout.description for name, layout in LAYOUTS.items()}
    if running.json:
        print_json(descriptions)
    else:
        print_table("Known layouts", list(descriptions.items()), is_prose=True)
