"""Statements of Python over abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum
from typing import Any

from lineal.extract.pyspark.branches import join_states
from lineal.extract.pyspark.decorators import decorated
from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.expressions import (
    DUNDERS,
    asked,
    combined,
    function_value,
    iterated,
    unknown_of,
)
from lineal.extract.pyspark.matching import fits_pattern
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run, restore
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    Function,
    Instance,
    Library,
    Method,
    Partial,
    Pattern,
    TextMember,
    Unknown,
    Value,
    is_known,
    items_of,
    label_of,
    truth,
)
from lineal.model.diagnostic import Code

MOST_ROUNDS = 2_000
MOST_WHILE = 60


class Flow(Enum):
    """How a block ended."""

    ON = "goes on"
    RETURN = "returned"
    BREAK = "left a loop"
    CONTINUE = "next round"
    RAISE = "raised"


class Returns(list[Any]):
    """What a function has returned so far, on whichever branch."""


def block(run: Run, nodes: list[ast.stmt], env: Environment, returns: Returns) -> Flow:
    """Run statements one after the other; one that fails costs only itself."""
    for node in nodes:
        handler = STATEMENTS.get(node.__class__)
        if handler is None:
            continue

        run.step()
        journals, depth, reading, frames = (
            len(run.journals),
            run.depth,
            run.reading,
            len(run.frames),
        )

        try:
            flow = handler(run, node, env, returns)
        except RecursionError:
            raise
        except Exception as error:
            run.fail(error, node)
            run.depth, run.reading = depth, reading
            del run.frames[frames:]

            while len(run.journals) > journals:
                run.keep()
            continue

        if flow is not None and flow is not Flow.ON:
            return flow

    return Flow.ON


def expression(run: Run, node: ast.Expr, env: Environment, returns: Returns) -> Flow:
    """df.write.saveAsTable("orders")"""
    held = value(run, node.value, env)
    if isinstance(held, Relation):
        run.leaves.append((held, node.value, run.reading))
    if is_exit(run, node.value, env):
        return Flow.RAISE
    return Flow.ON


EXITS = frozenset(("exit", "quit", "_exit"))
EXIT_CALLS = frozenset(("sys.exit", "os._exit"))


def is_exit(run: Run, node: ast.expr, env: Environment) -> bool:
    """sys.exit(1), exit()      ends the program, as an exception does"""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Name) and called.id in EXITS:
        return env.home_of(called.id) is None or is_library(value(run, called, env))
    return (
        isinstance(called, ast.Attribute)
        and called.attr in EXITS
        and is_library(value(run, called, env))
    )


def is_library(held: Value) -> bool:
    """Tell whether a value is a function that ends the program."""
    return isinstance(held, Library) and held.name in EXIT_CALLS


def assignment(run: Run, node: ast.Assign, env: Environment, returns: Returns) -> None:
    """df = spark.table("orders")"""
    held = value(run, node.value, env)
    for target in node.targets:
        bind(run, target, held, env)
    if isinstance(held, Relation):
        run.leaves.append((held, node.value, run.reading))


def annotated(run: Run, node: ast.AnnAssign, env: Environment, returns: Returns) -> None:
    """df: DataFrame = spark.table("orders")"""
    if node.value is not None:
        bind(run, node.target, value(run, node.value, env), env)


def augmented(run: Run, node: ast.AugAssign, env: Environment, returns: Returns) -> None:
    """names += ["a"]"""
    load = ast.copy_location(_loaded(node.target), node.target)
    held = value(run, load, env)
    more = value(run, node.value, env)
    if isinstance(held, list) and isinstance(more, (list, tuple)) and isinstance(node.op, ast.Add):
        run.touch(held)
        held.extend(more)
        return
    if isinstance(held, Instance):
        said = asked(run, held, f"__i{DUNDERS.get(type(node.op), '')}__", [more], node)
        if said is not ...:
            bind(run, node.target, said, env)
            return

    bind(run, node.target, combined(run, node, held, more), env)


def _loaded(target: Any) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return ast.Subscript(target.value, target.slice, ast.Load())


def bind(run: Run, target: ast.expr, held: Value, env: Environment) -> None:
    """x = …, a, *b = …, self.x = …, d["k"] = …"""
    if isinstance(target, ast.Name):
        home = env
        if target.id in env.shared:
            home = (env.outer.home_of(target.id) if env.outer is not None else None) or env.globals

        run.touch(home.names)
        home.names[target.id] = held
    elif isinstance(target, (ast.Tuple, ast.List)):
        unpack(run, target.elts, held, env)
    elif isinstance(target, ast.Starred):
        bind(run, target.value, held, env)
    elif isinstance(target, ast.Attribute):
        owner = value(run, target.value, env)
        if isinstance(owner, (Instance, Class)):
            set_on(run, owner, target.attr, held, target)
        elif isinstance(owner, Function):
            run.touch(owner.notes)
            owner.notes[target.attr] = held
        elif isinstance(owner, Library) and owner.name.rsplit(".", 1)[-1] in (
            "DataFrame",
            "Column",
        ):
            run.patched[owner.name.rsplit(".", 1)[-1], target.attr] = held
        elif isinstance(owner, Relation) and target.attr == "columns":
            run.report(Code.DYNAMIC, "df.columns is set", target)
    elif isinstance(target, ast.Subscript):
        owner = value(run, target.value, env)
        key = value(run, target.slice, env)
        setter = owner.home.find("__setitem__") if isinstance(owner, Instance) else None
        if isinstance(setter, Function):
            invoke(run, setter, [owner, key, held], {}, target)
        else:
            store(run, owner, key, held)


def set_on(run: Run, owner: Instance | Class, name: str, held: Value, node: Any) -> None:
    """self.x = …      by its setter, where x is a property"""
    found = owner.home.find(name) if isinstance(owner, Instance) else None
    if isinstance(found, Function) and found.setter is not None:
        invoke(run, found.setter, [owner, held], {}, node)
        return

    run.touch(owner.names)
    owner.names[name] = held


def store(run: Run, owner: Value, key: Value, held: Value) -> None:
    """config["a"] = 1      Set an item, where its place is known."""
    if storable(owner, key):
        run.touch(owner)
        owner[key] = held


def storable(owner: Value, key: Value) -> bool:
    """Tell whether an item can be set there."""
    if isinstance(owner, dict):
        return is_known(key) and not isinstance(key, (list, dict, set))
    return isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner)


def unpack(run: Run, targets: list[ast.expr], held: Value, env: Environment) -> None:
    """a, *b = items"""
    items = items_of(held)
    star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if (
        items is None
        or (star is None and len(items) != len(targets))
        or len(items) < len(targets) - 1
    ):
        for target in targets:
            bind(run, target, Unknown(label_of(target), unknown_of(held, target).reason), env)
        return

    if star is not None:
        after = len(targets) - star - 1
        items = [*items[:star], items[star : len(items) - after], *items[len(items) - after :]]
    for target, item in zip(targets, items, strict=True):
        bind(run, target, item, env)


# -- branches and loops ----------------------------------------------------------------------------


def if_(run: Run, node: ast.If, env: Environment, returns: Returns) -> Flow:
    """if full: …      both branches, where only a run knows the condition"""
    test = truth(value(run, node.test, env))
    if test is not None:
        return block(run, node.body if test else node.orelse, env, returns)
    return branched(
        run,
        [
            lambda: block(run, node.body, env, returns),
            lambda: block(run, node.orelse, env, returns),
        ],
    )


def branched(run: Run, branches: list[Callable[[], Flow]]) -> Flow:
    """Only a run knows which: each is followed from the same state, and those that go on are
    merged.
    """
    states, flows = [], []
    for branch in branches:
        run.begin()
        flow = branch()
        after = run.undo()
        flows.append(flow)
        if flow is Flow.ON:
            states.append(after)

    if not states:
        looping = [flow for flow in flows if flow in (Flow.BREAK, Flow.CONTINUE)]
        if looping:
            return looping[0]
        if Flow.RETURN in flows:
            return Flow.RETURN
        return Flow.RAISE

    run.parted = run.parted or len(states) < len(flows)
    if len(states) == 1:
        run.begin()
        for container, state in states[0].values():
            run.touch(container)
            restore(container, state)

        run.keep()
        return Flow.ON

    total = states[0]
    for other in states[1:]:
        join_states(run, total, other)
    return Flow.ON


def for_(run: Run, node: ast.For | ast.AsyncFor, env: Environment, returns: Returns) -> Flow:
    """for name in names: …      round by round, where the items are known"""
    held = value(run, node.iter, env)
    items = iterated(run, held, node.iter)
    if items is None:
        return unknown_loop(run, node, held, env, returns)

    for rounds, item in enumerate(items):
        if rounds >= MOST_ROUNDS:
            run.report(
                Code.DYNAMIC,
                f"a loop over {len(items)} items is followed for {MOST_ROUNDS} only",
                node,
            )
            break

        bind(run, node.target, item, env)
        flow = block(run, node.body, env, returns)
        if flow is Flow.BREAK:
            return Flow.ON
        if flow in (Flow.RETURN, Flow.RAISE):
            return flow

    return block(run, node.orelse, env, returns)


def unknown_loop(run: Run, node: Any, held: Value, env: Environment, returns: Returns) -> Flow:
    """for path in list_paths(): …      followed once, with an item that is not known"""
    found = unknown_of(held, node.iter)
    label = label_of(node.target) if isinstance(node.target, ast.Name) else found.label

    def once() -> Flow:
        bind(
            run, node.target, Unknown(label, found.reason or "an item of a loop", found.level), env
        )
        flow = block(run, node.body, env, returns)
        if flow in (Flow.RETURN, Flow.RAISE):
            return flow
        return Flow.ON

    branched(run, [once, lambda: Flow.ON])
    return Flow.ON


def while_(run: Run, node: ast.While, env: Environment, returns: Returns) -> Flow:
    """while test: …"""
    for _ in range(MOST_WHILE):
        test = truth(value(run, node.test, env))
        if test is False:
            return Flow.ON
        if test is None:
            return branched(run, [lambda: _once(run, node, env, returns), lambda: Flow.ON])

        flow = block(run, node.body, env, returns)
        if flow is Flow.BREAK:
            return Flow.ON
        if flow in (Flow.RETURN, Flow.RAISE):
            return flow

    run.report(Code.DYNAMIC, f"a loop is followed for {MOST_WHILE} rounds only", node)
    return Flow.ON


def _once(run: Run, node: ast.While, env: Environment, returns: Returns) -> Flow:
    flow = block(run, node.body, env, returns)
    if flow in (Flow.RETURN, Flow.RAISE):
        return flow
    return Flow.ON


def try_(run: Run, node: Any, env: Environment, returns: Returns) -> Flow:
    """try: … except: …

    a handler that goes on is a branch of its own; one that raises is none
    """

    def tried() -> Flow:
        flow = block(run, node.body, env, returns)
        if flow is Flow.ON:
            return block(run, node.orelse, env, returns)
        return flow

    branches: list[Callable[[], Flow]] = [tried]
    for handler in node.handlers:
        if _matters(handler.body):
            branches.append(lambda handler=handler: block(run, handler.body, env, returns))  # type: ignore[misc]

    flow = tried() if len(branches) == 1 else branched(run, branches)
    if flow is Flow.RAISE and node.handlers:
        flow = Flow.ON

    last = block(run, node.finalbody, env, returns)
    if last is not Flow.ON:
        return last
    return flow


def _matters(nodes: list[ast.stmt]) -> bool:
    """Whether a handler does anything but tell, pass or raise."""
    quiet = (ast.Pass, ast.Raise, ast.Continue, ast.Break)
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Constant)):
            called = node.value.func if isinstance(node.value, ast.Call) else None
            text = ast.unparse(called).lower() if called is not None else ""
            if any(word in text for word in ("print", "log", "exit", "raise", "warn")) or not text:
                continue

        if isinstance(node, quiet) or (isinstance(node, ast.Return) and _returns_nothing(node)):
            continue
        return True

    return False


def _returns_nothing(node: ast.Return) -> bool:
    return node.value is None or (
        isinstance(node.value, ast.Constant) and node.value.value in (None, False)
    )


def with_(run: Run, node: ast.With | ast.AsyncWith, env: Environment, returns: Returns) -> Flow:
    """with open_table() as df: …"""
    return inside(run, node.items, node, env, returns)


def inside(
    run: Run,
    items: list[ast.withitem],
    node: ast.With | ast.AsyncWith,
    env: Environment,
    returns: Returns,
) -> Flow:
    """with a as x, b as y: …      the first around the second, and that around the body"""
    if not items:
        return block(run, node.body, env, returns)

    item, *rest = items
    flow = Flow.ON

    def entered(held: Value) -> None:
        nonlocal flow
        if item.optional_vars is not None:
            bind(run, item.optional_vars, held, env)
        flow = inside(run, rest, node, env, returns)

    manager = value(run, item.context_expr, env)
    if isinstance(manager, Builder) and manager.kind == "context":
        around_yield(run, manager, entered, item)
        return flow

    enter, leave = (
        manager.home.find(n) if isinstance(manager, Instance) else None
        for n in ("__enter__", "__exit__")
    )
    entered(invoke(run, enter, [manager], {}, item) if isinstance(enter, Function) else manager)
    if isinstance(leave, Function):
        invoke(run, leave, [manager, None, None, None], {}, item)
    return flow


def around_yield(run: Run, manager: Builder, body: Callable[[Value], None], node: Any) -> None:
    """@contextmanager

    the function up to its yield, the body there, then the rest of the function
    """
    reading, depth, done = run.reading, run.depth, False

    def at_yield(held: Value) -> None:
        nonlocal done
        if not done:
            done = True
            inner, run.reading = run.reading, reading
            body(held)
            run.reading = inner

    manager.parts["call"](at_yield)
    run.depth = depth
    if not done:
        body(None)


def match_(run: Run, node: ast.Match, env: Environment, returns: Returns) -> Flow:
    """match kind: case "a": …      the one case that fits, else each of those that may"""
    subject = value(run, node.subject, env)
    possible: list[Callable[[], Flow]] = []

    for case in node.cases:
        fits = fits_pattern(run, case.pattern, subject, env)
        if case.guard is not None and fits is not False:
            guarded = truth(value(run, case.guard, env))
            fits = guarded if fits is True else None if guarded is not False else False
        if fits is False:
            continue

        possible.append(lambda case=case: block(run, case.body, env, returns))  # type: ignore[misc]
        if fits is True:
            break
    else:
        possible.append(lambda: Flow.ON)

    if len(possible) == 1:
        return possible[0]()
    return branched(run, possible)


# -- definitions -----------------------------------------------------------------------------------


def return_(run: Run, node: ast.Return, env: Environment, returns: Returns) -> Flow:
    """return df"""
    returns.append(value(run, node.value, env))
    return Flow.RETURN


def function(
    run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment, returns: Returns
) -> None:
    """def clean(df): …"""
    made = function_value(run, node, env, node.name)
    if env.methods is not None:
        env.methods.append(made)

    run.touch(env.names)
    env.names[node.name] = decorated(run, made, node, env)
    if env.outer is None:
        env.file.functions.append(made)


def class_(run: Run, node: ast.ClassDef, env: Environment, returns: Returns) -> None:
    """class Job: …"""
    bases = [value(run, base, env) for base in node.bases]
    inner = Environment({}, env, env.file)
    inner.methods = []
    made = Class(node.name, bases, inner.names, file=env.file)
    made.heirs_have_fields = any(map(makes_fields, node.bases, bases))
    made.has_fields = made.heirs_have_fields or is_decorated_by_a_library(run, node, env)

    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            held = (
                value(run, statement.value, inner)
                if statement.value is not None
                else Unknown(statement.target.id, "a field that is not set")
            )
            made.fields.append((statement.target.id, held))
            if statement.value is not None:
                inner.names[statement.target.id] = held
        else:
            block(run, [statement], inner, returns)

    for method in inner.methods:
        method.home, method.closure = made, env
    for key, item in list(inner.names.items()):
        if isinstance(item, Function):
            item.home = item.home or made
            item.closure = env if item.closure is inner else item.closure
        elif made.enumerates and not key.startswith("_"):
            inner.names[key] = member_of(made, key, item)

    for base in bases:
        if isinstance(base, Class):
            base.heirs.append(made)

    welcomed(
        run,
        made,
        {k.arg: value(run, k.value, env) for k in node.keywords if k.arg is not None},
        node,
    )
    run.touch(env.names)
    env.names[node.name] = decorated_class(run, made, node, env)
    if env.outer is None:
        env.file.classes.append(made)


PLAIN_BASES = frozenset(
    ("ABC", "object", "Generic", "Protocol", "Enum", "StrEnum", "IntEnum", "str", "Exception")
)


def makes_fields(node: ast.expr, base: Value) -> bool:
    """class Settings(BaseModel)      host: str = "a" is a field, in its heirs, too"""
    if isinstance(base, Class):
        return base.heirs_have_fields
    plain = node.value if isinstance(node, ast.Subscript) else node
    return ast.unparse(plain).rpartition(".")[2] not in PLAIN_BASES


def is_decorated_by_a_library(run: Run, node: ast.ClassDef, env: Environment) -> bool:
    """@dataclass, @attrs.define(frozen=True)"""
    named = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(isinstance(value(run, each, env), (Library, Unknown)) for each in named)


def welcomed(run: Run, made: Class, keywords: dict[str, Value], node: ast.ClassDef) -> None:
    """class Orders(Job, target="x")      Job.__init_subclass__ hears of it"""
    found = next(
        (
            base.names["__init_subclass__"]
            for base in made.order[1:]
            if "__init_subclass__" in base.names
        ),
        None,
    )
    if isinstance(found, Function):
        invoke(
            run,
            found,
            [made],
            {key: held for key, held in keywords.items() if key != "metaclass"},
            node,
        )


def decorated_class(run: Run, made: Class, node: ast.ClassDef, env: Environment) -> Value:
    """@register class Orders: …

    what a decorator of the program gives back, if it is a class
    """
    result: Value = made
    for decorator in reversed(node.decorator_list):
        owner = value(run, decorator, env)
        if isinstance(owner, (Function, Method, Partial)):
            given = invoke(run, owner, [result], {}, decorator)
            result = given if isinstance(given, (Class, Function, Partial)) else result

    return result


def member_of(made: Class, name: str, held: Value) -> Value:
    """RED = "r"      in an enumeration; of texts, it is one"""
    if made.of_texts and isinstance(held, str) and not isinstance(held, Pattern):
        return TextMember.of(held, made, name)
    return Instance(made, {"value": held, "name": name})


def delete(run: Run, node: ast.Delete, env: Environment, returns: Returns) -> None:
    """del df, del config["a"]"""
    for target in node.targets:
        if isinstance(target, ast.Name):
            run.touch(env.names)
            env.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            delete_item(run, value(run, target.value, env), target.slice, env)
        elif isinstance(target, ast.Attribute):
            owner = value(run, target.value, env)
            if isinstance(owner, (Instance, Class)):
                run.touch(owner.names)
                owner.names.pop(target.attr, None)


def delete_item(run: Run, owner: Value, node: ast.expr, env: Environment) -> None:
    """del d["k"], del names[0], del names[2:]"""
    if isinstance(owner, list) and isinstance(node, ast.Slice):
        bounds = [value(run, bound, env) for bound in (node.lower, node.upper, node.step)]
        if all(bound is None or isinstance(bound, int) for bound in bounds) and bounds[2] != 0:
            run.touch(owner)
            del owner[slice(*bounds)]

        return

    key = value(run, node, env)
    if isinstance(owner, dict) and is_known(key):
        run.touch(owner)
        owner.pop(key, None)
    elif isinstance(owner, list) and storable(owner, key):
        run.touch(owner)
        del owner[key]


def shared(run: Run, node: ast.Global | ast.Nonlocal, env: Environment, returns: Returns) -> None:
    """global df, nonlocal df"""
    env.shared.update(node.names)


def import_(run: Run, node: ast.Import, env: Environment, returns: Returns) -> None:
    """import jobs.orders as orders"""
    run.touch(env.names)
    for alias in node.names:
        found = run.program.module(run, alias.name, env.file, 0, node)
        if alias.asname:
            env.names[alias.asname] = found
        else:
            top = alias.name.split(".")[0]
            env.names[top] = (
                run.program.module(run, top, env.file, 0, node) if "." in alias.name else found
            )


def import_from(run: Run, node: ast.ImportFrom, env: Environment, returns: Returns) -> None:
    """from jobs.orders import clean"""
    run.touch(env.names)
    for alias in node.names:
        if alias.name == "*":
            run.program.import_all(run, node.module or "", env, node.level, node)
        else:
            found = run.program.member(
                run, node.module or "", alias.name, env.file, node.level, node
            )
            env.names[alias.asname or alias.name] = found


def raise_(run: Run, node: ast.Raise, env: Environment, returns: Returns) -> Flow:
    """raise ValueError(…)"""
    return Flow.RAISE


def break_(run: Run, node: ast.Break, env: Environment, returns: Returns) -> Flow:
    """break"""
    return Flow.BREAK


def continue_(run: Run, node: ast.Continue, env: Environment, returns: Returns) -> Flow:
    """continue"""
    return Flow.CONTINUE


STATEMENTS: dict[type, Callable[[Run, Any, Environment, Returns], Flow | None]] = {
    ast.Expr: expression,
    ast.Assign: assignment,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.If: if_,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.While: while_,
    ast.Try: try_,
    ast.TryStar: try_,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Match: match_,
    ast.Return: return_,
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
    ast.Delete: delete,
    ast.Global: shared,
    ast.Nonlocal: shared,
    ast.Import: import_,
    ast.ImportFrom: import_from,
    ast.Raise: raise_,
    ast.Break: break_,
    ast.Continue: continue_,
}
