"""``trailprint demo``: a synthetic campus, audited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trailprint.cli.audit import audit_to_folder, finish
from trailprint.cli.flags import RunFlags
from trailprint.cli.groups import takes
from trailprint.cli.memory import require_address_space
from trailprint.events.read import read
from trailprint.events.write import write_table
from trailprint.simulate.campus import CampusOptions, simulate_campus

EXAMPLE = "trailprint demo"

_N_USERS = 250
_N_DAYS = 21
_NEXT = "Your own file: trailprint audit FILE --out audit"


@takes(RunFlags)
def run(
    running: RunFlags,
    out: Annotated[str, typer.Option("--out", help="The folder to write to.")] = "trailprint-demo",
    users: Annotated[int, typer.Option("--users", help="How many people.")] = _N_USERS,
) -> None:
    """Simulate a small campus, audit it and write a report: nobody in it exists."""
    from trailprint.audit.options import AuditOptions
    from trailprint.report.outputs import Written, describe_source, open_folder

    options = CampusOptions(n_users=users, n_days=_N_DAYS, seed=running.seed)
    engine = running.engine()
    require_address_space()
    campus = open_folder(out) / "campus.parquet"
    write_table(simulate_campus(options), campus, engine)
    events = read(str(campus), engine=engine)
    result = audit_to_folder([events], AuditOptions(seed=running.seed), out, running)
    written = Written(findings=result.findings, sources=[describe_source(str(campus))])
    finish(written, str(Path(out)), running, closing=_NEXT)
