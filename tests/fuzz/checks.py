"""What must hold after every case; each broken rule is a problem with a signature."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.canaries import find_canaries, hide_canaries
from tests.fuzz.cases import Case
from tests.fuzz.running import Said
from tests.fuzz.sandbox import Sandbox

EXIT_CODES = (0, 2, 3, 130)
MOST_GROWTH_MB = 1500.0
#: Commands that say on standard error what they are going to do.
_TALKATIVE = ("audit", "demo")
_PRIVATE = ("per_user.parquet",)

csv.field_size_limit(1 << 30)


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken rule: its kind, and what was seen in words that equal cases share."""

    kind: str
    detail: str

    @property
    def signature(self) -> str:
        """What equal problems have in common."""
        return f"{self.kind}: {normalise(self.detail)}"


_SEEN = re.compile(r"\t(.*)")
_LOCATION = re.compile(r'"location":\s*"([^"]*)"')


def normalise(text: str) -> str:
    """A message without the values that differ from case to case."""
    text = hide_canaries(text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    # Numbers of lines in our own files stay: they say where.
    return re.sub(r"(?<![\w.:])\d[\d,.]*", "N", text)[:200]


def find_problems(case: Case, said: Said, box: Sandbox) -> list[Problem]:
    """Every rule this case broke."""
    return [
        *_check_code(case, said),
        *(_check_python(said) if case.source else _check_words(case, said)),
        *_check_leaks(case, said, box),
        *_check_files(case, said, box),
        *_check_contents(box),
        *(Problem("left over", what) for what in sorted(set(box.left_over()))),
        *(Problem("warning", what) for what in sorted(set(said.unexpected))),
        *_check_memory(said),
    ]


def _check_code(case: Case, said: Said) -> Iterator[Problem]:
    if said.code is None:
        yield Problem("exception", said.error_kind)
    elif said.code not in EXIT_CODES:
        words = re.search(r"defect of Trailprint \((.*?)\)", said.err)
        yield Problem("defect", words[1] if words else f"exit code {said.code}")


def _check_words(case: Case, said: Said) -> Iterator[Problem]:
    # On a fresh machine, a command may say that it compiles before it finds what is wrong.
    lines = [line for line in said.err.splitlines() if not line.startswith("Compiling the kernels")]
    ours = [line for line in lines if line.startswith("trailprint: ")]
    if "Traceback (most recent" in said.err or "Exception ignored" in said.err:
        yield Problem("traceback", lines[-1] if lines else "")
    if said.code == 2 and (len(ours) != 1 or lines[-1] != ours[0]):
        yield Problem("not one sentence", " / ".join(lines[-3:]))
    elif said.code == 2 and case.command not in _TALKATIVE and len(lines) != 1:
        yield Problem("not one sentence", " / ".join(lines[:3]))
    if said.code == 2 and said.out:
        yield Problem("output before a failure", said.out.splitlines()[0])
    if said.code == 0 and ours:
        yield Problem("error with exit code 0", ours[0])
    if said.code == 0 and "--json" in case.arguments and not _is_help(case):
        yield from _check_json(said.out)


def _is_help(case: Case) -> bool:
    return bool({"--help", "-h", "--version"} & set(case.arguments)) or case.command == "--json"


def _check_json(text: str) -> Iterator[Problem]:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        found = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        yield Problem("not JSON", str(error)[:60])
    else:
        if not isinstance(found, dict):
            yield Problem("not JSON", f"a {type(found).__name__} instead of an object")


def _check_python(said: Said) -> Iterator[Problem]:
    if said.code == 2 and (not said.error.strip() or "\n" in said.error.strip()):
        yield Problem("not one sentence", said.error)
    if said.out or said.err:
        yield Problem("the library printed", (said.out or said.err).splitlines()[0])


# Leaks.


def _check_leaks(case: Case, said: Said, box: Sandbox) -> Iterator[Problem]:
    texts = {
        "standard output": said.out,
        "standard error": said.err,
        "the log": said.log,
        "a repr": said.shown,
        "an error": said.error if said.code == 2 else "",
    }
    for where, text in texts.items():
        yield from _check_text(case, where, text)
    for name, what in box.changes().items():
        if what != "removed" and not _may_hold_data(case, name):
            yield from _check_text(case, f"the file {Path(name).name}", _text_of(box.work / name))


def _check_text(case: Case, where: str, text: str) -> Iterator[Problem]:
    places = not case.names_locations
    allowed = [case.text] if places else [case.text, _location_values(case)]
    for line in text.splitlines():
        if find_canaries(line, allowed=allowed, places=places):
            seen = min(re.finditer("zqx|73901|90731|48842", line, re.I), key=lambda m: m.start())
            yield Problem(
                "leak", f"in {where}: {line[max(0, seen.start() - 70) : seen.start() + 40]}"
            )
            return


def _location_values(case: Case) -> str:
    """What stands where JSON lines and ``*.mv`` have locations: a mutation may put users there."""
    texts = {name: content.decode("utf-8", "replace") for name, content in case.files.items()}
    named = [value for text in texts.values() for value in _LOCATION.findall(text)]
    seen = [value for name, text in texts.items() if ".mv" in name for value in _SEEN.findall(text)]
    return " ".join(named + seen)


def _may_hold_data(case: Case, name: str) -> bool:
    return _is_below(name, case.data_outputs()) or Path(name).name in _PRIVATE


def _is_below(name: str, outputs: tuple[str, ...]) -> bool:
    tops = [os.path.normpath(output) for output in outputs if "://" not in output]
    return any(name == top or name.startswith(f"{top}/") for top in tops)


def _text_of(path: Path) -> str:
    """Readable text of a file, and of what is packed in it."""
    if path.is_dir():
        return ""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            parts = [packed.read(name) for name in packed.namelist()]
        return "\n".join(part.decode("utf-8", "replace") for part in parts)
    return path.read_bytes().decode("utf-8", "replace")


# Files.


def _check_files(case: Case, said: Said, box: Sandbox) -> Iterator[Problem]:
    changes = box.changes()
    for name, what in changes.items():
        if _is_temporary(name):
            yield Problem("temporary name left", re.sub(r"[\w-]{8}$", "…", Path(name).name))
        elif what != "added" and not _is_below(name, case.outputs()):
            yield Problem("input changed", f"{what}: {Path(name).suffix}")
        elif not _is_below(name, case.outputs()) and not _holds_output(name, case):
            if str(Path(name).parent) not in changes:  # Else the folder says it.
                yield Problem("unexpected file", Path(name).name)
        elif said.code not in (0, 3) and not _is_kept(name, case):
            yield Problem("written by a failing command", f"{what}: {_role(name, case)}")


def _check_contents(box: Sandbox) -> Iterator[Problem]:
    """Tables are rectangles and JSON is JSON."""
    for name in (name for name, what in box.changes().items() if what != "removed"):
        path = box.work / name
        if path.suffix == ".csv" and path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            rows = csv.reader(io.StringIO(text, newline=""))
            if len(set(map(len, rows))) > 1:
                yield Problem("rows of different lengths", path.name)
        elif path.suffix == ".json" and path.is_file():
            yield from _check_json(path.read_text())


def _is_temporary(name: str) -> bool:
    return any(part.startswith(".") or ".unfinished" in part or part.endswith(".tmp")
               for part in Path(name).parts)  # fmt: skip


def _holds_output(name: str, case: Case) -> bool:
    """Whether it is a folder above an output."""
    return any(os.path.normpath(output).startswith(f"{name}/") for output in case.outputs()
               if "://" not in output)  # fmt: skip


def _is_kept(name: str, case: Case) -> bool:
    kept = case.kept_outputs()
    return _is_below(name, kept) or any(os.path.normpath(k).startswith(f"{name}/") for k in kept)


def _role(name: str, case: Case) -> str:
    """What kind of output it is, in words that do not depend on the case."""
    return f"{case.command} {Path(name).suffix or Path(name).name}"


def _check_memory(said: Said) -> Iterator[Problem]:
    if said.grown_mb > MOST_GROWTH_MB:
        yield Problem("memory", "more than the limit of one case")
