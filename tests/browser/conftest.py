"""Reports in a real browser; skipped where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.page_checks import note_complaints

from trailprint.audit.results.findings import Findings
from trailprint.report.audit_page import render_report

EXAMPLE = Path(__file__).parents[1] / "examples" / "result.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium found: install Debian's chromium to test the report in a browser")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def result() -> dict[str, Any]:
    example: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    return example


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory, result: dict[str, Any]) -> Path:
    """The full example, drawn."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(Findings.from_dict(result)), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file as a reader would; what the page complains about or asks for is kept on it."""
    contexts = []

    def visit(path: Path, *, width: int = 1440, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.requested = []
        note_complaints(page)
        page.on("request", lambda request: page.requested.append(request.url))
        page.goto(path.as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def look(browser: Any, report: Path) -> Callable[..., Any]:
    """The full example at a width, light or dark: one page for all tests that only look."""
    page = browser.new_page()
    page.goto(report.as_uri())

    def look(*, width: int = 1440, scheme: str = "light") -> Any:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        return page

    return look
