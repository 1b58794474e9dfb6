"""Whole command lines, with the files they name."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from tests.fuzz import options as opt
from tests.fuzz import protecting
from tests.fuzz.layouts import COLUMNS, LAYOUTS, TIMED_COLUMNS, Files, Laid, write_text
from tests.fuzz.mutations import mutate_files, mutate_table
from tests.fuzz.populations import Shape, Table, draw_population, draw_shape, with_times

Command = tuple[list[str], Files]


def draw_command(rng: random.Random) -> Command:
    """A command line and its files; in some cases something is odd about the options."""
    draw = rng.choices(list(_COMMANDS), list(_COMMANDS.values()))[0]
    odd = rng.random() < 0.3
    arguments, files = draw(rng, odd)
    arguments += opt.draw_options(rng, opt.RUN, 0.02, odd=odd and rng.random() < 0.2)
    if rng.random() < 0.4:
        arguments.append("--json")
    if odd and arguments and rng.random() < 0.2:
        arguments = _disturb(rng, arguments)
    return arguments, files


def _disturb(rng: random.Random, arguments: list[str]) -> list[str]:
    """A command line with a word lost, repeated or replaced."""
    at = rng.randrange(len(arguments))
    how = rng.choice(("drop", "repeat", "replace", "help", "unknown"))
    changed = {
        "drop": arguments[:at] + arguments[at + 1 :],
        "repeat": [*arguments, *arguments[at : at + 2]],
        "replace": [*arguments[:at], rng.choice(opt.WRONG), *arguments[at + 1 :]],
        "help": [*arguments, "--help"],
        "unknown": [
            *arguments,
            rng.choice(("--nothing", "-x", "--jso", "--seed", "extra", "true")),
        ],
    }[how]
    # Only names we chose may be written to.
    return changed if _writes_inside(changed) else arguments


def _writes_inside(arguments: list[str]) -> bool:
    return not any(a.startswith("/") or ".." in a.split("/") for a in arguments)


# Data.


def draw_data(
    rng: random.Random, stems: tuple[str, ...], *, timed: bool = False
) -> tuple[list[str], Files]:
    """
    Datasets about the same people, one for each stem, corrupted in different ways.

    With ``timed``, the layout has times. What its form needs to be read follows the sources.
    """
    name = rng.choice(("plain",) * 8 + tuple(LAYOUTS))
    shape = _fitting(draw_shape(rng), name)
    sources: list[str] = []
    files: Files = {}
    n_table, n_bytes = rng.choice(_SPOILT)
    columns = rng.choice(TIMED_COLUMNS if timed else COLUMNS)
    for stem in stems:
        people = draw_population(rng, shape)
        laid = _lay(
            rng, name, people.select(*columns) if name == "plain" else people, stem, n_table
        )
        sources.append(laid.source)
        files |= mutate_files(rng, laid.files, n_bytes)
    if shape.times == "day-first" and "start" in columns:
        sources += ["--time-format", "%d/%m/%Y %H:%M"]
    if n_table + n_bytes and rng.random() < 0.5:
        sources.append("--allow-bad-rows")
    if name == "plain" and "lat" in columns:
        sources += opt.draw_options(rng, opt.POSITIONS, 0.2, odd=False)
    return sources, files


#: How often tables and bytes are changed: often not at all, so that what follows is reached.
_SPOILT = ((0, 0),) * 7 + ((1, 0),) * 7 + ((2, 0),) * 2 + ((0, 1),) * 4 + ((0, 3), (1, 1))


def _fitting(shape: Shape, layout: str) -> Shape:
    times = LAYOUTS[layout][1]
    return shape if times is None else with_times(shape, times)


def _lay(rng: random.Random, name: str, people: Table, stem: str, n_times: int) -> Laid:
    lay = LAYOUTS[name][0]
    return lay(rng, people, stem, lambda table: mutate_table(rng, table, n_times))


def _side_files(rng: random.Random, arguments: list[str]) -> Files:
    """The truth, the regions and the households, where they are named."""
    users = [f"uzqx{i:03}e" for i in range(20)]
    places = [f"bzqx{i % 3}.f{i % 2}.r{i}" for i in range(9)]
    tables = {
        "truth.csv": Table({"released": users, "auxiliary": users}),
        "regions.csv": Table({"location": places, "region": [f"bzqx{i % 2}" for i in range(9)]}),
        "weights.csv": Table({"location": places, "weight": [str(i / 2) for i in range(9)]}),
        "households.csv": Table(
            {"user": users, "household": [f"uzqx{i // 2}h" for i in range(20)]}
        ),
    }
    named = [name for name in tables if any(name in argument for argument in arguments)]
    n_table, n_bytes = rng.choice(_SPOILT)
    written = {name: write_text(mutate_table(rng, tables[name], n_table)) for name in named}
    return mutate_files(rng, written, n_bytes)


def _reading(rng: random.Random, odd: bool) -> list[str]:
    """How to read and what to keep; only half of the odd cases are odd here."""
    return [
        *opt.draw_options(rng, opt.READ, 0.04, odd=odd and rng.random() < 0.4),
        *opt.draw_options(rng, opt.SHAPE, 0.03, odd=odd and rng.random() < 0.3),
    ]


def _sides(rng: random.Random, odd: bool) -> Command:
    """Two datasets, or one and a split."""
    if rng.random() < 0.4:
        return draw_data(rng, ("released", "auxiliary"))
    sources, files = draw_data(rng, ("data",), timed=True)
    return [*sources, *_cut(rng, odd)], files


def _cut(rng: random.Random, odd: bool) -> list[str]:
    is_odd = odd and rng.random() < 0.3
    cut = rng.choice(opt.ODD_CUTS if is_odd else opt.CUTS)
    return [*cut, *opt.draw_options(rng, opt.SPLIT, 0.04, odd=is_odd)]


def _with_side_files(rng: random.Random, arguments: list[str], files: Files) -> Command:
    return arguments, {**files, **_side_files(rng, arguments)}


# Commands.


def draw_inspect(rng: random.Random, odd: bool) -> Command:
    sources, files = draw_data(rng, ("data",))
    if odd and rng.random() < 0.2:
        sources = [rng.choice(_ODD_SOURCES)]
    arguments = ["inspect", *sources, *_reading(rng, odd)]
    if odd and rng.random() < 0.1:
        arguments += rng.choice((("--engine", "hadoop"), ("--spark-master", "local[1]")))
    return _with_side_files(rng, arguments, files)


_ODD_SOURCES = (
    *[
        "nothing.csv",
        "s3://bucket/x.csv",
        "https://example.org/x.csv",
        "*",
        ".",
        "[",
        "/dev/null",
        "data.csv/x",
        "**",
        "~",
    ],
    *("", " ", "x" * 300, "no\nthing", "hf://datasets/x", "\udcff.csv", "data.csv,data.csv"),
)


def draw_split(rng: random.Random, odd: bool) -> Command:
    sources, files = draw_data(rng, ("data",), timed=True)
    names = rng.choice(_ODD_SIDES if odd and rng.random() < 0.4 else _SIDES)
    arguments = ["split", *sources, *_cut(rng, odd)]
    arguments += ["--released", names[0], "--auxiliary", names[1], *_reading(rng, odd)]
    return _with_side_files(rng, arguments, files)


_SIDES = (("r.csv", "a.csv"), ("r.parquet", "a.tsv"), ("r.csv.gz", "a.csv"))
_ODD_SIDES = (
    *(("r.csv", "r.csv"), ("no/r.csv", "a.csv"), ("r.xyz", "a"), ("s3://bucket/r.csv", "a.csv")),
    *(("", "a.csv"), ("r.csv", "data.csv"), ("r.csv", "./r.csv"), ("r.csv", "x" * 300 + ".csv")),
)


def _draw_attack(
    rng: random.Random, name: str, sides: list[str], options: opt.Options, odd: bool
) -> list[str]:
    arguments = [name, *sides, *opt.draw_options(rng, options, 0.07, odd=odd)]
    arguments += opt.draw_options(rng, opt.SCORE, 0.06, odd=odd and rng.random() < 0.2)
    return arguments + _reading(rng, odd)


def draw_match(rng: random.Random, odd: bool) -> Command:
    sides, files = _sides(rng, odd)
    return _with_side_files(rng, _draw_attack(rng, "match", sides, opt.MATCH, odd), files)


def draw_trails(rng: random.Random, odd: bool) -> Command:
    sides, files = _sides(rng, odd)
    return _with_side_files(rng, _draw_attack(rng, "trails", sides, opt.TRAILS, odd), files)


def draw_points(rng: random.Random, odd: bool) -> Command:
    sources, files = draw_data(rng, ("data",), timed=True)
    options = opt.draw_options(rng, opt.POINTS, 0.07, odd=odd)
    return _with_side_files(rng, ["points", *sources, *options, *_reading(rng, odd)], files)


def draw_correlate(rng: random.Random, odd: bool) -> Command:
    arguments, files = _draw_correlate(rng, odd)
    # Several threads are several processes here, which take a second to start.
    return [*arguments, *(["--threads", "1"] if rng.random() < 0.85 else [])], files


def _draw_correlate(rng: random.Random, odd: bool) -> Command:
    if rng.random() < 0.15:
        sources, files = draw_data(rng, ("data",), timed=True)
        return ["correlate", *sources, *rng.choice(opt.FOLDS), *_reading(rng, odd)], files
    sides, files = _sides(rng, odd)
    return _with_side_files(rng, _draw_attack(rng, "correlate", sides, opt.CORRELATE, odd), files)


def draw_protect(rng: random.Random, odd: bool) -> Command:
    sources, files = draw_data(rng, ("data",), timed=rng.random() < 0.6)
    arguments = ["protect", *sources]
    if rng.random() < 0.25:
        arguments += [
            *rng.choice(protecting.ODD_SWEEPS if odd else protecting.SWEEPS),
            *_cut(rng, odd),
        ]
    else:
        known = protecting.ODD_PROTECTIONS if odd else protecting.PROTECTIONS
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            arguments += ["--apply", rng.choice(known)]
        arguments += opt.draw_options(rng, protecting.PROTECT, 0.15, odd=odd and rng.random() < 0.4)
    return _with_side_files(rng, [*arguments, *_reading(rng, odd)], files)


def draw_audit(rng: random.Random, odd: bool) -> Command:
    stems = ("data",) if rng.random() < 0.7 else ("released", "auxiliary")
    sides, files = draw_data(rng, stems, timed=len(stems) == 1)
    is_odd = odd and rng.random() < 0.3
    out = rng.choice(("", "data.csv", "s3://bucket/a", "no/such/audit") if is_odd else ("audit",))
    limits = ("0", "-1s", "x", "1e-320", "nan") if is_odd else ("0.1s", "0.5s", "1s", "0.0001h")
    arguments = ["audit", *sides, "--out", out, "--time-limit", rng.choice(limits)]
    if len(stems) == 1 and rng.random() < 0.5:
        arguments += _cut(rng, odd)
    return _with_side_files(rng, _draw_attack(rng, "", arguments, opt.AUDIT, odd)[1:], files)


def draw_simulate(rng: random.Random, odd: bool) -> Command:
    outs = (
        ("s.xyz", "", "no/s.csv", "s3://bucket/s.csv") if odd else ("s.csv", "s.parquet", "s.tsv")
    )
    kind = rng.choice((*opt.KINDS, "x", "")) if odd else rng.choice(opt.KINDS)
    size = ["--users", rng.choice(("1", "2", "10"))]
    if kind == "campus":
        size += ["--days", rng.choice(("1", "3"))]
    extra = opt.draw_options(rng, opt.SIMULATE, 0.3, odd=odd)
    return ["simulate", kind, "--out", rng.choice(outs), *size, *extra], {}


def draw_reproduce(rng: random.Random, odd: bool) -> Command:
    name = rng.choice(("x", "", "2005-figure-99") if odd else ("--list", "2005-figure-11"))
    out = rng.choice(_REPRODUCE)
    return ["reproduce", name, *out.split()], {}


_REPRODUCE = (
    "",
    "--out papers",
    "--data nothing",
    "--set nothing=1",
    "--set cell-m=x",
    "--set rounds=0",
    "--name-locations",
    "--list --full",
)


def draw_small(rng: random.Random, odd: bool) -> Command:
    """Commands without data."""
    line = rng.choice(_SMALL)
    return line.split(), {}


_SMALL = (
    *("layouts", "protect --list", "--version", "", "--help", "nothing", "layouts x"),
    *("match --help", "inspect", "audit", "-h", "--json", "demo --users 0 --out d"),
    *("compare", "compare a b --out c", "compare . . --out c --json", "audit --settings x --out a"),
    # Wrong twice: whatever is changed in it, no server starts.
    "app nowhere --port 99999 --host x --no-browser",
)


#: Every command with how often it is drawn.
_COMMANDS: Mapping[Callable[[random.Random, bool], Command], int] = {
    draw_inspect: 25,
    draw_split: 10,
    draw_match: 20,
    draw_trails: 12,
    draw_points: 12,
    draw_correlate: 12,
    draw_protect: 18,
    draw_audit: 5,
    draw_simulate: 3,
    draw_reproduce: 1,
    draw_small: 1,
}
