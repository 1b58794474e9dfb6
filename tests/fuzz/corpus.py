"""Small cases that once failed, kept as JSON files that can be read and edited."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from tests.fuzz.cases import Case

FOLDER = Path(__file__).parent / "corpus"


def load_corpus(folder: Path = FOLDER) -> list[Case]:
    """Every case kept in a folder, in the order of their names."""
    return [load_case(path) for path in sorted(folder.glob("*.json"))]


def load_case(path: Path) -> Case:
    """A case from its file."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        name=path.stem,
        files={name: _decode(content) for name, content in kept.get("files", {}).items()},
        arguments=tuple(kept.get("arguments", ())),
        source="".join(f"{line}\n" for line in kept.get("source", ())),
    )


def save_case(case: Case, path: Path, why: str) -> None:
    """Write a case as a file of the corpus; ``why`` says what it broke."""
    kept: dict[str, object] = {"why": why}
    if case.source:
        kept["source"] = case.source.splitlines()
    else:
        kept["arguments"] = list(case.arguments)
    kept["files"] = {name: _encode(content) for name, content in case.files.items()}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _encode(content: bytes) -> object:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
    return text.split("\n") if "\n" in text else text


def _decode(content: object) -> bytes:
    if isinstance(content, dict):
        return base64.b64decode(content["base64"])
    return ("\n".join(content) if isinstance(content, list) else str(content)).encode()
