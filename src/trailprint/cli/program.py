"""The commands of ``trailprint``, and how errors are shown to the user."""

from __future__ import annotations

import errno
import functools
import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from trailprint import __version__
from trailprint.cli.failure_file import write_failure
from trailprint.cli.front import ABOUT, COMMANDS, COMPLETING, NAME, VERSION_HELP
from trailprint.cli.help import PlainCommand, PlainProgram
from trailprint.cli.memory import is_short_of_memory
from trailprint.cli.supervisor import fail_for_memory
from trailprint.cli.switches import check_flags
from trailprint.cli.unheard import drop_output, is_unheard
from trailprint.errors import TrailprintError, reason_of

#: Exit code that shells expect after Ctrl-C.
_STOPPED = 130
#: Width for help that a shell shows while it completes: no help is as long.
_ONE_LINE = "100000"

_HELP_FLAGS = {"help_option_names": ["-h", "--help"]}


def find_program(arguments: Sequence[str]) -> Any:
    """The program with the command that is named, or with all commands if none is."""
    if COMPLETING in os.environ:
        # Typer wraps help at this width, and fish takes every line for a candidate.
        os.environ["TERMINAL_WIDTH"] = _ONE_LINE
    named = bool(arguments) and arguments[0] in COMMANDS and COMPLETING not in os.environ
    return build_program((arguments[0],) if named else tuple(COMMANDS))


@functools.cache
def build_program(names: tuple[str, ...] = tuple(COMMANDS)) -> Any:
    """The parser of the program with these commands; cached."""
    return typer.main.get_command(build_app(names))


@functools.cache
def build_app(names: tuple[str, ...] = tuple(COMMANDS)) -> typer.Typer:
    """The Typer app with these commands; other commands are not loaded."""
    app = typer.Typer(
        cls=PlainProgram,
        name=NAME,
        help=ABOUT,
        no_args_is_help=False,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=_HELP_FLAGS,
    )
    app.callback()(_options)
    for name in names:
        command = import_module(f"trailprint.cli.{name}")
        example = f"Example:  {command.EXAMPLE}"
        declare = app.command(
            name=name, cls=PlainCommand, epilog=example, context_settings=_HELP_FLAGS
        )
        declare(command.run)
    return app


def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help=VERSION_HELP, is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: list[str] | None = None) -> None:
    """Run a command; exit with 0 for success, 2 for bad input, 1 for an internal error."""
    if arguments is None:  # Otherwise standard output is the caller's, who may close it.
        _buffer_output()
    code: object = 0
    try:
        given = sys.argv[1:] if arguments is None else arguments
        program = find_program(given)
        check_flags(program, given)
        # Without the name, ``python -m trailprint`` would install completion for python.
        code = program(args=arguments, prog_name=NAME, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except TrailprintError as error:
        _fail(error.for_command_line(), 2, option=error.option, suggestions=error.suggestions)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", _STOPPED)
    except (BrokenPipeError, SystemExit) as error:
        if not is_unheard(error):
            raise
        drop_output()
        sys.exit(code if isinstance(code, int) else 0)
    except Exception as error:
        if is_short_of_memory(error):
            fail_for_memory()
        _fail(*_describe_exception(error), option=find_option(error))
    if code == _STOPPED:  # Typer handles Ctrl-C itself and prints nothing.
        _fail("Stopped.", _STOPPED)
    sys.exit(code if isinstance(code, int) else 0)


def _buffer_output() -> None:
    """
    Buffer standard output if PYTHONUNBUFFERED is set.

    Unbuffered, Python does not check how much was written: with a full disk, a truncated result
    would be printed without an error.
    """
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=sys.stdout.encoding, errors=sys.stdout.errors
        )


def _fail(
    message: str, code: int, *, option: str | None = None, suggestions: Sequence[str] = ()
) -> None:
    """Print an error and exit; unprintable characters become spaces, to keep it on one line."""
    line = message if code == 1 else "".join(c if c.isprintable() else " " for c in message)
    print(f"trailprint: {line}", file=sys.stderr)  # noqa: T201
    write_failure(code, line, option=option, suggestions=suggestions)
    sys.exit(code)


def find_option(error: Exception) -> str | None:
    """The option that an error of the parser is about, without dashes; None if there is none."""
    names = getattr(getattr(error, "param", None), "opts", ())
    return next((name.lstrip("-") for name in names), None)


def _describe_exception(error: Exception) -> tuple[str, int]:
    """Message and exit code for a full disk, a parser error or an internal error."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        drop_output()
        return f"There must be room for the result, but {reason_of(error)}. Free some.", 2
    # Typer has its own copy of Click's exceptions; old and new ones all have this method.
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        return _describe_defect(error), 1
    message = str(format_message()).strip()
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} Try --help.", 2


def _describe_defect(error: Exception) -> str:
    """Where it failed; the message may hold data, so it needs TRAILPRINT_DEBUG."""
    if os.environ.get("TRAILPRINT_DEBUG"):
        return "".join(traceback.format_exception(error))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    return (
        f"A defect of Trailprint ({type(error).__name__} at {place}). Please report it. "
        "TRAILPRINT_DEBUG=1 prints the details, which may hold values of the data."
    )
