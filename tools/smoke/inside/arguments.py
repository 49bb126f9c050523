"""Checks the arguments of lineal without running anything.

python arguments.py lineage models/ --dialect spark      exit code 2 and a message if they mean
nothing
python arguments.py < requests                           many at once: JSON in, JSON out
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import click

import lineal
from lineal.cli import main

COMPLETE, PARTIAL, WRONG = "complete", "partial", "wrong"


def check(arguments: Sequence[str]) -> tuple[str, str]:
    """Complete, partial (a value or an argument is missing), or wrong, with the reason."""
    command: click.Command = main
    path, words = ["lineal"], list(arguments)
    context = click.Context(main, info_name="lineal")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = command.get_command(context, name)
        if found is None:
            return WRONG, f"{' '.join(path)} has no command {name}"
        command = found
        path.append(name)
        context = click.Context(command, parent=context, info_name=name)
    if isinstance(command, click.Group) and not words:
        return PARTIAL, "no command"
    try:
        command.make_context(" ".join(path), words)
    except (click.MissingParameter, click.exceptions.NoArgsIsHelpError) as missing:
        return PARTIAL, missing.format_message()
    except click.BadOptionUsage as mistake:
        known = mistake.option_name in all_options()
        return (PARTIAL if known else WRONG), mistake.format_message()
    except click.UsageError as mistake:
        return WRONG, mistake.format_message()
    except click.exceptions.Exit:
        return COMPLETE, ""
    return COMPLETE, ""


def all_options() -> set[str]:
    """Every option of every command."""
    return {
        option
        for command in commands(main)
        for part in command.params
        for option in (*part.opts, *part.secondary_opts)
    }


def commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from commands(below)


def answer(requests: list[list[str]]) -> dict[str, object]:
    return {
        "lineal": lineal.__file__,
        "options": sorted(all_options() | {"--help", "--version"}),
        "found": [check(arguments) for arguments in requests],
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        status, message = check(sys.argv[1:])
        if status != COMPLETE:
            sys.exit(f"lineal {' '.join(sys.argv[1:])}: {message}")
    else:
        json.dump(answer(json.load(sys.stdin)), sys.stdout)
