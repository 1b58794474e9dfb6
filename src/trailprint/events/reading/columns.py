"""Recognition of columns by their names, and help with unknown names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from trailprint.errors import ColumnError
from trailprint.events.engine import quote_name
from trailprint.events.events import Column
from trailprint.events.options import ReadOptions
from trailprint.events.reading.headers import Header, split_words

#: Known names of each of our columns, best first: our own, scikit-mobility's, trackintel's and
#: common ones. The first that is present is taken.
KNOWN_NAMES: Mapping[Column, tuple[str, ...]] = {
    "user": ("user", "uid", "user_id"),
    "location": ("location", "location_id"),
    "start": ("start", "datetime", "tracked_at", "started_at", "timestamp", "time"),
    "end": ("end", "finished_at", "leaving_datetime"),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "longitude"),
    "weight": ("count",),
}

#: Usual names, tried if no known name is present. Only one per column may be present: the user
#: must say, for example, whether the card or the device is the person.
USUAL_NAMES: Mapping[Column, tuple[str, ...]] = {
    "user": (
        *("card_id", "card", "device_id", "device", "subscriber", "subscriber_id", "customer"),
        *("customer_id", "client_id", "member_id", "person", "person_id", "participant"),
        *("participant_id", "subject_id", "account_id", "visitor_id", "msisdn", "imsi", "imei"),
        *("mac", "mac_address"),
    ),
    "location": (
        *("stop_id", "station", "station_id", "cell_id", "antenna", "antenna_id", "tower"),
        *("tower_id", "poi", "poi_id", "venue", "venue_id", "place", "place_id", "site_id"),
        *("ap", "access_point", "url", "domain"),
    ),
    "start": (
        *("start_time", "start_datetime", "tap_time", "event_time", "visit_time", "call_time"),
        *("check_in_time", "utc_timestamp", "arrived_at", "arrival_time"),
    ),
    "end": ("end_time", "end_datetime", "ended_at", "check_out_time", "left_at"),
    "lat": (),
    "lon": ("long",),
    "weight": (),
}

#: A stop of public transport is the location if no other name gives one and the table has neither
#: starts nor latitudes: beside starts, a stop is an end.
STOP = "stop"

_MEANINGS: Mapping[Column, str] = {
    "user": "user",
    "location": "location",
    "start": "start",
    "end": "end",
    "lat": "latitude",
    "lon": "longitude",
    "weight": "count",
}

#: Value column of a protected histogram, as `protect` writes it.
SHARE = "share"

#: Column with the cell size of a release, in metres: for people only, ignored when reading.
CELL_SIZE = "cell_m"

_TIMES_ALONE = " Times alone are enough for 'trailprint points --knowledge time'."

#: Prefix of our internal columns that hold the file path of a row while it is read.
_OURS = "trailprint_path"

#: Words in column names that refer to who, where, when or how often.
_TELLING_WORDS = """
antenna arrival card cell client count customer date datetime departure device domain end ended hits
imei imsi lat latitude lng location lon longitude mac member msisdn participant person place poi
start station stop subscriber time timestamp tower uid url user venue visits
"""
_TELLING = frozenset(_TELLING_WORDS.split())

#: Folded column names of scikit-mobility's flows, and of stored geometries.
_FLOWS = frozenset({"origin", "destination", "flow"})
_GEOMETRIES = frozenset({"geometry", "geom", "thegeom", "wkb", "wkt", "wkbgeometry"})

_SEPARATORS = re.compile(r"[\s_.-]+")


def fold_name(name: str) -> str:
    """Return a name without case and separators: ``User ID``, ``userId``, ``user_id`` are equal."""
    return _SEPARATORS.sub("", name.casefold())


def _folded(names: Mapping[Column, tuple[str, ...]]) -> frozenset[str]:
    return frozenset(fold_name(name) for column in names.values() for name in column)


#: Folded names: those that are unlikely to be values of the data, and all known names.
SURE_NAMES = _folded(KNOWN_NAMES)
ALL_KNOWN_NAMES = SURE_NAMES | _folded(USUAL_NAMES) | {STOP}


def find_columns(there: Header, wanted: Mapping[Column, str]) -> dict[Column, str]:
    """
    Return the name of the source's column for each of ours that is found.

    ``wanted`` holds the names that the user gave; other columns are found by known names,
    regardless of case and separators.
    """
    taken = set(wanted.values())
    folded = {fold_name(name): name for name in reversed(there.names) if name not in taken}
    found: dict[Column, str] = {}
    for column in KNOWN_NAMES:
        name = _exactly(wanted[column], there, column) if column in wanted else None
        name = name or _known_column(column, folded) or _usual_column(column, folded, there)
        if name is not None:
            found[column] = name
    if _is_histogram(found) and SHARE in folded:
        found["weight"] = folded[SHARE]
    return _without_halves(found, wanted)


def _known_column(column: Column, folded: Mapping[str, str]) -> str | None:
    names = map(fold_name, KNOWN_NAMES[column])
    return next((folded[name] for name in names if name in folded), None)


def _usual_column(column: Column, folded: Mapping[str, str], there: Header) -> str | None:
    names = map(fold_name, USUAL_NAMES[column])
    found = [folded[name] for name in names if name in folded]
    if len(found) > 1:
        shown = [name for name in there.shown() if name in found]
        raise ColumnError(
            f"One column must hold the {_MEANINGS[column]}, but {len(found)} could: "
            f"{', '.join(shown)}. Name it with --{column}-column.",
            option=f"{column}-column",
            suggestions=shown,
        )
    if not found and column == "location":
        return _stop_column(folded)
    return found[0] if found else None


def _stop_column(folded: Mapping[str, str]) -> str | None:
    means_else = any(name.startswith(("start", "lat")) for name in folded)
    return None if means_else else folded.get(STOP)


def _without_halves(found: dict[Column, str], wanted: Mapping[Column, str]) -> dict[Column, str]:
    """Leave out an end without a start and half of a position: they mean nothing alone."""
    if "end" in found and "start" not in found:
        if "end" in wanted:
            raise ColumnError(
                "An end needs a start, but no column of starts was found. Name it with "
                "--start-column.",
                option="start-column",
            )
        del found["end"]
    if ("lat" in found) != ("lon" in found):
        if "lat" in wanted or "lon" in wanted:
            raise ColumnError(
                "A position needs two columns, but only one was found. "
                "Name both with --lat-column and --lon-column.",
                option="lat-column",
            )
        found.pop("lat", None)
        found.pop("lon", None)
    return found


def describe_choice(there: Header, found: Mapping[Column, str], used: Sequence[str]) -> list[str]:
    """
    Return sentences on columns found by a usual name, and on unused columns that may matter.

    ``used`` are the names of the columns in use, those of an identity included.
    """
    shown = there.shown()
    usual = [
        f"{_MEANINGS[column]} from {name}"
        for column, name in found.items()
        if name in shown and name not in there.given and fold_name(name) in _folded(USUAL_NAMES)
    ]
    sentences = [f"Columns taken by their names: {', '.join(usual)}."] if usual else []
    unused = [name for name in shown if name not in used and may_matter(name)]
    if unused:
        sentences.append(
            f"Columns that may matter and are not used: {', '.join(unused)}. If one is meant, name "
            "it, as with --user-column."
        )
    return sentences


def may_matter(name: str) -> bool:
    """Return whether a name suggests that a column says who, where, when or how often."""
    words = {word.casefold() for word in split_words(name)}
    if name == CELL_SIZE:
        return False
    return fold_name(name) in ALL_KNOWN_NAMES or bool(words & _TELLING)


def check_kept(kept: Sequence[str], parts: Mapping[Column, str], there: Header) -> None:
    """
    Raise an error unless columns can be passed through to a release beside ours.

    They must exist in the data and have no other role, and must not be mistaken for one of our
    columns when the release is read.
    """
    for name in kept:
        if name not in there.names:
            raise ColumnError(
                f"--keep-column must name columns of the data, got {name!r} instead. "
                + there.describe(near=[name]),
                option="keep-column",
                suggestions=there.suggest([name]),
            )
        if quote_name(name) in parts.values() or _is_taken_for_ours(name, parts):
            raise ColumnError(
                f"--keep-column must name columns that play no other part, but {name!r} does or "
                "would be taken for one that does. Leave it out, or rename it first.",
                option="keep-column",
            )
    check_once(kept, kept)


def _is_taken_for_ours(name: str, parts: Mapping[Column, str]) -> bool:
    own = ["count" if column == "weight" else column for column in parts]
    written = [column for column in own if column not in ("lat", "lon")]
    cells = [*written, "lat", "lon", CELL_SIZE]
    if fold_name(name) in map(fold_name, (*cells, SHARE)):
        return True
    return any(
        name in find_columns(Header(names=(*names, *other, name)), {}).values()
        for names in (written, cells)
        # A latitude or longitude is recognised only together with the other one.
        for other in ((), ("lat",), ("lon",))
    )


def check_once(names: Sequence[str], wanted: Sequence[str]) -> None:
    """
    Raise an error if the name of a column in use is ambiguous.

    Known names match regardless of case and separators: ``User ID`` is ``user_id``.
    """
    if any(name.casefold().startswith(_OURS) for name in names):
        raise ColumnError(f"A column must not be named {_OURS}, which Trailprint uses. Rename it.")
    exactly, folded = Counter(names), Counter(map(fold_name, names))
    chosen = set(map(fold_name, wanted))
    for name in names:
        is_known = fold_name(name) in (ALL_KNOWN_NAMES | {SHARE}) - chosen
        n_there = folded[fold_name(name)] if is_known else exactly[name] * (name in wanted)
        if n_there > 1:
            raise ColumnError(
                f"A column must be named once, but {name!r} is there {n_there} times. "
                "Rename all but one."
            )


def _is_histogram(found: Mapping[Column, str]) -> bool:
    """Return whether rows may hold shares: a user and a location, but no count and no time."""
    return {"user", "location"} <= set(found) and not {"weight", "start", "end"} & set(found)


def find_identity(
    there: Header, found: Mapping[Column, str], options: ReadOptions
) -> tuple[str, ...]:
    """Return the columns that together identify the user, if requested; otherwise none."""
    for name in options.identity:
        if name not in there.names:
            raise ColumnError(
                "An identity must be made of columns of the data (--released-columns or "
                f"--auxiliary-columns; identity in Python), got {name!r} instead. "
                + there.describe(near=[name]),
                option="released-columns",
            )
    if options.identity or not options.whole_row or "user" in found:
        return options.identity
    return tuple(name for name in there.names if name not in found.values())


def _exactly(name: str, there: Header, column: Column) -> str:
    if name in there.names:
        return name
    option = f"{'count' if column == 'weight' else column}-column"
    raise ColumnError(
        f"--{option} must name a column of the data, got {name!r} instead. "
        + there.describe(near=[name]),
        option=option,
        suggestions=there.suggest([name]),
    )


def require_columns(found: Mapping[Column, str], there: Header) -> None:
    """Raise an error unless there is a user column and a location or position."""
    names = set(map(fold_name, there.names))
    if "user" not in found and names >= _FLOWS:
        raise ColumnError(
            "The data must say who was where, but this counts flows from origins to destinations "
            "and has no people. Give the trips or visits that it was counted from."
        )
    if "user" not in found:
        raise ColumnError(
            "The data must have a column for the user. "
            + there.describe(near=KNOWN_NAMES["user"])
            + " Name it with --user-column.",
            option="user-column",
            suggestions=there.suggest(KNOWN_NAMES["user"]),
        )
    if "location" not in found and "lat" not in found and names & _GEOMETRIES:
        raise ColumnError(
            "The data must have a column for the location, or lat and lon, but it has a geometry "
            "as it is stored. Make lat and lon of its points first, or open it with geopandas, "
            "whose points are read."
        )
    if "location" not in found and "lat" not in found:
        near = [*KNOWN_NAMES["location"], "lat", "lon", "place"]
        raise ColumnError(
            "The data must have a column for the location, or lat and lon. "
            + there.describe(near=near)
            + " Name it with --location-column, or --lat-column and --lon-column; "
            "or say --layout per-location where it is the file's name."
            + (_TIMES_ALONE if "start" in found else ""),
            option="location-column",
            suggestions=there.suggest(near),
        )
