"""argparse over a command line that is known: what a job was given when it was run.

The parser is put together from the constants of the program, by argparse itself; nothing of the
program is executed. The type of an argument is applied afterwards, abstractly, as every other call
is.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lineal.extract.pyspark.dispatch import invoke
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords
from lineal.extract.pyspark.knowledge import is_known
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    Instance,
    Library,
    Unknown,
    Value,
    label_of,
)
from lineal.model.sequences import all_are
from lineal.model.way import Confidence

NAMESPACE = Class("Namespace", [], {})
BOOLEAN = "argparse.BooleanOptionalAction"
PASSED_ON = ("nargs", "dest", "required", "metavar")
"""The facts about an argument that argparse itself needs."""


class Refused(Exception):
    """The command line does not fit the parser, or the parser is made of more than constants."""


class Parser(argparse.ArgumentParser):
    """argparse's own parser, which neither prints nor exits."""

    def error(self, message: str) -> NoReturn:
        """Refuse a command line that does not fit."""
        raise Refused(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Refuse instead of ending the process."""
        raise Refused(message or "")


@dataclass
class Specification:
    """The arguments that a program declares, until it asks for them."""

    arguments: list[tuple[Arguments, Keywords]] = field(default_factory=list)
    defaults: dict[str, Value] = field(default_factory=dict)
    commands: dict[str, Specification] = field(default_factory=dict)
    command: Value = None
    """the name under which the chosen command is kept"""
    unclear: bool = False
    """something was said of it that is not known here"""


@dataclass
class Expected:
    """One argument: its default, its type, and the constant that a flag stands for."""

    default: Value
    kind: Value
    constant: Value


def parser(run: Run, call: Invocation) -> Value:
    """Build an argument parser.

    argparse.ArgumentParser()

    followed where the command line is known; else what it gives is configuration
    """
    if run.program.arguments() is None:
        reason = "what argparse.ArgumentParser() gives is only known when it runs"
        return Unknown(label_of(call.node), reason, Confidence.LOW)

    unclear = bool(
        {"parents", "fromfile_prefix_chars", "prefix_chars", "argument_default"}
        & set(call.keywords)
    )
    return Builder("arguments", {"specification": Specification(unclear=unclear)})


def parser_call(run: Run, held: Builder, name: str, call: Invocation) -> Value:
    """Call a method of an argument parser.

    parser.add_argument("--day"), parser.parse_args()
    """
    handler = METHODS.get(name)
    if handler is None:
        held.parts["specification"].unclear = True
        return Unknown(f"{name}()", "not followed", Confidence.LOW)

    return handler(run, held, call)


def add_argument(run: Run, held: Builder, call: Invocation) -> Value:
    """Add an argument.

    parser.add_argument("--day", default="today")
    """
    specification = held.parts["specification"]
    run.touch(specification.arguments)
    specification.arguments.append((call.arguments, call.keywords))
    return None


def same_parser(run: Run, held: Builder, call: Invocation) -> Value:
    """Return the parser itself.

    parser.add_argument_group("dates")      its arguments are the parser's
    """
    return held


def set_defaults(run: Run, held: Builder, call: Invocation) -> Value:
    """Set the defaults of a parser.

    parser.set_defaults(day="today")
    """
    defaults = held.parts["specification"].defaults
    run.touch(defaults)
    defaults.update(call.keywords)
    return None


def add_subparsers(run: Run, held: Builder, call: Invocation) -> Value:
    """Add subcommands.

    parser.add_subparsers(dest="command")
    """
    held.parts["specification"].command = call.keywords.get("dest")
    return held


def add_parser(run: Run, held: Builder, call: Invocation) -> Value:
    """Add a subcommand.

    commands.add_parser("daily")
    """
    specification, made = held.parts["specification"], Specification()
    if call.arguments and isinstance(call.arguments[0], str):
        run.touch(specification.commands)
        specification.commands[call.arguments[0]] = made
    else:
        specification.unclear = True

    return Builder("arguments", {"specification": made})


def parse_args(run: Run, held: Builder, call: Invocation) -> Value:
    """Parse the command line.

    args = parser.parse_args()
    """
    found = _parse(run, held, call)
    if isinstance(found, tuple) and not found[1]:
        return found[0]

    return _unknown_value(call.node)


def parse_known_args(run: Run, held: Builder, call: Invocation) -> Value:
    """Parse the known part of the command line.

    args, rest = parser.parse_known_args()
    """
    found = _parse(run, held, call)
    if isinstance(found, tuple):
        return found

    return (_unknown_value(call.node), _unknown_value(call.node))


METHODS: dict[str, Callable[[Run, Builder, Invocation], Value]] = {
    "add_argument": add_argument,
    "add_argument_group": same_parser,
    "add_mutually_exclusive_group": same_parser,
    "set_defaults": set_defaults,
    "add_subparsers": add_subparsers,
    "add_parser": add_parser,
    "parse_args": parse_args,
    "parse_known_args": parse_known_args,
}


def _unknown_value(node: ast.AST) -> Unknown:
    """Return that the command line cannot be followed."""
    return Unknown(label_of(node), "the command line cannot be followed", Confidence.LOW)


def _parse(run: Run, held: Builder, call: Invocation) -> tuple[Instance, list[str]] | None:
    """Parse the command line by argparse itself; None where it cannot be followed."""
    given = call.argument(0, "args")
    words = run.program.arguments() if given is None else given
    if not isinstance(words, (list, tuple)) or not is_known(words) or "namespace" in call.keywords:
        return None

    expected: dict[str, Expected] = {}
    defaults: dict[str, Value] = {}

    try:
        made = _parser_of(held.parts["specification"], expected, defaults)
        found, rest = made.parse_known_args(list(map(str, words)))
    except (Refused, TypeError, ValueError, argparse.ArgumentError):
        return None

    names = {
        name: _value(run, each, vars(found).get(name), name in vars(found), call.node)
        for name, each in expected.items()
    }
    commands = {name: value for name, value in vars(found).items() if name not in expected}
    return Instance(NAMESPACE, {**names, **defaults, **commands}), rest


def _parser_of(
    specification: Specification, expected: dict[str, Expected], defaults: dict[str, Value]
) -> Parser:
    """Build the parser that the program describes."""
    if specification.unclear:
        raise Refused("the parser is not followed")

    made = Parser(add_help=False)
    for names, keywords in specification.arguments:
        _add(made, names, keywords, expected)

    if specification.commands:
        chosen = specification.command
        commands = (
            made.add_subparsers(dest=chosen) if isinstance(chosen, str) else made.add_subparsers()
        )
        for name, below in specification.commands.items():
            commands.add_parser(
                name, parents=[_parser_of(below, expected, defaults)], add_help=False
            )

    defaults.update(specification.defaults)
    return made


def _add(
    made: argparse.ArgumentParser,
    names: Arguments,
    keywords: Keywords,
    expected: dict[str, Expected],
) -> None:
    """Add one argument to a parser."""
    if not all_are(names, str):
        raise Refused("the name of an argument is not known")

    action = keywords.get("action", "store")
    if isinstance(action, Library) and action.name == BOOLEAN:
        action = argparse.BooleanOptionalAction
    elif not isinstance(action, str) or action in ("help", "version"):
        raise Refused("an action that is not known")

    passed: dict[str, Any] = {name: keywords[name] for name in PASSED_ON if name in keywords}
    if not all(map(is_known, passed.values())):
        raise Refused("an argument that is not known")

    if "const" in keywords:
        passed["const"] = _Constant()

    added = made.add_argument(*names, action=action, default=argparse.SUPPRESS, **passed)
    usual = (
        {"store_true": False, "store_false": True}.get(action) if isinstance(action, str) else None
    )
    expected[added.dest] = Expected(
        keywords.get("default", usual), keywords.get("type"), keywords.get("const")
    )


class _Constant:
    """The value of an argument without a value on the command line; only the program may know the
    constant.
    """


def _value(run: Run, expected: Expected, found: Any, is_given: bool, node: ast.AST) -> Value:
    """Return the value of an argument, or its default."""
    if not is_given:
        default = expected.default
        if isinstance(default, str):
            return _convert(run, expected, default, node)

        return default

    if isinstance(found, list):
        return [_convert_one(run, expected, each, node) for each in found]

    return _convert_one(run, expected, found, node)


def _convert_one(run: Run, expected: Expected, found: Any, node: ast.AST) -> Value:
    """Return one value, converted by the type of its argument."""
    if isinstance(found, _Constant):
        return expected.constant

    if isinstance(found, str):
        return _convert(run, expected, found, node)

    return found


def _convert(run: Run, expected: Expected, text: str, node: ast.AST) -> Value:
    """Convert a value by the type of its argument.

    type=int, type=Path, type=parse_day      applied as the program would
    """
    if expected.kind is None:
        return text

    return invoke(run, expected.kind, Invocation([text], {}, node))
