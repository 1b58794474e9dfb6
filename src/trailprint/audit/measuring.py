"""Further protections, judged by the attacks of a finished audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trailprint.audit.context import AuditContext
from trailprint.audit.disclosure import mask_protection
from trailprint.audit.part_shapes import fits_shape
from trailprint.audit.parts import Outcome, Part, fetch, keep, key_of
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.sampling import SAMPLES
from trailprint.audit.prepared import PreparedEvents, prepare_sides
from trailprint.audit.results.kept import KeptProtections, protections_of
from trailprint.audit.results.protections import (
    MeasuredProtection,
    ProtectionLeftOut,
    ProtectionPoint,
)
from trailprint.audit.run import Asked, fingerprint_work
from trailprint.audit.sections.protection_trials import counts_sharing, label_chain, start_trials
from trailprint.audit.sides import make_sides
from trailprint.errors import InputError, OptionError
from trailprint.plain import ShapeError, to_plain
from trailprint.progress import Progress, ignore_progress
from trailprint.protections.protection import Protection
from trailprint.store import Store
from trailprint.workflows.chain_reading import read_chain

Chain = tuple[Protection, ...]
OnPoint = Callable[[ProtectionPoint], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreProtections:
    """Publishable results of protections measured after an audit, and those refused."""

    people: int
    points: tuple[ProtectionPoint, ...]
    left_out: tuple[ProtectionLeftOut, ...] = ()


def measure_more(
    asked: Asked,
    protections: Sequence[str],
    *,
    store: Store,
    prepared: PreparedEvents | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    on_point: OnPoint | None = None,
) -> MoreProtections:
    """
    Judge protections by every attack that a finished audit of the same data ran, as it ran them.

    The audit is not repeated: ``store`` must hold its attacks. Earlier measurements are reused
    from there, too. ``on_point`` is called with each point when it is ready.
    """
    report = progress or ignore_progress
    report("Counting events", None)
    sides = prepare_sides(prepared, lambda: make_sides(asked.sides, asked.truth, asked.options))
    work = _Measuring(AuditContext(sides, asked.options, n_threads), store)
    points: list[ProtectionPoint] = []
    left_out: list[ProtectionLeftOut] = []
    for number, text in enumerate(dict.fromkeys(protections)):
        report("Judging protections", number / len(protections))
        found = work.measure(text)
        if isinstance(found, ProtectionLeftOut):
            left_out.append(found)
            continue
        points.append(mask_protection(found, sides.n_people))
        if on_point is not None:
            on_point(points[-1])
    return MoreProtections(people=sides.n_people, points=tuple(points), left_out=tuple(left_out))


class _Measuring:
    """Trials with the stored attacks; each trial is stored, too."""

    def __init__(self, context: AuditContext, store: Store) -> None:
        self._context, self._store = context, store
        self._fingerprint = fingerprint_work(context)
        self._attacked = _find_attacked(context, store, self._fingerprint)
        self._trials = start_trials(context, self._attacked)

    def measure(self, text: str) -> MeasuredProtection | ProtectionLeftOut:
        """Return the stored result of a chain given as text, or judge and store it."""
        chain = read_chain(text, self._context.events[0].engine)
        key = key_of(self._part(chain), self._fingerprint, self._attacked)
        known = _read(fetch(self._store, key))
        if known is not None:
            return known
        try:
            point = self._trials.measure(chain, text, is_full=True)
        except (InputError, OptionError) as error:
            label = label_chain(chain, text)
            return ProtectionLeftOut(label=label, why=error.for_command_line())
        point = replace(point, asked=True)
        keep(self._store, key, Outcome(data=to_plain(KeptProtections(points=(point,)))))
        return point

    def _part(self, chain: Chain) -> Part:
        """Return a part with what a trial depends on: the chain and the attacks that judge."""
        steps = [[step.name, step.parameters()] for step in chain]
        return Part(
            name="measure",
            title="",
            seconds=0.0,
            compute=_never,
            depends_on={
                "chain": steps,
                "target_risk": self._context.options.target_risk,
                "sharing": counts_sharing(self._context),
            },
            uses=tuple(self._attacked),
        )


def _never(before: Mapping[str, Outcome], progress: object) -> Outcome:
    raise AssertionError("Only the key of this part is used.")


def _read(outcome: Outcome | None) -> MeasuredProtection | None:
    """Return the one stored point; None if there is not exactly one."""
    try:
        points = () if outcome is None else protections_of(outcome).points
    except ShapeError:
        return None
    return points[0] if len(points) == 1 else None


def _find_attacked(
    context: AuditContext, store: Store, fingerprint: Mapping[str, Any]
) -> dict[str, Outcome]:
    """Return the attacks that the audit finished, on all people or on a sample."""
    found: dict[str, Outcome] = {}
    for part in make_plan(context).parts:
        fewer = [] if part.on_fewer is None else [part.on_fewer(n) for n in SAMPLES]
        for one in (part, *fewer) if part.name.startswith("attack/") else ():
            kept = fetch(store, key_of(one, fingerprint, found))
            if kept is not None and fits_shape(part.name, kept, context.sizes):
                found[part.name] = kept
                break
    if not found:
        raise OptionError(
            "--measure must be given the folder and the options of a finished audit, but none of "
            "its attacks is kept there. Audit first, and leave the folder work where it is.",
            option="measure",
        )
    return found
