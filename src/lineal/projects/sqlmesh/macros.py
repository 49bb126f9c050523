"""Macros of SQLMesh: what `@x`, `@EACH(…)` and `@IF(…)` write, as far as the text tells.

    SELECT @EACH([a, b], x -> SUM(@x) AS sum_@x) FROM t       SELECT SUM(a) AS sum_a, SUM(b) AS sum_b FROM t
    WHERE ds BETWEEN @start_ds AND @end_ds                    WHERE ds BETWEEN '2020-01-01' AND '2020-01-01'
    FROM @{schema}.orders                                     FROM shop.orders, by the variables of the project

An expansion has as many lines as the macro, so that every place after it stays right. A condition
that only a run knows is read both ways. The text of a macro in Python is interpreted, never run. One
that only a run knows is a function of its arguments, with a diagnostic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lineal.extract.sql.glance import truth_of
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.sequences import flatten
from lineal.projects.lines import line_at, on_as_many_lines
from lineal.projects.sqlmesh.pieces import (
    Piece,
    closing_bracket,
    is_string,
    pieces,
    split,
    split_items,
    strip_part,
    unquote,
    unwrap,
)
from lineal.projects.text import Report

if TYPE_CHECKING:
    from lineal.resolve.macros import MacroProgram

DEEPEST = 30
LARGEST = 2_000_000
"""Characters that one file may grow to."""


class Value(NamedTuple):
    """A variable: SQL text, or a string."""

    text: str
    is_string: bool = False

    @property
    def plain(self) -> str | int:
        """Return the value as Python has it."""
        if not self.is_string and self.text.isdigit():
            return int(self.text)

        return self.text

    @property
    def literal(self) -> str:
        """Return the value as SQL writes it."""
        if self.is_string:
            return "'" + self.text.replace("'", "''") + "'"

        return self.text


class Lambda(NamedTuple):
    """x -> x + 1, (x, y) -> x + y: the names, and the text with them."""

    names: tuple[str, ...]
    body: str


class PythonMacro(NamedTuple):
    """A macro that Python makes: its name, and the function that writes it."""

    name: str
    file: str
    line: int
    function: str


class PythonMacros(Mapping[str, PythonMacro]):
    """The macros of a project in Python, by name, and the program that they are."""

    def __init__(self) -> None:
        self.macros: dict[str, PythonMacro] = {}
        self.texts: dict[str, str] = {}
        self._program: MacroProgram | None = None

    def __getitem__(self, name: str) -> PythonMacro:
        return self.macros[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.macros)

    def __len__(self) -> int:
        return len(self.macros)

    def add(self, file: str, text: str, macros: Iterable[PythonMacro] = ()) -> None:
        """Add the macros of a file, or a file that calls them."""
        self.texts[file] = text
        self.macros.update((macro.name, macro) for macro in macros)

    def write(
        self, macro: PythonMacro, given: list[Any], named: Mapping[str, Any], env: Environment
    ) -> list[str]:
        """Return the texts that a macro or a model may write; none if only a run knows."""
        from lineal.resolve.macros import MacroProgram, Question

        if self._program is None:
            self._program = MacroProgram(self.texts.items())

        about = attributes_of(env)
        asked = Question(macro.file, macro.function, given, named, about, env.columns_of)
        texts = self._program.write(asked)
        for failure in self._program.take_failures():
            env.report(failure)

        return texts


DAY, MOMENT = "'2020-01-01'", "'2020-01-01 00:00:00'"
TIMES = {"ds": DAY, "date": f"CAST({DAY} AS DATE)", "dt": f"CAST({MOMENT} AS TIMESTAMP)",
    "tstz": f"CAST({MOMENT} AS TIMESTAMP)", "ts": MOMENT, "dtntz": f"CAST({MOMENT} AS TIMESTAMP)",
    "epoch": "1577836800", "millis": "1577836800000", "hour": "0"}  # fmt: skip
TIME = re.compile(rf"(start|end|execution)_({'|'.join(TIMES)})$")


@dataclass
class Environment:
    """The names that macros can use: variables, definitions of the file, macros in Python."""

    variables: Mapping[str, Value]
    python: PythonMacros
    file: str
    dialect: str
    report: Report
    this: str = ""
    columns_of: Callable[[str], dict[str, str]] = lambda _: {}
    """The columns of a table with their types, as far as they are known."""
    stage: str = "evaluating"
    defined: dict[str, Value | Lambda] = field(default_factory=dict)
    answer: bool = True
    """The value of a condition that only a run knows."""
    asked: list[bool] = field(default_factory=list)
    """Filled if such a condition was met."""
    open: list[bool] = field(default_factory=list)
    """Filled if a macro writes columns of which only a run knows how many."""
    line: int = 1
    depth: int = 0

    def dynamic(self, message: str) -> None:
        """Report a part of the text that only a run knows."""
        self.report(Diagnostic(Code.DYNAMIC, message, Place(self.file, self.line, 1)))

    def variable(self, name: str) -> Value | Lambda | None:
        """Return what a name stands for."""
        key = name.lower()
        if key in self.defined:
            return self.defined[key]

        if key in self.variables:
            return self.variables[key]

        if key == "this_model" and self.this:
            return Value(self.this)

        time = TIME.match(key)
        if time is not None:
            return Value(TIMES[time[2]])

        return None


def expand(text: str, env: Environment) -> str:
    """Return a text with its macros expanded; it has as many lines as before."""
    if "@" not in text:
        return text

    if env.depth > DEEPEST or len(text) > LARGEST:
        env.dynamic("the macros call each other too deeply to be followed")
        return text.replace("@", "")

    inner = replace(env, depth=env.depth + 1)
    inner.defined, inner.asked, inner.open = env.defined, env.asked, env.open
    written: list[str] = []
    at = 0

    for piece in pieces(text, env.dialect):
        if piece.start < at or not has_macro(piece.kind, piece.text):
            continue

        written.append(text[at : piece.start])
        inner.line = env.line + line_at(text, piece.start) - 1
        made, at = expand_piece(text, piece.start, piece.kind, piece.text, inner)
        written.append(on_as_many_lines(made, text[piece.start : at]))

    return "".join(written) + text[at:]


def has_macro(kind: str, text: str) -> bool:
    """Tell whether a piece is a macro, or a quoted name with one in it."""
    return kind == "macro" or (kind == "quoted" and "@" in text)


def expand_piece(
    text: str, start: int, kind: str, spelled: str, env: Environment
) -> tuple[str, int]:
    """Return what a macro writes, and where the text goes on behind it."""
    end = start + len(spelled)
    if kind == "quoted":
        return expand_template(spelled, env), end

    if spelled.startswith("@'"):
        return expand_template(spelled[1:], env), end

    if spelled.startswith("@@"):
        return spelled, end  # a session variable of the engine

    name = spelled[1:].strip("{}").strip()
    if not spelled.startswith("@{") and text[end : end + 1] == "(":
        close = closing_bracket(text, end, env.dialect)
        if close is not None:
            return call(
                name, text[end + 1 : close], text[:start], text[close + 1 :], env
            ), close + 1

    return read_variable(name, spelled, text[:start], text[end:], env), end


TEMPLATE = re.compile(r"@\{\s*(\w+)\s*\}|@(\w+)")


def expand_template(text: str, env: Environment) -> str:
    """ "@{x}_total", @'s3://@{bucket}/x'      names inside a quoted name or a string"""

    def write(found: re.Match[str]) -> str:
        """Return the text of a variable inside a name."""
        held = env.variable(found[1] or found[2])
        if isinstance(held, Value):
            return unquote(held.text)

        return found[0].replace("@", "")

    return TEMPLATE.sub(write, text)


TABLE_WORDS = re.compile(r"\b(FROM|JOIN|INTO|TABLE|VIEW|UPDATE|AS)\s*$", re.IGNORECASE)


def read_variable(name: str, spelled: str, before: str, after: str, env: Environment) -> str:
    """@x is a value; @{x}, a_@x and @x.orders are parts of names."""
    held = env.variable(name)
    if held is None and name.lower() in WORDS:
        return WORDS[name.lower()]

    if held is None and env.python.get(name.lower()) is not None:
        return call(name, "", before, after, env)

    if held is None:
        if spelled.startswith("@{") or is_in_name(before, after):
            return f"{{{name}}}"  # a placeholder in a name

        return spelled

    if isinstance(held, Lambda):
        return spelled

    part = spelled.startswith("@{") or is_in_name(before, after)
    if part:
        return unquote(held.text)

    return expand(held.literal, env)


def is_in_name(before: str, after: str) -> bool:
    """Tell whether a macro is a part of a name, or a table."""
    if re.search(r"[\w.}]$", before) or re.match(r"[\w.]", after):
        return True

    return TABLE_WORDS.search(before[-40:]) is not None


WORDS = {
    "gateway": "'default'", "runtime_stage": "'evaluating'", "model_kind_name": "'FULL'",
    "this_env": "'prod'", "has_intervals": "TRUE", "is_dev": "FALSE",
}  # fmt: skip
"""SQLMesh's variables about the run."""


# -- calls -----------------------------------------------------------------------------------------


class Call(NamedTuple):
    """@NAME(arguments): its arguments as text, by position and by name, and the text around it."""

    name: str
    given: list[str]
    named: dict[str, str]
    before: str
    after: str
    env: Environment

    def text(self, position: int, name: str = "", default: str = "") -> str:
        """Return an argument by its name or position, with its own macros expanded."""
        held = self.named.get(name, default)
        if name not in self.named and position < len(self.given):
            held = self.given[position]

        return expand(held, self.env)

    def items(self, position: int, name: str = "") -> list[str]:
        """Return the items of an argument that is a list."""
        return split_items(self.text(position, name))


NAMED = re.compile(r"\s*(\w+)\s*(?::=|=>)\s*(.*)", re.DOTALL)


def call(name: str, inner: str, before: str, after: str, env: Environment) -> str:
    """Return what a macro function writes."""
    given: list[str] = []
    named: dict[str, str] = {}

    for part in split(inner, ",", env.dialect):
        found = NAMED.match(part.text)
        if found is not None:
            named[found[1].lower()] = found[2].strip()
        else:
            given.append(part.text)

    made = Call(name.lower(), given, named, before, after, env)
    own = env.variable(name)
    if isinstance(own, Lambda):
        return apply(own, [expand(text, env) for text in given], env)

    python = env.python.get(made.name)
    if python is not None:
        return call_python(made, python)

    handler = FUNCTIONS.get(made.name)
    if handler is not None:
        return handler(made)

    env.dynamic(f"the macro @{name} is not in the project")
    return unknown_call(made)


def call_python(made: Call, macro: PythonMacro) -> str:
    """@cents(amount)      as its text tells, else a function of its arguments"""
    env = made.env
    given = [argument_of(expand(text, env)) for text in made.given]
    named = {key: argument_of(expand(text, env)) for key, text in made.named.items()}
    written = env.python.write(macro, given, named, env)
    if len(written) > 1:
        env.asked.append(True)

    if written:
        return expand(written[0 if env.answer else -1].strip().removesuffix(";"), env)

    env.dynamic(f"what the Python macro @{macro.name} writes is only known when it runs")
    return unknown_call(made)


def argument_of(text: str) -> Any:
    """(a, b), [a, b]      a list of arguments; any other text stays as it is"""
    bare = text.strip()
    items = split_items(bare)
    is_list = bare[:1] != "(" or len(items) > 1
    if is_list and unwrap(bare) != bare:
        return list(map(argument_of, items))

    return bare


def attributes_of(env: Environment) -> dict[str, Any]:
    """Return what the evaluator of SQLMesh tells a macro about the run."""
    moments = {
        f"{when}_{key}": unquote(text)
        for when in ("start", "end", "execution")
        for key, text in TIMES.items()
    }
    variables = {key: held.plain for key, held in env.variables.items()}
    about = {"runtime_stage": env.stage, "gateway": "default", "this_model": env.this}
    return {
        "locals": {**variables, **moments, **about},
        "dialect": env.dialect,
        **about,
    }


def unknown_call(made: Call) -> str:
    """Return a call of a function in the place of a macro; nothing where a statement stands."""
    before = strip_part(made.before[-400:], 0).text.upper()
    if not before or before.endswith(";"):
        return ""

    texts = [expand(text, made.env) for text in (*made.given, *made.named.values())]
    arguments = flatten(map(scalars, texts))
    begins = re.search(r"(\bSELECT|\bDISTINCT|,)$", before) is not None
    if begins and not re.match(r"\s*(AS\b|[-+*/|:.]|\w)", made.after.replace("FROM", "(", 1)):
        made.env.open.append(True)

    return f"{made.name}({', '.join(arguments)})"


def scalars(text: str) -> list[str]:
    """Return the expressions of an argument: those of a list one by one, no lambdas, no mappings."""
    found: list[str] = []
    open_ = [text]
    while open_:
        item = open_.pop()
        if "->" in item or item.startswith("{"):
            continue

        items = split_items(item) if item[:1] in "[(" else [item]
        if items == [item]:  # a bracket that nothing closes does not make a list
            found.append(item)
        else:
            open_.extend(reversed(items))

    return found


def apply(held: Lambda, arguments: list[str], env: Environment) -> str:
    """Return the body of a lambda with its names replaced."""
    values = dict(zip((name.lower() for name in held.names), arguments, strict=False))
    written: list[str] = []
    found = list(pieces(held.body, env.dialect))

    for number, piece in enumerate(found):
        after_as = is_after_as(found[:number])
        written.append(substitute(piece.kind, piece.text, values, "".join(written), after_as))

    return expand("".join(written), env)


def is_after_as(before: list[Piece]) -> bool:
    """Tell whether the pieces before a name end with AS."""
    said = [piece for piece in before if piece.says]
    return bool(said) and said[-1].text.upper() == "AS"


def substitute(kind: str, text: str, values: Mapping[str, str], before: str, after_as: bool) -> str:
    """Return a piece of a lambda's body with a name replaced: x, @x, @{x}, sum_@x."""
    if kind == "word" and text.lower() in values:
        held = values[text.lower()]
        if after_as:
            return unquote(held)

        return held

    if kind == "macro" and text[1:].strip("{} ").lower() in values:
        held = values[text[1:].strip("{} ").lower()]
        part = text.startswith("@{") or after_as or re.search(r"[\w.]$", before) is not None
        if part:
            return unquote(held)

        return held

    if kind in ("quoted", "string", "macro") and "@" in text:
        return TEMPLATE.sub(
            lambda found: unquote(values.get((found[1] or found[2]).lower(), found[0])), text
        )

    return text


LAMBDA = re.compile(r"\s*(?:\(([^()]*)\)|(\w+))\s*->\s*(.*)", re.DOTALL)


def lambda_of(text: str) -> Lambda | None:
    """x -> x + 1, (x, y) -> x + y"""
    found = LAMBDA.match(text)
    if found is None:
        return None

    names = found[2]
    if found[1] is not None:
        names = found[1]

    return Lambda(tuple(part.text for part in split(names)), found[3].strip())


def items_of(made: Call) -> list[str]:
    """Return the items before a lambda: of one list, or of several arguments."""
    several = [expand(text, made.env) for text in made.given[:-1]]
    if len(several) == 1:
        return split_items(several[0])

    return flatten(map(split_items, several))


def expand_each(made: Call) -> str:
    """@EACH([a, b], x -> SUM(x))      SUM(a), SUM(b)"""
    held = None
    if made.given:
        held = lambda_of(made.given[-1])

    if held is None:
        return unknown_call(made)

    return ", ".join(apply(held, item_values(item), made.env) for item in items_of(made))


def item_values(item: str) -> list[str]:
    """(a, b) binds two names of a lambda, a binds one."""
    if item.startswith("("):
        return split_items(item)

    return [item]


def reduce_items(made: Call) -> str:
    """@REDUCE([a, b, c], (x, y) -> x + y)      a + b + c"""
    held = None
    if made.given:
        held = lambda_of(made.given[-1])

    items = items_of(made)
    if held is None or not items:
        return unknown_call(made)

    result = items[0]

    for item in items[1:]:
        result = apply(held, [result, item], made.env)

    return result


def filter_items(made: Call) -> str:
    """@FILTER([1, 2, 3], x -> x > 1)      [2, 3]; an item of which only a run knows stays"""
    held = None
    if made.given:
        held = lambda_of(made.given[-1])

    if held is None:
        return unknown_call(made)

    kept = [item for item in items_of(made) if truth_of(apply(held, [item], made.env)) is not False]
    return f"[{', '.join(kept)}]"


def decide(made: Call, text: str) -> bool:
    """Return whether a condition holds; one that only a run knows is read both ways."""
    held = truth_of(expand(text, made.env))
    if held is not None:
        return held

    made.env.asked.append(True)
    return made.env.answer


def choose(made: Call) -> str:
    """@IF(condition, a, b)"""
    if not made.given:
        return ""

    if decide(made, made.given[0]):
        return made.text(1)

    other = made.text(2)
    if not other and re.search(r"(\bSELECT|,)$", strip_part(made.before[-400:], 0).text.upper()):
        return "NULL"

    return other


def clause(word: str) -> Callable[[Call], str]:
    """@WHERE(condition) x > 1      WHERE x > 1, since a run may say so"""
    return lambda made: word


def connect(word: str) -> Callable[[Call], str]:
    """@AND(a, b, NULL)      (a AND b)"""

    def write(made: Call) -> str:
        """Return the conditions joined by AND or OR; TRUE without any."""
        texts = [expand(text, made.env).strip() for text in made.given]
        kept = [text for text in texts if text and text.upper() != "NULL"]
        if kept:
            return f"({f' {word} '.join(kept)})"

        return "TRUE"

    return write


def read_setting(made: Call) -> str:
    """@VAR('schema', 'default'), @BLUEPRINT_VAR('x')"""
    name = unquote(made.text(0))
    held = made.env.variable(name)
    if isinstance(held, Value):
        if is_in_name(made.before, made.after):
            return unquote(held.text)

        return held.literal

    if len(made.given) > 1:
        return made.text(1)

    if is_in_name(made.before, made.after):
        return f"{{{name}}}"

    return "NULL"


def surrogate_key(made: Call) -> str:
    """@GENERATE_SURROGATE_KEY(a, b)      MD5(CONCAT(…))"""
    parts = ", '|', ".join(
        f"COALESCE(CAST({expand(text, made.env)} AS VARCHAR), '_sqlmesh_surrogate_key_null_')"
        for text in made.given
    )
    return f"{unquote(made.text(9, 'hash_function', 'MD5'))}(CONCAT({parts}))"


def safe_operator(sign: str) -> Callable[[Call], str]:
    """@SAFE_ADD(a, b), @SAFE_SUB(a, b)"""

    def write(made: Call) -> str:
        """Return the sum or difference that counts NULL as 0."""
        texts = [expand(text, made.env) for text in made.given]
        tests = " AND ".join(f"{text} IS NULL" for text in texts)
        total = f" {sign} ".join(f"COALESCE({text}, 0)" for text in texts)
        return f"CASE WHEN {tests} THEN NULL ELSE {total} END"

    return write


def safe_div(made: Call) -> str:
    """@SAFE_DIV(a, b)      a / NULLIF(b, 0)"""
    return f"{made.text(0)} / NULLIF({made.text(1)}, 0)"


def cast_column(column: str, kind: str) -> str:
    """Return a column as SQLMesh selects it: cast to its type, if the project tells the type."""
    return f"CAST({column} AS {kind})" if kind else column


def star(made: Call) -> str:
    """@STAR(shop.orders, o, [secret])      o.* without some columns; by name if there is a prefix"""
    relation, alias = made.text(0, "relation"), made.text(1, "alias")
    left_out = made.items(2, "exclude") or made.items(9, "except_")
    prefix = unquote(made.text(3, "prefix"))
    suffix = unquote(made.text(4, "suffix"))
    of = alias or relation.rsplit(".", 1)[-1]
    columns = made.env.columns_of(relation)
    if columns:
        dropped = {unquote(name).lower() for name in left_out}
        return ", ".join(
            f"{cast_column(f'{of}.{name}', kind)} AS {prefix}{name}{suffix}"
            for name, kind in columns.items()
            if name.lower() not in dropped
        )

    if prefix or suffix:
        made.env.dynamic(f"the columns of {relation} are not known, so @STAR cannot rename them")

    if left_out:
        return f"{of}.* EXCEPT ({', '.join(left_out)})"

    return f"{of}.*"


def union(made: Call) -> str:
    """@UNION('distinct', a, b)      the columns that all of them have"""
    texts = [expand(text, made.env) for text in made.given]
    kinds = list(filter(is_string, texts))
    tables = [text for text in texts if not is_string(text) and re.fullmatch(r"[\w.\"`{}]+", text)]
    columns = list(map(made.env.columns_of, tables))
    shared = {
        name: kind
        for name, kind in (columns[0] if columns else {}).items()
        if all(name.lower() in map(str.lower, several) for several in columns[1:])
    }
    chosen = "*"
    if shared and all(columns):
        chosen = ", ".join(f"{cast_column(name, kind)} AS {name}" for name, kind in shared.items())

    word = "UNION"
    if kinds and unquote(kinds[0]).lower() == "all":
        word = "UNION ALL"

    return f" {word} ".join(f"SELECT {chosen} FROM {table}" for table in tables)  # noqa: S608


def pivot(made: Call) -> str:
    """@PIVOT(status, ['open', 'done'])      SUM(CASE WHEN status = 'open' THEN 1 ELSE 0 END) AS "open" """
    column, values = made.text(0, "column"), made.items(1, "values")
    aggregate = unquote(made.text(3, "agg", "SUM"))
    then, otherwise = made.text(6, "then_value", "1"), made.text(7, "else_value", "0")
    prefix, suffix = unquote(made.text(4, "prefix")), unquote(made.text(5, "suffix"))
    return ", ".join(
        f"{aggregate}(CASE WHEN {column} = {value} THEN {then} ELSE {otherwise} END)"
        f' AS "{prefix}{unquote(value)}{suffix}"'
        for value in values
    )


def deduplicate(made: Call) -> str:
    """@DEDUPLICATE(orders, [id], ['changed desc'])"""
    keys = ", ".join(made.items(1, "partition_by"))
    order = ", ".join(map(unquote, made.items(2, "order_by")))
    relation = made.text(0, "relation")
    ranked = f"ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY {order})"
    return f"SELECT * FROM {relation} QUALIFY {ranked} = 1"  # noqa: S608  it is read, never run


def date_spine(made: Call) -> str:
    """@DATE_SPINE('day', a, b)      a query with one column, date_day"""
    part = unquote(made.text(0)) or "day"
    return f"SELECT CAST(NULL AS DATE) AS date_{part}"


def distance(made: Call) -> str:
    """@HAVERSINE_DISTANCE(a, b, c, d)"""
    texts = [expand(text, made.env) for text in made.given[:4]]
    return f"haversine_distance({', '.join(texts)})"


def plain_sql(made: Call) -> str:
    """@SQL('a + b')      the text itself"""
    return expand(unquote(made.text(0)), made.env)


def evaluate(made: Call) -> str:
    """@EVAL(1 + 1)      the expression"""
    return f"({made.text(0)})"


def define(made: Call) -> str:
    """@DEF(rate, 0.2), @DEF(cents, x -> x * 100)"""
    name = ""
    if made.given:
        name = unquote(made.given[0]).lower()

    text = ", ".join(made.given[1:])
    held = lambda_of(text)
    if held is None:
        bare = expand(text, made.env)
        held_value: Value | Lambda = Value(unquote(bare), True) if is_string(bare) else Value(bare)
        made.env.defined[name] = held_value
    else:
        made.env.defined[name] = held

    return ""


FUNCTIONS: Mapping[str, Callable[[Call], str]] = {
    "and": connect("AND"), "blueprint_var": read_setting, "date_spine": date_spine,
    "deduplicate": deduplicate, "def": define, "each": expand_each, "eval": evaluate,
    "filter": filter_items, "generate_surrogate_key": surrogate_key,
    "group_by": clause("GROUP BY"), "haversine_distance": distance, "having": clause("HAVING"),
    "if": choose, "join": clause("JOIN"), "limit": clause("LIMIT"), "or": connect("OR"),
    "order_by": clause("ORDER BY"), "pivot": pivot, "reduce": reduce_items, "safe_add": safe_operator("+"),
    "safe_div": safe_div, "safe_sub": safe_operator("-"), "sql": plain_sql, "star": star, "union": union,
    "var": read_setting, "where": clause("WHERE"), "with": clause("WITH"),
}  # fmt: skip
"""The macros that SQLMesh brings along."""
