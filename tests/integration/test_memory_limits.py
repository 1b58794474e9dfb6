"""Limits to the memory of a process: one sentence, no crash, nothing left."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from trailprint.cli.memory import end_loading, is_short_of_memory, limit_loading

SENTENCE = "trailprint: The work needs more memory than there is. Try less data at once.\n"


def run(folder, megabytes, *arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = subprocess.run(
        [sys.executable, "-m", "trailprint", *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(folder)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert list(folder.iterdir()) == []
    return done


@pytest.mark.parametrize("megabytes", [60, 100, 150, 200, 250])
def test_too_little_to_load_the_libraries(tmp_path, megabytes):
    done = run(tmp_path, megabytes, "layouts")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", SENTENCE)


@pytest.mark.parametrize("code", [1, 127])
def test_a_library_that_ends_the_program_is_explained(tmp_path, code):
    """OpenBLAS and the loader of libraries do that where there is no memory, with these codes."""
    script = (
        "import os, resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32)); "
        "import sys; sys.argv[1:] = ['layouts']; "
        "from trailprint.cli import main, program; "
        f"program.run = lambda arguments: os._exit({code}); main.main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, SENTENCE)


def test_enough(tmp_path):
    done = run(tmp_path, 4000, "layouts")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (ImportError("libx.so: failed to map segment from shared object"), True),
        (RuntimeError("can't start new thread"), True),
        (RuntimeError("std::bad_alloc"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (ValueError("other"), False),
    ],
)
def test_memory_in_other_words(error, expected):
    assert is_short_of_memory(error) is expected
    outer = RuntimeError("outer")
    outer.__cause__ = error
    assert is_short_of_memory(outer) is expected


def test_the_time_for_loading_is_limited_only_where_memory_is(monkeypatch):
    before = resource.getrlimit(resource.RLIMIT_CPU)
    monkeypatch.setattr("trailprint.cli.memory.is_memory_limited", lambda: False)
    assert limit_loading() is None
    assert resource.getrlimit(resource.RLIMIT_CPU) == before


def test_the_limit_of_loading_ends_with_it():
    script = (
        "import resource\n"
        "from trailprint.cli.memory import end_loading, limit_loading\n"
        "before = limit_loading()\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
        "end_loading(before)\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
    )

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (77, 88))

    done = subprocess.run(
        [sys.executable, "-c", script], preexec_fn=limit, capture_output=True, text=True
    )
    assert done.stdout.split() == ["11", "77"]
    before = resource.getrlimit(resource.RLIMIT_CPU)
    end_loading(None)
    assert resource.getrlimit(resource.RLIMIT_CPU) == before
