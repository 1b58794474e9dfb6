"""``trailprint app``: the commands on a local web page, without a terminal."""

from __future__ import annotations

import ipaddress
import os
import sys
from dataclasses import dataclass
from typing import Annotated

from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.present import open_console, print_json, print_line
from trailprint.cli.running import Running
from trailprint.errors import OptionError, reason_of

EXAMPLE = "trailprint app data"

_MISSING = "The app must have starlette and uvicorn. Install them: pip install 'trailprint[app]'."


@dataclass(frozen=True, slots=True, kw_only=True)
class AppOptions:
    """
    Where the page is served.

    Attributes
    ----------
    host : str
        Address of this machine to listen on; others than the default can be reached from outside.
    port : int
        Port to listen on; 0 lets the system choose.
    no_browser : bool
        Only print the address; open no browser.
    """

    host: str = "127.0.0.1"
    port: int = 0
    no_browser: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port < 65536:
            raise OptionError(
                f"--port must be from 0 to 65535, got {self.port} instead.", option="port"
            )
        if self.host != "localhost" and _address(self.host).is_unspecified:
            raise OptionError(
                f"--host must name one address of this machine, got {self.host!r}, which stands "
                "for all of them. Name the one to listen on.",
                option="host",
            )

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return self.host == "localhost" or _address(self.host).is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        raise OptionError(
            f"--host must be an address such as 127.0.0.1, got {host!r} instead.", option="host"
        ) from None


@takes_options
def run(
    serving: Annotated[AppOptions, Panel("Server")],
    running: Running,
    folder: Annotated[
        str, argument("FOLDER", "Where data and audits are (default: the current folder).")
    ] = ".",
) -> None:
    """Open a page in the browser: choose data, audit, watch, read, protect, compare."""
    if not os.path.isdir(folder):
        raise OptionError(f"The app must be given a folder, but {folder!r} is not a folder.")
    try:
        from trailprint.app.folders import Folder
        from trailprint.app.security import Session
        from trailprint.app.server import build_site, listen, serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise OptionError(_MISSING) from None
    try:
        listening = listen(serving.host, serving.port)
    except OSError as error:
        raise OptionError(
            f"The app must listen on {serving.host}, port {serving.port}, but cannot: "
            f"{reason_of(error)}. Name another --port.",
            option="port",
        ) from None
    session = Session(host=serving.host, port=listening.getsockname()[1])
    _announce(session.address, serving, as_json=running.json)
    serve(build_site(Folder(folder), session), listening)


def _announce(address: str, serving: AppOptions, *, as_json: bool) -> None:
    """Print the address of the page and open it in the browser."""
    if as_json:
        print_json({"address": address})
    else:
        console = open_console()
        print_line(console, "The page is at", "bold")
        print_line(console, address, "")
        print_line(console, "Keep this address to yourself. Ctrl-C ends the page.", "dim")
        print_line(console, "Audits that were started go on.", "dim")
    sys.stdout.flush()
    if not serving.is_local:
        warning = (
            f"Warning: {serving.host} can be reached from other machines, and what is sent is not "
            "encrypted. Anyone who has the address can read and change what is in the folder."
        )
        print_line(open_console(stderr=True), warning, "bold")
    if not serving.no_browser:
        import webbrowser

        webbrowser.open(address)
