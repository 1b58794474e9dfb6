"""``trailprint audit --measure``: evaluate further protections after a finished audit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trailprint.cli.compile_ahead import compile_first
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.progress_file import find_progress_file
from trailprint.cli.running import RunOptions
from trailprint.errors import OptionError

if TYPE_CHECKING:
    from trailprint.audit.measuring import MoreProtections
    from trailprint.audit.prepared import PreparedEvents
    from trailprint.audit.results.protections import ProtectionPoint
    from trailprint.audit.run import Asked


def measure_to_folder(
    asked: Asked,
    protections: Sequence[str],
    folder: str,
    running: RunOptions,
    prepared: PreparedEvents | None = None,
) -> None:
    """Evaluate protections as the audit in a folder did; add them to it and print them."""
    from trailprint.audit.measuring import measure_more
    from trailprint.audit.outcomes import WORK, WORK_MANIFEST
    from trailprint.plain import to_plain
    from trailprint.report.audit_files import RESULT
    from trailprint.store import FolderStore

    if not (Path(folder) / RESULT).is_file():
        raise OptionError(
            "--measure must be given the folder of a finished audit as --out, but there is no "
            f"result in {folder!r}. Audit first.",
            option="measure",
        )
    compile_first()
    with showing(what="Counting events") as progress:
        found = measure_more(
            asked,
            protections,
            store=FolderStore(Path(folder) / WORK, WORK_MANIFEST),
            prepared=prepared,
            n_threads=running.threads,
            progress=progress,
            on_point=partial(_keep_point, folder),
        )
    if running.json:
        print_json(to_plain(found))
    else:
        _print(found)


def _keep_point(folder: str, point: ProtectionPoint) -> None:
    """Save a point as soon as it is measured, and update the progress file."""
    from trailprint.plain import to_plain
    from trailprint.workflows.release_risk import add_measured

    add_measured(folder, to_plain(point))
    file = find_progress_file()
    if file is not None:
        file.report_point()


def _print(found: MoreProtections) -> None:
    title = f"Judged by every attack of the audit. Rates are shares of {found.people:,} people."
    print_rows(title, [_line(point) for point in found.points], most=len(found.points))
    refused = [f"{one.label}: {one.why}" for one in found.left_out]
    if refused:
        print_table("Left out", [], refused)


def _line(point: ProtectionPoint) -> dict[str, object]:
    low, high = point.interval or (None, None)
    most = f"at most {percent(point.at_most or 0.0)}"
    return {
        "protection": point.label,
        "loss": percent(point.loss),
        "re-identified": most if point.accuracy is None else percent(point.accuracy),
        "from": "" if low is None else percent(low),
        "to": "" if high is None else percent(high),
        "chance": percent(point.chance),
        "attack": point.attack,
    }
