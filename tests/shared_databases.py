"""
Engines of tests are connections of a few databases, made once in each process.

A DuckDB takes 25 ms of a core to fill its catalogue, an engine's queries in a test often less, and
there are thousands of engines. What an engine makes is temporary, so its connection alone knows it;
what is known to all connections is the limit of memory, hence an engine with a limit of its own has
a database of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pytest

from trailprint.engines import h3_cells
from trailprint.events import engine

_NO_LIMIT = "60%"


class SharedDatabases:
    """What gives engines their connections; a child process makes databases of its own."""

    def __init__(self, scratch: str) -> None:
        self._scratch = scratch
        self._connect, self._define = engine._connect, h3_cells._define
        self._databases: dict[tuple[int, int], duckdb.DuckDBPyConnection] = {}

    def connect(self, config: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        """A connection of the database with these settings."""
        if config["memory_limit"] != _NO_LIMIT:
            return self._connect(config)
        # Threads that are not asked for would only wait: a process of tests is on every core.
        key = (os.getpid(), config.get("threads", 1))
        if key not in self._databases:
            own = {"temp_directory": self._scratch, "threads": key[1]}
            self._databases[key] = self._connect({**config, **own})
        return self._databases[key].cursor()

    def define(self, connection: Any, resolution: int) -> None:
        """Functions are known to all connections, and must outlive the one that defines them."""
        for (process, _), database in self._databases.items():
            if process == os.getpid():
                self._define(database, resolution)
        self._define(connection, resolution)


@contextmanager
def shared_databases(scratch: str) -> Iterator[None]:
    """Let engines share databases."""
    shared = SharedDatabases(scratch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_connect", shared.connect)
        patch.setattr(h3_cells, "_define", shared.define)
        yield
