"""Say what must not be in an sdist or a wheel, and what must be: ``check_contents.py FILE…``."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile

#: Compiled kernels belong to one machine, and data to people.
UNWANTED = re.compile(r"\.(nbi|nbc|pyc|parquet|plt|zst|gz)$|__pycache__|/\.(venv|git|hypothesis)/")

NEEDED = (
    "trailprint/py.typed",
    "trailprint/engines/spark/log4j2.properties",
    "trailprint/report/result.schema.json",
    "trailprint/report/style.css",
    "trailprint/report/templates/page.html.j2",
    "trailprint/app/static/app.css",
    "trailprint/app/static/app.js",
    "trailprint/app/templates/base.html.j2",
)


def names_in(path: str) -> list[str]:
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as source:
        return source.getnames()


def find_faults(names: list[str]) -> list[str]:
    """One sentence for each fault."""
    unwanted = [f"{name} must not be in it" for name in names if UNWANTED.search(name)]
    missing = [
        f"{needed} is missing" for needed in NEEDED if not any(n.endswith(needed) for n in names)
    ]
    return unwanted + missing


def main(paths: list[str]) -> int:
    faults = [f"{path}: {fault}" for path in paths for fault in find_faults(names_in(path))]
    print("\n".join(faults) or f"{len(paths)} files hold what they should.")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
