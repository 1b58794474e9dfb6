"""The server: routes, error handlers and the listening socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trailprint.app.folders import Folder
from trailprint.app.pages import audit, compare, home, protect, setup
from trailprint.app.security import (
    ForgeryError,
    Guard,
    Session,
    admit_defect,
    read_form,
    refuse_forgery,
)
from trailprint.app.site import Fields, Site
from trailprint.errors import TrailprintError, reason_of
from trailprint.report.page_layout import page_style

Endpoint = Callable[[Request], Awaitable[Response]]

_STATIC = {"app.css": "text/css", "app.js": "text/javascript"}

_PAGES = {
    "/": home.show_home,
    "/drafts/{draft}": setup.show_meaning,
    "/drafts/{draft}/questions": setup.show_questions,
    "/drafts/{draft}/plan": setup.show_plan,
    "/audit": audit.show_audit,
    "/document": audit.show_document,
    "/download": audit.download,
    "/compare": compare.show_compare,
    "/comparison": compare.show_comparison,
    "/protect": protect.show_protect,
}
_FORMS = {
    "/drafts": setup.create_draft,
    "/drafts/{draft}": setup.save_meaning,
    "/drafts/{draft}/questions": setup.save_questions,
    "/drafts/{draft}/start": setup.start_audit,
    "/audit/cancel": audit.cancel_audit,
    "/audit/resume": audit.resume_audit,
    "/compare": compare.start_compare,
    "/protect/measure": protect.measure,
    "/protect/stop": protect.stop_measuring,
    "/protect/release": protect.write_release,
}


def build_site(folder: Folder, session: Session) -> Starlette:
    """Build the web application: routes, middleware and error handlers."""
    site = Site(folder, session)
    site.drafts.tidy()
    routes = [
        *(Route(path, _showing(site, page), methods=["GET"]) for path, page in _PAGES.items()),
        *(Route(path, _taking(site, form), methods=["POST"]) for path, form in _FORMS.items()),
        Route("/watch", partial(audit.watch_job, site), methods=["GET"]),
        Route("/static/{name}", _send_static, methods=["GET"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, session=session)],
        exception_handlers={
            TrailprintError: partial(_explain, site),
            OSError: partial(_explain_system, site),
            ForgeryError: refuse_forgery,
            404: partial(_not_found, site),
            Exception: admit_defect,
        },
    )


def _showing(site: Site, page: Callable[[Site, Request], Response]) -> Endpoint:
    async def answer(request: Request) -> Response:
        return await run_in_threadpool(page, site, request)

    return answer


def _taking(site: Site, form: Callable[[Site, Request, Fields], Response]) -> Endpoint:
    """Endpoint for a submitted form: check its token, then call ``form``."""

    async def answer(request: Request) -> Response:
        fields = await read_form(request, site.session)
        return await run_in_threadpool(form, site, request, fields)

    return answer


def _explain(site: Site, request: Request, error: Any) -> Response:
    return site.say("That cannot be done", error.for_command_line())


def _explain_system(site: Site, request: Request, error: Any) -> Response:
    why = f"The folder must be one that can be read and written to, but {reason_of(error)}."
    return site.say("That cannot be done", why)


def _not_found(site: Site, request: Request, error: Any) -> Response:
    return site.say("No such page", "There is nothing at this address.", status=404)


async def _send_static(request: Request) -> Response:
    """Send a style sheet or the script; ``look.css`` is the report's style sheet."""
    name = request.path_params["name"]
    if name == "look.css":
        return Response(str(page_style()), media_type="text/css")
    if name not in _STATIC:
        return Response("There is nothing at this address.", 404)
    text = files("trailprint.app").joinpath("static", name).read_text(encoding="utf-8")
    return Response(text, media_type=_STATIC[name])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at this address; for port 0 the system chooses one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # Connections made before the server is ready wait in the queue.
    except OSError:
        listening.close()
        raise
    return listening


def serve(site: Starlette, listening: socket.socket) -> None:
    """Serve requests until the program is stopped."""
    import uvicorn

    settings = uvicorn.Config(
        site,
        # Its log would hold tracebacks, which may hold values of the data.
        log_level="debug" if os.environ.get("TRAILPRINT_DEBUG") else "critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(settings).run(sockets=[listening])
