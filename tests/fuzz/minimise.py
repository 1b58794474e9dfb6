"""Makes a failing case smaller as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.fuzz.cases import Case
from tests.fuzz.workers import Pool, Report

T = TypeVar("T")
Fails = Callable[[Case], bool]


def signatures(report: Report) -> set[str]:
    """The signatures of a case's problems."""
    return {problem.signature for problem in report.problems}


def run_one(case: int | Case, limit_s: float) -> Report:
    """Run a case in a process of its own."""
    return next(iter(Pool(limit_s=limit_s).run([case])))


def minimise(case: Case, wanted: str, *, limit_s: float = 30.0) -> Case:
    """The smallest case found that still has the problem with this signature."""
    tries = _Tries(limit_s)
    try:

        def fails(smaller: Case) -> bool:
            return wanted in signatures(tries.run(smaller))

        for _ in range(3):
            before = case
            case = _shrink(case, fails)
            if case == before:
                break
    finally:
        tries.close()
    return case


class _Tries:
    """A pool that is asked one case at a time."""

    def __init__(self, limit_s: float) -> None:
        self._next: Case | None = None
        self._reports = Pool(limit_s=limit_s).run(self._cases())

    def _cases(self) -> Iterator[Case]:
        while self._next is not None:
            yield self._next

    def run(self, case: Case) -> Report:
        self._next = case
        return next(self._reports)

    def close(self) -> None:
        self._next = None
        self._reports.close()  # type: ignore[attr-defined]


def _shrink(case: Case, fails: Fails) -> Case:
    names = list(case.files)
    kept = _fewer(names, lambda some: fails(replace(case, files={n: case.files[n] for n in some})))
    case = replace(case, files={name: case.files[name] for name in kept})
    if case.source:
        lines = case.source.splitlines(keepends=True)
        case = replace(
            case,
            source="".join(_fewer(lines, lambda some: fails(replace(case, source="".join(some))))),
        )
    else:
        head, rest = case.arguments[:1], _words(case.arguments[1:])
        kept_words = _fewer(
            rest, lambda some: fails(replace(case, arguments=(*head, *_flat(some))))
        )
        case = replace(case, arguments=(*head, *_flat(kept_words)))
    for name in case.files:
        case = _shrink_file(case, name, fails)
    return case


def _words(arguments: Sequence[str]) -> list[tuple[str, ...]]:
    """Options with their values, which go or stay together."""
    words: list[tuple[str, ...]] = []
    for word in arguments:
        if (
            words
            and words[-1][0].startswith("--")
            and len(words[-1]) == 1
            and not word.startswith("--")
        ):
            words[-1] = (*words[-1], word)
        else:
            words.append((word,))
    return words


def _flat(words: Sequence[tuple[str, ...]]) -> list[str]:
    return [word for group in words for word in group]


def _shrink_file(case: Case, name: str, fails: Fails) -> Case:
    """Fewer lines, then fewer bytes where there are not many left."""

    def with_content(content: bytes) -> Case:
        return replace(case, files={**case.files, name: content})

    content = case.files[name]
    lines = content.splitlines(keepends=True)
    content = b"".join(_fewer(lines, lambda some: fails(with_content(b"".join(some)))))
    if len(content) <= 400 and not content.startswith((b"PAR1", b"\x1f\x8b")):
        pieces = [content[i : i + 1] for i in range(len(content))]
        content = b"".join(
            _fewer(pieces, lambda some: fails(with_content(b"".join(some))), least=4)
        )
    return with_content(content)


def _fewer(items: Sequence[T], fails: Callable[[list[T]], bool], *, least: int = 1) -> list[T]:
    """Leave out as much as possible: halves first, then ever smaller runs of items."""
    kept = list(items)
    size = max(len(kept) // 2, least)
    while kept and size >= least:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fails(fewer):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept
