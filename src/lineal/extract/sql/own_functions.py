"""Functions that mean more here than the function table says: those of a dialect, and those that
the project lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineal.algebra.functions import BY_DIALECT, Function, with_meaning
from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.nodes import part_names
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.script import Meaning

MOST_ARGUMENTS = 4


class OwnFunctions:
    """Rows that go before those of the table, by the name of a call, or by the class that the
    parser makes of it.
    """

    def __init__(self, meanings: Iterable[Meaning], dialect: str) -> None:
        """Build the table of the functions that a project describes, over those of the dialect."""
        self.rows: dict[str, Function] = dict(BY_DIALECT.get(dialect, {}))
        self.classes: dict[type, str] = {}
        self.meanings = list(meanings)
        self.used: set[str] = set()
        for meaning in self.meanings:
            name = meaning.name.lower()
            self.rows[name] = with_meaning(meaning, self.rows.get(name))
            self.classes.update(dict.fromkeys(_classes(meaning.name, dialect), name))

    def __bool__(self) -> bool:
        """Tell whether the project or the dialect describes any function."""
        return bool(self.rows)

    def row(self, node: exp.Expr) -> Function | None:
        """Find the row that the project gives for a function.

        tokenize_pii(a), security.tokenize_pii(a), and what the parser has another name for
        """
        if isinstance(node, NAMED):
            qualified = ".".join((*_package(node), node.name)).lower()
            name = qualified if qualified in self.rows else node.name.lower()
        else:
            name = self.classes.get(type(node), "")

        return self.find_meaning(name)

    def find_meaning(self, name: str) -> Function | None:
        """Find what the project says about a function."""
        found = self.rows.get(name)
        if found is not None:
            self.used.add(name)

        return found

    def without_effect(self) -> Iterator[Diagnostic]:
        """A name that no statement calls is a typing error, and is said to be one."""
        for meaning in self.meanings:
            if meaning.name.lower() not in self.used:
                yield Diagnostic(
                    Code.NO_EFFECT,
                    f"no statement calls the function '{meaning.name}'",
                    meaning.place,
                )


NAMED = (exp.Anonymous, exp.AnonymousAggFunc, exp.ParameterizedAgg)


def _package(node: exp.Expr) -> Iterator[str]:
    """Return the package of a call.

    security in security.tokenize_pii(a)
    """
    parent = node.parent
    if isinstance(parent, exp.Dot) and parent.expression is node:
        base = parent.this
        if isinstance(base, (exp.Dot, exp.Column)):
            names = part_names(base)
        else:
            names = [base.name]

        yield from names


def _classes(name: str, dialect: str) -> Iterator[type]:
    """The classes that the parser makes of f(a), f(a, b), …, where it knows f by another name."""
    if not name.replace("_", "").isalnum():
        return

    for count in range(1, MOST_ARGUMENTS + 1):
        call = f"SELECT {name}({', '.join('abcd'[:count])})"
        try:
            tree = parser_dialect(dialect).parse(call)[0]
        except SqlglotError:
            continue

        node = tree.expressions[0] if isinstance(tree, exp.Select) and tree.expressions else None
        if isinstance(node, exp.Func) and not isinstance(node, NAMED):
            yield type(node)
