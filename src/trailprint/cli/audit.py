"""``trailprint audit``: how many could be re-identified, why, and what would protect them?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trailprint.audit.gate import GateOptions
from trailprint.audit.options import AuditOptions, parse_duration, show_duration
from trailprint.cli import stopwatch
from trailprint.cli.audit_measuring import measure_to_folder
from trailprint.cli.compile_ahead import compile_first
from trailprint.cli.groups import Given, Panel, argument, takes_options
from trailprint.cli.inputs import Drawing, DrawOptions, ScoreOptions, Scoring, SideInputs
from trailprint.cli.memory import require_address_space
from trailprint.cli.option_fields import Written
from trailprint.cli.present import (
    open_console,
    print_command,
    print_json,
    print_line,
    print_table,
)
from trailprint.cli.progress import showing
from trailprint.cli.progress_file import find_progress_file
from trailprint.cli.released import spell_typed
from trailprint.cli.running import EnginePanel, Running, RunOptions
from trailprint.cli.settings import Typed, spell_flag
from trailprint.cli.unheard import going_on_unheard
from trailprint.engines.options import EngineOptions
from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.fingerprints import fingerprint
from trailprint.store import FolderStore

if TYPE_CHECKING:
    from trailprint.audit.planning.plan import Plan
    from trailprint.audit.prepared import PreparedEvents
    from trailprint.audit.result import AuditResult
    from trailprint.audit.results.findings import Findings
    from trailprint.audit.results.sources import Source
    from trailprint.audit.run import Asked
    from trailprint.report.audit_files import Outputs

EXAMPLE = "trailprint audit visits.parquet --out audit"

_AUDIT = "Audit"
_TOO_HIGH = 3
"""Exit code if the risk is above --fail-above."""
_CHANGED = (
    "The data, the options or the program have changed since the last audit in this folder: what "
    "depends on them is done again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOptions:
    """
    Where an audit is written, and what else is written or done.

    Attributes
    ----------
    out : str
        Output folder; required, here or in ``settings``.
    settings : str, optional
        Take options from this file, such as an earlier audit's settings.toml; what is typed
        overrides them.
    per_user : bool
        Also write each person's risk, readable by you only.
    keep_prepared : bool
        Keep the prepared events in the output folder, readable by you only; the next audit of the
        same data starts from them.
    dry_run : bool
        Only say what the audit would do and need: parts, people, memory, time.
    measure : tuple of str
        Judge only these protections, with the attacks of the finished audit in ``out``.
    """

    out: str
    settings: str | None = None
    per_user: bool = False
    keep_prepared: bool = False
    dry_run: bool = False
    measure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditing:
    """Options of an audit: output folder, risk limit and analysis."""

    folder: Annotated[
        FolderOptions,
        Panel(_AUDIT, written={"measure": Written(read=tuple, metavar="NAME", many=True)}),
    ]
    gate: Annotated[GateOptions, Panel(_AUDIT)]
    given: Annotated[
        Given[AuditOptions],
        Panel(
            _AUDIT,
            without=("split", "seed"),
            written={
                "protections": Written(read=tuple, show=", ".join, metavar="NAME", many=True),
                "time_limit_s": Written(read=parse_duration, show=show_duration, metavar="TIME"),
            },
        ),
    ]

    def options(self, sides: SideInputs, drawing: DrawOptions, seed: int) -> AuditOptions:
        """Return the library's options."""
        if sides.splitting and not sides.names_a_cut:
            raise OptionError(
                "Choices of users on both sides go with a split: say where to cut, as --at median, "
                "or use --users.",
                option="at",
            )
        own = drawing.choose_seed(seed, is_cut=sides.names_a_cut)
        split = sides.cut(own) if sides.names_a_cut else None
        return self.given.options(split=split, seed=seed)


@takes_options
def run(
    data: Annotated[
        str, argument("DATA", "What would be published; required, here or in --settings.")
    ],
    auditing: Auditing,
    running: Running,
    where: EnginePanel,
    scoring: Scoring,
    giving: SideInputs,
    drawing: Drawing,
    typed: Typed,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "What an adversary might know; without it, DATA is split."),
    ] = None,
) -> None:
    """Audit a dataset: every attack, controls, growth, protections and one report."""
    from trailprint.audit.output_folder import check_folder
    from trailprint.audit.sections.protections import check_protections
    from trailprint.report.audit_files import Outputs

    folder = auditing.folder
    options = auditing.options(giving, drawing, running.seed)
    reserved_s = stopwatch.reserve(options.time_limit_s)
    scoring.check(data, auxiliary)
    engine = running.engine()
    check_protections((*options.protections, *folder.measure), engine)
    sources = [source for source in (data, auxiliary) if source is not None]
    require_address_space()
    check_folder(folder.out, sources=sources)
    described = _describe_sources(sources, engine)
    if folder.dry_run:
        asked = _ask(sources, giving, scoring, options, engine)
        _print_plan(asked, folder.out, running, where)
        return
    hashes = [source.sha256 for source in described]
    with _prepare(folder, engine, hashes, giving, scoring, options) as prepared:
        to_read = [] if prepared.found else sources
        asked = _ask(to_read, giving, scoring, options, engine)
        if folder.measure:
            measure_to_folder(asked, folder.measure, folder.out, running, prepared)
            return
        result = audit_to_folder(
            asked, folder.out, running, where=where, reserved_s=reserved_s, prepared=prepared
        )
    written = Outputs(
        findings=result.findings,
        sources=described,
        settings={"reading": giving.reading.typed(), "shaping": giving.shaping.typed()},
        command=typed.command("audit"),
        release=_propose_release(result.findings, data, giving, options, folder.out),
        asked=typed.kept(),
        per_user=result.per_user() if folder.per_user or scoring.links is not None else None,
    )
    finish(written, folder.out, running)
    _write_links(scoring, result, engine, is_shown=not running.json)
    _stop_above(auditing.gate, result)


def _describe_sources(sources: list[str], engine: Engine) -> list[Source]:
    from trailprint.audit.sources import describe_source

    with showing(engine):
        return [describe_source(source) for source in sources]


def _ask(
    sources: list[str],
    giving: SideInputs,
    scoring: ScoreOptions,
    options: AuditOptions,
    engine: Engine,
) -> Asked:
    """Open the sides, if any, and read the truth; return them with the options."""
    from trailprint.audit.run import Asked

    with showing(engine):
        sides = giving.open_all(sources, engine) if sources else []
    return Asked(sides=sides, truth=scoring.read_truth(engine), options=options)


def _stop_above(gate: GateOptions, result: AuditResult) -> None:
    """Exit with code 3 if the risk is above the limit."""
    excess = gate.find_excess(result.findings.headline, result.count_linked())
    if excess is not None:
        print_line(open_console(stderr=True), excess, "bold")
        raise typer.Exit(_TOO_HIGH)
    for doubt in gate.list_doubts(result.findings):
        print_line(open_console(stderr=True), doubt, "bold")


def _propose_release(
    found: Findings, data: str, giving: SideInputs, options: AuditOptions, out: str
) -> str | None:
    """The command that writes the proposed release, reading the data as the audit did."""
    from trailprint.audit.release_command import propose_release

    words = spell_typed(giving)
    if options.weight != AuditOptions().weight:
        words += spell_flag("weight", options.weight)
    return propose_release(found, data, [*words, "--audit", out])


def _prepare(
    folder: FolderOptions,
    engine: Engine,
    hashes: list[str],
    giving: SideInputs,
    scoring: ScoreOptions,
    options: AuditOptions,
) -> PreparedEvents:
    """The store of prepared events, keyed by everything they depend on."""
    from trailprint.audit.outcomes import WORK
    from trailprint.audit.prepared import PreparedEvents, depend_on

    beside = (scoring.truth, giving.shaping.regions)
    hashes += [fingerprint(path).sha256 if path else "" for path in beside]
    settings = {**giving.reading.typed(), **giving.shaping.typed(), **giving.splitting.typed}
    return PreparedEvents(
        Path(folder.out) / WORK,
        engine,
        depend_on(hashes, settings, options),
        keep=folder.keep_prepared,
    )


def _write_links(
    scoring: ScoreOptions, result: AuditResult, engine: Engine, *, is_shown: bool
) -> None:
    """Write the links if requested, and say where they are."""
    if scoring.links is None:
        return
    scoring.write_links(result.links(), engine)
    if is_shown:
        console = open_console(stderr=True)
        print_line(console, f"Links written to {scoring.links}, readable by you only.", "dim")


def audit_to_folder(
    asked: Asked,
    folder: str,
    running: RunOptions,
    *,
    where: EngineOptions | None = None,
    reserved_s: float = 0.0,
    prepared: PreparedEvents | None = None,
) -> AuditResult:
    """
    Run an audit that stores its finished parts in a folder, and announce its plan.

    All time since the program was started counts towards the time limit, except compiling the
    kernels; ``reserved_s`` seconds of the limit are kept for the work after the audit.
    """
    from trailprint.audit.outcomes import WORK
    from trailprint.audit.run import run_audit
    from trailprint.report.audit_files import RESULT
    from trailprint.workflows.engines import run_on

    began = stopwatch.started() + compile_first()
    is_again = (Path(folder) / RESULT).exists()
    store = _LateStore(Path(folder) / WORK)
    with run_on(where), showing(what="Counting events") as progress:
        return run_audit(
            asked,
            began=began,
            reserved_s=reserved_s,
            store=store,
            prepared=prepared,
            n_threads=running.threads,
            progress=progress,
            on_plan=lambda plan: _report_plan(plan, where, is_again=is_again, as_json=running.json),
        )


def _report_plan(plan: Plan, where: EngineOptions | None, *, is_again: bool, as_json: bool) -> None:
    """Report the plan to the progress file and the user; load chart drawing for the report."""
    from trailprint.report.charts.svg import load_drawing

    load_drawing()
    file = find_progress_file()
    if file is not None:
        file.report_plan(plan.to_dict())
    if not as_json:
        _announce(plan, where, is_again=is_again)


def _print_plan(
    asked: Asked, folder: str, running: RunOptions, where: EngineOptions | None
) -> None:
    """Print what an audit would do, counting stored parts as done; creates no folder."""
    from trailprint.audit.outcomes import WORK
    from trailprint.audit.run import plan_audit

    work = Path(folder) / WORK
    with showing(what="Counting events") as progress:
        store = _LateStore(work) if work.is_dir() else None
        plan = plan_audit(asked, store=store, progress=progress)
    if running.json:
        print_json(plan.to_dict())
    else:
        _announce(plan, where, is_again=False)


class _LateStore:
    """Folder of finished parts, created on first use, so that unusable input creates none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _kept(self) -> FolderStore:
        from trailprint.audit.outcomes import WORK_MANIFEST

        return FolderStore(self._folder, WORK_MANIFEST)

    def get(self, name: str) -> bytes | None:
        """The content stored under this name; None if there is none."""
        return self._kept.get(name)

    def put(self, name: str, content: bytes) -> None:
        """Store content under a name, atomically."""
        self._kept.put(name, content)


def _announce(plan: Plan, where: EngineOptions | None, *, is_again: bool) -> None:
    """Print the plan and its expected time on standard error."""
    from trailprint.audit.wording import duration

    console = open_console(stderr=True)
    expected = plan.expected()
    to_do = [part for part in expected if part.name not in plan.kept]
    n_kept = len(expected) - len(to_do)
    if plan.spent_s >= 1:
        print_line(console, f"Data prepared in {duration(plan.spent_s)}.", "dim")
    if is_again and to_do:
        print_line(console, _CHANGED, "dim")
    if to_do:
        print_line(console, _describe_needs(plan, where), "dim")
        print_line(console, f"{_parts(len(to_do))} to do, about {duration(plan.seconds)}:", "bold")
        for part in to_do:
            print_line(console, f"  {part.title} ({duration(part.seconds)})", "dim")
        if n_kept:
            print_line(console, f"{_are(n_kept)} kept from an earlier run.", "dim")
    else:
        print_line(console, f"Nothing to do: {_are(n_kept)} kept.", "bold")
    n_skipped = len(plan.parts) - len(expected)
    if n_skipped:
        do = "does" if n_skipped == 1 else "do"
        too_long = (
            f"{_parts(n_skipped)} {do} not fit the time limit of "
            f"{duration(plan.time_limit_s or 0.0)}. Try --time-limit none{_advise(plan.n_people)}."
        )
        print_line(console, too_long, "dim")


def _describe_needs(plan: Plan, where: EngineOptions | None) -> str:
    """Describe people, pairs and memory in one line."""
    from trailprint.workflows.plans import show_megabytes

    most = max((part.needed_bytes for part in plan.parts), default=0.0)
    on_spark = where is not None and where.engine == "spark"
    executor = f" here and {show_megabytes(plan.worker_bytes / 1e6)} on each executor"
    elsewhere = executor if on_spark else ""
    return (
        f"{plan.n_people:,} people; {plan.n_pairs:,} shared locations between pairs of people; up "
        f"to {show_megabytes(most / 1e6)} of memory for arrays{elsewhere}."
    )


def _advise(n_people: int) -> str:
    """Suggest ``--users`` with half the people, rounded down; empty if there are too few."""
    fewer = min(n_people // 2, 5000)
    if fewer < 50:
        return ""
    rounded = fewer - fewer % 10 ** (len(str(fewer)) - 1)
    return f", or --users {rounded} for people drawn at random"


def _parts(number: int) -> str:
    return "1 part" if number == 1 else f"{number} parts"


def _are(number: int) -> str:
    return f"{_parts(number)} {'is' if number == 1 else 'are'}"


# The exit code must say whether the risk is too high even if nothing reads the output.
@going_on_unheard()
def finish(
    written: Outputs, folder: str, running: RunOptions, *, closing: str | None = None
) -> None:
    """Write the folder, then print the result as a summary with a closing line, or as JSON."""
    from trailprint.audit.summary import list_notes, summarise
    from trailprint.report.audit_files import REPORT, write_outputs

    with showing(what="Writing the report"):
        paths = write_outputs(folder, written)
    if running.json:
        print_json(written.findings.to_dict())
        return
    notes = [*list_notes(written.findings), f"The report: {Path(folder) / REPORT}"]
    if written.per_user is not None:
        notes.append(f"Each person's risk: {paths[-1]}, readable by you only.")
    if closing is not None:
        notes.append(closing)
    print_table(written.findings.headline.sentence, summarise(written.findings), notes)
    if written.release is not None:
        print_command("To write this release:", written.release)
