"""What a release may hold, and that the recipes name commands that exist."""

from __future__ import annotations

import importlib.util
import re
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def contents() -> ModuleType:
    path = ROOT / "packaging" / "check_contents.py"
    spec = importlib.util.spec_from_file_location("check_contents", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _wheel(path: Path, names: list[str]) -> str:
    with zipfile.ZipFile(path, "w") as wheel:
        for name in names:
            wheel.writestr(name, "")
    return str(path)


def test_a_whole_wheel_passes_and_a_kernel_or_a_missing_template_does_not(
    contents: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    whole = list(contents.NEEDED)
    assert contents.main([_wheel(tmp_path / "a.whl", whole)]) == 0
    compiled = "trailprint/kernels/__pycache__/csr._hash-1.py311.1.nbc"
    assert contents.main([_wheel(tmp_path / "b.whl", [*whole, compiled])]) == 1
    assert "must not be in it" in capsys.readouterr().out
    assert contents.main([_wheel(tmp_path / "c.whl", whole[1:])]) == 1
    assert f"{whole[0]} is missing" in capsys.readouterr().out


def test_a_source_archive_is_read_too(contents: ModuleType, tmp_path: Path):
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in contents.NEEDED:
            archive.addfile(tarfile.TarInfo(f"trailprint-1/src/{name}"))
    assert contents.main([str(path)]) == 0


def test_what_must_be_in_a_release_is_in_the_source(contents: ModuleType):
    assert [name for name in contents.NEEDED if not (ROOT / "src" / name).is_file()] == []


@pytest.mark.parametrize(
    "name",
    [
        ".github/workflows/test.yml",
        ".pre-commit-config.yaml",
        "CONTRIBUTING.md",
        "README.md",
        "docs/how-to/release.md",
    ],
)
def test_recipes_name_targets_that_exist(name: str):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|[`:$] ?)make ([a-z]+)", text, re.MULTILINE))
    assert named
    assert named <= targets


def test_what_is_left_out_of_the_inner_loop_exists(request: pytest.FixtureRequest):
    text = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    listed = re.findall(r'"(.+)"', text[text.index("SLOW = (") :].partition("\n)")[0])
    assert len(listed) > 5
    assert [name for name in listed if not (ROOT / "tests" / name).exists()] == []
    assert request.node.get_closest_marker("slow") is None
