"""The notebooks of the gallery run and show pictures; here with fewer people than on the pages."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
NOTEBOOKS = sorted(path.stem for path in GALLERY.glob("*.py") if path.stem != "pictures")
_FEWER = {"PEOPLE": 12, "DAYS": 14, "VENUES": 60, "POSTS": 16, "GROUPS": (2, 5)}


def _cells(text: str) -> list[str]:
    """The cells with code, as a notebook would have them."""
    parts = re.split(r"^# %%(.*)$", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [code for head, code in pairs if "[markdown]" not in head]


def _show(cell: str, names: dict[str, Any]) -> object:
    """Run a cell; the value of its last line, which a notebook shows, or None."""
    tree = ast.parse(cell)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def _shrink(code: str) -> str:
    for name, value in _FEWER.items():
        code = re.sub(rf"^{name} = .*$", f"{name} = {value}", code, flags=re.MULTILINE)
    return code


def test_the_gallery_is_as_promised_and_on_the_pages():
    assert NOTEBOOKS == ["campus", "check_ins", "gps", "papers", "protections"]
    pages = (GALLERY.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(f"gallery/{name}.py" in pages for name in NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_draws(name, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(GALLERY))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    code = _shrink((GALLERY / f"{name}.py").read_text(encoding="utf-8"))
    shown = [_show(cell, names) for cell in _cells(code)]
    pictures = [each._repr_svg_() for each in shown if hasattr(each, "_repr_svg_")]
    assert pictures, "a notebook of the gallery shows a picture"
    for picture in pictures:
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert not any(tmp_path.iterdir())
