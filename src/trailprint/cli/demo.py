"""``trailprint demo``: a synthetic campus, audited."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from trailprint.cli.audit import audit_to_folder, finish
from trailprint.cli.groups import Panel, takes_options
from trailprint.cli.memory import require_address_space
from trailprint.cli.running import Running
from trailprint.errors import OptionError
from trailprint.events.reading.read import read
from trailprint.events.write import write_table
from trailprint.simulate.campus import CampusOptions, simulate_campus

EXAMPLE = "trailprint demo"

_N_DAYS = 21
_NEXT = "Your own file: trailprint audit FILE --out audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """
    What is simulated, and where the results are written.

    Attributes
    ----------
    out : str
        Output folder.
    users : int
        How many people.
    """

    out: str = "trailprint-demo"
    users: int = 250

    def __post_init__(self) -> None:
        if self.users < 2:
            raise OptionError(
                f"--users must be at least 2 people, got {self.users} instead.", option="users"
            )


@takes_options
def run(demo: Annotated[DemoOptions, Panel("Demo")], running: Running) -> None:
    """Simulate a small campus, audit it and write a report: nobody in it exists."""
    from trailprint.audit.options import AuditOptions
    from trailprint.audit.output_folder import open_folder
    from trailprint.audit.release_command import propose_release
    from trailprint.audit.run import Asked
    from trailprint.audit.sources import describe_source
    from trailprint.report.audit_files import Outputs

    options = CampusOptions(n_users=demo.users, n_days=_N_DAYS, seed=running.seed)
    engine = running.engine()
    require_address_space()
    campus = open_folder(demo.out) / "campus.parquet"
    write_table(simulate_campus(options), campus, engine)
    events = read(str(campus), engine=engine)
    asked = Asked(sides=[events], truth=None, options=AuditOptions(seed=running.seed))
    result = audit_to_folder(asked, demo.out, running)
    written = Outputs(
        findings=result.findings,
        sources=[describe_source(str(campus))],
        release=propose_release(result.findings, str(campus), ["--audit", demo.out]),
        asked={"data": str(campus), "out": demo.out, "seed": running.seed},
    )
    finish(written, str(Path(demo.out)), running, closing=_NEXT)
