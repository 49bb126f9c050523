"""A program: the Python files of a corpus, run abstractly as one: imports, entry points, what
nobody calls.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import chain
from typing import Any, cast

from lineal.extract.pyspark import (  # noqa: F401  (they enter their handlers)
    attributes,
    calls,
    comparisons,
    comprehensions,
    expressions,
    graphframes,
    items,
    natives,
    operators,
    sql_texts,
    statements,
    table_functions,
    texts,
)
from lineal.extract.pyspark.blocks import Flow, Returns, run_block
from lineal.extract.pyspark.catalog import Known, SessionCatalog
from lineal.extract.pyspark.dbt import is_dbt_model
from lineal.extract.pyspark.dispatch import ENDINGS, relation_in
from lineal.extract.pyspark.files import File, imported_words, label_files, strong_names
from lineal.extract.pyspark.forms import Kind
from lineal.extract.pyspark.frame_libraries import imports_traced, open_value
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.library_names import LIBRARY_CONSTANTS, MEMBERS, STARS, member_by_star
from lineal.extract.pyspark.modules import ModuleIndex
from lineal.extract.pyspark.open_calls import Mentions, OpenCalls, functions_in
from lineal.extract.pyspark.pipelines import dbt_model, define
from lineal.extract.pyspark.reading import PythonReading
from lineal.extract.pyspark.relation import Relation, ancestors
from lineal.extract.pyspark.run import Environment, Exhausted, Run, Write
from lineal.extract.pyspark.session import open_dataset
from lineal.extract.pyspark.sinks import write_dataset
from lineal.extract.pyspark.values import (
    Function,
    Library,
    Module,
    Pattern,
    Session,
    Unknown,
    Value,
)
from lineal.extract.sql.evaluation import Catalog
from lineal.model.diagnostic import Code
from lineal.model.limits import Task
from lineal.model.paths import path_name
from lineal.model.script import Launch, Main
from lineal.model.way import Confidence

SPARK_WORDS = re.compile(
    r"spark|pyspark|DataFrame|\bdlt\b|awsglue|\bdbt\b|%sql|createOrReplaceTempView|DeltaTable"
    r"|lineal_foreign"
)
"""A file without any of these is read only when another one imports it."""

FRAME_WORD = "DataFrame"
OTHER_FRAMES = re.compile(
    r"^[ \t]*(?:from|import)[ \t]+(?:pandas|polars|snowflake\.snowpark|ibis|dask|modin|geopandas)\b",
    re.MULTILINE,
)
"""Imports of libraries that have DataFrames of their own."""

GUARD = re.compile(r"__name__\s*==\s*['\"]__main__['\"]")


def speaks_of_spark(text: str) -> bool:
    """Tell whether a file uses DataFrames that are traced; a DataFrame of pandas is not Spark's."""
    if imports_traced(imported_words(text)):
        return True

    found = SPARK_WORDS.search(text)
    if found is None:
        return False

    if found[0] != FRAME_WORD or OTHER_FRAMES.search(text) is None:
        return True

    return any(each[0] != FRAME_WORD for each in SPARK_WORDS.finditer(text))


class Program:
    """All Python files of a corpus."""

    def __init__(
        self,
        files: list[File],
        known: Known,
        main: Main | None = None,
        contents: Mapping[str, Any] | None = None,
        speaks: Callable[[str], bool] | None = None,
    ) -> None:
        """Gather the files of a program; nothing runs yet."""
        self.speaks = speaks or speaks_of_spark
        """whether a text is worth reading by itself"""
        self.contents = contents or {}
        """the files next to the program, by their path"""
        self.launches: Mapping[str, Launch] = {}
        """how files are started, where the repository tells"""
        self.known = known
        self.main = main
        self.files = files
        self.index = ModuleIndex(files)
        label_files(files)
        self.located: dict[str, str] = {}
        self.opened: dict[str, Relation] = {}
        self.members: dict[str, Value] = {}
        self.predefined: dict[str, Value] = {
            "spark": Session(), "sqlContext": Session(), "dbutils": Library("dbutils"), "sc": Library("pyspark.sc"),
            "display": Library("builtins.print"), "displayHTML": Library("builtins.print"), "__name__": "__main__",
            "__file__": "job.py",
        }  # fmt: skip
        self.run = Run(self, _none)
        self.run.catalog = cast(Catalog, SessionCatalog(known, self.run))
        self.importing: set[int] = set()
        self.by_reading: dict[int, File] = {}
        """the files by what reads them"""
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

        ordered = nodes
        if ordered is None:
            ordered = [file for file in self.files if file.is_node]

        for file in ordered:
            before = len(self.run.writes)
            self.attempt(self.enter_node, file)
            self.known.foresee(self.run.writes[before:])

        if nodes is not None:
            position = {id(file): number for number, file in enumerate(self.files)}
            self.run.writes.sort(key=lambda write: position[id(write.script)])

        loose = [file for file in self.files if not file.is_node and not file.is_module]
        spoken = [file for file in loose if self.speaks(file.text)]
        entries = self.entries([*spoken, *self.callers(spoken, loose)])

        for file in entries:
            self.attempt(self.enter, file)

        for file in spoken:
            if file.environment is None and file not in entries:
                self.attempt(self.enter, file)

        open_calls = OpenCalls(self.run, self.call_guarded, Mentions(spoken))
        for file in spoken:
            self.attempt(open_calls.call_entries, file)

        for file in spoken:
            self.attempt(open_calls.call_rest, file)

        return self.finish()

    def execute_main(self, main: Main) -> Run:
        """The one file that is run, and what it imports: what it does not reach does not happen."""
        for file in self.files:
            if file.script.file == main.file:
                self.attempt(self.enter, file)

        return self.finish()

    def execute_again(self, wanted: set[int], before: Run) -> Run:
        """Run some of the scripts once more, with what the others have left behind.

        Which ones `wanted` tells by their keys; the files that they import are run with them.
        """
        run = self.run
        run.global_views, run.udfs = dict(before.global_views), dict(before.udfs)
        self.located = dict(before.program.located)
        for file in self.files:
            file.environment = None

        for file in self.files:
            if id(file) in wanted:
                self.attempt(self.enter, file)

        open_calls = OpenCalls(run, self.call_guarded, Mentions([]))

        def call_again(file: File) -> None:
            """Run a file that did not run yet, then call its functions that are wanted."""
            if file.environment is None:
                run.start(file)
                self.load(run, file)

            open_calls.call_wanted(file, wanted)

        for file in self.files:
            if not wanted.isdisjoint(map(id, functions_in(file.tree))):
                self.attempt(call_again, file)

        return self.finish()

    def finish(self) -> Run:
        """Return the run after its last file; a path that a table is stored at is that table."""
        for file in self.files:
            self.run.diagnostics.extend(file.problems)

        self.run.writes += self.unwritten_queries()
        for write in self.run.writes:
            if write.name in self.located:
                write.name, write.kind = self.located[write.name], "table"

        return self.run

    def unwritten_queries(self) -> list[Write]:
        """Return the queries whose frames reach nothing that is written, named after their function."""
        if not self.run.queries:
            return []

        used = set(map(id, ancestors(*(write.relation for write in self.run.writes))))
        found: dict[int, Write] = {}
        taken: Counter[str] = Counter()
        for query in self.run.queries:
            if id(query.relation) in used or id(query.node) in found:
                continue

            taken[query.name] += 1
            if taken[query.name] > 1:
                query.name = f"{query.name}_{taken[query.name]}"

            found[id(query.node)] = query

        return list(found.values())

    def attempt(self, work: Callable[[File], None], file: File) -> None:
        """Some work for a file; if it fails, that costs only the file."""
        run = self.run
        try:
            with Task(work.__name__, file.script.file, file.script.text):
                work(file)
        except Exception as error:
            run.reading, run.depth = file.reading, 0
            run.journals.clear()
            run.frames.clear()
            run.fail(error, None, "this program")

    def callers(self, spoken: list[File], loose: list[File]) -> list[File]:
        """Return the files that call files of Spark.

        Files that never speak of Spark, but start those that do: from jobs import run; run()
        """
        if not spoken:
            return []

        silent = [file for file in loose if file not in spoken]
        imports_of = cache(self.index.all_imports)
        found: list[File] = []
        wanted = set(map(id, spoken))
        names = set(chain.from_iterable(file.parts[-2:] for file in spoken))

        def imports_wanted(file: File) -> bool:
            """Tell whether a file imports one that is wanted; most are left out by their words."""
            if names.isdisjoint(file.words):
                return False

            return not wanted.isdisjoint(map(id, imports_of(file)))

        while True:
            more = [file for file in silent if file not in found and imports_wanted(file)]
            if not more:
                return found

            found += more
            wanted.update(map(id, more))
            names.update(chain.from_iterable(file.parts[-2:] for file in more))

    def entries(self, files: list[File]) -> list[File]:
        """Return the files that a run starts with.

        Files that no other file imports, or that say so: if __name__ == "__main__"
        """
        if len(files) == 1:
            return files

        imported: set[int] = set()

        def find_imports(file: File) -> None:
            """Note the other files that a file imports at its top level."""
            for node in file.tree.body:
                found = self.index.imports(node, file)
                imported.update(id(each) for each in found if each is not file)

        for file in files:
            self.attempt(find_imports, file)

        return [file for file in files if id(file) not in imported or GUARD.search(file.text)]

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

        if file.form.kind is Kind.MODEL:
            self.execute_module(file, file.name)
            self.define_datasets(file)
        else:
            self.execute_module(file, "__main__")
            self.define_datasets(file)
            self.finish_job(file, before)

        if not self.has_written(file, before):
            self.report_unwritten(file)

    def has_written(self, file: File, before: int) -> bool:
        """Return whether a dataset of the file's own name was written since."""
        name = file.name.lower()
        return any(write.name.lower() == name for write in self.run.writes[before:])

    def finish_job(self, file: File, before: int) -> None:
        """Run the entry function of a file.

        def run(spark): …

        nothing in the file calls it; what it returns is the table, if it writes none
        """
        run = self.run
        function = next((each for each in file.functions if each.name == file.form.entry), None)
        made: list[Value] = []
        if function is not None and id(function.node) not in run.called:
            sessions = [Session() for _ in range(file.form.sessions)]
            start = function
            self.call_guarded(
                start,
                lambda: made.append(
                    call_function(run, start, Invocation(sessions, {}, start.node))
                ),
            )

        if self.has_written(file, before):
            return

        frames = [found for each in made if (found := relation_in(each)) is not None]
        found = frames[0] if frames else run.views.get(file.name.lower())
        if found is not None:
            node = function.node if function is not None else file.tree
            write_dataset(run, Write(file.name, found, node, file.reading))

    def report_unwritten(self, file: File) -> None:
        """Report a node of which no output was found."""
        if file.failed:
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
        file.functions, file.classes, file.pipelines, file.flows = [], [], [], []
        reading, run.reading = run.reading, file.reading
        home, run.home = run.home, env.home
        journals, depth = run.journals, run.depth
        tests, watched = run.tests, run.watched
        outside = run.enter()

        for statement in file.tree.body:
            try:
                run.journals, run.depth, run.calls = [], depth, 0
                run.tests, run.watched = [], 0
                run.parted = (
                    run_block(run, [statement], env, Returns()) is not Flow.ON or run.parted
                )
            except (Exhausted, RecursionError) as error:
                if isinstance(error, Exhausted):
                    run.report(Code.TOO_DEEP, str(error), statement)
                else:
                    run.fail(error, statement)

                if run.chances <= 0:
                    break

                run.grant()
                run.reading = file.reading

        run.reading, run.journals, run.depth, run.home = reading, journals, depth, home
        run.tests, run.watched = tests, watched
        run.leave(outside, taken=True)
        own_unknown_names(env)
        return env

    def define_datasets(self, file: File) -> None:
        """Define the datasets of a pipeline or a dbt model.

        @dlt.table functions, and dbt's model(dbt, session)
        """
        run = self.run
        for function, *said in file.pipelines:
            name, kind, decorator, rules = said
            self.call_guarded(
                function, partial(define, run, function, name, kind, decorator, [], rules)
            )

        for flow in file.flows:
            flow()

        for function in file.functions:
            if is_dbt_model(function) and id(function.node) not in run.called:
                self.call_guarded(
                    function, partial(dbt_model, run, function, file.script, file.name)
                )

    def call_guarded(self, function: Function, call: Any) -> None:
        """Call a function within a boundary: one that does too much, or fails, is the only one
        lost.
        """
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
        endings: dict[int, Relation] = {}
        for held, node, reading in self.run.leaves:
            relation = relation_in(held)
            if relation is not None:
                leaves[id(relation)] = (relation, node, reading)
                ending = ENDINGS.get(held.__class__)
                endings[id(relation)] = ending(held) if ending is not None else relation

        used = {
            id(parent)
            for each in ancestors(*(relation for relation, _, _ in leaves.values()))
            for parent in each.parents
        }
        views = set(map(id, ancestors(*self.run.views.values())))
        stem = file.script.target or next(iter(file.parts[-1:]), "query")
        number = 0

        for relation, node, reading in leaves.values():
            is_used = id(relation) in used or id(relation) in views
            if is_used or not relation.attributes or is_bare_scan(relation):
                continue

            number += 1
            name = stem if number == 1 else f"{stem}_{number}"
            write = Write(name, endings[id(relation)], node, reading, "query")
            write.script = file
            self.run.writes.append(write)

    # -- names -------------------------------------------------------------------------------------

    def frame_like(self, node: ast.AST, run: Run) -> set[str]:
        """Return the names that the file being read uses like a DataFrame."""
        file = self.file_at_hand(run)
        return file.frame_like if file is not None else set()

    def path_of(self, text: str) -> str:
        """A path as a dataset is called by it: of a program that was run, from the folder in which
        it ran.
        """
        spelled = path_name(text)
        if self.main is None or not self.main.folder or is_absolute(spelled):
            return spelled

        joined = path_name(posixpath.normpath(posixpath.join(self.main.folder, str(text))))
        if isinstance(text, Pattern):
            return text.retold(joined)

        return joined

    def types_of(self, key: str) -> Mapping[str, str]:
        """Return the types of a dataset's columns."""
        return self.known.types(key)

    def declare(self, plan: Any) -> None:
        """Declare what a statement of SQL creates."""
        self.known.declare_plan(plan)

    def undefined_name(self, name: str, run: Run, node: ast.AST) -> Value:
        """A name that the program does not define: used as a DataFrame it is an open dataset."""
        held = Unknown(name, "not defined in this program", Confidence.HIGH)
        if name in self.frame_like(node, run):
            return self.open_frame(run, held, node)

        return held

    def file_at_hand(self, run: Run) -> File | None:
        """Return the file that is being read."""
        if not self.by_reading:
            self.by_reading = {id(file.reading): file for file in self.files}

        return self.by_reading.get(id(run.reading))

    def open_frame(self, run: Run, held: Unknown, node: ast.AST) -> Value:
        """Return an open dataset as a DataFrame of the library that the current file uses."""
        file = self.file_at_hand(run)
        library = file.library if file is not None else None
        return open_value(run, open_dataset(run, held, node), library)

    def open_session(self, run: Run) -> Value:
        """Return a session of the library that the current file uses; None if it has none.

        session = st.connection("snowflake").session()
        """
        file = self.file_at_hand(run)
        library = file.library if file is not None else None
        return library.open_session() if library is not None and library.open_session else None

    def strong_names(self, run: Run) -> frozenset[str]:
        """Return the names that only DataFrames of the current file have."""
        file = self.file_at_hand(run)
        return strong_names(file.library if file is not None else None)

    # -- modules -----------------------------------------------------------------------------------

    def load(self, run: Run, file: File) -> Module:
        """Run a file that is imported for the first time, and return its names."""
        if file.environment is None and id(file) not in self.importing:
            self.importing.add(id(file))
            script, written, views = run.script, run.written, run.views
            self.execute_module(file, ".".join(file.parts))
            run.script, run.written, run.views = script, written, views

        return Module(file, file.environment.names if file.environment is not None else {})

    def module(self, run: Run, name: str, file: File, level: int, node: ast.AST) -> Value:
        """Return a file of the program, else a library.

        import jobs.orders
        """
        found = self.index.find(name, file, level)
        if found is not None:
            return self.load(run, found)

        return self.member_of_library(name)

    def member(
        self, run: Run, module: str, name: str, file: File, level: int, node: ast.AST
    ) -> Value:
        """Return a name of a module, a submodule or a library.

        from jobs import orders
        """
        dotted = f"{module}.{name}" if module else name
        home = self.index.find(module, file, level)
        if home is not None:
            names = self.load(run, home).names
            if name in names:
                return names[name]

        found = self.index.find(dotted, file, level)
        if found is not None:
            return self.load(run, found)

        return self.member_of_library(dotted)

    def submodule(self, run: Run, held: Module, name: str, node: ast.AST) -> Value:
        """Return a submodule.

        jobs.orders, after import jobs
        """
        parts = held.file.parts
        if parts[-1:] == ("__init__",):
            parts = parts[:-1]

        found = self.index.module_at((*parts, name))
        if found is not None:
            return self.load(run, found)

        return Unknown(name, "not defined in its module")

    def import_all(
        self, run: Run, module: str, env: Environment, level: int, node: ast.AST
    ) -> None:
        """Import every name of a module.

        from m import *
        """
        found = self.index.find(module, env.file, level)
        if found is not None:
            names = self.load(run, found).names
            env.names.update(
                {key: value for key, value in names.items() if not key.startswith("_")}
            )
        elif module in STARS:
            env.globals.wild.insert(0, partial(member_by_star, module))

    def include(self, run: Run, path: str, env: Environment, node: ast.AST) -> None:
        """Run the code of another notebook.

        %run      as if it stood here
        """
        found = self.index.find_notebook(path, env.file)
        if found is None or id(found) in self.importing:
            run.report(Code.DYNAMIC, f"%run names a notebook that does not exist: {path}", node)
            return

        self.importing.add(id(found))
        reading, run.reading = run.reading, found.reading
        inner = Environment(env.names, None, found)
        inner.wild = env.wild
        found.environment = inner

        try:
            run_block(run, found.tree.body, inner, Returns())
        finally:
            run.reading = reading
            self.importing.discard(id(found))

    def member_of_library(self, name: str) -> Value:
        """Return what a dotted name of a library stands for."""
        if name == "sys.argv" and self.arguments() is not None:
            return [self.run.reading.script.file, *(self.arguments() or ())]

        found = self.members.get(name)
        if found is None:
            found = self.members[name] = self.new_member(name)

        return found

    def launch(self) -> Launch | None:
        """Return how the current script is started, if the repository tells."""
        script = getattr(self.run.script, "script", None)
        return self.launches.get(script.file.replace("\\", "/")) if script is not None else None

    def arguments(self) -> tuple[str, ...] | None:
        """Return the command line of the current script; None if only a run knows it."""
        if self.main is not None:
            return self.main.arguments

        launch = self.launch()
        return launch.arguments if launch is not None and launch.arguments else None

    def new_member(self, name: str) -> Value:
        """Return a member of a library.

        sys.argv, math.pi, os.path.join
        """
        if name == "sys.argv":
            return Unknown("argv", "the command line", Confidence.LOW)

        home, _, member = name.rpartition(".")
        if home in MEMBERS:
            return MEMBERS[home](member)

        return LIBRARY_CONSTANTS.get(name, Library(name))


def is_bare_scan(relation: Relation) -> bool:
    """Tell whether a DataFrame is a dataset as it is.

    spark.table("orders")      a dataset as it is, of which no column is known
    """
    has_names = any(each.slot.star is None for each in relation.attributes)
    return not has_names and not relation.parents


def is_absolute(path: str) -> bool:
    """Tell whether a path is absolute.

    /lake/orders, s3://lake/orders, @stage/x, and {base}/orders, of which only a run knows
    """
    return path.startswith(("/", "@", "{")) or ":" in path.partition("/")[0] or "::{" in path


_none: Any = None


def own_unknown_names(env: Environment) -> None:
    """Make the values of a module that only a run knows belong to it, wherever they are imported.

    TABLE = os.environ["TABLE"]      one dataset config.py::{TABLE} for every job that imports it
    """
    for name, held in env.names.items():
        if isinstance(held, Unknown) and not held.home:
            env.names[name] = held.rename("", name, env.home)
