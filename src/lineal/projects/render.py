"""Jinja, rendered at arm's length: templates go to a worker process, texts and diagnostics come
back.

Jinja cannot be interrupted inside a process, so that a template which loops or eats memory takes
its process with it. One worker renders all templates of a project; when one of them kills it, that
one gets the diagnostic and a new worker goes on with the rest. The worker is a fresh interpreter
(no fork, no `__main__` to import), so this works the same in scripts, notebooks, tests and threads.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Any

from lineal.model.boundary import internal_error
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Expansion

MISSING_PACKAGE = "Run `dbt deps` to install the packages of the project."
"""The advice for a template that calls a macro of a package that is not installed."""

WORKER = Path(__file__).with_name("worker.py")
START_SECONDS = 60.0
KEPT_VARIABLES = (
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
)
"""The variables that an interpreter may need to start; nothing else of the environment is there for a template to
find.
"""

JINJA = re.compile(r"\{[{%#]")


@dataclass(frozen=True)
class Limits:
    """The limits of one template: CPU seconds, wall-clock seconds, bytes of memory, characters of
    output.
    """

    seconds: float = 5.0
    wall: float = 30.0
    memory: int = 512 << 20
    output: int = 10_000_000


@dataclass(frozen=True)
class Template:
    """A text with Jinja in it, its file and line, and the name of the table that it builds."""

    text: str
    file: str
    line: int = 1
    this: str = ""
    import_name: str = ""
    """For a macro file, its path below the macro folder: `{% import 'money.sql' as money %}`."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Other facts for a special renderer."""


@dataclass(frozen=True)
class Rendering:
    """The distinct texts of a template: one, or more if it asks what only a run knows
    (`is_incremental()`), or none.
    """

    texts: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    last: str = field(default="", compare=False)
    """The text for a run that says yes to all it is asked."""
    said: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Other results of a special renderer."""
    expansions: tuple[tuple[Expansion, ...], ...] = field(default=(), compare=False)
    """Of each text, what macros have written in it."""

    @property
    def parts(self) -> list[tuple[str, tuple[Expansion, ...]]]:
        """The texts, each with what macros have written in it."""
        known = self.expansions or ((),) * len(self.texts)
        return list(zip(self.texts, known, strict=True))

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the texts that a run can choose from: of a first build, and last that of every
        later one.
        """
        if self.texts and not self.diagnostics:
            return (self.texts[0], self.last)

        return ()


@dataclass(frozen=True)
class Rendered:
    """A rendering for each template, in order, and the diagnostics of the macros."""

    renderings: tuple[Rendering, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Setting:
    """The settings that all templates of a project share."""

    macros: Sequence[Template] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    project: str = "lineal.yml"
    limits: Limits = Limits()
    renderer: tuple[str, str] | None = None
    """The folder and the module of a renderer of its own."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """The facts that it needs."""


ALONE = Setting()


def render(templates: Iterable[Template], setting: Setting = ALONE) -> Rendered:
    """Render each template; a text without Jinja stays as it is and costs nothing."""
    bench = _Bench(setting)
    try:
        renderings = tuple(map(bench.render, templates))
    finally:
        bench.close()

    return Rendered(renderings, tuple(bench.diagnostics))


def expansions_of(several: Iterable[Iterable[Any]]) -> tuple[tuple[Expansion, ...], ...]:
    """Return the macro expansions that the worker reports, text by text."""
    return tuple(tuple(Expansion(*each) for each in found) for found in several)


class _Ended(Exception):
    """The worker is gone; the one argument is the fault of the template that it was working on."""


class _Bench:
    """Keeps a worker ready, and replaces the one that a template has killed."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.macros = [macro for macro in setting.macros if JINJA.search(macro.text)]
        self.diagnostics: list[Diagnostic] = []
        self.worker: _Worker | None = None

    def render(self, template: Template) -> Rendering:
        """A template's texts; none, if lineal fails over it."""
        if not JINJA.search(template.text):
            return Rendering((template.text,), last=template.text)

        try:
            return self.rendering(template)
        except Exception as error:
            self.close()
            place = Place(template.file, template.line, 1)
            return Rendering((), (internal_error(error, place, "this template"),))

    def rendering(self, template: Template) -> Rendering:
        """Render a template in the worker; a worker that dies is replaced."""
        try:
            answer = (self.worker or self.start()).ask(template)
        except _Ended as ended:
            self.close()
            answer = {"texts": (), "last": "", "faults": [ended.args[0]]}

        faults = (_diagnostic(fault, template) for fault in answer["faults"])
        expansions = expansions_of(answer.get("expansions", ()))
        return Rendering(
            tuple(answer["texts"]),
            tuple(faults),
            answer["last"],
            answer.get("said", {}),
            expansions,
        )

    def start(self) -> _Worker:
        """A worker that knows the macros; a macro file that does not load is reported once and left
        out.
        """
        while True:
            self.worker = worker = _Worker(self.setting)
            if all(self.teach(worker, macro) for macro in tuple(self.macros)):
                return worker

            self.close()

    def teach(self, worker: _Worker, macro: Template) -> bool:
        """Tell whether the worker is still there."""
        try:
            faults, alive = worker.ask(macro, macros=True)["faults"], True
        except _Ended as ended:
            faults, alive = [ended.args[0]], False

        if faults:
            self.macros.remove(macro)
            self.diagnostics.extend(_diagnostic(fault, macro) for fault in faults)

        return alive

    def close(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.close()

        self.worker = None


class _Worker:
    """A running `worker.py`: one question, one answer, and a clock that ends it."""

    def __init__(self, setting: Setting) -> None:
        self.limits = setting.limits
        self.late = False
        self.process = _start_process()
        try:
            self.exchange(_setup(setting), START_SECONDS)
        except _Ended:
            self.close()
            raise _start_fault("the process that renders templates does not start") from None

    def ask(self, template: Template, macros: bool = False) -> dict[str, Any]:
        """Render a template."""
        job = {
            "file": template.file,
            "text": template.text,
            "this": template.this,
            "macros": macros,
            **template.about,
        }
        return self.exchange(job, self.limits.wall)

    def exchange(self, message: Mapping[str, object], seconds: float) -> dict[str, object]:
        """Send a message, and return the answer within so many seconds."""
        answer = self.talk(json.dumps(message, default=str), seconds)
        if answer is None:
            raise _Ended(self.cause_of_death())

        return answer

    def talk(self, message: str, seconds: float) -> dict[str, Any] | None:
        """The answer; None if the worker ends instead, or is late."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(message.encode() + b"\n")
            self.process.stdin.flush()
            with _clock(seconds, self):
                return dict(json.loads(self.process.stdout.readline()))
        except (OSError, ValueError):
            return None

    def kill(self) -> None:
        """Kill the process because it takes too long."""
        self.late = True
        self.process.kill()

    def cause_of_death(self) -> dict[str, object]:
        """Return the fault that says why the process ended."""
        self.process.kill()
        status = self.process.wait()
        message = "the template ended the process that renders it"
        if self.late:
            message = f"the template takes longer than {self.limits.wall:g} s"
        elif -status == getattr(signal, "SIGXCPU", None):
            message = f"the template takes more than {self.limits.seconds:g} s of CPU time"

        return {"message": message, "limit": True, "line": 1}

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def _clock(seconds: float, worker: _Worker) -> Iterator[None]:
    """A worker that has not begun to answer by then is killed; where pipes cannot be waited for, by
    another thread.
    """
    assert worker.process.stdout is not None
    if os.name == "posix":
        if not select.select([worker.process.stdout], [], [], seconds)[0]:
            worker.kill()

        yield
        return

    timer = Timer(seconds, worker.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _start_process() -> subprocess.Popen[bytes]:
    """A fresh interpreter without site packages, environment or current folder: only jinja2 is
    shown to it.
    """
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    # the thread that reads jobs must not take address space from templates
    environment["MALLOC_ARENA_MAX"] = "1"
    command = [sys.executable, "-I", "-S", str(WORKER), *_folders_of("jinja2", "markupsafe")]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, env=environment)  # noqa: S603
    except (OSError, ValueError) as error:
        raise _start_fault(
            f"cannot start {sys.executable or 'Python'} to render templates: {error}"
        ) from None


def _start_fault(message: str) -> _Ended:
    """Return the fault of a process that does not start."""
    return _Ended({"message": message, "limit": False, "line": 1})


def _folders_of(*packages: str) -> list[str]:
    """Return the folders that packages are imported from."""
    specs = map(find_spec, packages)
    places = (place for spec in specs if spec for place in spec.submodule_search_locations or ())
    return list(dict.fromkeys(str(Path(place).parent.absolute()) for place in places))


def _setup(setting: Setting) -> dict[str, object]:
    """Return what the rendering process is told at its start."""
    limits = setting.limits
    return {
        "variables": dict(setting.variables),
        "imports": {macro.import_name: macro.text for macro in setting.macros if macro.import_name},
        "project": setting.project,
        "seconds": limits.seconds,
        "memory": limits.memory,
        "output": limits.output,
        "renderer": setting.renderer,
        **setting.about,
    }


def _diagnostic(fault: dict[str, Any], template: Template) -> Diagnostic:
    """Return the diagnostic of a fault in a template."""
    code = Code.TEMPLATE_LIMIT if fault["limit"] else Code.TEMPLATE_ERROR
    place = Place(template.file, template.line + fault["line"] - 1, 1)
    return Diagnostic(code, fault["message"], place, fault.get("hint", ""))
