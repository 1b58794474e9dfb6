"""CONTRIBUTING.md and the contracts of import-linter describe the same layers."""

from __future__ import annotations

import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def read_contract() -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = [
        one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers"
    ]
    return dict(contract)


def list_layers(lines: list[str]) -> list[set[str]]:
    return [set(re.findall(r"\w+", line)) for line in lines]


def list_modules() -> set[str]:
    """Modules and packages directly below the package."""
    paths = (ROOT / "src" / "trailprint").iterdir()
    return {path.stem for path in paths if path.suffix == ".py" or (path / "__init__.py").is_file()}


def test_the_guide_lists_the_layers_that_are_checked():
    block = GUIDE.split("## Import rules")[1].split("```text\n")[1].split("```")[0]
    assert list_layers(block.splitlines()) == list_layers(read_contract()["layers"])


def test_every_module_has_a_place():
    contract = read_contract()
    assert contract["exhaustive"]
    placed = set.union(*list_layers(contract["layers"]))
    assert list_modules() - {"__init__", "__main__"} == placed


def test_the_guide_describes_every_module():
    table = GUIDE.split("## A guide to the code")[1].split("## Import rules")[0]
    named = set(re.findall(r"`(\w+)(?:/|\.py)`", table))
    assert set.union(*list_layers(read_contract()["layers"])) <= named


def test_the_guide_names_what_imports_the_report_from_below():
    sources = {
        pair.split(" -> ")[0].removeprefix("trailprint.").replace(".", "/") + ".py"
        for pair in read_contract()["ignore_imports"]
        if " -> trailprint.report." in pair
    }
    sentence = re.search(r"Only (.*?) import the report\s+from a lower layer", GUIDE)
    assert sentence is not None
    assert set(re.findall(r"`(.*?)`", sentence[1].rpartition("Only")[2])) == sources


def test_no_imports_form_a_cycle():
    """Neither within a layer nor inside functions; imports for types alone do not count."""
    graph = grimp.build_graph("trailprint", exclude_type_checking_imports=True, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert len(imports) > 250
    TopologicalSorter(imports).prepare()  # Raises an error that names the modules of a cycle.
