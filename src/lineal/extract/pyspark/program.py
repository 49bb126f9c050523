"""A program: the Python files of a corpus, run abstractly as one: imports, entry points, what
nobody calls.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from lineal.extract.pyspark import attributes, comprehensions, items, natives, sql_texts  # noqa: F401  (they enter their handlers)
from lineal.extract.pyspark.calls import call_function
from lineal.extract.pyspark.catalog import Known, SessionCatalog
from lineal.extract.pyspark.dbt import is_dbt_model
from lineal.extract.pyspark.files import File, frame_like_names, imported_words, session_like_names
from lineal.extract.pyspark.forms import Kind
from lineal.extract.pyspark.functions_list import FUNCTION_NAMES
from lineal.extract.pyspark.glue import TRANSFORMS
from lineal.extract.pyspark.pipelines import dbt_model, define
from lineal.extract.pyspark.reading import PythonReading
from lineal.extract.pyspark.relation import Relation, ancestors
from lineal.extract.pyspark.run import Environment, Exhausted, Run, Write
from lineal.extract.pyspark.session import opened
from lineal.extract.pyspark.sinks import written
from lineal.extract.pyspark.statements import Flow, Returns, block
from lineal.extract.pyspark.types import TYPE_NAMES
from lineal.extract.pyspark.values import (
    Function,
    Instance,
    Library,
    Module,
    Pattern,
    Session,
    Unknown,
    Value,
)
from lineal.extract.sql.evaluation import Catalog
from lineal.model.diagnostic import Code
from lineal.model.paths import path_name
from lineal.model.script import Main
from lineal.model.way import Confidence

SPARK_WORDS = re.compile(
    r"spark|pyspark|DataFrame|\bdlt\b|awsglue|\bdbt\b|%sql|createOrReplaceTempView|DeltaTable"
)
"""A file without any of these is read only when another one imports it."""

STARS: Mapping[str, frozenset[str]] = {
    "pyspark.sql.functions": FUNCTION_NAMES,
    "pyspark.sql.types": frozenset(
        (*TYPE_NAMES, "StructType", "StructField", "ArrayType", "MapType", "Row")
    ),
    "pyspark.sql": frozenset(
        ("SparkSession", "DataFrame", "Column", "Row", "Window", "SQLContext", "HiveContext")
    ),
    "pyspark.sql.window": frozenset(("Window", "WindowSpec")),
    "delta.tables": frozenset(("DeltaTable",)),
    "delta": frozenset(("DeltaTable",)),
    "awsglue.transforms": frozenset(TRANSFORMS),
    "awsglue.context": frozenset(("GlueContext",)),
}
"""What a star brings along: from pyspark.sql.functions import * """

GUARD = re.compile(r"__name__\s*==\s*['\"]__main__['\"]")


class Program:
    """All Python files of a corpus."""

    def __init__(self, files: list[File], known: Known, main: Main | None = None) -> None:
        self.known = known
        self.main = main
        self.files = files
        self.by_name: dict[str, list[File]] = {}

        for file in self.files:
            for name in (
                {file.parts[-1], *(file.parts[-2:-1] if file.parts[-1] == "__init__" else ())}
                if file.parts
                else ()
            ):
                self.by_name.setdefault(name, []).append(file)

        self.located: dict[str, str] = {}
        self.opened: dict[Any, Relation] = {}
        self.members: dict[str, Value] = {}
        self.predefined: dict[str, Value] = {
            "spark": Session(), "sqlContext": Session(), "dbutils": Library("dbutils"), "sc": Library("pyspark.sc"),
            "display": Library("builtins.print"), "displayHTML": Library("builtins.print"), "__name__": "__main__",
            "__file__": "job.py",
        }  # fmt: skip
        self.run = Run(self, _none)
        self.run.catalog = cast(Catalog, SessionCatalog(known, self.run))
        self.importing: set[int] = set()
        self.entered: list[str] = []
        """the files that were run as entry points"""

    # -- running -----------------------------------------------------------------------------------

    def execute(self, nodes: list[File] | None = None) -> Run:
        """Every entry point, each in a session of its own; then what none of them has reached.

        Nodes of a project come first, in their order if one is given.
        """
        for file in self.files:
            file.environment = None
        if self.main is not None:
            return self.execute_main(self.main)

        for file in nodes if nodes is not None else (each for each in self.files if each.is_node):
            before = len(self.run.writes)
            self.attempt(self.enter_node, file)
            self.known.foresee(self.run.writes[before:])
        if nodes is not None:
            position = {id(file): number for number, file in enumerate(self.files)}
            self.run.writes.sort(key=lambda write: position[id(write.script)])

        loose = [file for file in self.files if not file.is_node and not file.is_module]
        spoken = [file for file in loose if SPARK_WORDS.search(file.text)]
        entries = self.entries([*spoken, *self.callers(spoken, loose)])

        for file in entries:
            self.attempt(self.enter, file)
        for file in spoken:
            if file.environment is None and file not in entries:
                self.attempt(self.enter, file)
        for file in spoken:
            self.attempt(self.call_what_nobody_calls, file)
        return self.finished()

    def execute_main(self, main: Main) -> Run:
        """The one file that is run, and what it imports: what it does not reach does not happen."""
        for file in self.files:
            if file.script.file == main.file:
                self.attempt(self.enter, file)
        return self.finished()

    def finished(self) -> Run:
        """Return the run after its last file; a path that a table is stored at is that table."""
        for file in self.files:
            if file.failed is not None:
                self.run.diagnostics.append(file.failed)
        for write in self.run.writes:
            if write.name in self.located:
                write.name, write.kind = self.located[write.name], "table"

        return self.run

    def attempt(self, work: Callable[[File], None], file: File) -> None:
        """Some work for a file; if it fails, that costs only the file."""
        run = self.run
        try:
            work(file)
        except Exception as error:
            run.reading, run.depth = file.reading, 0
            run.journals.clear()
            run.frames.clear()
            run.fail(error, None, "this program")

    def callers(self, spoken: list[File], loose: list[File]) -> list[File]:
        """Files that never speak of Spark, but start those that do: from jobs import run; run()"""
        names = {part for file in spoken for part in file.parts[-2:]}
        silent = [file for file in loose if file not in spoken] if spoken else []
        found: list[File] = []

        while True:
            more = [
                file
                for file in silent
                if file not in found and not names.isdisjoint(imported_words(file.text))
            ]
            if not more:
                return found

            found += more
            names.update(part for file in more for part in file.parts[-2:])

    def entries(self, files: list[File]) -> list[File]:
        """Files that no other file imports, or that say so: if __name__ == "__main__" """
        if len(files) == 1:
            return files

        imported: set[int] = set()
        for file in files:
            for node in file.tree.body:
                if isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr)):
                    imported.update(
                        id(found) for found in self.imports(node, file) if found is not file
                    )

        return [file for file in files if id(file) not in imported or GUARD.search(file.text)]

    def imports(self, node: ast.stmt, file: File) -> list[File]:
        """Return the files of the program that a statement imports."""
        found: list[File | None] = []
        if isinstance(node, ast.Import):
            found = [self.find(alias.name, file, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found = [self.find(module, file, node.level)] if module else []
            dotted = f"{module}." if module else ""
            found += [self.find(f"{dotted}{alias.name}", file, node.level) for alias in node.names]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "lineal_include" and call.args:
                target = call.args[0]
                found = (
                    [self.included(str(target.value), file)]
                    if isinstance(target, ast.Constant)
                    else []
                )

        return [each for each in found if each is not None]

    def enter(self, file: File) -> None:
        """Run a file as the program that is started."""
        run = self.run
        run.start(file)
        self.entered.append(file.script.file)
        before = len(run.writes)
        self.execute_module(file, "__main__")
        self.define_datasets(file)
        if len(run.writes) == before:
            self.show_leaves(file)

    def enter_node(self, file: File) -> None:
        """A node of a project, as a run executes it: the file, then the function that starts it."""
        run = self.run
        run.start(file)
        self.entered.append(file.script.file)
        before = len(run.writes)
        is_model = file.form.kind is Kind.MODEL
        self.execute_module(file, file.name if is_model else "__main__")
        self.define_datasets(file)
        if not is_model:
            self.finish_job(file, before)
        if not any(write.name.lower() == file.name.lower() for write in run.writes[before:]):
            self.report_unwritten(file)

    def finish_job(self, file: File, before: int) -> None:
        """def run(spark): …

        nothing in the file calls it; what it returns is the table, if it writes none
        """
        run = self.run
        function = next((each for each in file.functions if each.name == file.form.entry), None)
        made: list[Value] = []
        if function is not None and id(function.node) not in run.called:
            sessions = [Session() for _ in range(file.form.sessions)]
            start = function
            self.guarded(
                start, lambda: made.append(call_function(run, start, sessions, {}, start.node))
            )

        if any(write.name.lower() == file.name.lower() for write in run.writes[before:]):
            return

        found = (
            made[0] if made and isinstance(made[0], Relation) else run.views.get(file.name.lower())
        )
        if found is not None:
            node = function.node if function is not None else file.tree
            written(run, Write(file.name, found, node, file.reading))

    def report_unwritten(self, file: File) -> None:
        """Report a node of which no output was found."""
        if file.failed is not None:
            return

        starts = [each.node for each in file.functions if each.name == file.form.entry]
        reading, self.run.reading = self.run.reading, file.reading
        message = f"the text does not tell what {file.name} is made of"
        self.run.report(Code.NOT_WRITTEN, message, next(iter([*starts, *file.tree.body]), None))
        self.run.reading = reading

    def execute_module(self, file: File, name: str) -> Environment:
        """Run the statements of a file, each with a chance of its own."""
        run = self.run
        env = Environment({"__name__": name, "__file__": file.path}, None, file)
        file.environment = env
        file.functions, file.classes, file.pipelines = [], [], []
        reading, run.reading = run.reading, file.reading
        journals, depth = run.journals, run.depth
        outside = run.enter()

        for statement in file.tree.body:
            try:
                run.journals, run.depth, run.calls = [], depth, 0
                run.parted = block(run, [statement], env, Returns()) is not Flow.ON or run.parted
            except (Exhausted, RecursionError) as error:
                if isinstance(error, Exhausted):
                    run.report(Code.TOO_DEEP, str(error), statement)
                else:
                    run.fail(error, statement)
                if run.chances <= 0:
                    break

                run.grant()
                run.reading = file.reading

        run.reading, run.journals, run.depth = reading, journals, depth
        run.leave(outside, taken=True)
        return env

    def define_datasets(self, file: File) -> None:
        """@dlt.table functions, and dbt's model(dbt, session)"""
        run = self.run
        for function, *said in file.pipelines:
            name, kind, decorator, rules = said
            self.guarded(function, partial(define, run, function, name, kind, decorator, [], rules))
        for function in file.functions:
            if is_dbt_model(function) and id(function.node) not in run.called:
                self.guarded(function, partial(dbt_model, run, function, file.script, file.name))

    def guarded(self, function: Function, call: Any) -> None:
        """A function that does too much, or what nobody has thought of, costs only itself."""
        run = self.run
        reading, run.reading = run.reading, function.file.reading

        try:
            call()
        except Exhausted:
            run.report(
                Code.TOO_DEEP, f"{function.name} does more than can be followed", function.node
            )
        except Exception as error:
            run.fail(error, function.node, f"the function {function.name}")
        finally:
            run.reading = reading
            run.journals.clear()
            run.depth = 0

    def show_leaves(self, file: File) -> None:
        """A file that writes nothing: what it ends with is its result, named after the file."""
        leaves: dict[int, tuple[Relation, Any, PythonReading]] = {}
        for relation, node, reading in self.run.leaves:
            leaves[id(relation)] = (relation, node, reading)

        used = {
            id(parent)
            for relation, _, _ in leaves.values()
            for each in ancestors(relation)
            for parent in each.parents
        }
        views = {id(parent) for view in self.run.views.values() for parent in ancestors(view)}
        stem = file.script.target or (file.parts[-1] if file.parts else "query")
        number = 0

        for relation, node, reading in leaves.values():
            if id(relation) in used or id(relation) in views or not relation.attributes:
                continue
            if (
                all(each.slot.star is not None for each in relation.attributes)
                and not relation.parents
            ):
                continue

            number += 1
            name = stem if number == 1 else f"{stem}_{number}"
            write = Write(name, relation, node, reading, "query")
            write.script = file
            self.run.writes.append(write)

    # -- what nobody calls -------------------------------------------------------------------------

    def call_what_nobody_calls(self, file: File) -> None:
        """Call functions and methods that the program defines and never calls."""
        run = self.run
        for function in list(file.functions):
            if id(function.node) not in run.called:
                self.call_open(function, file, None)
        for made in list(file.classes):
            methods = [each for each in made.names.values() if isinstance(each, Function)]
            if methods and not any(id(each.node) in run.called for each in methods):
                instance = Instance(made)
                init = made.find("__init__")
                if isinstance(init, Function):
                    self.call_open(init, file, instance)
                for method in methods:
                    if id(method.node) not in run.called:
                        self.call_open(method, file, instance)

    def call_open(self, function: Function, file: File, instance: Instance | None) -> None:
        """A function that nothing calls: its parameters are open datasets."""
        run = self.run
        run.start(function)
        reading, run.reading = run.reading, file.reading
        arguments: list[Value] = []
        spec = function.node.args
        liked = frame_like_names(function.node)
        sessions = session_like_names(function.node)
        parameters = [*spec.posonlyargs, *spec.args]

        for position, parameter in enumerate(parameters):
            if position == 0 and instance is not None and "staticmethod" not in function.decorators:
                arguments.append(instance)
                continue

            arguments.append(self.open_parameter(parameter, function, liked, sessions))

        keywords = {
            each.arg: self.open_parameter(each, function, liked, sessions)
            for each in spec.kwonlyargs
        }
        run.reading = reading
        self.guarded(
            function, lambda: call_function(run, function, arguments, keywords, function.node)
        )

    def open_parameter(
        self, parameter: ast.arg, function: Function, liked: set[str], sessions: set[str]
    ) -> Value:
        """def clean(df)      Return the value of a parameter that no call binds."""
        annotation = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
        if (
            "SparkSession" in annotation
            or parameter.arg in ("spark", "spark_session", "session")
            or parameter.arg in sessions
        ):
            return Session()

        if (
            ("DataFrame" in annotation and "[" not in annotation)
            or (not annotation and parameter.arg in liked)
            or (parameter.arg in liked and "|" in annotation)
        ):
            held = Unknown(
                f"{function.name}.{parameter.arg}",
                "a parameter that no call binds",
                Confidence.HIGH,
            )
            return opened(self.run, held, function.node)

        return Unknown(
            parameter.arg, f"the parameter {parameter.arg} of {function.name}", Confidence.LOW
        )

    def frame_like(self, node: Any, run: Run) -> set[str]:
        """Return the names that the file being read uses like a DataFrame."""
        for file in self.files:
            if file.reading is run.reading:
                return file.frame_like
        return set()

    # -- names -------------------------------------------------------------------------------------

    def path_of(self, text: str) -> str:
        """A path as a dataset is called by it: of a program that was run, from the folder in which
        it ran.
        """
        spelled = path_name(text)
        if self.main is None or not self.main.folder or is_absolute(spelled):
            return spelled

        joined = posixpath.normpath(posixpath.join(self.main.folder, str(text)))
        if isinstance(text, Pattern):
            return Pattern(path_name(joined), text.level, text.reason)
        return path_name(joined)

    def types_of(self, key: str) -> Mapping[str, str]:
        """Return the types of a dataset's columns."""
        return self.known.types(key)

    def declare(self, plan: Any) -> None:
        """Declare what a statement of SQL creates."""
        self.known.declare_plan(plan)

    def undefined(self, name: str, run: Run, node: Any) -> Value:
        """A name that the program does not define: used as a DataFrame it is an open dataset."""
        held = Unknown(name, "not defined in this program", Confidence.HIGH)
        if name in self.frame_like(node, run):
            return opened(run, held, node)
        return held

    # -- modules -----------------------------------------------------------------------------------

    def find(self, dotted: str, file: File, level: int) -> File | None:
        """utils.io

        utils/io.py or utils/io/__init__.py, the nearest to the file that imports it
        """
        names = tuple(part for part in dotted.split(".") if part)
        if level:
            base = file.parts[:-level] if file.parts else ()
            return self._exact((*base, *names)) or self._exact((*base, *names, "__init__"))
        if not names:
            return None

        best: tuple[int, File] | None = None
        for candidate in self.by_name.get(names[-1], ()):
            for parts in (names, (*names, "__init__")):
                if candidate.parts[-len(parts) :] == parts and candidate is not file:
                    shared = common(candidate.parts, file.parts)
                    if best is None or shared > best[0]:
                        best = (shared, candidate)

        if best is not None:
            return best[1]
        return None

    def _exact(self, parts: tuple[str, ...]) -> File | None:
        return next((file for file in self.files if file.parts == parts), None)

    def load(self, run: Run, file: File) -> Module:
        """Run a file that is imported for the first time, and return its names."""
        if file.environment is None and id(file) not in self.importing:
            self.importing.add(id(file))
            script, written, views = run.script, run.written, run.views
            self.execute_module(file, ".".join(file.parts))
            run.script, run.written, run.views = script, written, views
        return Module(file, file.environment.names if file.environment is not None else {})

    def module(self, run: Run, name: str, file: File, level: int, node: Any) -> Value:
        """import jobs.orders      Return a file of the program, else a library."""
        found = self.find(name, file, level)
        if found is not None:
            return self.load(run, found)
        return self.member_of_library(name)

    def member(self, run: Run, module: str, name: str, file: File, level: int, node: Any) -> Value:
        """from jobs import orders      Return a name of a module, a submodule or a library."""
        dotted = f"{module}.{name}" if module else name
        if level or module:
            home = self.find(module, file, level) if module or level else None
            if home is not None:
                names = self.load(run, home).names
                if name in names:
                    return names[name]

        found = self.find(dotted, file, level)
        if found is not None:
            return self.load(run, found)
        return self.member_of_library(dotted)

    def submodule(self, run: Run, held: Module, name: str, node: Any) -> Value:
        """jobs.orders, after import jobs"""
        parts = (
            held.file.parts[:-1]
            if held.file.parts and held.file.parts[-1] == "__init__"
            else held.file.parts
        )
        found = self._exact((*parts, name)) or self._exact((*parts, name, "__init__"))
        if found is not None:
            return self.load(run, found)
        return Unknown(name, "not defined in its module")

    def import_all(self, run: Run, module: str, env: Environment, level: int, node: Any) -> None:
        """from m import *"""
        found = self.find(module, env.file, level)
        if found is not None:
            names = self.load(run, found).names
            env.names.update(
                {key: value for key, value in names.items() if not key.startswith("_")}
            )
        elif module in STARS:
            env.globals.wild.insert(
                0, lambda name: Library(f"{module}.{name}") if name in STARS[module] else None
            )

    def included(self, path: str, file: File) -> File | None:
        """%run ./helpers/io"""
        wanted = re.sub(r"\.(py|ipynb)$", "", path.strip().strip("'\"")).strip("/").split("/")
        base = list(file.parts[:-1])

        for part in wanted:
            if part == "..":
                base = base[:-1]
            elif part != ".":
                base.append(part)

        found = self._exact(tuple(base))
        if found is not None:
            return found

        named = [
            each
            for each in self.files
            if each.parts and each.parts[-1] == wanted[-1] and each is not file
        ]
        if len(named) == 1:
            return named[0]
        return None

    def include(self, run: Run, path: str, env: Environment, node: Any) -> None:
        """%run      as if it stood here"""
        found = self.included(path, env.file)
        if found is None or id(found) in self.importing:
            run.report(Code.DYNAMIC, f"%run of a notebook that is not there: {path}", node)
            return

        self.importing.add(id(found))
        reading, run.reading = run.reading, found.reading
        inner = Environment(env.names, None, found)
        inner.wild = env.wild
        found.environment = inner

        try:
            block(run, found.tree.body, inner, Returns())
        finally:
            run.reading = reading
            self.importing.discard(id(found))

    def member_of_library(self, name: str) -> Value:
        """Return what a dotted name of a library stands for."""
        found = self.members.get(name)
        if found is None:
            found = self.members[name] = self.new_member(name)
        return found

    def new_member(self, name: str) -> Value:
        """sys.argv, math.pi, os.path.join"""
        if name == "sys.argv" and self.main is not None:
            return [self.main.file, *self.main.arguments]
        if name == "sys.argv":
            return Unknown("argv", "the command line", Confidence.LOW)
        if name in ("__future__.annotations",):
            return None
        if name in ("pyspark.sql.functions.PandasUDFType",):
            return Library(name)
        if name in ("math.pi", "math.e"):
            return 3.14
        return Library(name)


def is_absolute(path: str) -> bool:
    """/lake/orders, s3://lake/orders, @stage/x, and {base}/orders, of which only a run knows"""
    return path.startswith(("/", "@", "{")) or ":" in path.partition("/")[0]


def common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """Return how many folders two files share."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


_none: Any = None
