"""A store of files that only Hadoop's own client reads: WebHDFS over HTTP, on this machine."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_PREFIX = "/webhdfs/v1"


class WebStore:
    """Where the store is, and which files were opened through it."""

    def __init__(self, folder: Path, server: ThreadingHTTPServer) -> None:
        self.folder = folder
        self.authority = f"127.0.0.1:{server.server_address[1]}"
        self.opened: list[str] = []

    def address(self, name: str) -> str:
        """The address of a file or folder of the store."""
        return f"webhdfs://{self.authority}/{name}"


@contextmanager
def serve_folder(folder: Path) -> Iterator[WebStore]:
    """Serve a folder until the end of the block, to this machine alone."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    store = WebStore(folder, server)
    setattr(server, "store", store)  # noqa: B010
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """The few operations of WebHDFS that reading needs."""

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        name = unquote(asked.path).removeprefix(_PREFIX).strip("/")
        values = {key.lower(): found[0] for key, found in parse_qs(asked.query).items()}
        store: WebStore = getattr(self.server, "store")  # noqa: B009
        path = store.folder / name
        if not path.exists():
            self._refuse(404, "FileNotFoundException")
        elif values["op"] == "GETFILESTATUS":
            self._answer({"FileStatus": _status(path, "")})
        elif values["op"] == "LISTSTATUS":
            self._answer({"FileStatuses": {"FileStatus": _list(path)}})
        elif values["op"] in ("GETFILEBLOCKLOCATIONS", "GET_BLOCK_LOCATIONS"):
            self._answer({"BlockLocations": {"BlockLocation": []}})
        elif values["op"] == "OPEN":
            self._open(store, path, name, values)
        else:
            self._refuse(400, "UnsupportedOperationException")

    def _open(self, store: WebStore, path: Path, name: str, values: dict[str, str]) -> None:
        """As of a real store: the first machine names another one, which has the bytes."""
        if "datanode" not in values:
            self.send_response(307)
            self.send_header("Location", f"http://{store.authority}{self.path}&datanode=true")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        store.opened.append(name)
        low = int(values.get("offset", 0))
        high = low + int(values["length"]) if "length" in values else None
        self._send(200, path.read_bytes()[low:high])

    def _answer(self, found: Any) -> None:
        self._send(200, json.dumps(found).encode())

    def _refuse(self, code: int, kind: str) -> None:
        reported = {"exception": kind, "javaClassName": f"java.io.{kind}", "message": "refused"}
        self._send(code, json.dumps({"RemoteException": reported}).encode())

    def _send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        # Without a type: to compare it, Hadoop's client would need a class that Spark leaves out.
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


def _list(path: Path) -> list[dict[str, Any]]:
    if path.is_file():
        return [_status(path, "")]
    return [_status(one, one.name) for one in sorted(path.iterdir())]


def _status(path: Path, suffix: str) -> dict[str, Any]:
    found = os.stat(path)
    is_file = path.is_file()
    return {
        "accessTime": 0,
        "blockSize": 1 << 27 if is_file else 0,
        "group": "people",
        "length": found.st_size if is_file else 0,
        "modificationTime": int(found.st_mtime * 1000),
        "owner": "people",
        "pathSuffix": suffix,
        "permission": "644" if is_file else "755",
        "replication": 1 if is_file else 0,
        "type": "FILE" if is_file else "DIRECTORY",
    }
