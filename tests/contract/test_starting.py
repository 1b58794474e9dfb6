"""What is loaded before anything is asked for, and that a shell can complete commands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.presence import present

import trailprint
from trailprint.cli.front import COMMANDS, write_help
from trailprint.cli.program import build_app

LARGE = {"numpy", "scipy", "pandas", "polars", "duckdb", "numba", "pyarrow", "vl_convert", "typer"}

LOADED = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
{code}
"""


def loaded_by(code: str) -> tuple[str, set[str]]:
    """What a fresh interpreter prints, and the modules it has loaded in the end."""
    script = LOADED.format(code=code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())


def test_importing_the_package_loads_no_library():
    _, modules = loaded_by("import trailprint")
    assert "trailprint" in modules
    assert not modules & LARGE


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"], []])
def test_help_and_version_load_no_library(arguments):
    code = f"sys.argv[1:] = {arguments}\nfrom trailprint.cli.main import main\nmain()"
    printed, modules = loaded_by(code)
    assert not modules & LARGE
    if arguments == ["--version"]:
        assert printed == f"{trailprint.__version__}\n"
    else:
        assert [name for name in COMMANDS if name not in printed] == []


@pytest.mark.parametrize("command", ["simulate", "match", "inspect", "audit"])
def test_the_help_of_a_command_compiles_nothing(command):
    code = f"from trailprint.cli.main import main\nmain(['{command}', '--help'])"
    printed, modules = loaded_by(code)
    assert "Example:" in printed
    assert not modules & {"numba", "scipy", "pandas", "polars", "vl_convert"}


def test_matching_loads_none_of_what_takes_longest():
    """They take half a second of every command; code that needs them loads them then."""
    workflows = ("match", "trails", "points", "protect", "correlate")
    _, modules = loaded_by("\n".join(f"import trailprint.workflows.{name}" for name in workflows))
    assert "trailprint.workflows.correlate" in modules
    assert not modules & {"scipy.stats", "scipy.optimize", "scipy.spatial", "vl_convert", "jinja2"}


def test_a_report_is_drawn_without_what_measures():
    pages = ("audit_page", "audit_files", "comparison_page", "comparison_files", "notebook")
    _, modules = loaded_by("\n".join(f"import trailprint.report.{name}" for name in pages))
    assert not modules & {"numba", "scipy"}
    measuring = ("trailprint.attacks.", "trailprint.audit.sections.", "trailprint.protections.")
    assert not [name for name in modules if name.startswith(measuring)]


def test_the_help_says_what_each_command_says():
    said = {command.name: command.callback.__doc__ for command in build_app().registered_commands}
    assert {name: present(doc).strip().split("\n\n")[0] for name, doc in said.items()} == COMMANDS
    assert list(said) == list(COMMANDS)


@pytest.mark.parametrize("width", [50, 60, 100])
def test_the_help_fits_the_terminal(width):
    lines = write_help(width).splitlines()
    assert max(map(len, lines)) <= width


def complete(words: str, count: int, shell: str = "bash") -> str:
    environment = {
        **os.environ,
        "_TRAILPRINT_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "COMP_WORDS": words,
        "COMP_CWORD": str(count),
        "COLUMNS": "40",
    }
    script = (
        "import sys; sys.argv[:] = ['trailprint']; from trailprint.cli import main; main.main()"
    )
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


def test_help_of_a_candidate_is_on_its_line():
    fish = complete("trailprint match --", 2, "fish").strip().split("\n")
    assert len(fish) > 50
    assert all(line.startswith("--") for line in fish)
    zsh = complete("trailprint match --", 2, "zsh").split("\n")[1:-1]
    assert len(zsh) > 50
    assert all(line.startswith('"--') and line.count('":"') == 1 for line in zsh)


def test_a_shell_completes_commands_options_and_choices():
    assert complete("trailprint ma", 1).split() == ["match"]
    assert "--margins" in complete("trailprint match --marg", 2)
    assert complete("trailprint match --metric l", 3).split() == ["l1", "likelihood"]


def test_python_m_is_the_program_by_its_name():
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    for arguments, begin in (
        (["match", "--help"], "Usage: trailprint match "),
        (["--show-completion", "bash"], "_trailprint_completion() {"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "trailprint", *arguments],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.stdout.startswith(begin), done.stdout
        assert "python" not in done.stdout.lower()


@pytest.mark.parametrize(
    "arguments",
    ["--version --help", "--help --version", "-h --version", "--help match", "--help nosuch", "--"],
)
def test_the_help_is_the_same_however_it_is_asked_for(run, arguments):
    finished = run(*arguments.split())
    assert (finished.code, finished.err) == (0, "")
    assert finished.out.strip() == run("--help").out.strip()


@pytest.mark.parametrize("arguments", ["match --json --help", "match -h", "match --help --seed 1"])
def test_the_help_of_a_command_is_the_same_however_it_is_asked_for(run, arguments):
    finished = run(*arguments.split())
    assert finished.code == 0
    assert finished.out == run("match", "--help").out


@pytest.mark.parametrize(
    "arguments",
    ["--no-such", "nosuch", "nosuch --help", "--help --no-such", "match --version", "-- match"],
)
def test_what_is_not_understood_is_refused_in_one_sentence(run, arguments):
    finished = run(*arguments.split())
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith("trailprint: ")
    assert finished.err.count("\n") == 1
