"""GraphFrames: a graph is two DataFrames, and its algorithms append columns to the vertices."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, pour, unite_lineages
from lineal.extract.pyspark.dispatch import ATTRIBUTES, FRAME_METHODS, RECEIVERS
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.joins import as_relation, join
from lineal.extract.pyspark.frames.project import lineage_of, select_items
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.relation import Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import ColumnValue, Method, Unknown, Value
from lineal.model.diagnostic import Code
from lineal.model.sequences import present
from lineal.model.way import Clause, How, way

AGGREGATED = way(How.AGGREGATION)


@dataclass(eq=False)
class GraphFrame:
    """GraphFrame(vertices, edges)"""

    vertices: Relation
    edges: Relation


def make_graph(run: Run, call: Invocation) -> Value:
    """GraphFrame(v, e)      v has the column id, e has src and dst"""
    vertices = as_relation(run, call.argument(0, "v"), call.node)
    edges = as_relation(run, call.argument(1, "e"), call.node)
    if vertices is None or edges is None:
        return Unknown("GraphFrame()", "a graph whose DataFrames only a run knows")

    return GraphFrame(vertices, edges)


def name_column(tree: exp.Expr, name: str = "") -> ColumnValue:
    """Return a Column with a name."""
    return ColumnValue(tree, (name,) if name else ())


# -- attributes --------------------------------------------------------------------------------------


def degrees(run: Run, edges: Relation, end: exp.Expr, name: str, node: ast.AST) -> Value:
    """g.inDegrees      SELECT dst AS id, count(*) AS inDegree FROM edges GROUP BY dst"""
    ends = select_items(run, edges, [name_column(end, "id")], node)
    grouped = FRAME_METHODS["groupBy"](run, ends, Invocation(["id"], {}, node))
    number = ColumnValue(exp.Count(this=exp.Star(), big_int=True), (name,))
    return RECEIVERS[type(grouped)](run, grouped, "agg", Invocation([number], {}, node))


BOTH_ENDS = exp.Explode(this=exp.Array(expressions=[exp.column("src"), exp.column("dst")]))
DEGREES: dict[str, tuple[exp.Expr, str]] = {
    "inDegrees": (exp.column("dst"), "inDegree"),
    "outDegrees": (exp.column("src"), "outDegree"),
    "degrees": (BOTH_ENDS, "degree"),
}
"""The DataFrames of degrees: the ends of edges that are counted, and the name of the count."""


def attribute_of_graph(run: Run, held: GraphFrame, name: str, node: ast.AST) -> Value:
    """g.vertices, g.inDegrees, g.triplets"""
    if name in ("vertices", "edges"):
        return getattr(held, name)

    if name in DEGREES:
        end, title = DEGREES[name]
        return degrees(run, held.edges, end.copy(), title, node)

    if name == "triplets":
        return find(run, held, Invocation(["(src)-[edge]->(dst)"], {}, node))

    return Method(held, name)


# -- algorithms ----------------------------------------------------------------------------------------


def lineage_of_graph(run: Run, graph: GraphFrame) -> Lineage:
    """Return what an algorithm computes for a vertex: of all ids and edges."""
    found: Lineage = dict(graph.edges.rows)
    for side, names in ((graph.vertices, ("id",)), (graph.edges, ("src", "dst"))):
        scope = FrameScope(side, run.evaluation(), Clause.SELECT)
        for name in names:
            pour(lineage_of(exp.column(name), scope), AGGREGATED, found)

    return found


def with_column_of_graph(run: Run, graph: GraphFrame, side: Relation, name: str) -> Relation:
    """Append a column that an algorithm computes."""
    made = fresh(Slot(name, name.lower(), lineage_of_graph(run, graph)))
    return side.derive([*side.attributes, made])


APPENDED = {
    "connectedComponents": "component",
    "stronglyConnectedComponents": "component",
    "labelPropagation": "label",
    "shortestPaths": "distances",
    "triangleCount": "count",
}
"""Algorithms that give the vertices with one column more."""


def page_rank(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """g.pageRank(maxIter=5)      a graph: vertices with a pagerank, edges with a weight"""
    vertices = with_column_of_graph(run, graph, graph.vertices, "pagerank")
    return GraphFrame(vertices, with_column_of_graph(run, graph, graph.edges, "weight"))


def keep_graph(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """g.cache()"""
    return graph


def filter_edges(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """g.filterEdges("relationship = 'friend'")"""
    kept = FRAME_METHODS["filter"](run, graph.edges, call)
    return replace(graph, edges=kept)


def filter_vertices(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """g.filterVertices("age > 30")      edges whose ends are both left stay"""
    kept = FRAME_METHODS["filter"](run, graph.vertices, call)
    edges: Value = graph.edges
    for end in ("src", "dst"):
        ids = select_items(run, kept, [name_column(exp.column("id"), end)], call.node)
        edges = join(run, edges, call.with_arguments([ids, end, "left_semi"], {}))

    return GraphFrame(kept, edges)


def drop_isolated(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """g.dropIsolatedVertices()"""
    ends = select_items(run, graph.edges, [name_column(BOTH_ENDS.copy(), "id")], call.node)
    return replace(
        graph,
        vertices=join(run, graph.vertices, call.with_arguments([ends, "id", "left_semi"], {})),
    )


# -- motifs ----------------------------------------------------------------------------------------------

TERM = re.compile(r"(!?)\s*\((\w*)\)\s*-\s*\[(\w*)\]\s*->\s*\((\w*)\)")


def find(run: Run, graph: GraphFrame, call: Invocation) -> Value:
    """Find a pattern in a graph: each name is a column with a struct of a vertex or an edge.

    g.find("(a)-[e]->(b); (b)-[]->(c)")
    """
    pattern = call.argument(0, "pattern")
    given = [TERM.fullmatch(each.strip()) for each in str(pattern).split(";")]
    terms = present(given)
    if not isinstance(pattern, str) or len(terms) < len(given):
        run.dynamic("a pattern that only a run knows", call.node)
        return Relation([open_star()], {}, (graph.vertices, graph.edges))

    found: Value = None
    unnamed = count()
    for term in terms:
        source, edge, target = (term[at] or f"__{next(unnamed)}" for at in (2, 3, 4))
        found = with_term(run, graph, found, (source, edge, target), bool(term[1]), call.node)

    hidden = [name for name in found.names if name.startswith("__")]
    return FRAME_METHODS["drop"](run, found, call.with_arguments(hidden, {}))


def with_term(
    run: Run,
    graph: GraphFrame,
    found: Value,
    names: tuple[str, str, str],
    is_negated: bool,
    node: ast.AST,
) -> Value:
    """Join one edge of a pattern, and the vertices at its ends that are not there yet."""
    source, edge, target = names
    ends = {source: "src", target: "dst"}
    known = set(found.names) if found is not None else set()
    if is_negated:
        on = conditions((name, edge, end) for name, end in ends.items() if name in known)
        return join(
            run,
            found,
            Invocation([as_struct(run, graph.edges, edge, node), on, "left_anti"], {}, node),
        )

    for name in (each for each in ends if each not in known):
        vertex = as_struct(run, graph.vertices, name, node)
        found = (
            vertex
            if found is None
            else FRAME_METHODS["crossJoin"](run, found, Invocation([vertex], {}, node))
        )

    on = conditions((name, edge, end) for name, end in ends.items())
    return join(run, found, Invocation([as_struct(run, graph.edges, edge, node), on], {}, node))


def conditions(ends: Iterator[tuple[str, str, str]]) -> list[Value]:
    """a.id = e.src, b.id = e.dst"""
    return [
        ColumnValue(exp.EQ(this=exp.column("id", vertex), expression=exp.column(end, edge)))
        for vertex, edge, end in ends
    ]


def as_struct(run: Run, side: Relation, name: str, node: ast.AST) -> Relation:
    """Return each row as one struct."""
    return select_items(run, side, [name_column(exp.Struct(expressions=[exp.Star()]), name)], node)


# -- the tables ------------------------------------------------------------------------------------------

GraphCall = Callable[[Run, GraphFrame, Invocation], Value]

METHODS: dict[str, GraphCall] = {
    "find": find,
    "pageRank": page_rank,
    "filterEdges": filter_edges,
    "filterVertices": filter_vertices,
    "dropIsolatedVertices": drop_isolated,
    **dict.fromkeys(("cache", "persist", "unpersist"), keep_graph),
}


def on_graph(run: Run, held: GraphFrame, name: str, call: Invocation) -> Value:
    """Call a method of a graph."""
    if name in APPENDED:
        return with_column_of_graph(run, held, held.vertices, APPENDED[name])

    handler = METHODS.get(name)
    if handler is not None:
        return handler(run, held, call)

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"GraphFrame.{name} is not traced", call.node)
    rows = unite_lineages([held.vertices.rows, held.edges.rows])
    return Relation([open_star()], rows, (held.vertices, held.edges))


LIBRARIES.update(
    {
        "graphframes.GraphFrame": make_graph,
        "graphframes.graphframe.GraphFrame": make_graph,
    }
)
ATTRIBUTES[GraphFrame] = attribute_of_graph
RECEIVERS[GraphFrame] = on_graph
