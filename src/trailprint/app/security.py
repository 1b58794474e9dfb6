"""
Access control: who may send requests, and what a page may do.

The server is meant for one person on one machine. Other programs on that machine, and pages of
other sites in the same browser, must not use it: see ``docs/decisions`` for each rule.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Form field with the anti-forgery (CSRF) token, required in requests that change something.
FORGERY = "forgery_token"
TOKEN = "token"

_CHANGING = ("POST", "PUT", "PATCH", "DELETE")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Files of the folder are not trusted: they are shown without script, forms or our cookie.
DOCUMENT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LARGEST_FORM = 1_000_000
_STRANGER = (
    "This page is for the person who started trailprint app. Open the address that it printed in "
    "the terminal: it holds a token."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """
    Address and secrets of one run of the server.

    Attributes
    ----------
    host, port : str, int
        Address and port it listens on.
    token : str
        Secret in the first address, exchanged for the cookie.
    cookie : str
        Secret in the cookie.
    forgery : str
        Secret in every form.
    """

    host: str
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    forgery: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Accepted values of the Host header."""
        names = [self.host]
        if self.host in ("127.0.0.1", "::1", "localhost"):
            names += ["127.0.0.1", "localhost", "::1"]
        shown = dict.fromkeys(f"[{name}]" if ":" in name else name for name in names)
        return tuple(f"{name}:{self.port}" for name in shown)

    @property
    def cookie_name(self) -> str:
        """Name of the cookie; it includes the port, because servers on one host share cookies."""
        return f"trailprint-{self.port}"

    @property
    def address(self) -> str:
        """The address to open first."""
        return f"http://{self.hosts[0]}/?{urlencode({TOKEN: self.token})}"


class Guard:
    """Middleware that refuses unauthorised requests first and adds headers to every response."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        self._app = app
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message["headers"])
            await send(message)

        request = Request(scope, receive)
        answer = self._refuse(request) or self._greet(request)
        await (answer or self._app)(scope, receive, send_safely)

    def _refuse(self, request: Request) -> Response | None:
        """A refusal without details if the request has a foreign host or origin, else None."""
        headers = request.headers
        if headers.get("host", "") not in self._session.hosts:
            return PlainTextResponse("This server goes by another name.", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins():
            return PlainTextResponse("Requests of other sites are refused.", 403)
        if request.method in _CHANGING and not _is_ours(headers, self._origins()):
            return PlainTextResponse("Requests of other sites are refused.", 403)
        return None

    def _origins(self) -> tuple[str, ...]:
        return tuple(f"http://{host}" for host in self._session.hosts)

    def _greet(self, request: Request) -> Response | None:
        """Exchange the token for the cookie; refuse requests that have neither."""
        given = request.query_params.get(TOKEN, "")
        if given and _equal(given, self._session.token):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(
                self._session.cookie_name, self._session.cookie, httponly=True, samesite="strict"
            )
            return answer
        cookie = request.cookies.get(self._session.cookie_name, "")
        if not _equal(cookie, self._session.cookie):
            return PlainTextResponse(_STRANGER, 403)
        return None


def _is_ours(headers: Headers, origins: tuple[str, ...]) -> bool:
    """Whether the Origin header names a page of this server."""
    return headers.get("origin") in origins


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _with_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    added = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
    return [*headers, *(pair for pair in added if pair[0] not in there)]


class ForgeryError(Exception):
    """A form that is invalid or lacks this server's anti-forgery token."""


async def read_form(request: Request, session: Session) -> Mapping[str, list[str]]:
    """Read the fields of a form; raise ForgeryError unless it carries this server's token."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_FORM:
            raise ForgeryError
    fields = _parse(body)
    if not _equal(fields.get(FORGERY, [""])[0], session.forgery):
        raise ForgeryError
    return fields


def _parse(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=1_000)
    except ValueError:
        raise ForgeryError from None


def refuse_forgery(request: Request, error: Exception) -> Any:
    """Response to a forged or outdated form."""
    return PlainTextResponse(
        "A form must carry this server's token. Go back, load the page again and repeat.", 403
    )


def admit_defect(request: Request, error: Exception) -> Any:
    """Response to an internal error; leaves out the exception's message, which may hold data."""
    words = f"A defect of Trailprint ({type(error).__name__}). Please report it."
    return PlainTextResponse(words, 500, headers=_HEADERS)
