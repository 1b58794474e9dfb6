"""The risk that an audit measured for protections, to be included in a release."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trailprint.display.numbers import to_json
from trailprint.errors import OptionError, TrailprintError
from trailprint.events.engine import Engine
from trailprint.events.write import replacing
from trailprint.protections.protection import Protection
from trailprint.system.addresses import PathName, readable_path
from trailprint.workflows.chain_reading import describe_chain, read_chain

MEASURED = "measured"
"""Folder of protections measured after the audit with the same attacks, one file each."""

_RESULT, _MANIFEST = "result.json", "manifest.json"
#: Fields copied from the audit's result for a protection.
_TOLD = ("accuracy", "at_most", "interval", "chance", "attack", "left", "alone")


def read_risk(
    audit: PathName, chain: Sequence[Protection], engine: Engine, sha256: str | None = None
) -> dict[str, Any]:
    """
    Read the risk that remains after ``chain`` from an audit.

    If ``sha256`` of the data to be released is given, the audit must be of the same data.
    """
    folder = Path(readable_path(audit))
    try:
        content = (folder / _RESULT).read_bytes()
        plain = json.loads(content)
        points = [dict(point) for point in plain["protections"]["points"]]
        points += read_measured(folder)
        version = str(plain["versions"]["trailprint"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise OptionError(
            "--audit must name the folder of an audit, but there is no result of one in it.",
            option="audit",
        ) from None
    if sha256 is not None and sha256 not in _read_inputs(folder):
        raise OptionError(
            "--audit must be of the data to be released, but it is of other data.", option="audit"
        )
    wanted = _plain(describe_chain(chain))
    found = next((point for point in points if _steps(point, engine) == wanted), None)
    if found is None:
        raise OptionError(
            "--audit must have tried what is applied, but it did not. Measure it with "
            "'trailprint audit --measure' and the same options.",
            option="audit",
        )
    told = {name: found[name] for name in _TOLD if found.get(name) is not None}
    return {**told, "audit_sha256": hashlib.sha256(content).hexdigest(), "audit_version": version}


def hash_result(folder: Path) -> str:
    """Return the hash of an audit's result, or an empty string if there is none."""
    try:
        return hashlib.sha256((folder / _RESULT).read_bytes()).hexdigest()
    except OSError:
        return ""


def read_measured(folder: Path) -> list[dict[str, Any]]:
    """Read the measurements made after this audit, ignoring those of an earlier one."""
    own, points = hash_result(folder), []
    for path in sorted((folder / MEASURED).glob("*.json")):
        with contextlib.suppress(
            OSError, ValueError, TypeError, KeyError, RecursionError
        ):  # The file has vanished, or is not one of ours.
            told = json.loads(path.read_text(encoding="utf-8"))
            points += [dict(told["point"])] if told["result_sha256"] == own else []
    return points


def add_measured(folder: PathName, point: Mapping[str, Any]) -> Path:
    """Save a protection that was measured after the audit in its own file; return its path."""
    place = Path(folder) / MEASURED
    place.mkdir(exist_ok=True)
    name = hashlib.sha256(str(point["written"]).encode()).hexdigest()[:16]
    told = {"schema": "trailprint.measured/1", "result_sha256": hash_result(Path(folder))}
    with replacing([place / f"{name}.json"]) as (temporary,):
        text = to_json({**told, "point": point}) + "\n"
        Path(temporary).write_text(text, encoding="utf-8", newline="")
    return place / f"{name}.json"


def _read_inputs(folder: Path) -> list[str]:
    try:
        told = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return [str(one["sha256"]) for one in told["inputs"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _steps(point: dict[str, Any], engine: Engine) -> list[dict[str, Any]] | None:
    """Return the protections of a point of an audit in the form of `describe_chain`."""
    written = point.get("written") or _write(point)
    try:
        return _plain(describe_chain(read_chain(written, engine)))
    except TrailprintError:
        return None


def _write(point: dict[str, Any]) -> str:
    name, given = str(point.get("name", "")), point.get("parameters")
    # Protections given by the user keep the text they typed as their name.
    if ":" in name or not isinstance(given, dict) or not given:
        return name
    return f"{name}:{','.join(f'{key}={value}' for key, value in given.items())}"


def _plain(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Convert values to what JSON can hold."""
    return [dict(step) for step in json.loads(json.dumps(steps, default=str))]
