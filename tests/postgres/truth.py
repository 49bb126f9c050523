"""The lineage of views as the server itself has resolved them, in the notation of the case files.

It reads the stored query trees (`nodetree`) and shares nothing with lineal but the meaning,
docs/semantics: columns are numbers here, so there is no name to resolve, and what the server added
on its own (implicit casts) is passed over.

Lineage   {(origin, subtype)}; an origin is (table, column), also where only a field of the column
          is read
Frame     the lineage of each column, and of the rows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nodetree import Node, read

Origin = tuple[str, str]
Lineage = set[tuple[Origin, str]]

IDENTITY, VALUE, AGGREGATED = "IDENTITY", "TRANSFORMATION", "AGGREGATION"
DECIDES, KEY = "CONDITIONAL", "WINDOW"
JOIN, FILTER, GROUP, SORT = "JOIN", "FILTER", "GROUP_BY", "SORT"
STRENGTH = {IDENTITY: 0, VALUE: 1, AGGREGATED: 2}


def compose(outer: str, inner: str) -> str:
    """What is done around, and what was done inside: one way."""
    if outer not in STRENGTH:
        return outer
    if inner not in STRENGTH:
        return inner
    return max(outer, inner, key=STRENGTH.__getitem__)


def done(way: str, lineage: Lineage) -> Lineage:
    return {(origin, compose(way, inner)) for origin, inner in lineage}


@dataclass
class Frame:
    columns: list[Lineage]
    rows: Lineage = field(default_factory=set)


# -- what the catalog says -----------------------------------------------------------------------


@dataclass
class Catalog:
    """Names by number: tables with their columns, and what functions are."""

    tables: dict[int, str]
    columns: dict[int, dict[int, str]]
    functions: dict[int, tuple[str, str, str]]
    """number → schema, name, kind (f, a, w)"""
    trees: dict[str, str]


NAME = """CASE WHEN pg_table_is_visible(c.oid) THEN c.relname::text
    ELSE c.relnamespace::regnamespace || '.' || c.relname END"""
FULL_NAME = (
    "(SELECT n.nspname FROM pg_namespace n WHERE n.oid = c.relnamespace) || '.' || c.relname"
)


def catalog(connection: Any, qualified: bool = False) -> Catalog:
    """Everything at once; a table on the search path goes by its bare name, unless all are asked
    for in full.
    """
    name = FULL_NAME if qualified else NAME
    tables = connection.execute(
        f"SELECT c.oid, {name} FROM pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'c')"
    )
    columns = connection.execute(
        "SELECT attrelid, attnum, attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped ORDER BY 1, 2"
    )
    own = "pronamespace <> 'pg_catalog'::regnamespace"
    proc_name = (
        f"CASE WHEN {own} THEN pronamespace::regnamespace || '.' ELSE '' END || proname"
        if qualified
        else "proname"
    )
    functions = connection.execute(
        f"SELECT oid, pronamespace::regnamespace::text, {proc_name}, prokind FROM pg_proc"
    )
    trees = connection.execute(
        f"SELECT {name}, r.ev_action::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class"
        " WHERE r.rulename = '_RETURN'"
        " AND c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')"
    )
    found: dict[int, dict[int, str]] = {}
    for relation, number, name in columns:
        found.setdefault(relation, {})[number] = name
    return Catalog(
        tables={oid: str(name) for oid, name in tables},
        columns=found,
        functions={oid: (schema, name, _text(kind)) for oid, schema, name, kind in functions},
        trees=dict(trees.fetchall()),
    )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def edges(connection: Any, qualified: bool = False) -> dict[str, set[str]]:
    """The edges of every view of the database, as case files write them."""
    known = catalog(connection, qualified)
    return {view: view_edges(view, tree, known) for view, tree in known.trees.items()}


def view_edges(view: str, tree: str, known: Catalog) -> set[str]:
    query = read(tree)[0]
    frame = Query(query, None, known).frame
    names = [target.resname for target in query.targetList if not target.resjunk]
    usages: dict[str, set[str]] = {}
    for name, lineage in zip(names, frame.columns, strict=True):
        if not lineage:
            usages[f"-> {view}.{name}"] = set()
        for origin, way in lineage:
            usages.setdefault(f"{'.'.join(origin)} -> {view}.{name}", set()).add(way)
    for origin, way in frame.rows:
        usages.setdefault(f"{'.'.join(origin)} => {view}", set()).add(way)
    return {
        f"{arrow}  {', '.join(sorted(ways))}" if ways else arrow for arrow, ways in usages.items()
    }


# -- queries ---------------------------------------------------------------------------------------


class Query:
    """One query, with the one around it: what its columns are made of, and what decides its rows."""

    def __init__(self, node: Node, parent: Query | None, known: Catalog) -> None:
        self.node = node
        self.parent = parent
        self.known = known
        self.members: dict[int, Frame] = {}
        self.ctes: dict[str, Frame] = {}
        self.joined: list[Frame] = []
        self.combined: Frame | None = None
        self.frame = self.evaluated()

    def evaluated(self) -> Frame:
        node = self.node
        rows: Lineage = set()
        for cte in node.cteList or ():
            self.define(cte)
        if node.setOperations is not None:
            self.combined = self.set_operation(node.setOperations)
            rows |= self.combined.rows
        else:
            for item in node.jointree.fromlist or ():
                rows |= self.source_rows(item)
            rows |= self.value(node.jointree.quals, FILTER)
        columns = [self.value(target.expr) for target in self.outputs]
        for target in self.outputs:
            rows |= self.generated_rows(target.expr)
        rows |= self.keys(node.groupClause, GROUP)
        rows |= self.value(node.havingQual, FILTER)
        rows |= self.keys(node.distinctClause, GROUP)
        rows |= self.keys(node.sortClause, SORT)
        rows |= self.value(node.limitCount, FILTER) | self.value(node.limitOffset, FILTER)
        return Frame(columns, rows)

    @property
    def outputs(self) -> list[Node]:
        return [target for target in self.node.targetList or () if not target.resjunk]

    def keys(self, clauses: list[Node] | None, way: str) -> Lineage:
        """GROUP BY, DISTINCT, ORDER BY, PARTITION BY: each names an entry of the target list."""
        wanted = {clause.tleSortGroupRef for clause in clauses or ()}
        targets = [
            target for target in self.node.targetList or () if target.ressortgroupref in wanted
        ]
        return set().union(*(self.value(target.expr, way) for target in targets))

    def define(self, cte: Node) -> None:
        """WITH c AS (…): a recursive one is repeated until nothing new is found."""
        node = cte.ctequery
        width = len([target for target in node.targetList if not target.resjunk])
        frame = Frame([set() for _ in range(width)])
        while True:
            self.ctes[cte.ctename] = with_marks(frame, cte, node)
            found = Query(node, self, self.known).frame
            if not cte.cterecursive or found == frame:
                break
            frame = found
        self.ctes[cte.ctename] = with_marks(found, cte, node)

    def set_operation(self, node: Node) -> Frame:
        """UNION [ALL], INTERSECT, EXCEPT: a tree of its own, whose leaves are subqueries."""
        if node.kind == "RANGETBLREF":
            return self.member(node.rtindex)
        left, right = self.set_operation(node.larg), self.set_operation(node.rarg)
        rows = left.rows | right.rows
        way = {1: None if node.all else GROUP, 2: FILTER, 3: FILTER}[node.op]
        if way is not None:
            rows = rows.union(*(done(way, column) for column in (*left.columns, *right.columns)))
        if node.op == 3:
            return Frame(left.columns, rows)
        return Frame([a | b for a, b in zip(left.columns, right.columns, strict=True)], rows)

    # -- FROM --------------------------------------------------------------------------------------

    def source_rows(self, item: Node) -> Lineage:
        """A member of FROM: its own rows, and what its joins compare."""
        if item.kind == "RANGETBLREF":
            return self.member(item.rtindex).rows
        return (
            self.source_rows(item.larg) | self.source_rows(item.rarg) | self.value(item.quals, JOIN)
        )

    def member(self, number: int) -> Frame:
        if number not in self.members:
            entry = self.node.rtable[number - 1]
            self.members[number] = MEMBERS[entry.rtekind](self, entry)
        return self.members[number]

    def relation(self, entry: Node) -> Frame:
        table = self.known.tables[entry.relid]
        columns = self.known.columns[entry.relid]
        return Frame([
            {((table, columns[number]), IDENTITY)} if number in columns else set()
            for number in range(1, max(columns) + 1)
        ])  # fmt: skip

    def derived(self, entry: Node) -> Frame:
        return Query(entry.subquery, self, self.known).frame

    def join(self, entry: Node) -> Frame:
        """(a JOIN b) AS j: each column is one of a or b, or the COALESCE of FULL JOIN … USING."""
        return Frame([self.value(var) for var in entry.joinaliasvars])

    def function(self, entry: Node) -> Frame:
        """FROM f(a), g(b) WITH ORDINALITY: every column of f is made of a, and a decides how many
        rows there are.
        """
        columns: list[Lineage] = []
        rows: Lineage = set()
        names = entry.eref.colnames
        for member in entry.functions:
            made = self.arguments(member.funcexpr, VALUE)
            own = names[len(columns) : len(columns) + member.funccolcount]
            columns += [made | self.own_column(member.funcexpr, name) for name in own]
            rows |= self.call_rows(member.funcexpr)
        if entry.funcordinality:
            columns.append(set().union(*columns))
        return Frame(columns, rows)

    def own_column(self, call: Any, column: str) -> Lineage:
        """A function that is not the server's own is a dataset, too: nobody knows what it reads."""
        schema, name, _ = (
            self.known.functions[call.funcid] if call.kind == "FUNCEXPR" else ("pg_catalog", "", "")
        )
        return set() if schema == "pg_catalog" else {((name, column), IDENTITY)}

    def arguments(self, call: Any, way: str) -> Lineage:
        if isinstance(call, Node) and call.kind == "FUNCEXPR":
            return self.value(call.args, way)
        return self.value(call, way)

    def call_rows(self, call: Any) -> Lineage:
        """unnest(xs): xs decides how many rows there are; unnest(ARRAY[a, b]): two."""
        if not isinstance(call, Node) or not call.get("funcretset"):
            return set()
        return self.value([argument for argument in call.args or () if not fixed(argument)], JOIN)

    def generated_rows(self, node: Any) -> Lineage:
        """SELECT unnest(xs)"""
        calls = [call for call in inside(node) if call.kind == "FUNCEXPR" and call.funcretset]
        return set().union(*(self.call_rows(call) for call in calls))

    def table_function(self, entry: Node) -> Frame:
        """XMLTABLE(path PASSING document COLUMNS …)"""
        node = entry.tablefunc
        document = self.value([node.docexpr, node.rowexpr], VALUE)
        count = len(node.colexprs or ())
        columns = [
            document | self.value([of(node.colexprs, number), of(node.coldefexprs, number)], VALUE)
            if number != node.get("ordinalitycol", -1)
            else document
            for number in range(count)
        ]
        return Frame(columns, self.value([node.docexpr, node.rowexpr], JOIN))

    def listed_values(self, entry: Node) -> Frame:
        """VALUES (a, 1), (b, 2): column j takes the j-th of every row"""
        return Frame(
            [
                set().union(*map(self.value, column))
                for column in zip(*entry.values_lists, strict=True)
            ]
        )

    def cte(self, entry: Node) -> Frame:
        query = self
        for _ in range(entry.ctelevelsup):
            assert query.parent is not None
            query = query.parent
        return query.ctes[entry.ctename]

    def empty(self, entry: Node) -> Frame:
        return Frame([])

    # -- expressions -------------------------------------------------------------------------------

    def value(self, node: Any, way: str = IDENTITY) -> Lineage:
        """The lineage of an expression, or of several."""
        if node is None or isinstance(node, (int, str)):
            return set()
        if isinstance(node, list):
            return set().union(*(self.value(item, way) for item in node))
        return EXPRESSIONS.get(node.kind, operator)(node, way, self)


def with_marks(frame: Frame, cte: Node, node: Node) -> Frame:
    """SEARCH … SET o, CYCLE … SET c USING p: columns that are made of the ones that are listed

    The server expands them when the view is read, as its manual writes it out: o and p are arrays
    of rows, c is a CASE that asks whether the row stands in p, and where it does the recursion
    ends.
    """
    names = [target.resname for target in node.targetList if not target.resjunk]
    if cte.get("aliascolnames"):
        names = [*cte.aliascolnames, *names[len(cte.aliascolnames) :]]
    columns, rows = list(frame.columns), set(frame.rows)
    search, cycle = cte.get("search_clause"), cte.get("cycle_clause")
    if search is not None:
        columns.append(
            set().union(
                *(done(VALUE, frame.columns[names.index(n)]) for n in search.search_col_list)
            )
        )
    if cycle is not None:
        compared: Lineage = set().union(
            *(frame.columns[names.index(n)] for n in cycle.cycle_col_list)
        )
        columns += [done(DECIDES, compared), done(VALUE, compared)]
        rows |= done(FILTER, compared)
    return Frame(columns, rows)


def of(items: list[Any] | None, number: int) -> Any:
    return items[number] if items and number < len(items) else None


def fixed(node: Any) -> bool:
    """An array whose length the text says."""
    while isinstance(node, Node) and node.kind in IMPLICIT | {"ARRAYCOERCEEXPR"}:
        node = node.arg
    return isinstance(node, Node) and node.kind in ("ARRAYEXPR", "CONST")


def inside(node: Any) -> Iterator[Node]:
    """Every node of an expression, those of its subqueries excepted."""
    if isinstance(node, list):
        for item in node:
            yield from inside(item)
    elif isinstance(node, Node) and node.kind != "QUERY":
        yield node
        for child in node.fields.values():
            yield from inside(child)


MEMBERS = {
    0: Query.relation,
    1: Query.derived,
    2: Query.join,
    3: Query.function,
    4: Query.table_function,
    5: Query.listed_values,
    6: Query.cte,
    8: Query.empty,
}


# -- expressions by kind ---------------------------------------------------------------------------


def var(node: Node, way: str, query: Query) -> Lineage:
    """A column by its number; 0 is the whole row, and what is below 0 belongs to the server"""
    for _ in range(node.varlevelsup):
        assert query.parent is not None
        query = query.parent
    frame = query.combined if query.combined is not None else query.member(node.varno)
    if node.varattno > 0:
        return done(way, frame.columns[node.varattno - 1])
    return (
        set().union(*(done(compose(way, VALUE), column) for column in frame.columns))
        if node.varattno == 0
        else set()
    )


def operator(node: Node, way: str, query: Query) -> Lineage:
    """Whatever it does, it does it to everything below."""
    return query.value(list(node.fields.values()), compose(way, VALUE))


def implicit(node: Node, way: str, query: Query) -> Lineage:
    """A cast: the server's own is none"""
    form = next(value for name, value in node.fields.items() if name.endswith("format"))
    return query.value(node.arg, way if form == 2 else compose(way, VALUE))


def function(node: Node, way: str, query: Query) -> Lineage:
    return query.value(node.args, way if node.funcformat == 2 else compose(way, VALUE))


def case(node: Node, way: str, query: Query) -> Lineage:
    tests = [node.arg, *(arm.expr for arm in node.args)]
    branches = [node.defresult, *(arm.result for arm in node.args)]
    return query.value(tests, compose(way, DECIDES)) | query.value(branches, compose(way, VALUE))


def coalesce(node: Node, way: str, query: Query) -> Lineage:
    return query.value(node.args, compose(way, VALUE)) | query.value(
        node.args, compose(way, DECIDES)
    )


def nullif(node: Node, way: str, query: Query) -> Lineage:
    return query.value(node.args[0], compose(way, VALUE)) | query.value(
        node.args, compose(way, DECIDES)
    )


def aggregate(node: Node, way: str, query: Query) -> Lineage:
    """sum(a ORDER BY b) FILTER (WHERE c), percentile_cont(d) WITHIN GROUP (ORDER BY a)"""
    taken = [target.expr for target in node.args or () if not target.resjunk]
    lineage = query.value([taken, node.aggdirectargs], compose(way, AGGREGATED))
    if node.aggkind == "n":
        order = {clause.tleSortGroupRef for clause in node.aggorder or ()}
        keys = [target.expr for target in node.args or () if target.ressortgroupref in order]
        lineage |= query.value(keys, compose(way, KEY))
    return lineage | query.value(node.aggfilter, compose(way, DECIDES))


RANKING = frozenset(("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist"))


def windowed(node: Node, way: str, query: Query) -> Lineage:
    """sum(a) FILTER (WHERE d) OVER (PARTITION BY b ORDER BY c); the server has copied what a named
    window inherits
    """
    _, name, kind = query.known.functions[node.winfnoid]
    lineage: Lineage = set()
    if name not in RANKING:
        lineage = query.value(node.args, compose(way, AGGREGATED if kind == "a" else VALUE))
    window = next(window for window in query.node.windowClause if window.winref == node.winref)
    keys = query.keys(window.partitionClause, KEY) | query.keys(window.orderClause, KEY)
    keys |= query.value([window.startOffset, window.endOffset], KEY)
    return (
        lineage | done(compose(way, KEY), keys) | query.value(node.aggfilter, compose(way, DECIDES))
    )


def grouping(node: Node, way: str, query: Query) -> Lineage:
    return query.value(node.args, compose(way, DECIDES))


EXISTS, EXPRESSION = 0, 4


def sublink(node: Node, way: str, query: Query) -> Lineage:
    """(SELECT …), EXISTS (…), a IN (SELECT …), ARRAY(SELECT …): the value composes, the rows keep
    their subtype
    """
    frame = Query(node.subselect, query, query.known).frame
    if node.subLinkType == EXISTS:
        return frame.rows
    step = way if node.subLinkType == EXPRESSION else compose(way, VALUE)
    return frame.rows.union(
        query.value(node.testexpr, step), *(done(step, column) for column in frame.columns)
    )


def field_select(node: Node, way: str, query: Query) -> Lineage:
    """(t.address).city; of a row that is built here only the field that is read"""
    row = node.arg
    while row.kind in IMPLICIT:
        row = row.arg
    return query.value(
        row.args[node.fieldnum - 1] if row.kind == "ROWEXPR" else node.arg, compose(way, VALUE)
    )


def nothing(node: Node, way: str, query: Query) -> Lineage:
    return set()


IMPLICIT = frozenset(
    ("RELABELTYPE", "COERCEVIAIO", "ARRAYCOERCEEXPR", "CONVERTROWTYPEEXPR", "COERCETODOMAIN")
)

EXPRESSIONS = {
    **dict.fromkeys(IMPLICIT, implicit),
    "VAR": var,
    "FUNCEXPR": function,
    "CASEEXPR": case,
    "CASE": case,
    "COALESCEEXPR": coalesce,
    "COALESCE": coalesce,
    "NULLIFEXPR": nullif,
    "AGGREF": aggregate,
    "WINDOWFUNC": windowed,
    "GROUPINGFUNC": grouping,
    "SUBLINK": sublink,
    "FIELDSELECT": field_select,
    "CONST": nothing,
    "PARAM": nothing,
    "CASETESTEXPR": nothing,
    "SQLVALUEFUNCTION": nothing,
}
