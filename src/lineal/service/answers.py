"""Answers for a program or a language model: bounded in size, and honest about missing parts.

    answers = Answers(current, texts)
    answers.answer("upstream", {"column": "mart.total"})

    {"status": "answered", "note": "", "coverage": {…}, "confidence": "HIGH",
     "diagnostics": […], "items": […], "total": 3, "next_cursor": None}

Every answer has the coverage of the run, and the diagnostics that concern what was asked. A question
whose answer is not certain says `not_known`, and why; it never gives an empty list alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lineal.graph.change import UnknownChange
from lineal.graph.concerns import part_diagnostics
from lineal.graph.graph import Graph, UnknownName
from lineal.model.edge import Column, Dataset, dataset_of
from lineal.model.redaction import redact_text
from lineal.model.way import Confidence
from lineal.service.questions import DOWNSTREAM, UPSTREAM, Questions
from lineal.views import json as json_view
from lineal.views.ledger import summarize
from lineal.views.safe import make_visible

USUAL_ITEMS, MOST_ITEMS = 50, 200
MOST_CHARACTERS = 24_000
"""Of the items of one answer; the rest follows with the cursor."""
LONGEST_TEXT = 2_000
"""Of one text of the input: an expression, a description, a snippet."""
MOST_DIAGNOSTICS = 5
MOST_BESIDE = 30
"""Of a list that goes along with the items of an answer."""
SNIPPET_LINES = 12

ANSWERED, NOT_KNOWN = "answered", "not_known"
STALE = "The files have changed and could not be read again, so this is the state before"

Values = dict[str, Any]
Current = Callable[[], Graph]
TextOf = Callable[[str], str]
"""Returns the text of a file of the project, '' if there is none."""
Compare = Callable[[str], Values]
"""Returns the changes since a revision, as `lineal diff --output json` writes them."""

FindUnused = Callable[[tuple[str, ...], bool], Values]
"""Returns the columns without a reader, as `lineal unused --output json` writes them, given the
outputs and whether tests are ignored.
"""


class Misasked(Exception):
    """A question that nobody can answer; the message says what to write."""


class Answers:
    """Answers questions about the lineage as it is now."""

    def __init__(
        self,
        current: Current,
        text_of: TextOf,
        compare: Compare,
        problem: Callable[[], str] = str,
        find_unused: FindUnused | None = None,
    ) -> None:
        self.current = current
        self.problem = problem
        """why the files could not be read again after a change; '': they could"""
        self.text_of = text_of
        self.compare = compare
        self.find_unused = find_unused
        self._questions: Questions | None = None

    @property
    def questions(self) -> Questions:
        """Return the questions about the current graph."""
        graph = self.current()
        if self._questions is None or self._questions.graph is not graph:
            self._questions = Questions(graph)

        return self._questions

    def answer(self, question: str, asked: Mapping[str, Any]) -> Values:
        """Return the answer to a question of QUESTIONS."""
        questions = self.questions
        try:
            found = QUESTIONS[question](self, questions, asked)
        except UnknownName as mistake:
            found = Answer(NOT_KNOWN, str(mistake))
        except UnknownChange as mistake:
            raise Misasked(str(mistake)) from mistake

        if problem := self.problem():
            found.status = NOT_KNOWN
            found.note = f"{STALE} ({problem}). {found.note}".rstrip()

        return answer_page(found, questions, asked)


class Answer:
    """The result of a question, before it is cut to a bounded size."""

    def __init__(
        self,
        status: str = ANSWERED,
        note: str = "",
        items: Iterable[Values] = (),
        about: Iterable[Dataset] = (),
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self.status = status
        self.note = note
        self.items = list(items)
        self.about = list(about)
        """the datasets whose diagnostics concern the answer"""
        self.more = dict(more or {})


# -- size ------------------------------------------------------------------------------------------


def answer_page(found: Answer, questions: Questions, asked: Mapping[str, object]) -> Values:
    """Return one page of an answer, with what every answer has."""
    start = cursor_of(asked)
    page = page_of(found.items[start:], limit_of(asked))
    end = start + len(page)
    diagnostics = diagnostics_of(questions, found.about)
    answer = {
        "status": found.status,
        "note": found.note,
        **found.more,
        "items": page,
        "total": len(found.items),
        "next_cursor": str(end) if end < len(found.items) else None,
        "confidence": lowest_confidence(found.items),
        "coverage": coverage_of(questions.graph),
        "diagnostics": diagnostics[:MOST_DIAGNOSTICS],
        "diagnostics_total": len(diagnostics),
    }
    cleaned: Values = clean(answer)
    return cleaned


def cursor_of(asked: Mapping[str, object]) -> int:
    """Return where the page begins."""
    text = str(asked.get("cursor") or "0")
    if not (text.isascii() and text.isdecimal()):
        raise Misasked("cursor: pass on the `next_cursor` of the answer before")

    return int(text[:9])


def limit_of(asked: Mapping[str, Any]) -> int:
    """Return how many items the page may have."""
    limit = asked.get("limit")
    if limit is None:
        return USUAL_ITEMS

    return max(1, min(int(limit), MOST_ITEMS))


def page_of(items: list[Values], limit: int) -> list[Values]:
    """Return the first items, as many as fit; always at least one."""
    page: list[Values] = []
    room = MOST_CHARACTERS
    for item in items[:limit]:
        room -= len(json.dumps(clean(item), ensure_ascii=False))
        if room < 0 and page:
            break

        page.append(item)

    return page


def clean(value: object) -> Any:
    """Return values whose texts have no character that cannot be seen, and a bounded length."""
    if isinstance(value, str):
        text = "\n".join(map(make_visible, value.split("\n")))
        return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"

    if isinstance(value, Mapping):
        return {clean(key): clean(each) for key, each in value.items()}

    if isinstance(value, (list, tuple)):
        return list(map(clean, value))

    return value


# -- what every answer has -------------------------------------------------------------------------


def coverage_of(graph: Graph) -> Values:
    """Return how much of the input was read, in a number and in words."""
    coverage = graph.extraction.coverage
    return {
        "percent": coverage.percent,
        "complete": coverage.is_complete,
        "summary": summarize(coverage),
    }


def diagnostics_of(questions: Questions, about: list[Dataset]) -> list[Values]:
    """Return the diagnostics that concern some datasets."""
    if not about:
        return []

    found = part_diagnostics(questions.graph, about, about, questions.report.diagnostics)
    return list(map(json_view.diagnostic, found.own))


def lowest_confidence(items: list[Values]) -> str | None:
    """Return the confidence of the least certain edge among some items."""
    levels = [Confidence[each["confidence"]["level"]] for each in items if "confidence" in each]
    if not levels:
        return None

    return min(levels).name


def missing_part(graph: Graph) -> str:
    """Return a sentence about the part that was not read; '' if everything was."""
    coverage = graph.extraction.coverage
    if coverage.is_complete:
        return ""

    return f"Not everything was read ({summarize(coverage)}), so there may be more."


def empty_answer(questions: Questions, note: str, about: Dataset) -> Answer:
    """Return the answer where nothing was found: certain only if everything was read."""
    missing = missing_part(questions.graph)
    if missing:
        return Answer(NOT_KNOWN, f"{note} {missing}", about=[about])

    return Answer(ANSWERED, note, about=[about])


# -- questions -------------------------------------------------------------------------------------


def search(answers: Answers, questions: Questions, asked: Mapping[str, object]) -> Answer:
    """Find datasets and columns by words of their names and descriptions."""
    words = str(asked.get("query", "")).lower().split()
    if not words:
        raise Misasked("query: write one or more words of a name or description")

    hits = questions.search(words)
    kind = asked.get("kind")
    if kind is not None:
        hits = [hit for hit in hits if hit["kind"] == kind]

    if hits:
        return Answer(items=hits)

    near = near_names(questions.graph, " ".join(words))
    hint = f" Names that are alike: {', '.join(near)}." if near else ""
    missing = missing_part(questions.graph)
    note = f"No name or description has these words.{hint} {missing}".rstrip()
    return Answer(NOT_KNOWN if missing or near else ANSWERED, note)


def near_names(graph: Graph, text: str) -> list[str]:
    """Return names that are spelled alike."""
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for dataset in graph.infos:
        names.setdefault(dataset.name.lower(), dataset.name)
        for column in graph.columns(dataset):
            names.setdefault(column.name.lower(), str(column))
            names.setdefault(str(column).lower(), str(column))

    return [names[each] for each in get_close_matches(text, names, n=3, cutoff=0.7)]


def describe_dataset(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Tell what a dataset is, which columns it has, what it reads and what reads it."""
    graph = questions.graph
    dataset = graph.dataset(require(asked, "dataset"))
    info = graph.infos[dataset]
    reads, readers = questions.neighbors(dataset)
    described = json_view.dataset(questions.report, dataset)
    columns = described.pop("columns")
    rows = questions.edges(graph.rows_into(dataset))
    more = {
        "dataset": {
            **described,
            "description": info.description or None,
            "tags": list(info.tags),
            "place": json_view.place(info.place),
            "columns_complete": info.complete,
        },
        **first_values("reads", reads),
        **first_values("read_by", readers),
        **first_values("row_usages", rows),
    }
    note = ""
    if not columns:
        note = "No column of this dataset is known."
    elif not info.complete:
        note = "The dataset may have more columns than those that are known."

    if not reads:
        note = f"{note} {source_note(questions, dataset)}".strip()

    status = NOT_KNOWN if not columns else ANSWERED
    return Answer(status, note, columns, [dataset], more)


def describe_column(answers: Answers, questions: Questions, asked: Mapping[str, object]) -> Answer:
    """Tell what a column is; the items are the edges into it and out of it."""
    column = questions.graph.column(require(asked, "column"))
    known = questions.column(str(column))
    into = [{**each, "direction": UPSTREAM} for each in known.pop("into")]
    out_of = [{**each, "direction": DOWNSTREAM} for each in known.pop("out_of")]
    info = questions.graph.info(column)
    known["type"] = questions.graph.type_of(column) or None
    known["place"] = json_view.place(info.place if info else None)
    note = "" if into else upstream_note(questions, column)
    return Answer(ANSWERED, note, [*into, *out_of], [column.dataset], {"column": known})


def trace_upstream(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Follow a column to its sources."""
    column = questions.graph.column(require(asked, "column"))
    edges = questions.trace(str(column), UPSTREAM, asked.get("depth"), bool(asked.get("with_rows")))
    if edges:
        return Answer(note=missing_part(questions.graph), items=edges, about=[column.dataset])

    return empty_answer(questions, upstream_note(questions, column), column.dataset)


def trace_downstream(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Follow a column to everything that is made of it or decided by it."""
    column = questions.graph.column(require(asked, "column"))
    edges = questions.trace(str(column), DOWNSTREAM, asked.get("depth"))
    if edges:
        return Answer(note=missing_part(questions.graph), items=edges, about=[column.dataset])

    return empty_answer(questions, f"No statement that was read reads {column}.", column.dataset)


def impact(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Tell what a change of a column or dataset breaks, and what else it changes."""
    name = require(asked, "name")
    found = questions.impact(name, str(asked.get("change") or "values"))
    at = questions.graph.find(name)
    dataset = dataset_of(at)
    items = [
        {"what": what, **each}
        for what, key in (("consumer", "consumers"), ("dataset", "datasets"), ("column", "columns"))
        for each in found[key]
    ]
    counts = Counter(f"{each['what']}: {each['effect']}" for each in items)
    more = {
        "change": found["change"],
        "breaks": found["breaks"],
        "counts": dict(sorted(counts.items())),
        **first_values("descriptions", found["descriptions"]),
    }
    if items:
        return Answer(ANSWERED, missing_part(questions.graph), items, [dataset], more)

    answer = empty_answer(questions, f"Nothing that was read depends on {name}.", dataset)
    answer.more = more
    return answer


def explain_edge(answers: Answers, questions: Questions, asked: Mapping[str, object]) -> Answer:
    """Tell how one column goes into another: expression, clause, place and the lines of the file."""
    source, target = require(asked, "source"), require(asked, "target")
    edges = questions.edges_between(source, target)
    if edges:
        items = questions.edges(edges)
        for item in items:
            for usage in item["usages"]:
                usage["snippet"] = snippet(answers.text_of, usage["place"])

        return Answer(items=items, about=[edge.into for edge in edges])

    end = questions.graph.find(target)
    return Answer(
        NOT_KNOWN,
        f"No edge leads from {source} to {target} in one step. "
        "`upstream` of the target shows the steps between, if there are some. "
        f"{missing_part(questions.graph)}".rstrip(),
        about=[dataset_of(end)],
    )


def diff(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Return the changes since a revision, and whether they are safe."""
    found = answers.compare(require(asked, "base"))
    findings = found.pop("findings", [])
    kept = {key: value for key, value in found.items() if not isinstance(value, list)}
    note = "" if findings else f"No definition differs from {asked['base']}."
    return Answer(ANSWERED, note, findings, more={"comparison": kept})


def unused_answer(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Tell which columns and datasets nobody reads, readers first, and whether each can go."""
    if answers.find_unused is None:
        return Answer(NOT_KNOWN, "This server cannot plan removals.")

    keep = tuple(map(str, asked.get("keep") or ()))
    found = answers.find_unused(keep, bool(asked.get("ignore_tests")))
    items = [each for each in found["unused"] if _is_within(each, asked.get("dataset"))]
    missing = missing_part(questions.graph)
    more = {"outputs": found["outputs"], "outputs_note": found["outputs_note"]}
    if items:
        return Answer(ANSWERED, missing, items, more=more)

    note = f"Everything is read. {missing}".rstrip()
    return Answer(NOT_KNOWN if missing else ANSWERED, note, more=more)


def _is_within(item: Values, dataset: object) -> bool:
    """Tell whether an item belongs to the dataset that was asked about, if one was."""
    return not dataset or str(item["dataset"]).lower() == str(dataset).lower()


def coverage(answers: Answers, questions: Questions, asked: Mapping[str, Any]) -> Answer:
    """Return the ledger of the run; the items are the diagnostics, errors first."""
    diagnostics = list(map(json_view.diagnostic, questions.report.diagnostics))
    order = {"error": 0, "warning": 1}
    diagnostics.sort(key=lambda each: order.get(each["severity"], 2))
    counts = Counter(each["code"] for each in diagnostics)
    more = {"ledger": questions.coverage(), "counts": dict(sorted(counts.items()))}
    return Answer(ANSWERED, "", diagnostics, more=more)


QUESTIONS: dict[str, Callable[[Answers, Questions, Mapping[str, Any]], Answer]] = {
    "search": search,
    "describe_dataset": describe_dataset,
    "describe_column": describe_column,
    "upstream": trace_upstream,
    "downstream": trace_downstream,
    "impact": impact,
    "explain_edge": explain_edge,
    "diff": diff,
    "unused": unused_answer,
    "coverage": coverage,
}


# -- words -----------------------------------------------------------------------------------------


def require(asked: Mapping[str, Any], name: str) -> str:
    """Return an argument that must be there."""
    value = str(asked.get(name) or "").strip()
    if not value:
        raise Misasked(f"{name}: name one")

    return value


def upstream_note(questions: Questions, column: Column) -> str:
    """Say why a column has no source."""
    graph = questions.graph
    reads, _ = questions.neighbors(column.dataset)
    if reads or any(map(graph.into, graph.columns(column.dataset))):
        return f"{column} is made without any column: of constants, or by counting rows."

    return source_note(questions, column.dataset)


def source_note(questions: Questions, dataset: Dataset) -> str:
    """Say that nothing writes a dataset."""
    return f"{dataset.name} is a source: no statement that was read fills it from another dataset."


def first_values(name: str, values: list[Any]) -> Values:
    """Return the first values of a list that goes along with an answer, and how many there are."""
    return {name: values[:MOST_BESIDE], f"{name}_total": len(values)}


def snippet(text_of: TextOf, place: Mapping[str, Any] | None) -> str | None:
    """Return the lines of a file around a place."""
    if place is None:
        return None

    lines = text_of(place["file"]).split("\n")
    first = max(0, place["line"] - SNIPPET_LINES // 2)
    return redact_text("\n".join(lines[first : first + SNIPPET_LINES])) or None
