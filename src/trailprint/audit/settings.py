"""
The options of an audit as a TOML file: written beside its report, read to run it again.

The file is flat. Its keys are the flags of ``trailprint audit`` without leading dashes, and its
values are those typed on the command line.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from trailprint.audit.gate import GateOptions
from trailprint.audit.options import AuditOptions, parse_duration, show_duration
from trailprint.errors import OptionError, reason_of, to_flag
from trailprint.events.filters import FilterOptions
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.split import METHODS, SplitOptions

SETTINGS = "settings.toml"

_ABOUT = "# What this audit was asked for. To run it again: trailprint audit --settings {name}\n"
_POSITION = re.compile(r"at line \d+, column \d+")
_SPLIT_SEED = "split-seed"
#: Options of the command line only: input and output paths, columns, and how the program runs.
_OF_THE_COMMAND = frozenset(
    {"data", "auxiliary", "out", "per-user", "keep-prepared", "truth", "links", "threads", "memory"}
    | {"engine", "spark-master", "spark-conf", "worker-memory"}
    | {f"{name}-column" for name in ("user", "location", "start", "end", "lat", "lon", "count")}
)


def write_settings(values: Mapping[str, Any]) -> str:
    """Return values by flag as the text of a TOML file, without None, False and empty ones."""
    lines = [f"{name} = {_to_toml(value)}\n" for name, value in values.items() if _is_said(value)]
    return "".join([_ABOUT.format(name=SETTINGS), *lines])


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read values by flag from a file; an underscore in a key stands for a dash."""
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise OptionError(
            f"--settings must name a file that can be read, got {str(path)!r}: {reason_of(error)}.",
            option="settings",
        ) from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # The error message may quote the file.
        place = _POSITION.search(str(error))
        raise OptionError(
            f"--settings must name a TOML file, such as the {SETTINGS} of an audit, but this one "
            f"cannot be read{f' {place[0]}' if place else ''}.",
            option="settings",
        ) from None
    return {name.replace("_", "-"): value for name, value in found.items()}


def check_names(given: Collection[str], known: Collection[str]) -> None:
    """Raise if a key is not an option."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            advice = f"Did you mean {near[0]!r}?" if near else "Remove it."
            raise OptionError(
                f"--settings must hold only options of the audit, got {name!r}. {advice}",
                option="settings",
            )


def to_settings(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a result (see `AuditOptions.to_dict`) by flag, without defaults."""
    usual = AuditOptions().to_dict()
    own = {name: plain[name] for name in usual if name in plain and plain[name] != usual[name]}
    if "time_limit_s" in own:
        limit = own["time_limit_s"]
        own["time_limit_s"] = "none" if limit is None else show_duration(limit)
    if "attacks" in own:
        own["attacks"] = ",".join(own["attacks"])
    split = own.pop("split", None)
    cut = dict(split) if isinstance(split, Mapping) else {}
    seed = cut.pop("seed", 0)
    found = {to_flag(name).removeprefix("--"): value for name, value in {**own, **cut}.items()}
    # The command draws both sides with the audit's seed, unless another one is given.
    return {**found, _SPLIT_SEED: seed} if cut and seed != plain.get("seed", 0) else found


def to_options(values: Mapping[str, Any]) -> AuditOptions:
    """
    Return the audit's options among values by flag.

    Options for reading, placing and filtering data belong to `trailprint.read` and similar
    functions, and are ignored here.
    """
    check_names(values, _known())
    own = _pick(AuditOptions, values)
    if "time_limit_s" in own:
        own["time_limit_s"] = parse_duration(str(own["time_limit_s"]))
    cut = _pick(SplitOptions, values)
    if _SPLIT_SEED in values:
        cut["seed"] = values[_SPLIT_SEED]
    if any(name in cut for name in METHODS):
        own["split"] = SplitOptions(**cut)
    return AuditOptions(**own)


def _known() -> frozenset[str]:
    kinds = (AuditOptions, SplitOptions, GateOptions, ReadOptions, PlaceOptions, FilterOptions)
    return _OF_THE_COMMAND.union({_SPLIT_SEED}, *(_flags(kind).values() for kind in kinds))


def _flags(kind: Any) -> dict[str, str]:
    return {field.name: to_flag(field.name).removeprefix("--") for field in fields(kind)}


def _pick(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[flag] for name, flag in _flags(kind).items() if flag in values}


def _is_said(value: object) -> bool:
    return value is not None and value is not False and value not in ("", [], ())


def _to_toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_to_toml, value))}]"
    if isinstance(value, str):
        # JSON strings are TOML strings, except for one character that TOML requires to be escaped.
        readable = value.encode(errors="replace").decode()
        return json.dumps(readable, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
