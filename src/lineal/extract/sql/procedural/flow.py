"""Flow: which assignments a variable may hold at a moment of a procedure's body.

A straight line replaces, branches unite, and what a loop assigns anywhere may be there when it
starts again. Nothing is evaluated here: what a variable holds are references to assignments, each a
query with its own moment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lineal.extract.sql.reading import Reading
from lineal.model.diagnostic import Place


class Assignment:
    """SET @m = (SELECT max(a) FROM t), SELECT a, b INTO x, y FROM t

    a query whose columns variables take
    """

    __slots__ = ("after", "constant", "mentions", "moment", "reading", "tree")

    def __init__(
        self,
        tree: exp.Expr | None,
        reading: Reading | None,
        moment: Moment,
        mentions: frozenset[str],
        constant: list[Token] | None = None,
    ) -> None:
        """Keep the expression that a variable is set to, and the moment of it."""
        self.tree = tree
        self.reading = reading
        self.moment = moment
        self.mentions = mentions
        self.constant = constant
        """the tokens of the expression, if it may be a constant text"""
        self.after: Any = None
        """the statement of SQL that comes before it"""

    @property
    def query(self) -> exp.Expr:
        """The query of an assignment that is not a parameter's."""
        assert self.tree is not None
        return self.tree

    @property
    def position(self) -> int:
        """How many steps of the script come before it."""
        if self.after is None:
            return 0

        return int(self.after.position) + 1


class Ref(NamedTuple):
    """The value of a variable: a column of an assignment by its position, or the whole row."""

    assignment: Assignment
    column: int | None
    field: str = ""
    """r.a := 1: the field of the variable that is set; '' for all of it"""
    set_later: frozenset[str] = frozenset()
    """the fields of the row that were set since, each by an assignment of its own"""


class Back(NamedTuple):
    """The values that the loop assigns to the variable in an earlier round."""

    loop: Loop
    variable: str

    @property
    def held(self) -> Iterable[Held]:
        """The values that the loop assigns."""
        return self.loop.assigned.get(self.variable, {})

    @property
    def moment(self) -> Moment:
        """The start of the loop, where its rounds meet."""
        return Moment(self.loop.body, self.loop.start, self.loop)


class Meeting:
    """IF … END IF, many times: all that a variable may hold where the branches meet.

    The next branches add to the meeting as a whole, so that n branches are n small meetings.
    """

    __slots__ = ("held", "moment")

    def __init__(self, held: Iterable[Held], moment: Moment) -> None:
        """Join the values that a variable can have where branches meet."""
        self.held = tuple(held)
        self.moment = moment


Held = Ref | Back | Meeting
"""One of the things that a variable may hold."""

Refs = tuple[Held, ...]

MOST_HELD = 8
"""A variable that may hold more holds a meeting."""


class Loop:
    """WHILE … LOOP      assignments inside may hold when it starts again"""

    __slots__ = ("assigned", "body", "depth", "found", "jump", "parent", "queries", "start")

    def __init__(self, start: int, parent: Loop | None, body: Body) -> None:
        """Open a loop inside another one."""
        self.start = start
        self.parent = parent
        self.body = body
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.jump: Loop = jump_of(self, parent)
        """a loop further out, so that any of n loops around is found in log n steps"""
        self.queries: dict[Assignment, None] = {}
        """FOR r IN (SELECT …), FETCH c INTO r: the queries over whose rows it runs"""
        self.found: tuple[int, dict[Assignment, None]] = (-1, {})
        self.assigned: dict[str, dict[Held, None]] = {}

    def outermost_since(self, position: int) -> Loop:
        """The outermost loop around this one that starts behind a position, or this one."""
        loop = self
        while loop.parent is not None and loop.parent.start > position:
            loop = loop.jump if loop.jump.start > position else loop.parent

        return loop

    def around_at(self, depth: int) -> Loop:
        """The loop around this one, or this one, that has so many others around it."""
        loop = self
        while loop.parent is not None and loop.depth > depth:
            loop = loop.jump if loop.jump.depth >= depth else loop.parent

        return loop

    def all_queries(self) -> dict[Assignment, None]:
        """The queries of this loop and of those around it."""
        asked = []
        loop: Loop | None = self
        while loop is not None and loop.found[0] != loop.body.iterations:
            asked.append(loop)
            loop = loop.parent

        found = loop.found[1] if loop is not None else {}
        for each in reversed(asked):
            found = {**each.queries, **found} if each.queries else found
            each.found = (each.body.iterations, found)

        return found


def jump_of(loop: Loop, parent: Loop | None) -> Loop:
    """The loop that another one jumps to: its parent, or twice as far as its parent jumps."""
    if parent is None:
        return loop

    far = parent.jump
    even = parent.depth - far.depth == far.depth - far.jump.depth
    return far.jump if even and far.parent is not None else parent


Arms = tuple[tuple[int, int], ...]
"""(construct, number of its branch)"""


class Moment(NamedTuple):
    """The position of a statement in its body."""

    body: Body
    position: int
    loop: Loop | None
    arms: Arms = ()
    """the branches and loops around it, outermost first: statements in other arms may be left out
    """
    repeated: tuple[Assignment, ...] = ()
    """FORALL i IN 1..rows.COUNT: the queries that fill the collections it runs over"""

    @property
    def queries(self) -> dict[Assignment, None]:
        """The queries for each of whose rows the statement is executed."""
        around = self.loop.all_queries() if self.loop is not None else {}
        return {**dict.fromkeys(self.repeated), **around} if self.repeated else around


class TableTest(NamedTuple):
    """IF TG_TABLE_NAME = 't' THEN … ELSE …      an arm runs for t only, or for all but t"""

    names: frozenset[str]
    alone: bool = True
    """nothing else is tested: the arms that follow do not run for these tables"""
    runs: bool = True

    def allows(self, name: str) -> bool:
        """Tell whether the arm runs for a table."""
        return (name in self.names) is self.runs


class Construct:
    """An open BEGIN, IF or LOOP: the assignments inside, branch by branch."""

    __slots__ = (
        "assigned",
        "branches",
        "changed",
        "conditional",
        "exhaustive",
        "loop",
        "most_results",
        "outer_loop",
        "results",
        "start",
    )

    def __init__(
        self, start: int, outer_loop: Loop | None, loop: Loop | None, conditional: bool
    ) -> None:
        """Open an IF, a CASE, a loop or a block."""
        self.start = start
        self.conditional = conditional
        self.outer_loop = outer_loop
        self.loop = loop
        self.exhaustive = not conditional
        """one of its branches runs; a plain block always does"""
        self.results = self.most_results = 0
        self.changed: dict[str, None] = {}
        self.branches: list[dict[str, Refs]] = []
        self.assigned: dict[str, dict[Held, None]] = {} if loop is None else loop.assigned


class Body:
    """The variables of one procedure, function or script, and what each may hold at every moment."""

    def __init__(self) -> None:
        """Start a body in which no variable has a value."""
        self.names: set[str] = set()
        self.position = 0
        self.loop: Loop | None = None
        self.iterations = 0
        """how many loops over the rows of a query have been met"""
        self.repeated: tuple[Assignment, ...] = ()
        """the collection of the FORALL whose statement comes next"""
        self.history: dict[str, tuple[list[int], list[Refs]]] = {}
        self.open: list[Construct] = []
        self.tables: dict[str, Assignment] = {}
        """names that stand for a query inside: a trigger's `inserted`"""
        self.owner = ""
        """the routine, by whose name its parameters may be called: f.a"""
        self.schema = ""
        """CREATE PROCEDURE sales.p      the schema of the routine, or of its package: sales"""
        self.row_types: dict[str, str] = {}
        """r record, r orders%ROWTYPE, r orders: the type of a variable, whose fields are its
        columns; '' for record
        """
        self.row_fields: dict[str, list[str]] = {}
        """r row_t      the fields of a variable whose record type the script declares"""
        self.trigger_row: Assignment | None = None
        """the rows of NEW and OLD when a trigger's function starts: a row of any of the triggers'
        tables
        """
        self.new_rows: set[str] = set()
        """the names of the row that a trigger may still change: NEW"""
        self.triggers: list[Assignment] = []
        """SELECT * FROM t for each trigger that executes the routine"""
        self.set_rows: list[Assignment] = []
        """those of triggers that run before the row is written"""
        self.table_tests: dict[tuple[int, int], tuple[Construct, TableTest]] = {}
        """IF TG_TABLE_NAME = 't' THEN: the tables for which an arm runs; its construct is kept for
        its id's sake
        """
        self.trigger_function: tuple[str, Place] | None = None
        """the name and place of the routine, if it is a trigger's function"""
        self.values: dict[Any, Any] = {}
        """the evaluated part so far"""

        self.results = 0
        """how many result sets a procedure has given back so far, on the longest way here"""

    # -- while the body is walked ------------------------------------------------------------------

    def now(self) -> Moment:
        """Where the walk is."""
        arms = (
            (id(each), len(each.branches))
            for each in self.open
            if each.conditional or each.branches
        )
        return Moment(self, self.position, self.loop, tuple(arms), self.repeated)

    def test_table(self, construct: Construct, test: TableTest) -> None:
        """The arm that has just been opened runs only where a test of the trigger's table allows
        it.
        """
        self.table_tests[id(construct), len(construct.branches)] = (construct, test)

    def test_others(self, construct: Construct) -> None:
        """Test for the tables that are left.

        ELSE      runs for the tables that no arm before it has tested
        """
        tests = (
            self.table_tests.get((id(construct), number))
            for number in range(len(construct.branches))
        )
        names = frozenset().union(
            *(found[1].names for found in tests if found is not None and found[1].alone)
        )
        if names:
            self.test_table(construct, TableTest(names, runs=False))

    def runs_for(self, table: str, arms: Arms) -> bool:
        """Whether the statements in some arms run for a trigger of a table."""
        tests = (self.table_tests[arm][1] for arm in arms if arm in self.table_tests)
        return all(test.allows(table) for test in tests)

    def iterate(self, query: Assignment | None) -> None:
        """FOR r IN (SELECT …), FETCH c INTO r      the loop runs once for each row of the query"""
        if query is not None and query.tree is not None and self.loop is not None:
            self.loop.queries[query] = None
            self.iterations += 1

    def give(self, parameter: str, position: int) -> None:
        """Define a parameter.

        CREATE FUNCTION f(a INT)
        """
        self.assign(
            parameter, Ref(Assignment(None, None, self.now(), frozenset((str(position),))), None)
        )

    def start_with(self, variable: str, ref: Ref) -> None:
        """Define a value that a trigger gives.

        CREATE TRIGGER … EXECUTE FUNCTION f

        what f calls NEW is known only now; every trigger adds to it
        """
        self.names.add(variable)
        positions, held = self.history.setdefault(variable, ([], []))
        if positions and positions[0] == 0:
            held[0] = _unite_values(held[0], (ref,))
        else:
            positions.insert(0, 0)
            held.insert(0, (ref,))

    def declare(self, variable: str) -> None:
        """Declare a variable without a value.

        DECLARE x INT      a name, and nothing in it
        """
        self.names.add(variable)
        self._set(variable, ())

    def assign(self, variable: str, ref: Ref) -> None:
        """Assign a variable.

        x := …      x holds this, and nothing else
        """
        self.names.add(variable)
        self._set(variable, (ref,))
        if self.open:
            self.open[-1].assigned.setdefault(variable, {})[ref] = None

    def held_now(self, variable: str) -> Refs:
        """Return the assignments that a variable may hold here."""
        return self._refs(variable)

    def hide(self, variable: str, held: Refs) -> None:
        """Let a name mean another variable for a while, or again the one that was hidden."""
        self.names.add(variable)
        self._set(variable, held, quiet=True)

    def assign_field(self, variable: str, ref: Ref) -> None:
        """r.a := …      the other fields of r keep their values"""
        before = (without_field(held, ref.field) for held in self._refs(variable))
        self.names.add(variable)
        self._set(variable, (*(held for held in before if held is not None), ref))
        if self.open:
            self.open[-1].assigned.setdefault(variable, {})[ref] = None

    def number_result(self) -> int:
        """Count a result set; those of two branches that exclude each other have one number."""
        self.results += 1
        return self.results

    def end_way(self) -> None:
        """RETURN      what follows the construct is another way"""
        if self.open:
            self.results = self.open[-1].results

    def enter(self, loops: bool = False, conditional: bool = False) -> Construct:
        """Enter a construct.

        BEGIN, IF, LOOP
        """
        self.position += 1
        loop = Loop(self.position, self.loop, self) if loops else None
        construct = Construct(self.position, self.loop, loop, conditional or loops)
        if loop is not None:
            self.loop = loop

        construct.results = self.results
        self.open.append(construct)
        return construct

    def branch(self, construct: Construct) -> None:
        """Start another branch.

        ELSE, WHEN      back to what was known before the first branch
        """
        construct.branches.append(
            {variable: self._refs(variable) for variable in construct.changed}
        )
        construct.most_results = max(construct.most_results, self.results)
        self.results = construct.results
        changed, construct.changed = construct.changed, {}
        for variable in changed:
            self._set(variable, self._before(variable, construct), quiet=True)

    def handlers(self, construct: Construct) -> None:
        """Start the exception handlers.

        EXCEPTION, BEGIN CATCH      anything that was assigned so far may have been, or not
        """
        assigned = {variable: tuple(refs) for variable, refs in construct.assigned.items()}
        self.branch(construct)
        for variable, refs in assigned.items():
            self._set(variable, _unite_values(self._before(variable, construct), refs), quiet=True)
            construct.changed[variable] = None

    def leave(self, construct: Construct) -> None:
        """Leave a construct.

        END      the branches unite
        """
        self.open.pop()
        self.results = max(construct.most_results, self.results)
        if construct.loop is not None:
            self.loop = construct.outer_loop

        before = {
            variable: self._before(variable, construct)
            for variable in (
                *construct.changed,
                *chain.from_iterable(construct.branches),
            )
        }
        ends = [
            *construct.branches,
            {variable: self._refs(variable) for variable in construct.changed},
        ]
        for variable, refs in before.items():
            united: Refs = () if construct.exhaustive else refs
            for end in ends:
                united = _unite_values(united, end.get(variable, refs))

            if construct.loop is not None:
                united = _unite_values(united, tuple(construct.assigned.get(variable, ())))

            self._set(variable, united)

        if self.open:
            outer = self.open[-1].assigned
            for variable, found in construct.assigned.items():
                outer.setdefault(variable, {}).update(dict.fromkeys(self._meet(tuple(found))))

    def _meet(self, refs: Refs) -> Refs:
        """The same, as one meeting where there are many."""
        if len(refs) <= MOST_HELD:
            return refs

        return (Meeting(refs, self.now()),)

    def _set(self, variable: str, refs: Refs, quiet: bool = False) -> None:
        """Give a variable its values from this position on."""
        refs = self._meet(refs)
        self.position += 1
        positions, held = self.history.setdefault(variable, ([], []))
        positions.append(self.position)
        held.append(refs)
        if self.open and not quiet:
            self.open[-1].changed[variable] = None

    def _refs(self, variable: str) -> Refs:
        """Return the values that a variable may have now, with rounds of enclosing loops that are
        not yet known.
        """
        return self._at(variable, self.position, self.loop)

    def _before(self, variable: str, construct: Construct) -> Refs:
        """Return the values that a variable has where a construct starts."""
        return self._at(variable, construct.start, construct.outer_loop)

    def _at(self, variable: str, position: int, loop: Loop | None) -> Refs:
        """Return the values of a variable at a position; in a loop also those of earlier rounds."""
        since, refs = self._entry(variable, position)
        if loop is None or loop.start <= since:
            return refs

        outermost = loop.outermost_since(since)
        if loop.depth - outermost.depth >= MOST_HELD:
            return (*refs, Back(outermost, variable))  # it assigns what a loop in it assigns

        backs = [Back(loop, variable)]
        while loop is not outermost and loop.parent is not None:
            loop = loop.parent
            backs.append(Back(loop, variable))

        return (*refs, *backs)

    def _entry(self, variable: str, position: int) -> tuple[int, Refs]:
        """Return the last change of a variable up to a position: where it is, and its values."""
        found = self.history.get(variable)
        if found is None:
            return 0, ()

        index = bisect_right(found[0], position) - 1
        if index >= 0:
            return (found[0][index], found[1][index])

        return (0, ())

    # -- when the body has been walked -------------------------------------------------------------

    def refs(self, variable: str, moment: Moment) -> list[Ref]:
        """The assignments that a variable may hold at a moment."""
        found: dict[Ref, None] = {}
        seen: set[Held] = set()
        waiting = list(reversed(self._at(variable, moment.position, moment.loop)))
        while waiting:
            held = waiting.pop()
            if isinstance(held, Ref):
                found[held] = None
            elif held not in seen:
                seen.add(held)
                waiting += reversed(tuple(held.held))

        return list(found)

    def values_at(self, variable: str, moment: Moment) -> list[Held]:
        """Return what a variable may hold at a moment: few assignments, and meetings of many."""
        return list(expand_if_few(self._at(variable, moment.position, moment.loop)))

    def needs(self, assignment: Assignment) -> Iterator[Assignment]:
        """The assignments that are evaluated before one that uses their values.

        The values of a meeting are looked up when all have been evaluated.
        """
        for variable in sorted(assignment.mentions) if assignment.tree is not None else ():
            if variable in self.row_types:
                yield from (ref.assignment for ref in self.refs(variable, assignment.moment))
                continue

            for held in self.values_at(variable, assignment.moment):
                if isinstance(held, Ref):
                    yield held.assignment


def expand_if_few(refs: Iterable[Held]) -> dict[Held, None]:
    """The same, with the assignments of a loop in its place where these are few."""
    found: dict[Held, None] = {}
    for held in refs:
        if isinstance(held, Back):
            assigned = tuple(held.held)
            if len(assigned) <= MOST_HELD:
                found.update(dict.fromkeys(assigned))
                continue

        found[held] = None

    return found


def without_field(held: Held, field: str) -> Held | None:
    """Return the rest of a row when a field of it is set again; loops and branches stay whole."""
    if not isinstance(held, Ref):
        return held

    if held.field == field:
        return None

    if held.field:
        return held

    return held._replace(set_later=held.set_later | {field})


def _unite_values(left: Refs, right: Refs) -> Refs:
    """Return the values of both sides, each once."""
    if left == right or not right:
        return left

    return tuple(dict.fromkeys((*left, *right)))


def queries_left(home: Moment, moment: Moment) -> list[Assignment]:
    """The queries of the loops around one moment that are over at another."""
    found: list[Assignment] = []
    loop, now = home.loop, moment.loop
    while loop is not None and (now is None or now.around_at(loop.depth) is not loop):
        found += loop.queries
        loop = loop.parent

    return found
