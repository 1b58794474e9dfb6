"""The program ``trailprint``: its commands, and how errors reach people."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from trailprint import __version__
from trailprint.cli import demo, inspect, layouts, match, simulate, split
from trailprint.errors import TrailprintError

app = typer.Typer(
    name="trailprint",
    help="How many people in a behavioural dataset could be re-identified, and why.",
    no_args_is_help=False,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, inspect, split, match, simulate, layouts):
    app.command(name=command.NAME, epilog=f"Example:  {command.EXAMPLE}")(command.run)


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the program; exit code 0 for success, 2 for bad input, 1 for a defect of ours."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except TrailprintError as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", 130)
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        _fail(*_describe_exception(error))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int) -> None:
    print(f"trailprint: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _describe_exception(error: Exception) -> tuple[str, int]:
    """A wrong use of the command line in the parser's words, or a defect of ours."""
    # Typer has its own copy of Click's exceptions, old and new ones alike know this method.
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        return _describe_defect(error), 1
    message = str(format_message()).strip()
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} Try --help.", 2


def _describe_defect(error: Exception) -> str:
    """Where we failed; an exception's own words may hold data, so they need to be asked for."""
    if os.environ.get("TRAILPRINT_DEBUG"):
        return "".join(traceback.format_exception(error))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    return (
        f"A defect of Trailprint ({type(error).__name__} at {place}). Please report it. "
        "TRAILPRINT_DEBUG=1 prints the details, which may hold values of the data."
    )
