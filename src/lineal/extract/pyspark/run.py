"""One run of the abstract interpreter over a program: the values known while its statements are
walked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineal.extract.pyspark.frame_scope import FrameEvaluation
from lineal.extract.pyspark.reading import PythonReading
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.values import Unknown, Value, label_of
from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.evaluation import Catalog
from lineal.extract.sql.statements.steps import Partition
from lineal.model.boundary import Passing, internal_error
from lineal.model.diagnostic import Code, Diagnostic
from lineal.model.edge import Dataset
from lineal.model.sequences import flatten
from lineal.model.way import Confidence

if TYPE_CHECKING:
    from lineal.extract.pyspark.embedded.statements import Collector
    from lineal.extract.pyspark.files import File
    from lineal.extract.pyspark.program import Program

GAPS = frozenset((Code.DYNAMIC, Code.UNSUPPORTED_CONSTRUCT, Code.TOO_DEEP))
"""The codes of columns and rows that are made in an unknown way."""

MOST_STEPS = 300_000
SECOND_CHANCE = 50_000
CHANCES = 4
DEEPEST_CALL = 40
NO_TARGET = Dataset("", "")


class Exhausted(Passing):
    """The program does more than can be followed: an endless loop, a recursion, a huge table."""


class Environment:
    """The names of a function or module, and those around it."""

    __slots__ = ("file", "function", "globals", "methods", "names", "outer", "shared", "wild")

    def __init__(
        self,
        names: dict[str, Value],
        outer: Environment | None,
        file: File,
        function: str = "",
    ) -> None:
        """Start a scope of names inside another one."""
        self.names = names
        self.function: str = function or (outer.function if outer is not None else "")
        """the function whose names these are; empty for those of a module"""
        self.outer = outer
        self.file = file
        self.wild: list[Value] = []
        self.shared: set[str] = set()
        """names that `global` or `nonlocal` lends from outside"""
        self.methods: list[Value] | None = None
        """of a class's body: the functions that are defined there, whatever decorators make of them
        """
        self.globals: Environment = outer.globals if outer is not None else self

    @property
    def home(self) -> str:
        """Return the place that names are told apart by.

        Return the file and function: jobs/daily.py::main
        """
        if self.function:
            return f"{self.file.label}::{self.function}"

        return self.file.label

    def visible(self) -> dict[str, Value]:
        """Return the names that can be read here, with those of the functions and module around."""
        outer = self.outer.visible() if self.outer is not None else {}
        return {**outer, **self.names}

    def home_of(self, name: str) -> Environment | None:
        """Return the environment that defines a name."""
        here: Environment | None = self
        while here is not None:
            if name in here.names and name not in here.shared:
                return here

            here = here.outer

        return None


class Yielded(list[Any]):
    """The values that a call has yielded so far; a context manager also has its action at the
    yield.
    """

    def __init__(self, at_yield: Callable[[Value], None] | None = None) -> None:
        """Collect the values that a generator yields; `at_yield` is called with each."""
        super().__init__()
        self.at_yield = at_yield


@dataclass
class Write:
    """A dataset that the program writes: its frame, and how the target's columns are matched."""

    name: str
    relation: Relation
    node: Any
    reading: PythonReading
    kind: str = "table"
    defines: bool = True
    positional: bool = False
    columns: list[tuple[str, str]] = field(default_factory=list)
    script: Any = None
    """the entry point that writes"""
    partition: Partition | None = None
    """INSERT INTO t PARTITION (day, region = 'EU')"""
    keeps: bool = False
    """CREATE TABLE IF NOT EXISTS, mode("ignore"): existing rows stay"""
    certain: bool = False
    """it is outside all branches, and nothing drops it: the target is there"""
    reached: bool = False
    """no way through the program ends before it"""


class Activation(NamedTuple):
    """The gaps outside the current function or module."""

    gaps: list[Diagnostic]
    loose: list[Diagnostic]
    calls: int


NumberTest = tuple[Hashable, bool]
"""The values that a test of numbers compares, and whether it held."""


class Work:
    """The work of a run: how much there was, and what need not be done twice."""

    def __init__(self) -> None:
        """Start with all steps and chances left."""
        self.steps = 0
        self.checks = 0
        """how often the steps were counted: the clock is asked now and then only"""
        self.chances = CHANCES
        self.depth = 0
        self.env: Environment | None = None
        """the names around the call that is executed"""
        self.elements = 0
        """how many functions over elements of a column are inside each other"""
        self.journals: list[dict[int, tuple[Any, Any]]] = []
        self.tests: list[dict[int, set[NumberTest]]] = []
        """the tests of numbers in each loop over numbers that is watched"""
        self.widened = 0
        """how many expressions of series have become too large to be followed"""
        self.watched = 0
        """how many of the journals belong to rounds of a loop, which are certain to happen"""
        self.changes = 0
        """how often something changed that is not a name of the current function"""
        self.scans = 0
        """how often a table was asked for"""
        self.left_unread = 0
        self.own_names = 0
        """the names of the current function, by their identity"""
        self.under_way: list[tuple[Any, int]] = []
        """the calls that have not ended, and how many changes there had been before each"""
        self.memory: dict[Any, Any] = {}
        """the results of calls without effects, by function and values"""
        self.models: dict[str, Value] = {}
        """the models that this session has saved, by their path; None if it saved several there"""
        self.round = 0
        """the rounds of loops so far"""
        self.births: dict[int, int] = {}
        """the round in which a container was made, by its identity; an old identity may be used again
        by a container that nobody registers, which then counts as older than it is
        """
        self.effects: set[int] = set()
        """the functions that have effects"""


class Run(Work):
    """The state of a program's one abstract run; each entry point starts with its own views."""

    def __init__(self, program: Program, catalog: Catalog) -> None:
        """Start the run of a program: no view, no write, no query yet."""
        super().__init__()
        self.program = program
        self.catalog = catalog
        self.facts: Facts = facts_of("spark")
        self.reading = PythonReading("", "")
        self.views: dict[str, Relation] = {}
        self.global_views: dict[str, Relation] = {}
        self.written: dict[str, Write] = {}
        self.writes: list[Write] = []
        self.queries: list[Write] = []
        """the SQL texts that give frames of other libraries: written where nothing is made of them"""
        self.leaves: list[tuple[Value, Any, PythonReading]] = []
        self.diagnostics: list[Diagnostic] = []
        self.reported: set[Diagnostic] = set()
        self.told = 0
        """how often something was reported, whether or not it had been before"""
        self.gaps: list[Diagnostic] = []
        """the gaps that were met in the current call, and in the calls inside it"""
        self.said: dict[int, dict[Diagnostic, None]] = {}
        """the reports of each script, whether or not another one had met them before"""
        self.unread_in: dict[int, list[Diagnostic]] = {}
        """the places that may write something of which the text does not tell, by their scripts"""
        self.loose: list[Diagnostic] = []
        """those of the current function that are not taken by a DataFrame: of a column that a name holds
        """
        self.calls = 0
        """how many calls are inside each other, in the current function"""
        self.parted = False
        """whether a branch of which only a run knows the outcome has ended the program, the
        function or a round
        """
        self.home = ""
        """the current file and function: jobs/daily.py::main"""
        self.here: Environment | None = None
        """the names around the current call: pl.sql("SELECT … FROM orders") reads variables"""
        self.script: Any = None
        self.script_key = 0
        """the identity of the current script, however often the program is run"""
        self.begun = 0
        """how many writes there were when the script began"""
        self.asked: dict[str, set[int]] = {}
        """the tables that scripts read, and the scripts that do"""
        self.called: set[int] = set()
        self.frames: list[Yielded] = []
        self.udfs: dict[str, Value] = {}
        self.making: list[Value] = []
        """the classes that their metaclasses are just hearing of"""
        self.patched: dict[tuple[str, str], Value] = {}
        """methods that the program gives to DataFrames and Columns: DataFrame.clean = clean"""
        self.using: tuple[str, str] = ("", "")
        """catalog and database of USE, for names without one"""
        self.session: list[str] = []
        """the statements that declare and set the variables of the session"""
        self.collector: Collector | None = None
        """keeps the SQL that the program hands to other databases; None while Spark is traced"""

    def start(self, script: Any) -> None:
        """A script, or a function that nobody calls: a session of its own."""
        self.script, self.views, self.written, self.leaves = script, {}, {}, []
        self.script_key = key_of_script(script)
        self.patched, self.using, self.session = {}, ("", ""), []
        self.gaps, self.loose, self.calls, self.parted = [], [], 0, False
        self.steps, self.chances, self.begun = 0, CHANCES, len(self.writes)
        self.memory, self.under_way, self.models = {}, [], {}

    def environments_at_hand(self) -> list[Environment]:
        """Return the names that the current call sees, the nearest first."""
        found = []
        here = self.env
        while here is not None:
            found.append(here)
            here = here.outer

        return found

    # -- limits ------------------------------------------------------------------------------------

    def step(self, cost: int = 1) -> None:
        """Count work, and give up on a program that takes too much."""
        self.steps += cost
        if self.steps > MOST_STEPS:
            raise Exhausted("this takes more steps than are followed")

    def grant(self) -> None:
        """A statement that does too much costs itself; those after it get a part of the steps
        again.
        """
        self.steps = min(self.steps, MOST_STEPS - SECOND_CHANCE)
        self.chances -= 1

    # -- diagnostics -------------------------------------------------------------------------------

    def evaluation(self) -> FrameEvaluation:
        """Return an evaluation of expressions over frames."""
        return FrameEvaluation(self.catalog, self.reading, self.facts, NO_TARGET)

    def report(self, code: Code, message: str, node: Any, hint: str = "", gap: bool = True) -> None:
        """Report a diagnostic once; a gap concerns the value being computed."""
        diagnostic = Diagnostic(code, message, self.reading.place_of(node), hint)
        self.told += 1
        if gap and code in GAPS:
            self.gaps.append(diagnostic)

        self.keep_diagnostic(diagnostic)

    def fail(self, error: Exception, node: Any, what: str = "this statement") -> None:
        """The interpreter failed over a part of the program; the parts after it go on."""
        place = self.reading.statement_near(node)
        if isinstance(error, RecursionError) and nests_deeply(node):
            diagnostic = Diagnostic(Code.TOO_DEEP, "the code nests too deeply", place)
        else:
            diagnostic = internal_error(error, place, what)

        self.told += 1
        self.gaps.append(diagnostic)
        self.keep_diagnostic(diagnostic)

    def keep_diagnostic(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic once, and with each script that meets it."""
        self.said.setdefault(self.script_key, {})[diagnostic] = None
        if diagnostic not in self.reported:
            self.reported.add(diagnostic)
            self.diagnostics.append(diagnostic)

    @property
    def unread(self) -> list[Diagnostic]:
        """Return the places of all scripts that may write something unknown."""
        return flatten(self.unread_in.values())

    def dynamic(
        self, what: str, node: ast.AST, level: Confidence = Confidence.UNKNOWN, gap: bool = True
    ) -> None:
        """A place that only a run can tell, with its text and the reason; a name that nothing
        defines tells nothing.

        The name of a dataset is no gap: it stays a placeholder, and the columns are known.
        """
        level = Confidence.UNKNOWN if level is Confidence.HIGH else level
        self.report(
            Code.DYNAMIC, f"{what}: {self.reading.text_of(node)} [{level.name}]", node, gap=gap
        )

    def leave_unread(self, what: str, node: ast.AST) -> None:
        """Remember a place that is handed on to code or SQL that is not here; it may write
        anything.
        """
        message = f"{what}: {self.reading.text_of(node)}"
        found = Diagnostic(Code.DYNAMIC, message, self.reading.place_of(node))
        self.left_unread += 1
        self.unread_in.setdefault(self.script_key, []).append(found)

    def enter(self) -> Activation:
        """Begin a function or module: loose diagnostics outside may concern its arguments."""
        outside = Activation(self.gaps, self.loose, self.calls)
        self.gaps, self.loose, self.calls = [], [*self.loose], 0
        return outside

    def leave(self, outside: Activation, taken: bool) -> None:
        """It has ended; its gaps are those of the call outside, unless the DataFrame that it gives
        has taken them.
        """
        new = [*self.loose[len(outside.loose) :], *self.gaps]
        self.gaps, self.loose, self.calls = outside
        if not taken:
            self.gaps.extend(new)

    def take_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Report what an evaluation has found, each finding once."""
        for diagnostic in diagnostics:
            self.keep_diagnostic(diagnostic)

    def unknown(self, node: ast.AST, reason: str) -> Unknown:
        """Return a value that only a run knows."""
        return Unknown(label_of(node), reason)

    # -- branches ----------------------------------------------------------------------------------

    def bear(self, container: Any) -> None:
        """Call when a list, dict or set of names is made: nobody knew it before."""
        self.births[id(container)] = self.round

    def is_young(self, container: Any, since: int) -> bool:
        """Tell whether a container was made in a round of a loop, or later."""
        return self.births.get(id(container), 0) >= since

    def touch(self, container: Any) -> None:
        """Call before a list, dict or set of names changes: a branch that is undone needs to know
        how it was.
        """
        if id(container) != self.own_names:
            self.changes += 1

        if self.journals:
            journal = self.journals[-1]
            if id(container) not in journal:
                journal[id(container)] = (container, copy_of(container))

    def begin(self) -> None:
        """Begin to take note of changes, for `undo` or `keep`."""
        self.journals.append({})

    def undo(self) -> dict[int, tuple[Any, Any]]:
        """Everything back to how it was at `begin`; gives how each changed container had become."""
        journal = self.journals.pop()
        after = {}
        for number, (container, before) in journal.items():
            after[number] = (container, copy_of(container))
            restore(container, before)

        return after

    def keep(self) -> None:
        """The changes since `begin` stay."""
        journal = self.journals.pop()
        if self.journals:
            for number, entry in journal.items():
                self.journals[-1].setdefault(number, entry)


def key_of_script(script: Any) -> int:
    """Return what tells a script from others: the file, or the code of a function nobody calls."""
    return id(getattr(script, "node", script))


DEEP = 60
"""Levels of a syntax tree that ordinary code does not reach, and that recursion may fail over."""


def nests_deeply(node: Any) -> bool:
    """Whether code is nested so deeply that what walks it may run out of calls."""
    level = [node] if isinstance(node, ast.AST) else []
    for _ in range(DEEP):
        level = flatten(map(ast.iter_child_nodes, level))
        if not level:
            return False

    return True


def copy_of(container: Any) -> Any:
    """Return a copy of a container."""
    return container.copy()


def restore(container: Any, state: Any) -> None:
    """Give a container back the content that it had."""
    container.clear()
    if isinstance(container, list):
        container.extend(state)
    else:
        container.update(state)
