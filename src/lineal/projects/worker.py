"""The process that renders Jinja: one JSON job per line in, one JSON answer per line out.

It is run as a script by `render.py`, knows nothing of lineal and imports jinja2 only. A template
can be anything that somebody put into a repository: it runs in Jinja's immutable sandbox, in a
process that has limits on CPU time and memory, no environment variables and no right to write
files.

    {"file": "nodes/a/a.sql", "text": "select {{ 1 }}", "this": "a"}      {"texts": ["select 1"],
    "faults": []}

An answer also says which parts of a text macros have written, where the template itself calls them:

    {"text": "select {{ cents('a') }}", …}      {"texts": ["select a / 100"], "expansions": [[[7,
    14, "cents"]]], …}
"""

from __future__ import annotations

import sys
from itertools import chain

if __name__ == "__main__":
    # where jinja2 is: the interpreter starts without its site packages
    sys.path.extend(sys.argv[1:])

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from importlib import import_module
from math import ceil
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, NoReturn

from jinja2 import (
    DictLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
)
from jinja2.runtime import Context, Macro
from jinja2.sandbox import SandboxedEnvironment

try:
    import resource
except ImportError:  # Windows: the clock of the parent process is the only limit
    resource = None  # type: ignore[assignment]

Json = dict[str, Any]

TOLD_OF_PARENTS_DEATH = 1
"""PR_SET_PDEATHSIG"""

FLAGS = ("is_exists", "is_incremental")
"""Functions whose answer only a run knows: a template that asks is rendered both ways."""

EXTENSIONS = ("jinja2.ext.do", "jinja2.ext.loopcontrols")
CAPTURES = (nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.AssignBlock)
MARK = re.compile("\x00(?:(?P<line>\\d+)|<(?P<macro>[^\x00]*)|(?P<end>>))\x00")
"""The line that a piece of text comes from; the beginning of what a macro has written, and its end.
"""

SPAN, NOTE = "span of a macro", "note of a macro"
"""Filters that no template can name: they have spaces in them."""


class TooMuch(Exception):
    """More output, or a larger value, than a template may make."""


class TimeUp(BaseException):
    """More CPU time than a template may take. Not an Exception: Jinja must not mistake it for a
    failed look-up.
    """


class Wrong(Exception):
    """A function was called with what it does not know: (message, hint)."""


class Expansion(str):
    """The text that a macro has written, with the macro's name."""

    _macro: str

    @classmethod
    def with_macro(cls, text: str, macro: str) -> Expansion:
        """Return a text that a macro has written."""
        made = cls(text)
        made._macro = macro
        return made


class This(str):
    """The table that is being built: `{{ this }}` and `{{ this() }}`."""

    def __call__(self) -> str:
        return str(self)


class Limited(SandboxedEnvironment):
    """The sandbox, with arithmetic that cannot make a value larger than the output may be.

    Lists and dictionaries may grow: macros build them.
    """

    intercepted_binops = frozenset({"*", "**"})
    most = 10_000_000
    files: dict[str, str]
    """The file of each template by the name that Jinja knows it by."""
    noted = ""
    """The macro that has written the text which filters are at work on."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.files = {}
        self.filters.update({SPAN: self.span, NOTE: self.note})

    def call(self, context: Context, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for a template; the text of a macro remembers which macro wrote it."""
        made = super().call(context, called, *args, **kwargs)
        if made.__class__ is not str and made.__class__ is not Expansion:
            return made

        name = self.macro_name(called)
        if name:
            return Expansion.with_macro(made, name)

        return made

    def macro_name(self, called: object) -> str:
        """The name of a macro; an empty text for any other function."""
        if isinstance(called, Macro):
            return called.name or ""

        return ""

    def span(self, value: Any) -> Any:
        """{{ cents('a') }}      the text between two marks, if a macro has written it"""
        macro = value._macro if isinstance(value, Expansion) else self.noted
        self.noted = ""
        if macro:
            return f"\x00<{macro}\x00{value}\x00>\x00"

        return value

    def note(self, value: Any) -> Any:
        """{{ cents('a') | trim }}      the trimmed text is still a macro's text"""
        self.noted = value._macro if isinstance(value, Expansion) else ""
        return value

    def alias(self, file: str) -> str:
        """A plain name for a file: Jinja writes names into the code it makes, and a quote in one
        would break out.
        """
        name = f"template{len(self.files)}"
        self.files[name] = file
        return name

    def compile_template(
        self, text: str, file: str, change: Callable[[nodes.Template], nodes.Template]
    ) -> Template:
        """Return a template whose tree was changed before it was compiled."""
        name = self.alias(file)
        code = super().compile(change(self._parse(text, name, name)), name, name)
        return Template.from_code(self, code, self.globals)

    def compile(self, source: Any, name: str | None = None, *args: Any, **options: Any) -> Any:
        """Compile a template under a short name; {% import %} calls this."""
        return super().compile(source, self.alias(str(name)), None)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> Any:
        """Compute an operator, unless its result is too large."""
        if GROWTH[operator](left, right) > self.most:
            raise TooMuch(f"{operator} makes a value that is larger than {self.most:,}")

        return super().call_binop(context, operator, left, right)

    def handle_exception(self, source: str | None = None) -> NoReturn:
        """Leave the traceback as it is: `line_of` reads it."""
        raise  # Jinja calls this from an except block


def product_size(left: object, right: object) -> int:
    """About how many bits or items left * right has."""
    if isinstance(left, int) and isinstance(right, int):
        return left.bit_length() + right.bit_length()

    if isinstance(left, int):
        left, right = right, left

    if isinstance(left, (str, list, tuple)) and isinstance(right, int):
        return len(left) * right

    return 0


def power_size(left: object, right: object) -> int:
    """About how many bits left ** right has."""
    if isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * max(right, 0)

    return 0


GROWTH: dict[str, Callable[[Any, Any], int]] = {"*": product_size, "**": power_size}


class Renderer:
    """All templates of a project: they share the variables and the macros."""

    def __init__(self, setup: Json) -> None:
        self.setup = setup
        self.variables: Json = setup["variables"]
        self.yes: frozenset[str] = frozenset()
        self.asked: set[str] = set()
        self.environment = Limited(
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            extensions=EXTENSIONS,
            cache_size=0,
            autoescape=False,
        )
        self.environment.loader = DictLoader(setup["imports"])
        self.environment.most = setup["output"]
        self.names = self.environment.globals
        self.names.pop("lipsum")
        self.names.update(self.functions())
        self.expansions: dict[str, list[list[Any]]] = {}
        """Of each text, what macros have written: start, end, macro."""

    def functions(self) -> Json:
        """Return the functions that a template can call."""
        flags = {name: self.flag(name) for name in FLAGS}
        silent = dict.fromkeys(("config", "log", "warn"), nothing)
        return {**flags, **silent, "var": self.var, "ref": last, "source": last, "error": refuse}

    def flag(self, name: str) -> Callable[[], bool]:
        """Return a function that answers a question, and notes that it was asked."""

        def ask() -> bool:
            """Answer a condition on a name, and note that the template asked."""
            self.asked.add(name)
            return name in self.yes

        return ask

    def var(self, name: str, *default: Any) -> Any:
        """Return a variable of the project."""
        if name in self.variables:
            return deepcopy(self.variables[name])  # a template may change what it is given

        if default:
            return default[0]

        raise Wrong(f"the variable '{name}' is not defined", self.advice(name))

    def advice(self, name: str) -> str:
        """Return how to define a variable that is missing."""
        from difflib import get_close_matches

        close = get_close_matches(str(name), self.variables, n=1)
        meant = f"Did you mean '{close[0]}'? " if close else ""
        return f"{meant}Add it under vars: in {self.setup['project']}, or give a default: var('{name}', …)."

    def answer(self, job: Json) -> Json:
        """Return the result of a job: its texts and its errors."""
        work = self.learn if job.get("macros") else self.render
        faults: list[Json] = []
        texts: list[str] = []
        self.expansions = {}
        self.names["this"] = This(job["this"])
        try:
            with clock(self.setup["seconds"]):
                work(job, texts, faults)
        except (Exception, TimeUp) as error:
            faults.append(self.fault(error, job["file"]))

        distinct = list(dict.fromkeys(texts))
        expansions = [self.expansions.get(text, []) for text in distinct]
        return {
            "texts": distinct,
            "expansions": expansions,
            "last": texts[-1] if texts else "",
            "faults": faults,
        }

    def learn(self, job: Json, texts: list[str], faults: list[Json]) -> None:
        """{% macro cents(c) %}…{% endmacro %}: known by its name to all templates and macros from
        now on.
        """
        template = self.environment.compile_template(job["text"], job["file"], lambda tree: tree)
        # shared: macros see the names that come later, too
        module = template.make_module(self.names, shared=True)
        self.names.update(
            {name: value for name, value in vars(module).items() if not name.startswith("_")}
        )

    def render(self, job: Json, texts: list[str], faults: list[Json]) -> None:
        """A template, once for each combination of answers that it asks for: all no first."""
        template = self.environment.compile_template(job["text"], job["file"], add_marks)
        ways = [frozenset[str]()]
        for self.yes in ways:
            self.asked = set()
            try:
                texts.append(self.without_marks(self.output(template)))
            except Exception as error:
                fault = self.fault(error, job["file"])
                faults += [fault] if fault not in faults else []

            ways += [
                way
                for name in FLAGS
                if name in self.asked and (way := self.yes | {name}) not in ways
            ]

    def without_marks(self, text: str) -> str:
        """The text without its marks; what macros have written in it is remembered."""
        plain, expansions = without_marks(text)
        self.expansions.setdefault(plain, expansions)
        return plain

    def output(self, template: Template, context: Context | None = None) -> str:
        """Return the output of a template, up to the limit."""
        chunks: list[str] = []
        size = 0
        stream = template.root_render_func(template.new_context() if context is None else context)
        for chunk in stream:
            chunks.append(chunk)
            size += len(chunk)
            if size > self.environment.most:  # thrown at the line that is at work
                message = f"the template gives more than {self.environment.most:,} characters"
                stream.throw(TooMuch(message))  # type: ignore[attr-defined]

        return "".join(chunks)

    def fault(self, error: BaseException, file: str) -> Json:
        """Return an error with its message, line and hint."""
        message, limit = self.explain_error(error)
        line, inside = line_of(error, file, self.environment.files)
        where = f" (in {inside})" if inside else ""
        hint = error.args[1] if isinstance(error, Wrong) else ""
        return {"message": f"{message}{where}", "limit": limit, "line": line, "hint": hint}

    def explain_error(self, error: BaseException) -> tuple[str, bool]:
        """The message, and whether it is a limit that stopped the template."""
        for kind, explain, limit in FAULTS:
            if isinstance(error, kind):
                return explain(error, self.setup), limit

        return f"{type(error).__name__}: {error}", False


def first(error: BaseException, setup: Json) -> str:
    """Return the message of an error."""
    return str(error.args[0] if error.args else error)


FAULTS: tuple[tuple[type[BaseException], Callable[[Any, Json], str], bool], ...] = (
    (
        TimeUp,
        lambda error, setup: f"the template takes more than {setup['seconds']:g} s of CPU time",
        True,
    ),
    (
        MemoryError,
        lambda error, setup: f"the template takes more than {setup['memory'] >> 20} MB of memory",
        True,
    ),
    (RecursionError, lambda error, setup: "the template nests or calls itself too deeply", True),
    (OverflowError, first, True),
    (TooMuch, first, True),
    (Wrong, first, False),
    (
        TemplateNotFound,
        lambda error, setup: f"there is no macro file '{error.name}' to import",
        False,
    ),
    (TemplateError, lambda error, setup: error.message or "not a valid template", False),
)


def nothing(*args: Any, **kwargs: Any) -> str:
    """{{ config(materialized='table') }} gives no text."""
    return ""


def last(*args: Any, **kwargs: Any) -> str:
    """ref('orders') and source('shop', 'orders'): the table's own name."""
    if not args:
        raise Wrong("ref() and source() need a name", "")

    return str(args[-1])


def refuse(message: object = "error() was called", *args: object) -> NoReturn:
    """Raise the error that a template asks for."""
    raise Wrong(str(message), "")


def add_marks(tree: nodes.Template) -> nodes.Template:
    """Marks that say which line of the template a line of the result comes from, and what macros
    have written.

    Comments, tags over several lines, tags that trim the space around them and branches that are not
    taken lose their line breaks. Marks are at the start and behind the first line break of each
    piece of text, and around the text of each macro that is called; text that a macro or a block
    captures as a value has none.
    """
    waiting: list[nodes.Node] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.TemplateData):
            head, line_break, tail = node.data.partition("\n")
            at_start = f"\x00{node.lineno}\x00" if head.strip() else ""
            behind = f"\n\x00{node.lineno + 1}\x00{tail}" if line_break else ""
            node.data = f"{at_start}{head}{behind}"

        if not isinstance(node, CAPTURES):
            waiting.extend(node.iter_child_nodes())
            mark_macros(node)

    if tree.environment is not None:
        tree.set_environment(tree.environment)

    return tree


def mark_macros(node: nodes.Node) -> None:
    """Put marks around what the expressions and the call blocks of a node may let macros write."""
    if isinstance(node, nodes.Output):
        node.nodes = list(chain.from_iterable(map(mark_parts, node.nodes)))
        return

    for name, held in node.iter_fields():
        if isinstance(held, list) and any(isinstance(each, nodes.CallBlock) for each in held):
            setattr(node, name, list(chain.from_iterable(map(around_call, held))))


def mark_parts(node: nodes.Expr) -> Iterator[nodes.Expr]:
    """{{ a ~ b }}      a and b, each with a mark of its own; plain text as it is"""
    if isinstance(node, nodes.TemplateData):
        yield node
    elif isinstance(node, nodes.Concat):
        for part in node.nodes:
            yield from mark_parts(part)
    else:
        note_innermost(node)
        yield apply_filter(node, SPAN)


def note_innermost(node: nodes.Expr) -> None:
    """{{ cents('a') | trim }}, {{ cents('a').strip() }}

    the call that all the rest is done to is noted
    """
    holder = holder_of(node)
    while holder is not None and (deeper := holder_of(holder.node)) is not None:
        holder = deeper

    if holder is not None:
        holder.node = apply_filter(holder.node, NOTE)


def holder_of(node: Any) -> Any:
    """Return the object whose text a filter, or a method of a text, works on; None for anything
    else.
    """
    holder = node
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        holder = node.node
    elif not isinstance(node, nodes.Filter):
        return None

    if isinstance(holder.node, (nodes.Filter, nodes.Call)):
        return holder

    return None


def apply_filter(node: nodes.Expr, name: str) -> nodes.Expr:
    """Return an expression with a filter applied."""
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def around_call(node: nodes.Node) -> Iterator[nodes.Node]:
    """{% call m() %}…{% endcall %}      with marks around all that m writes"""
    macro = called_name(node.call.node) if isinstance(node, nodes.CallBlock) else ""
    if not macro:
        yield node
        return

    yield nodes.Output([nodes.TemplateData(f"\x00<{macro}\x00")], lineno=node.lineno)
    yield node
    yield nodes.Output([nodes.TemplateData("\x00>\x00")], lineno=node.lineno)


def called_name(node: nodes.Expr) -> str:
    """m, package.m; an empty text for a computed name"""
    if isinstance(node, nodes.Name):
        return node.name

    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name):
        return f"{node.node.name}.{node.attr}"

    return ""


def without_marks(text: str) -> tuple[str, list[list[Any]]]:
    """The text without its marks, with blank lines where lines have been lost; macros and rounds of
    loops are folded where they have added lines; and what macros have written in it.
    """
    out: list[str] = []
    expansions: list[list[Any]] = []
    line, length, start = 1, 0, 0
    before = LineState()
    chunks = with_lowest_line(list(pieces_by_line(text)))
    for number, (pieces, following, lowest) in enumerate(chunks, 1):
        if lowest and line + breaks_in(pieces) > lowest:
            pieces = [fold(each, before_of(pieces, at)) for at, each in enumerate(pieces)]

        is_passed_again = lowest < following or 0 < following <= start
        if is_passed_again and line + breaks_in(pieces) > lowest:
            pieces = fold_round(pieces, before)

        start = following
        for piece in pieces:
            expansions += expansion(length, piece.text, piece.macro) if piece.macro else []
            out.append(piece.text)
            line += piece.text.count("\n")
            length += len(piece.text)
            before = before.followed_by(piece.text)

        is_parted = before.may_end or before.may_end_at(chunks[number:])
        lost = max(0, lowest - line) if is_parted else 0
        out.append("\n" * lost)
        line += lost
        length += lost

    return "".join(out), expansions


def with_lowest_line(
    chunks: list[tuple[list[Piece], int]],
) -> list[tuple[list[Piece], int, int]]:
    """Return the chunks, each with the lowest line of the template that comes behind it.

    {% for method in methods %}      behind each round but the last one, that of the first line
    """
    found = []
    lowest = chunks[-1][1]
    for pieces, following in reversed(chunks):
        lowest = min(lowest, following) if lowest else following
        found.append((pieces, following, lowest))

    return found[::-1]


def breaks_in(pieces: list[Piece]) -> int:
    """Count the line breaks of pieces."""
    return sum(each.text.count("\n") for each in pieces)


class Piece(NamedTuple):
    """A part of a rendered text, and the macro that has written it; '' for the template's own."""

    text: str
    macro: str


def pieces_by_line(text: str) -> Iterator[tuple[list[Piece], int]]:
    """Yield the pieces before each mark of a line, and the line of the template that follows; 0 at
    the end of the text.
    """
    pieces: list[Piece] = []
    macro, position = "", 0
    for mark in MARK.finditer(text):
        pieces.append(Piece(text[position : mark.start()], macro))
        position = mark.end()
        if mark["line"]:
            yield pieces, int(mark["line"])
            pieces = []
        else:
            macro = mark["macro"] or ""

    pieces.append(Piece(text[position:], macro))
    yield pieces, 0


def before_of(pieces: list[Piece], at: int) -> str:
    """Return the text on the line of a piece before it, as far as the pieces tell."""
    return "".join(each.text for each in pieces[:at]).rpartition("\n")[2]


def fold(piece: Piece, before: str) -> Piece:
    """Return a macro's text on one line, so that the text behind it keeps its line.

    {{ cents('amount') }},      a macro of three lines moves the rest of the model by two

    Lines that are only a comment are left out. A text with any other comment, in a comment, or with
    a string over several lines stays as it is.
    """
    lines = [each for each in piece.text.split("\n") if not COMMENT_LINE.match(each)]
    has_open_string = any(each.count("'") % 2 for each in lines)
    text = "\n".join(lines)
    if not piece.macro or has_open_string or COMMENTS.search(before + text):
        return piece

    return piece._replace(text=BREAKS.sub(" ", text))


class LineState(NamedTuple):
    """Tells of the line so far whether it has a comment or an open string, and how it ends."""

    has_comment: bool = False
    is_in_string: bool = False
    ends_in_space: bool = True

    @property
    def may_end(self) -> bool:
        """Tell whether a line break changes nothing here: not in a comment, a string or a name."""
        return self.ends_in_space and not self.has_comment and not self.is_in_string

    def may_end_at(self, chunks: list[tuple[list[Piece], int, int]]) -> bool:
        """Tell whether the next text starts with a space, so that a line may end before it.

        {{ key([        a call over several lines
            'id'
        ]) }} as key    stays on its own line
        """
        texts = [each.text for pieces, _, _ in chunks[:1] for each in pieces if each.text]
        starts_in_space = bool(texts) and texts[0][0].isspace()
        return self._replace(ends_in_space=starts_in_space).may_end

    def followed_by(self, text: str) -> LineState:
        """Return the state behind a text; a new line starts without comment and string."""
        if not text:
            return self

        _, line_break, rest = text.rpartition("\n")
        before = LineState() if line_break else self
        return LineState(
            before.has_comment or COMMENTS.search(rest) is not None,
            before.is_in_string ^ (rest.count("'") % 2 == 1),
            text[-1].isspace(),
        )


def fold_round(pieces: list[Piece], before: LineState) -> list[Piece]:
    """Return a round of a loop on one line, so that the next one starts on the same line.

    {% for method in methods %} … {% endfor %}      the lines of the template are passed again

    A round with a comment behind other text, or with a string over several lines, stays as it is.
    """
    shorter = [each._replace(text=without_comment_lines(each.text)) for each in pieces]
    lines = "".join(each.text for each in shorter).split("\n")
    states = [before.followed_by(lines[0]), *map(LineState().followed_by, lines[1:])]
    if any(state.has_comment for state in states) or any(
        state.is_in_string for state in states[:-1]
    ):
        return pieces

    return [each._replace(text=BREAKS.sub(" ", each.text)) for each in shorter]


def without_comment_lines(text: str) -> str:
    """Return a text without its whole lines that are only a comment."""
    *lines, last = text.split("\n")
    return "\n".join([*(each for each in lines if not COMMENT_LINE.match(each)), last])


COMMENT_LINE = re.compile(r"\s*--(?:\s|$)")
COMMENTS = re.compile(r"--|/\*|\*/|#")
BREAKS = re.compile(r"\s*\n\s*")


def expansion(start: int, text: str, macro: str) -> list[list[Any]]:
    """Where a macro's text begins and ends, without the space around it; nothing where it has
    written none.
    """
    inside = text.strip()
    before = len(text) - len(text.lstrip())
    if inside:
        return [[start + before, start + before + len(inside), macro]]

    return []


def line_of(error: BaseException, file: str, files: dict[str, str]) -> tuple[int, str]:
    """The line of this template that was at work, and the macro file and line if it was one of
    those.
    """
    line, inside = 1, ""
    for name, number in lines_of(error):
        where = files.get(name, name)
        line, inside = (number, "") if where == file else (line, f"{where}:{number}")

    return line, inside


def lines_of(error: BaseException) -> Iterator[tuple[str, int]]:
    """The template lines of a traceback, from the outside inwards; a syntax error names its own."""
    trace = error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            yield template.name, template.get_corresponding_lineno(trace.tb_lineno)

        trace = trace.tb_next

    if isinstance(error, TemplateSyntaxError):
        yield error.name or "", error.lineno


class clock:
    """CPU time for one job: first a signal, which still knows the line, then the system's own
    limit, which kills.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if resource is not None:
            used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            lower(resource.RLIMIT_CPU, ceil(used + self.seconds + 0.5), soft_only=True)
            signal.signal(signal.SIGPROF, time_up)
            signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *error: object) -> None:
        if resource is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)


def time_up(signum: int, frame: object) -> NoReturn:
    """Raise TimeUp: the template has used up its CPU time."""
    raise TimeUp


def lower(kind: int, limit: int, soft_only: bool = False) -> None:
    """Set a limit of this process, as far as the system lets us."""
    hard = resource.getrlimit(kind)[1]
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    # macOS has no limit on address space; the clock and the sandbox remain
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, hard if soft_only else soft))


def confine(memory: int) -> None:
    """No more memory than this, no files written, no core dumps."""
    sys.dont_write_bytecode = True
    if resource is not None:
        for kind, limit in (
            (resource.RLIMIT_AS, memory),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            lower(kind, limit)


def renderer_of(setup: Json) -> Renderer:
    """The renderer of a kind of project that has its own; its folder is one of ours, and named by
    the parent.
    """
    if not setup.get("renderer"):
        return Renderer(setup)

    folder, module = setup["renderer"]
    sys.path.append(folder)
    # what it builds on is this very file
    sys.modules["lineal.projects.worker"] = sys.modules[__name__]
    made: Renderer = import_module(module).renderer(setup)
    return made


def main() -> None:
    """Render the templates that come on standard input, one per line."""
    end_with_parent()
    answers, jobs = sys.stdout.buffer, jobs_of(sys.stdin.buffer)
    setup = json.loads(next(jobs))
    renderer = renderer_of(setup)
    confine(setup["memory"])
    say(answers, {"ready": True})
    for line in jobs:
        say(answers, renderer.answer(json.loads(line)))


def end_with_parent() -> None:
    """Let Linux end this process with its parent, also in the middle of work that lets no thread
    run.
    """
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(TOLD_OF_PARENTS_DEATH, signal.SIGKILL)


def jobs_of(stream: Any) -> Iterator[bytes]:
    """The lines of a stream, read by a thread: when it ends, the parent is gone, and this process
    ends in midwork.
    """
    lines: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        """Pass lines on; end the process when the stream ends."""
        for line in stream:
            lines.put(line)

        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        yield lines.get()


def say(stream: Any, answer: Json) -> None:
    """Send an answer."""
    stream.write(json.dumps(answer).encode() + b"\n")
    stream.flush()


if __name__ == "__main__":
    main()
