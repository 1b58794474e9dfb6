"""An audit from two sides to one result: plan, do or find each part, put together."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import pyarrow as pa

from trailprint.audit.assemble import Done, assemble
from trailprint.audit.bench import Bench
from trailprint.audit.options import AuditOptions
from trailprint.audit.parts import Outcome, Part, fetch, keep, key_of
from trailprint.audit.plan import LeftOut, Plan, make_plan
from trailprint.audit.result import AuditResult
from trailprint.audit.sides import make_sides
from trailprint.events.events import Events
from trailprint.store import MemoryStore, Store

Progress = Callable[[str, float | None], None]

#: Raised whenever a part computes something else than before: kept parts are then done anew.
_REVISION = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """What is to be audited: one dataset or two, the truth where one was given, the options."""

    sides: Sequence[Events]
    truth: pa.Table | None
    options: AuditOptions


def run_audit(
    asked: Asked,
    *,
    store: Store | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    on_plan: Callable[[Plan], None] | None = None,
) -> AuditResult:
    """Do everything; see `trailprint.audit`."""
    began = time.perf_counter()
    tell = progress or (lambda what, share: None)
    tell("Counting events", None)
    bench = Bench(make_sides(asked.sides, asked.truth, asked.options), asked.options, n_threads)
    work = _Work(bench, store or MemoryStore(), tell)
    plan = work.plan
    if on_plan is not None:
        on_plan(plan)
    outcomes, left_out = work.run()
    tell("Putting the result together", None)
    done = Done(
        outcomes=outcomes,
        left_out=left_out,
        tallies=[side.tally for side in asked.sides],
        seconds=time.perf_counter() - began,
    )
    return AuditResult(assemble(bench, done), bench, outcomes)


class _Work:
    """The parts of one audit, and where finished ones are kept."""

    def __init__(self, bench: Bench, store: Store, tell: Progress) -> None:
        self._store = store
        self._tell = tell
        self._fingerprint = {
            **bench.fingerprint(),
            "seed": bench.options.seed,
            "weight": bench.options.weight,
            "revision": _REVISION,
            "versions": {name: version(name) for name in ("trailprint", "duckdb", "numpy")},
        }
        plan = make_plan(bench)
        self._found = {part.name: fetch(store, self._key(part)) for part in plan.parts}
        kept = frozenset(name for name, outcome in self._found.items() if outcome is not None)
        self.plan = replace(plan, kept=kept)

    def _key(self, part: Part) -> str:
        return key_of(part, self._fingerprint)

    def run(self) -> tuple[dict[str, Outcome], list[LeftOut]]:
        """Do what is not kept, as far as the time goes; what kept parts took counts as spent."""
        outcomes: dict[str, Outcome] = {}
        left_out = list(self.plan.left_out)
        spent, over = 0.0, 0.0
        total = max(self.plan.seconds, 1e-9)
        for part in self.plan.parts:
            missing = [name for name in part.needs if name not in outcomes]
            if missing or not self.plan.fits(part, spent):
                left_out.append(self.plan.too_long(part))
                continue
            outcome = self._found[part.name]
            if outcome is None:
                outcome = self._do(part, outcomes, (over / total, part.seconds / total))
                over += part.seconds
            spent += outcome.seconds
            outcomes[part.name] = outcome
        return outcomes, left_out

    def _do(self, part: Part, before: dict[str, Outcome], stretch: tuple[float, float]) -> Outcome:
        """Do one part and keep it; ``stretch`` is where it begins on the whole, and its length."""
        began = time.perf_counter()
        first, length = stretch
        furthest = 0.0

        def follow(share: float | None) -> None:
            # Parts count more than one thing in turn; the whole never goes back.
            nonlocal furthest
            furthest = max(furthest, share or 0.0)
            self._tell(part.title, min(first + length * furthest, 1.0))

        follow(0.0)
        outcome = part.compute(before, follow)
        # As it will be read again: a resumed audit must not differ in a tuple.
        plain = json.loads(json.dumps(outcome.data, allow_nan=False))
        outcome = replace(outcome, data=plain, seconds=time.perf_counter() - began)
        keep(self._store, self._key(part), outcome)
        return outcome
