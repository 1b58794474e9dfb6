"""The version is said once, and every other place agrees."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import trailprint

ROOT = Path(__file__).parents[2]


def _found(pattern: str, name: str) -> list[str]:
    return re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_build_reads_the_version_from_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    path = settings["tool"]["hatch"]["version"]["path"]
    assert (ROOT / path).resolve() == Path(trailprint.__file__).resolve()
    assert _found(r'^__version__ = "(.+)"$', path) == [trailprint.__version__]


def test_the_citation_agrees():
    assert _found(r"^version: (.+)$", "CITATION.cff") == [trailprint.__version__]
    keys = _found(r"^([a-z-]+):", "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(keys)


def test_the_pages_agree():
    assert _found(r"Status: ([\d.]+\d)", "README.md") == [trailprint.__version__]
    assert _found(r"^## \[([\d.]+)\]", "CHANGELOG.md")[0] == trailprint.__version__
    shown = _found(r"trailprint --version\n(.+)\n", "docs/tutorial.md")
    assert shown == [trailprint.__version__]


def test_the_example_of_a_result_agrees():
    example = json.loads((ROOT / "tests/examples/result.json").read_text(encoding="utf-8"))
    assert example["version"] == trailprint.__version__


def test_what_is_installed_agrees():
    assert version("trailprint") == trailprint.__version__, "run make setup"
