"""One part of a plan: how it is run, on all people or on fewer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part, PartProgress
from trailprint.audit.planning.sampling import MARKED_KINDS, compute_on_fewer

#: The time of most parts grows with the number of people to about this power.
_GROWS = 1.5

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]


def make_part(
    context: AuditContext,
    name: str,
    title: str,
    seconds: float,
    compute: Compute,
    *,
    depends_on: Mapping[str, Any] | None = None,
    needs: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
    is_asked: bool = False,
    needed_bytes: float = 0.0,
) -> Part:
    depends_on = depends_on or {}

    def on_fewer(n_people: int) -> Part:
        fewer = partial(compute_on_fewer, context, name, compute, n_people)
        share = min(n_people / max(context.sizes.n_people, 1), 1.0)
        return replace(
            part,
            title=f"{title} ({n_people:,} people)",
            seconds=part.seconds * share**_GROWS,
            compute=fewer,
            depends_on={**depends_on, "people": n_people},
            seconds_after=None,
            on_fewer=None,
        )

    part = Part(
        name=name,
        title=title,
        seconds=seconds,
        compute=partial(compute, context),
        depends_on=depends_on,
        needs=needs,
        uses=uses,
        is_asked=is_asked,
        needed_bytes=needed_bytes,
        on_fewer=on_fewer if name.partition("/")[0] in MARKED_KINDS else None,
    )
    return part
