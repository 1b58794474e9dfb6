"""Inputs of sequence correlation: sides that suit the model, and the store of its models."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from trailprint.attacks.options import CorrelateOptions
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.opening import open_sources
from trailprint.events.reading.sources import Source, open_places
from trailprint.store import FolderStore, Store
from trailprint.system.addresses import check_writable

Work = str | os.PathLike[str]


def open_sides(
    sources: list[Source],
    options: CorrelateOptions,
    reading: ReadOptions | None,
    places: PlaceOptions | None,
) -> list[Events]:
    """Open sources as events with locations; a model of positions detects its own places."""
    if options.model == "mobility-markov" and places is None:
        return open_sources(sources, reading)
    return open_places(sources, reading, places)


def check_correlation(options: CorrelateOptions, work: Work | None, *sides: Events) -> None:
    """Raise an error early if data lacks what the model needs, or ``work`` does not apply to it."""
    if work is not None and options.model != "crf":
        raise OptionError(
            f"--work goes with --model crf: {options.model} trains no models that could be kept.",
            option="work",
        )
    if work is not None:
        check_writable(work)
    if options.model == "distance":
        for side in sides:
            side.require("end", "The distance between days, which compares times spent,")


def open_store(
    store: Store | None, work: Work | None, describe: Callable[[], dict[str, Any]]
) -> Store | None:
    """Return the store of models: as given, or a folder for this data and these options."""
    if work is None:
        return store
    if store is not None:
        raise OptionError("Give either a store or a work folder, not both.")
    return FolderStore(work, describe())
