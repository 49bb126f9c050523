"""The process of one Python model: it joins the Spark of the run, executes the model, and answers.

    run → child     one line of JSON: the request; whatever follows, or the end of the pipe, ends
                    the process
    child → run     one line of JSON: {"frame": id}, {"done": true} or {"fault": …}, and the files
                    that were executed

Whatever the model prints goes where standard error goes: the run keeps it in the log of the node.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any, TextIO

from lineal.spark.python.dbt import Dbt
from lineal.spark.python.modules import ProjectModules, pickle_by_value

MODEL, MAIN = "model", "__main__"

Answer = dict[str, Any]


def main() -> None:
    """Answer one request, and wait until the run has taken the answer."""
    requests, answers = own_pipes()
    request = json.loads(requests.readline())
    watcher = Thread(target=leave_with_run, args=(requests,), daemon=True)
    watcher.start()
    answers.write(json.dumps(answer(request)) + "\n")
    answers.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    watcher.join()


def own_pipes() -> tuple[TextIO, TextIO]:
    """The pipes to the run; the model gets an empty input, and one output for all that it prints."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]

    return requests, answers


def leave_with_run(requests: TextIO) -> None:
    """The run is over, or gone: end, together with all that the model has started."""
    requests.readline()
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)

    os._exit(0)


def answer(request: Mapping[str, Any]) -> Answer:
    """Execute the model; whatever becomes of it is an answer."""
    sys.dont_write_bytecode = True
    modules = ProjectModules(request["roots"])
    modules.files[request["file"]] = request["file"]
    try:
        session = join_spark(request)
        modules.install()
        sys.argv = [request["file"]]
        found = execute_request(request, session)
    except SystemExit as leaving:
        found = answer_of_exit(request, leaving, modules.files)
    except BaseException as problem:
        found = fault_answer(problem, modules.files)

    return {**found, "files": modules.files}


def execute_request(request: Mapping[str, Any], session: Any) -> Answer:
    """Execute the file, then the function that starts it."""
    name = request["name"] if request["form"] == MODEL else MAIN
    module = module_of(name, request["file"], session)
    exec(compile(request["text"], request["file"], "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    start = module.__dict__.get(request["entry"])
    if request["form"] == MODEL:
        assert start is not None
        found = start(Dbt(request["dbt"], session), session)
        return frame_answer(found, session, "model() returned")

    made = start(*(session for _ in range(request["sessions"]))) if start is not None else None
    if made is None:
        return {"done": True}

    return {**frame_answer(made, session, f"{request['entry']}() returned")}


def module_of(name: str, file: str, session: Any) -> ModuleType:
    """Return a new module, which workers get by value."""
    module = ModuleType(name)
    module.__file__ = file
    if name == MAIN:
        module.__dict__["spark"] = session

    sys.modules[name] = module
    if name != MAIN:
        pickle_by_value(module)

    return module


def frame_answer(made: Any, session: Any, who: str) -> Answer:
    """The number under which Spark knows the DataFrame; frames of pandas are made one of Spark
    first.
    """
    home = type(made).__module__
    if home.startswith("pyspark.pandas"):
        made = made.to_spark()
    elif home.startswith("pandas.") and type(made).__name__ == "DataFrame":
        made = session.createDataFrame(made)

    if not hasattr(made, "_jdf"):
        what = "nothing" if made is None else f"a value of the type {type(made).__name__}"
        return {"fault": {"message": f"{who} {what}, but must return a DataFrame"}}

    if made.isStreaming:
        return {
            "fault": {
                "message": f"{who} a stream, but must return a DataFrame that is not streaming"
            }
        }

    KEPT.append(made)
    return {"frame": made._jdf._target_id}


KEPT: list[Any] = []
"""The objects that the run is about to use: nothing else refers to them here."""


# -- failures --------------------------------------------------------------------------------------


def answer_of_exit(
    request: Mapping[str, Any], leaving: SystemExit, files: Mapping[str, str]
) -> Answer:
    """sys.exit: a job may end so after it has done its work; a model has nothing to return then."""
    if request["form"] != MODEL and leaving.code in (None, 0):
        return {"done": True}

    said = "" if leaving.code is None else repr(leaving.code)
    found = fault_answer(leaving, files)
    found["fault"]["message"] = f"it called sys.exit({said})"
    return found


def fault_answer(problem: BaseException, files: Mapping[str, str]) -> Answer:
    """Return the answer that reports a failure of the model."""
    from lineal.spark.python.faults import from_project, message_of, place_of

    traceback.print_exception(type(problem), problem, from_project(problem.__traceback__, files))
    place = place_of(problem, files)
    at = {} if place is None else {"file": place.file, "line": place.line, "column": place.column}
    return {"fault": {"message": message_of(problem), **at}}


# -- Spark -----------------------------------------------------------------------------------------


def join_spark(request: Mapping[str, Any]) -> Any:
    """A session of our own in the run's Spark, which is what getOrCreate() gives, too."""
    from py4j.java_gateway import JavaObject
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    from lineal.spark.start import silence_spark

    silence_spark()
    secrets = {
        "PYSPARK_GATEWAY_PORT": str(request["port"]),
        "PYSPARK_GATEWAY_SECRET": request["token"],
    }
    os.environ.update({**secrets, "PYSPARK_PIN_THREAD": str(request["pinned"]).lower()})
    gateway: Any = launch_gateway()  # type: ignore[no-untyped-call, unused-ignore]
    for name in secrets:
        del os.environ[name]

    SparkContext._ensure_initialized(gateway=gateway)
    java = JavaObject(request["session"], gateway._gateway_client)
    context = gateway.jvm.org.apache.spark.api.java.JavaSparkContext.fromSparkContext(
        java.sparkContext()
    )
    conf = SparkConf(_jvm=gateway.jvm, _jconf=context.getConf())
    joined = SparkContext(jsc=context, gateway=gateway, conf=conf)
    SparkSession._instantiatedSession = SimpleNamespace(_sc=SimpleNamespace(_jsc=context))  # type: ignore[assignment]
    session = SparkSession(joined, java)
    SparkSession._instantiatedSession = SparkSession._activeSession = session
    gateway.jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(java)
    joined.setJobGroup(request["group"], request["name"], interruptOnCancel=True)
    shield(session)
    return session


def shield(session: Any) -> None:
    """spark.stop(), SparkContext(conf=…), spark.newSession()

    the Spark is the run's, and goes on
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context, java = session.sparkContext, session._jsparkSession
    begin = SparkSession.__init__

    def join_session(
        self: Any, sparkContext: Any, jsparkSession: Any = None, options: Any = None
    ) -> None:
        """Start a session that joins the running one."""
        begin(
            self, sparkContext, jsparkSession if jsparkSession is not None else java, options or {}
        )

    def nothing(self: Any) -> None:
        """The run stops its Spark by itself."""

    def same(cls: Any, *args: Any, **named: Any) -> Any:
        """Return the running context."""
        return context

    def begun(self: Any, *args: Any, **named: Any) -> None:
        """There is one context, and it has begun."""

    def another(self: Any) -> Any:
        """Return a new session of the same context."""
        return SparkSession(context, java.cloneSession())

    SparkSession.__init__ = join_session  # type: ignore[method-assign]
    SparkSession.stop = nothing  # type: ignore[method-assign]
    SparkSession.newSession = another  # type: ignore[method-assign]
    SparkContext.stop = nothing  # type: ignore[method-assign]
    SparkContext.__new__ = same  # type: ignore[method-assign]
    SparkContext.__init__ = begun  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
