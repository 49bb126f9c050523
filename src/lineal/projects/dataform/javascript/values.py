"""Values of JavaScript, as far as constants go; anything else is `Unknown`.

    const tables = ["orders", "items"];
    tables.map(t => `SELECT * FROM ${ref(t)}`).join(" UNION ALL ")

Code is not executed: the trees are walked with limits, and no function of the machine can be reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lineal.model.plain import one_or_more
from lineal.model.sequences import flatten
from lineal.projects.dataform.javascript.trees import Node

MOST_STEPS = 200_000
LARGEST = 2_000_000
DEEPEST = 60


class Exhausted(ValueError):
    """The code does more than can be followed."""


@dataclass(frozen=True)
class Unknown:
    """A value that only a run knows."""

    label: str = "value"

    @property
    def name(self) -> str:
        """Return the label as one name: getConfig().START is getConfig_START."""
        return re.sub(r"\W+", "_", self.label).strip("_") or "value"

    def __str__(self) -> str:
        return f"{{{self.name}}}"


@dataclass(frozen=True)
class Native:
    """A function that Dataform or JavaScript brings along."""

    name: str
    call: Callable[[list[Any]], Any]


@dataclass(frozen=True)
class Function:
    """A function of the project, and the names around it."""

    node: Node
    names: Scope


@dataclass
class Scope:
    """The names of a block, and those around it."""

    names: dict[str, Any] = field(default_factory=dict)
    outer: Scope | None = None

    def find(self, name: str) -> Any:
        """Return the value of a name."""
        here: Scope | None = self

        while here is not None:
            if name in here.names:
                return here.names[name]

            here = here.outer

        return Unknown(name)

    def home(self, name: str) -> Scope:
        """Return the scope that has a name, else this one."""
        here: Scope | None = self

        while here is not None:
            if name in here.names:
                return here

            here = here.outer

        return self


class Returned(Exception):
    """A function returns."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Evaluator:
    """Walks trees. `unknown` is told of every value that only a run knows and that is written."""

    def __init__(self, unknown: Callable[[str, int], None]) -> None:
        self.unknown = unknown
        self.steps = 0
        self.depth = 0

    # -- statements --------------------------------------------------------------------------------

    def run(self, nodes: list[Node], scope: Scope) -> None:
        """Run statements: functions first, as they are hoisted."""
        for node in nodes:
            if node.kind == "function":
                scope.names[node.name] = Function(node.made, scope)

        for node in nodes:
            self.execute(node, scope)

    def execute(self, node: Node, scope: Scope) -> None:
        """Run one statement."""
        self.step()
        if node.kind == "expression":
            self.value(node.value, scope)
        elif node.kind == "declare":
            for target, value in node.pairs:
                self.bind(target, None if value is None else self.value(value, scope), scope)
        elif node.kind == "block":
            self.run(node.body, Scope(outer=scope))
        elif node.kind == "return":
            raise Returned(None if node.value is None else self.value(node.value, scope))
        elif node.kind == "if":
            self.branch(node, scope)
        elif node.kind == "for":
            self.loop(node, scope)
        elif node.kind == "loop":
            self.unknown("how often a loop goes round", node.at)

    def branch(self, node: Node, scope: Scope) -> None:
        """if (a) b; else c;      a condition that only a run knows runs both"""
        test = truth(self.value(node.test, scope))
        if test is not False:
            self.execute(node.then, scope)

        if test is not True and node.other is not None:
            self.execute(node.other, scope)

    def loop(self, node: Node, scope: Scope) -> None:
        """for (const x of xs) { … }"""
        held = self.value(node.items, scope)
        items: list[Any] = []
        if isinstance(held, Unknown):
            self.unknown(held.label, node.at)
            items = [Unknown("item")]  # followed once
        elif isinstance(held, (list, str, dict)):
            items = list(held)

        if node.of == "in" and isinstance(held, list):
            items = list(map(str, range(len(held))))

        for item in items:
            inner = Scope(outer=scope)
            self.bind(node.target, item, inner)
            self.execute(node.body, inner)

    def bind(self, target: object, value: object, scope: Scope) -> None:
        """Bind a value to a name, or its parts to several."""
        if isinstance(target, str):
            scope.names[target] = value
        elif isinstance(target, Node) and target.kind == "object":
            for key, node in target.pairs:
                held: Any = Unknown(str(key))
                if isinstance(value, dict):
                    held = value.get(key)

                name = None
                if node.kind == "name":
                    name = node.parts.get("name")

                scope.names[str(name or key)] = held
        elif isinstance(target, Node) and target.kind == "list":
            items = []
            if isinstance(value, list):
                items = value

            for number, node in enumerate(target.items):
                held = Unknown("item")
                if number < len(items):
                    held = items[number]

                if node.kind == "name":
                    scope.names[node.name] = held

    # -- expressions -------------------------------------------------------------------------------

    def value(self, node: Node, scope: Scope) -> Any:
        """Return the value of an expression."""
        self.step()
        handler = EXPRESSIONS.get(node.kind)
        if handler is not None:
            return handler(self, node, scope)

        return Unknown()

    def literal(self, node: Node, scope: Scope) -> Any:
        """1, "a", true"""
        return node.parts["value"]

    def name(self, node: Node, scope: Scope) -> Any:
        """x"""
        return scope.find(node.parts["name"])

    def template(self, node: Node, scope: Scope) -> Any:
        """`a ${b}`"""
        written = []

        for part in node.parts["parts"]:
            written.append(part if isinstance(part, str) else self.text(part, scope))

        return self.check_size("".join(written))

    def text(self, node: Node, scope: Scope) -> str:
        """Return an expression as a template writes it; what only a run knows is a placeholder."""
        held = self.value(node, scope)
        if isinstance(held, (Unknown, Function, Native)):
            found = held if isinstance(held, Unknown) else Unknown("function")
            self.unknown(found.label, node.at)
            return str(found)

        return text_of(held)

    def list_(self, node: Node, scope: Scope) -> Any:
        """[a, ...b]"""
        return self.spread(node.parts["items"], scope)

    def object_(self, node: Node, scope: Scope) -> Any:
        """{a: 1, ...b}"""
        found: dict[str, Any] = {}

        for key, item in node.parts["pairs"]:
            held = self.value(item, scope)
            if key is None:
                found.update(held if isinstance(held, dict) else {})
            else:
                name = key
                if isinstance(key, Node):
                    name = self.value(key, scope)

                found[text_of(name)] = held

        return found

    def lambda_(self, node: Node, scope: Scope) -> Any:
        """x => x + 1"""
        return Function(node, scope)

    def member(self, node: Node, scope: Scope) -> Any:
        """a.b"""
        held = self.value(node.parts["of"], scope)
        return member_of(held, node.parts["name"])

    def item(self, node: Node, scope: Scope) -> Any:
        """a[b]"""
        held, key = self.value(node.parts["of"], scope), self.value(node.parts["key"], scope)
        if isinstance(held, list) and isinstance(key, int) and -1 < key < len(held):
            return held[key]

        if isinstance(held, dict):
            return held.get(text_of(key), None)

        return Unknown("item")

    def ternary(self, node: Node, scope: Scope) -> Any:
        """a ? b : c      the first, where only a run knows"""
        test = truth(self.value(node.parts["test"], scope))
        return self.value(node.parts["other" if test is False else "then"], scope)

    def unary(self, node: Node, scope: Scope) -> Any:
        """!a, -a"""
        held = self.value(node.parts["value"], scope)
        sign = node.parts["sign"]
        if sign == "!":
            answer = truth(held)
            if answer is None:
                return Unknown()

            return not answer

        if sign == "-" and isinstance(held, (int, float)):
            return -held

        if sign in ("await", "...", "+"):
            return held

        if sign == "typeof" and not isinstance(held, Unknown):
            return type_of(held)

        return Unknown()

    def binary(self, node: Node, scope: Scope) -> Any:
        """a + b, a === b, a && b"""
        sign, left = node.parts["sign"], self.value(node.parts["left"], scope)
        if sign in ("&&", "||", "??"):
            return self.logical(sign, left, node, scope)

        right = self.value(node.parts["right"], scope)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            if sign == "+" and (isinstance(left, str) or isinstance(right, str)):
                self.unknown(getattr(left, "label", "") or getattr(right, "label", ""), node.at)
                return f"{text_of(left)}{text_of(right)}"

            return Unknown()

        return operate(sign, left, right)

    def logical(self, sign: str, left: object, node: Node, scope: Scope) -> Any:
        """a && b, a || b, a ?? b"""
        answer = truth(left)
        if sign == "??":
            answer = left is not None

        if answer is (sign != "&&"):
            return left

        return self.value(node.parts["right"], scope)

    def assign(self, node: Node, scope: Scope) -> Any:
        """a = b, a += b, module.exports = …"""
        held = self.value(node.parts["value"], scope)
        target = node.parts["target"]
        if target.kind == "name":
            home = scope.home(target.parts["name"])
            if node.parts["sign"] == "+=":
                held = operate("+", home.names.get(target.parts["name"]), held)

            home.names[target.parts["name"]] = held
        elif target.kind in ("member", "item"):
            of = self.value(target.parts["of"], scope)
            key = target.parts.get("name")
            if key is None:
                key = text_of(self.value(target.parts["key"], scope))

            if isinstance(of, dict):
                of[key] = held

        return held

    # -- calls -------------------------------------------------------------------------------------

    def call_node(self, node: Node, scope: Scope) -> Any:
        """f(a), a.map(f)"""
        of = node.parts["of"]
        if of.kind == "member":
            receiver = self.value(of.parts["of"], scope)
            given = self.arguments_of(node, scope)
            held = member_of(receiver, of.parts["name"])
            if isinstance(held, (Function, Native)):
                return self.call(held, given)

            return self.method(receiver, of.parts["name"], given)

        held = self.value(of, scope)
        return self.call(held, self.arguments_of(node, scope))

    def arguments_of(self, node: Node, scope: Scope) -> list[object]:
        """Return the arguments of a call."""
        return self.spread(node.parts["given"], scope)

    def spread(self, nodes: list[Node], scope: Scope) -> list[Any]:
        """Return the values of several expressions, those behind ... one by one."""
        found: list[Any] = []

        for item in nodes:
            held = self.value(item, scope)
            if item.kind == "unary" and item.sign == "..." and isinstance(held, list):
                found.extend(held)
            else:
                found.append(held)

        return found

    def call(self, held: Any, given: list[Any]) -> Any:
        """Call a function."""
        if isinstance(held, Native):
            return held.call(given)

        if not isinstance(held, Function):
            return Unknown(getattr(held, "label", "function") + "()")

        self.depth += 1
        if self.depth > DEEPEST:
            self.depth = 0
            raise Exhausted("functions call each other too deeply to be followed")

        try:
            return self.call_function(held, given)
        finally:
            self.depth -= 1

    def call_function(self, held: Function, given: list[Any]) -> Any:
        """Call a function of the project."""
        scope = Scope(outer=held.names)

        for number, (target, default, rest) in enumerate(held.node.parts["names"]):
            value = None
            if number < len(given):
                value = given[number]

            if rest:
                value = given[number:]

            if value is None and default is not None:
                value = self.value(default, scope)

            self.bind(target, value, scope)

        if held.node.parts.get("body") is None:
            return self.value(held.node.parts["value"], scope)

        try:
            self.run(held.node.parts["body"].body, scope)
        except Returned as returned:
            return returned.value

        return None

    def method(self, held: Any, name: str, given: list[Any]) -> Any:
        """Call a method of a list, a text or an object."""
        if isinstance(held, Unknown):
            return self.method_of_unknown(held, name, given)

        handlers = METHODS.get(type(held))
        handler = None
        if handlers is not None:
            handler = handlers.get(name)

        if handler is None:
            return Unknown(name)

        try:
            return self.check_size(handler(self, held, given))
        except (IndexError, TypeError, ValueError) as error:
            if isinstance(error, Exhausted):
                raise

            return Unknown(name)

    def method_of_unknown(self, held: Unknown, name: str, given: list[Any]) -> Any:
        """tables.map(t => …)      over items that only a run knows: followed once"""
        if name not in ONCE or not given or not isinstance(given[0], Function):
            return Unknown(held.label if name in TEXTS else name)

        self.unknown(held.label, 0)
        handler = LISTS[name]
        return self.check_size(handler(self, [Unknown("item")], given))

    def each(self, function: Any, items: list[Any]) -> Iterator[Any]:
        """Call a function for each item."""
        for number, item in enumerate(items):
            yield self.call(function, [item, number, items])

    # -- limits ------------------------------------------------------------------------------------

    def step(self) -> None:
        """Count work."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Exhausted("this takes more steps than are followed")

    def check_size(self, held: Any) -> Any:
        """Refuse a text or list that grows too large."""
        if isinstance(held, (str, list)) and len(held) > LARGEST:
            raise Exhausted("a text grows larger than can be followed")

        return held


EXPRESSIONS: Mapping[str, Callable[[Evaluator, Node, Scope], Any]] = {
    "literal": Evaluator.literal, "name": Evaluator.name, "template": Evaluator.template,
    "list": Evaluator.list_, "object": Evaluator.object_, "lambda": Evaluator.lambda_,
    "member": Evaluator.member, "item": Evaluator.item, "ternary": Evaluator.ternary,
    "unary": Evaluator.unary, "binary": Evaluator.binary, "assign": Evaluator.assign,
    "call": Evaluator.call_node,
}  # fmt: skip


def member_of(held: object, name: str) -> Any:
    """a.b"""
    if isinstance(held, dict):
        return held.get(name)  # undefined, if it is not there

    if name == "length" and isinstance(held, (str, list)):
        return len(held)

    label = getattr(held, "label", "")
    return Unknown(f"{label}.{name}" if label else name)


def type_of(held: object) -> str:
    """typeof a"""
    if isinstance(held, (Function, Native)):
        return "function"

    return TYPES.get(type(held), "object")


TYPES = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "undefined"}


def truth(held: Any) -> bool | None:
    """Return whether a condition holds; None where only a run can tell."""
    if isinstance(held, Unknown):
        return None

    if isinstance(held, (list, dict, Function, Native)):
        return True

    return bool(held)


def text_of(held: object) -> str:
    """Return a value as a template writes it."""
    if isinstance(held, bool):
        if held:
            return "true"

        return "false"

    if held is None:
        return ""

    if isinstance(held, list):
        return ",".join(map(text_of, held))

    return str(held)


def operate(sign: str, left: object, right: object) -> Any:
    """Return the value of a binary operator over constants."""
    if sign == "+" and (isinstance(left, str) or isinstance(right, str)):
        return text_of(left) + text_of(right)

    if sign in ("==", "==="):
        return left == right

    if sign in ("!=", "!=="):
        return left != right

    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return Unknown()

    if sign in ARITHMETIC:
        return ARITHMETIC[sign](left, right)

    return Unknown()


ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else Unknown(),
    "%": lambda a, b: a % b if b else Unknown(),
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}

Handler = Callable[[Evaluator, Any, list[Any]], Any]


def filter_list(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.filter(f)      what only a run knows stays"""
    answers = run.each(given[0], held)
    return [item for item, answer in zip(held, answers, strict=True) if truth(answer) is not False]


def reduce_list(run: Evaluator, held: Sequence[object], given: Sequence[object]) -> Any:
    """a.reduce(f, start)"""
    items = list(held)
    if len(given) > 1:
        items.insert(0, given[1])

    if not items:
        return Unknown("reduce()")

    result = items[0]

    for item in items[1:]:
        result = run.call(given[0], [result, item])

    return result


def for_each(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.forEach(f)"""
    for _ in run.each(given[0], held):
        pass

    return None


def flat_map(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.flatMap(f)"""
    found: list[Any] = []

    for item in run.each(given[0], held):
        found.extend(one_or_more(item))

    return found


def push(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.push(b)"""
    held.extend(given)
    return len(held)


def find_item(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.find(f)"""
    answers = run.each(given[0], held)
    return next((item for item, answer in zip(held, answers, strict=False) if truth(answer)), None)


def replace_text(run: Evaluator, held: str, given: list[Any], times: int = 1) -> Any:
    """s.replace("a", "b")      a pattern is only known when it runs"""
    if len(given) != 2 or not all(isinstance(each, str) for each in given):
        return Unknown("replace()")

    return held.replace(given[0], given[1], times)


def join_texts(run: Evaluator, held: Sequence[object], given: Sequence[object]) -> str:
    """a.join(", ")"""
    for item in held:
        if isinstance(item, Unknown):
            run.unknown(item.label, 0)

    return (text_of(given[0]) if given else ",").join(map(text_of, held))


ONCE = frozenset(("map", "forEach", "flatMap", "filter", "reduce"))
"""Methods that call a function for each item."""


def padding_of(held: str, given: list[Any]) -> str:
    """s.padStart(4, "0")      the padding before the text"""
    sign = text_of(given[1]) if len(given) > 1 else " "
    missing = min(int(given[0]), LARGEST) - len(held)
    return (sign * max(missing, 0))[: max(missing, 0)]


def parse_json(given: Sequence[object]) -> Any:
    """JSON.parse("[1, 2]")"""
    if not given or not isinstance(given[0], str):
        return Unknown("JSON")

    try:
        return json.loads(given[0])
    except (ValueError, RecursionError):
        return Unknown("JSON")


def sort_items(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
    """a.sort()      an order that a function decides is the one of the text"""
    if not given and all(isinstance(each, str) for each in held):
        held.sort()

    return held


def decide_items(name: str, wanted: bool) -> Handler:
    """a.some(f), a.every(f)      the answer that one item decides, else the other one"""

    def decide(run: Evaluator, held: list[Any], given: list[Any]) -> Any:
        """Answer `some` or `every`; Unknown if an undecided item could change the answer."""
        answers = list(map(truth, run.each(given[0], held)))
        if wanted in answers:
            return wanted

        if None in answers:
            return Unknown(name)

        return not wanted

    return decide


LISTS: Mapping[str, Handler] = {
    "map": lambda run, held, given: list(run.each(given[0], held)),
    "join": join_texts,
    "filter": filter_list,
    "reduce": reduce_list,
    "forEach": for_each,
    "flatMap": flat_map,
    "find": find_item,
    "push": push,
    "concat": lambda run, held, given: [
        *held,
        *chain.from_iterable(map(one_or_more, given)),
    ],
    "includes": lambda run, held, given: given[0] in held,
    "slice": lambda run, held, given: held[slice(*given[:2])],
    "flat": lambda run, held, given: flatten(map(one_or_more, held)),
    "reverse": lambda run, held, given: held[::-1],
    "indexOf": lambda run, held, given: held.index(given[0]) if given[0] in held else -1,
    "toString": lambda run, held, given: text_of(held),
    "at": lambda run, held, given: held[int(given[0])],
    "pop": lambda run, held, given: held.pop(),
    "shift": lambda run, held, given: held.pop(0),
    "entries": lambda run, held, given: [[number, item] for number, item in enumerate(held)],
    "sort": sort_items,
    "some": decide_items("some", True),
    "every": decide_items("every", False),
}
TEXTS: Mapping[str, Handler] = {
    "trim": lambda run, held, given: held.strip(),
    "toLowerCase": lambda run, held, given: held.lower(),
    "toUpperCase": lambda run, held, given: held.upper(),
    "replace": replace_text,
    "replaceAll": lambda run, held, given: replace_text(run, held, given, -1),
    "split": lambda run, held, given: held.split(given[0]) if given and given[0] else list(held),
    "concat": lambda run, held, given: held + "".join(map(text_of, given)),
    "includes": lambda run, held, given: text_of(given[0]) in held,
    "startsWith": lambda run, held, given: held.startswith(text_of(given[0])),
    "endsWith": lambda run, held, given: held.endswith(text_of(given[0])),
    "slice": lambda run, held, given: held[slice(*given[:2])],
    "substring": lambda run, held, given: held[slice(*given[:2])],
    "substr": lambda run, held, given: held[given[0] :][slice(*given[1:2])],
    "toString": lambda run, held, given: held,
    "trimEnd": lambda run, held, given: held.rstrip(),
    "trimStart": lambda run, held, given: held.lstrip(),
    "indexOf": lambda run, held, given: held.find(text_of(given[0])),
    "lastIndexOf": lambda run, held, given: held.rfind(text_of(given[0])),
    "charAt": lambda run, held, given: held[int(given[0]) :][:1],
    "repeat": lambda run, held, given: held * min(int(given[0]), LARGEST // (len(held) or 1)),
    "padStart": lambda run, held, given: padding_of(held, given) + held,
    "padEnd": lambda run, held, given: held + padding_of(held, given),
}
OBJECTS: Mapping[str, Handler] = {
    "hasOwnProperty": lambda run, held, given: text_of(given[0]) in held,
}
METHODS: Mapping[type, Mapping[str, Handler]] = {
    list: LISTS,
    str: TEXTS,
    dict: OBJECTS,
    int: {"toString": lambda run, held, given: str(held)},
}

OBJECT = {
    "keys": Native(
        "keys", lambda given: list(given[0]) if isinstance(given[0], dict) else Unknown()
    ),
    "values": Native(
        "values", lambda given: list(given[0].values()) if isinstance(given[0], dict) else Unknown()
    ),
    "entries": Native(
        "entries",
        lambda given: (
            [[key, item] for key, item in given[0].items()]
            if isinstance(given[0], dict)
            else Unknown()
        ),
    ),
    "assign": Native(
        "assign",
        lambda given: {k: v for each in given if isinstance(each, dict) for k, v in each.items()},
    ),
}
"""Object.keys(a), Object.entries(a)"""

JSON = {
    "stringify": Native("stringify", lambda given: text_of(given[0]) if given else ""),
    "parse": Native("parse", parse_json),
}
"""JSON.parse(text)"""

ARRAY = {
    "isArray": Native("isArray", lambda given: bool(given) and isinstance(given[0], list)),
    "from": Native(
        "from",
        lambda given: (
            list(given[0]) if given and isinstance(given[0], (list, str)) else Unknown("items")
        ),
    ),
}
"""Array.isArray(a)"""
