"""The home page: data to audit, and existing audits and comparisons."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from trailprint.app.audits import list_audits, read_json
from trailprint.app.site import Site


def show_home(site: Site, request: Request) -> Response:
    """Show the contents of the folder."""
    wanted = request.query_params.get("find", "").strip()
    found = site.folder.list_contents(wanted)
    comparisons = [
        (name, str(read_json(site.folder.root / name / "comparison.json").get("sentence") or ""))
        for name in found.comparisons
    ]
    return site.render(
        "home.html.j2",
        contents=found,
        audits=list_audits(site.folder, found.audits),
        comparisons=comparisons,
        wanted=wanted,
    )
