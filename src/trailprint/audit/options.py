"""Options of an audit."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import Any

from trailprint.arguments import Texts, Understood, check_argument, check_fields, understood
from trailprint.audit.attacks.registry import attack_names, family_names
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError, to_flag
from trailprint.events.knowledge import Knowledge
from trailprint.events.split import METHODS, SplitOptions
from trailprint.features.options import Weight

TIME_LIMIT_S = 600.0
"""Default time limit of an audit, in seconds."""

_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0}
_SPLIT_SEED = "split-seed"
#: Settings of the command line only: input and output paths, columns, and how the program runs.
_OF_THE_COMMAND = frozenset(
    {"data", "auxiliary", "out", "per-user", "keep-prepared", "truth", "links", "threads", "memory"}
    | {"engine", "spark-master", "spark-conf", "worker-memory"}
    | {f"{name}-column" for name in ("user", "location", "start", "end", "lat", "lon", "count")}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """
    What an audit does and how long it may take.

    Attributes
    ----------
    title : str
        The report's title, such as the name of the dataset.
    attacks : tuple of str
        Which attacks are run; points looks at the release alone and links nobody.
    protections : tuple of str
        Try NAME[:key=value,…], or 'A then B'; may be given several times (default: what fits).
        Without any, a small set that fits the data is tried.
    target_risk : float, optional
        Find the least loss for this risk, such as 0.05. The protection that costs least and
        leaves at most this share linked.
    weight : {"visits", "duration", "day-balanced"}
        What histograms count.
    knows : str or Knowledge
        What an adversary knows of each person: everything, home-work, top:K, points:K or days:N.
        Random draws use the audit's seed.
    split : SplitOptions, optional
        How one dataset is cut in two; by default what suits the data.
    users : int, optional
        Audit this number of people, drawn at random.
    time_limit_s : float or str, optional
        Time limit, such as 1h or none; the most informative parts come first. What does not fit is
        left out and listed. A number is in seconds; None, like ``none``, is no limit.
    sequence_users : int
        At most this number of people, drawn at random, get a model in the sequence attack.
    likely_trails : bool
        Trails may have visits missing or wrong on either side: in the trail attack also link the
        most likely counterparts, all pairs compared. REIDIT, which the attack uses otherwise, needs
        one side's trails to lie within the other's.
    name_locations : bool
        Name revealing locations in the result. With positions, also draw two maps: where people
        are, and where correct links come from.
    seed : int
        Of every random choice.

    Examples
    --------
    >>> import trailprint as tp
    >>> options = tp.AuditOptions(attacks=("histogram", "trail"), target_risk=0.05, time_limit_s=60)
    >>> options.attacks
    ('histogram', 'trail')
    >>> tp.AuditOptions(target_risk=5)
    Traceback (most recent call last):
    trailprint.errors.OptionError: ...
    """

    title: str = ""
    attacks: Texts = understood(make=family_names)
    protections: Texts = understood()
    target_risk: float | None = None
    weight: Weight = "visits"
    knows: Understood[str, Knowledge] = understood("everything")
    split: SplitOptions | None = None
    users: int | None = None
    time_limit_s: Understood[float | None, str] = understood(TIME_LIMIT_S)
    sequence_users: int = 2000
    likely_trails: bool = False
    name_locations: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.protections, str):  # One protection, not a list of letters.
            object.__setattr__(self, "protections", (self.protections,))
        if isinstance(self.knows, Knowledge):
            object.__setattr__(self, "knows", str(self.knows))
        if isinstance(self.time_limit_s, str):
            object.__setattr__(self, "time_limit_s", parse_duration(self.time_limit_s))
        if self.time_limit_s == math.inf:  # It has no spelling in settings files and JSON.
            object.__setattr__(self, "time_limit_s", None)
        check_fields(self)
        Knowledge.parse(self.knows)
        _check_attacks(self.attacks)
        _check_protections(self.protections)
        if self.target_risk is not None and not 0 <= self.target_risk <= 1:
            raise OptionError(
                f"--target-risk must be a share from 0 to 1, got "
                f"{format_exact(self.target_risk)}. Try 0.05.",
                option="target-risk",
            )
        if self.users is not None and self.users < 2:
            raise OptionError(
                f"--users must be at least 2 people, got {self.users} instead.", option="users"
            )
        if self.sequence_users < 2:
            raise OptionError(
                f"--sequence-users must be at least 2 people, got {self.sequence_users} instead.",
                option="sequence-users",
            )
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise OptionError(
                f"--time-limit must be positive, got {format_exact(self.time_limit_s)} seconds.",
                option="time-limit",
            )

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, ready for JSON."""
        plain = asdict(self)
        plain["attacks"], plain["protections"] = list(self.attacks), list(self.protections)
        if self.split is not None:
            plain["split"] = {name: value for name, value in asdict(self.split).items() if value}
        return plain

    @classmethod
    def from_settings(cls, path: str | os.PathLike[str]) -> AuditOptions:
        """
        Return the options of an earlier audit, from the ``settings.toml`` in its folder.

        Options in the file for reading, placing and filtering data belong to the functions that
        do so, and are ignored here.
        """
        from trailprint.audit.settings import check_names, read_settings

        check_argument("path", path, str | os.PathLike[str])
        values = read_settings(path)
        check_names(values, list_settings())
        own = _pick(cls, values)
        if "time_limit_s" in own:
            own["time_limit_s"] = parse_duration(str(own["time_limit_s"]))
        cut = _pick(SplitOptions, values)
        if _SPLIT_SEED in values:
            cut["seed"] = values[_SPLIT_SEED]
        if any(name in cut for name in METHODS):
            own["split"] = SplitOptions(**cut)
        return cls(**own)


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


def list_settings() -> frozenset[str]:
    """Return all names that a settings file may have."""
    from trailprint.audit.gate import GateOptions
    from trailprint.events.filters import FilterOptions
    from trailprint.events.options import ReadOptions
    from trailprint.events.places.placing import PlaceOptions

    kinds = (AuditOptions, SplitOptions, GateOptions, ReadOptions, PlaceOptions, FilterOptions)
    return _OF_THE_COMMAND.union({_SPLIT_SEED}, *(_flags(kind).values() for kind in kinds))


def _flags(kind: Any) -> dict[str, str]:
    return {field.name: to_flag(field.name).removeprefix("--") for field in fields(kind)}


def _pick(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[flag] for name, flag in _flags(kind).items() if flag in values}


def _check_protections(protections: Sequence[str]) -> None:
    if not protections:
        return
    # Loaded late: protections need NumPy, and options are made before that is loaded.
    from trailprint.protections.registry import check_chain

    for text in protections:
        check_chain(text)


def _check_attacks(attacks: Sequence[str]) -> None:
    unknown = [name for name in attacks if name not in family_names()]
    if unknown or not attacks or len(set(attacks)) < len(attacks):
        got = ",".join(attacks) or "none"
        raise OptionError(
            f"--attacks must name some of {', '.join(family_names())}, each once, "
            f"got {got!r} instead.",
            option="attacks",
        )
    if not set(attacks) & set(attack_names()):
        raise OptionError(
            f"--attacks must name at least one that links people "
            f"({', '.join(attack_names())}), got {','.join(attacks)!r} instead. For "
            "known points alone use trailprint points.",
            option="attacks",
        )


def parse_duration(text: str) -> float | None:
    """Parse ``90s``, ``10m``, ``1.5h`` or plain seconds; return seconds, or None for ``none``."""
    if text.strip() == "none":
        return None
    found = re.match(r"^\s*(\d+(?:\.\d+)?)\s*(s|sec|m|min|h|hours?)?\s*$", text)
    if not found:
        raise OptionError(
            f"--time-limit must be a duration or none, got {text!r} instead. Try 10m.",
            option="time-limit",
        )
    return float(found[1]) * _UNITS_S[(found[2] or "s")[0]]


def show_duration(seconds: float) -> str:
    """Format seconds for `parse_duration`, in the largest unit that gives a whole number."""
    unit = next(unit for unit in ("h", "m", "s") if seconds % _UNITS_S[unit] == 0 or unit == "s")
    # Every digit, and no exponent: the text is read again.
    return f"{Decimal(repr(seconds / _UNITS_S[unit])):f}{unit}".replace(f".0{unit}", unit)
