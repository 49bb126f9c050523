"""Trees of JavaScript: the expressions and statements that definitions are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lineal.projects.dataform.javascript.words import JavaScriptError, Word, unescape, words_of


@dataclass(frozen=True)
class Node:
    """A node: its kind, its parts by name, and where it begins."""

    kind: str
    at: int
    parts: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.parts[name]
        except KeyError:
            raise AttributeError(name) from None


LEVELS = (
    ("??",), ("||",), ("&&",), ("|",), ("^",), ("==", "===", "!=", "!=="),
    ("<", ">", "<=", ">=", "in", "instanceof"), ("+", "-"), ("*", "/", "%"), ("**",),
)  # fmt: skip
"""The binary operators, the loosest first."""

DEEPEST = 120
DECLARING = ("const", "let", "var")


class Parser:
    """Reads words into trees; what it does not know is an error with its offset."""

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.words = words_of(text, start, end)
        self.at = 0
        self.end = len(text) if end is None else end
        self.depth = 0

    # -- words -------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        """Return the text of a word ahead; '' at the end."""
        index = self.at + ahead
        if index >= len(self.words) or self.words[index].kind in ("string", "template"):
            return ""

        return self.words[index].text

    def word(self) -> Word:
        """Take the next word."""
        if self.at >= len(self.words):
            raise JavaScriptError("the text ends too early", self.end)

        self.at += 1
        return self.words[self.at - 1]

    def offset(self) -> int:
        """Return where the next word begins."""
        if self.at < len(self.words):
            return self.words[self.at].start

        return self.end

    def take(self, *signs: str) -> str:
        """Take the next word if it is one of these; else ''."""
        found = self.peek()
        if found in signs and found:
            self.at += 1
            return found

        return ""

    def expect(self, sign: str) -> None:
        """Take a word that must be there."""
        if not self.take(sign):
            raise JavaScriptError(f"'{sign}' is missing", self.offset())

    @property
    def has_ended(self) -> bool:
        """Tell whether all words are read."""
        return self.at >= len(self.words)

    # -- statements --------------------------------------------------------------------------------

    def program(self) -> list[Node]:
        """Return the statements of a text."""
        found = []

        while not self.has_ended:
            found.append(self.statement())

        return found

    def statement(self) -> Node:
        """Return the next statement."""
        at, word = self.offset(), self.peek()
        handler = STATEMENTS.get(word)
        if handler is not None and not (word == "function" and self.peek(1) == "("):
            return handler(self, at)

        if word == "async" and self.peek(1) == "function":
            self.at += 1
            return STATEMENTS["function"](self, at)

        found = self.expression()
        self.take(";")
        return Node("expression", at, {"value": found})

    def block(self, at: int) -> Node:
        """{ … }"""
        self.expect("{")
        body = []

        while not self.take("}"):
            body.append(self.statement())

        return Node("block", at, {"body": body})

    def empty(self, at: int) -> Node:
        """;"""
        self.at += 1
        return Node("block", at, {"body": []})

    def declaration(self, at: int) -> Node:
        """const a = 1, { b } = c;"""
        self.at += 1
        pairs = []

        while True:
            target = self.pattern()
            value = None
            if self.take("="):
                value = self.assignment()

            pairs.append((target, value))
            if not self.take(","):
                break

        self.take(";")
        return Node("declare", at, {"pairs": pairs})

    def pattern(self) -> Any:
        """a, { a, b: c }, [a, b]      the names that a value is bound to"""
        if self.peek() in ("{", "["):
            return self.primary()

        return self.word().text

    def function(self, at: int) -> Node:
        """function f(a, b) { … }"""
        self.at += 1
        self.take("*")
        name = self.word().text
        return Node("function", at, {"name": name, "made": self.function_rest(at)})

    def function_rest(self, at: int) -> Node:
        """(a, b) { … }"""
        names = self.parameters()
        return Node("lambda", at, {"names": names, "body": self.block(self.offset())})

    def parameters(self) -> list[tuple[Any, Any, bool]]:
        """(a, b = 1, ...c)      each with its default"""
        self.expect("(")
        found = []

        while not self.take(")"):
            rest = bool(self.take("..."))
            target = self.pattern()
            default = None
            if self.take("="):
                default = self.assignment()

            found.append((target, default, rest))
            self.take(",")

        return found

    def return_(self, at: int) -> Node:
        """return x;"""
        self.at += 1
        value = None if self.peek() in (";", "}") else self.expression()
        self.take(";")
        return Node("return", at, {"value": value})

    def if_(self, at: int) -> Node:
        """if (a) b; else c;"""
        self.at += 1
        self.expect("(")
        test = self.expression()
        self.expect(")")
        then = self.statement()
        other = None
        if self.take("else"):
            other = self.statement()

        return Node("if", at, {"test": test, "then": then, "other": other})

    def for_(self, at: int) -> Node:
        """for (const x of xs) { … }; any other loop is only known when it runs"""
        self.at += 1
        self.take("await")
        opening = self.at
        self.expect("(")
        self.take(*DECLARING)
        target = ""
        if self.peek() != ";":
            target = self.pattern()

        kind = self.take("of", "in")
        if not kind:
            self.at = opening
            return self.counting_loop(at)

        items = self.expression()
        self.expect(")")
        body = self.statement()
        return Node("for", at, {"target": target, "items": items, "body": body, "of": kind})

    def while_(self, at: int) -> Node:
        """while (a) { … }"""
        self.at += 1
        return self.counting_loop(at)

    def counting_loop(self, at: int) -> Node:
        """for (let i = 0; i < n; i++) { … }      a loop whose rounds only a run can count"""
        self.expect("(")
        depth = 1

        while depth:
            sign = self.word().text
            depth += (sign == "(") - (sign == ")")

        return Node("loop", at, {"body": self.statement()})

    def try_(self, at: int) -> Node:
        """try { … } catch (error) { … }      the block of try; the others are skipped"""
        self.at += 1
        tried = self.block(self.offset())
        if self.take("catch"):
            if self.peek() == "(":
                self.parameters()

            self.block(self.offset())

        if self.take("finally"):
            self.block(self.offset())

        return tried

    def throw(self, at: int) -> Node:
        """throw new Error("…")"""
        self.at += 1
        self.expression()
        self.take(";")
        return Node("block", at, {"body": []})

    def export(self, at: int) -> Node:
        """export const a = 1"""
        self.at += 1
        self.take("default")
        return self.statement()

    # -- expressions -------------------------------------------------------------------------------

    def expression(self) -> Node:
        """a, b      the last of several"""
        found = self.assignment()

        while self.take(","):
            found = self.assignment()

        return found

    def assignment(self) -> Node:
        """a = b, a += b, a ? b : c, x => …"""
        self.depth += 1
        if self.depth > DEEPEST:
            raise JavaScriptError("the code nests too deeply", self.offset())

        try:
            at = self.offset()
            arrow = self.arrow(at)
            if arrow is not None:
                return arrow

            left = self.ternary()
            sign = self.take("=", "+=")
            if sign:
                parts = {"target": left, "value": self.assignment(), "sign": sign}
                return Node("assign", at, parts)

            return left
        finally:
            self.depth -= 1

    def arrow(self, at: int) -> Node | None:
        """x => x, (x, y) => { … }, async ctx => …"""
        begin = self.at
        self.take("async")
        if self.peek(1) == "=>":
            names: list[tuple[Any, Any, bool]] = [(self.word().text, None, False)]
            self.at += 1
        elif self.peek() == "(" and self.is_arrow():
            names = self.parameters()
            self.expect("=>")
        else:
            self.at = begin
            return None

        if self.peek() == "{":
            return Node("lambda", at, {"names": names, "body": self.block(self.offset())})

        return Node("lambda", at, {"names": names, "value": self.assignment(), "body": None})

    def is_arrow(self) -> bool:
        """Tell whether an arrow follows the brackets ahead."""
        depth = ahead = 0

        while self.at + ahead < len(self.words):
            sign = self.peek(ahead)
            depth += (sign in "([{" and bool(sign)) - (sign in ")]}" and bool(sign))
            ahead += 1
            if depth == 0:
                return self.peek(ahead) == "=>"

        return False

    def ternary(self) -> Node:
        """a ? b : c"""
        at, test = self.offset(), self.binary(0)
        if not self.take("?"):
            return test

        then = self.assignment()
        self.expect(":")
        return Node("ternary", at, {"test": test, "then": then, "other": self.assignment()})

    def binary(self, level: int) -> Node:
        """a + b"""
        if level == len(LEVELS):
            return self.unary()

        at, left = self.offset(), self.binary(level + 1)

        while sign := self.take(*LEVELS[level]):
            parts = {"sign": sign, "left": left, "right": self.binary(level + 1)}
            left = Node("binary", at, parts)

        return left

    def unary(self) -> Node:
        """!a, -a, typeof a, new A()"""
        at = self.offset()
        sign = self.take("!", "-", "+", "typeof", "await", "new", "...", "void", "delete")
        if sign:
            return Node("unary", at, {"sign": sign, "value": self.unary()})

        return self.postfix(self.primary(), at)

    def postfix(self, held: Node, at: int) -> Node:
        """a.b, a[b], a(b), a`b`"""
        while True:
            if self.take("."):
                held = Node("member", at, {"of": held, "name": self.word().text})
            elif self.take("?."):
                if self.peek() not in ("(", "["):
                    held = Node("member", at, {"of": held, "name": self.word().text})
            elif self.take("["):
                held = Node("item", at, {"of": held, "key": self.expression()})
                self.expect("]")
            elif self.peek() == "(":
                held = Node("call", at, {"of": held, "given": self.arguments()})
            elif self.take("++", "--"):
                held = Node("unknown", at)
            else:
                return held

    def arguments(self) -> list[Node]:
        """(a, ...b)"""
        self.expect("(")
        found = []

        while not self.take(")"):
            found.append(self.assignment())
            if not self.take(","):
                self.expect(")")
                break

        return found

    def primary(self) -> Node:
        """A name, a literal, a list, an object, something in brackets."""
        at, word = self.offset(), self.word()
        if word.kind == "string":
            return Node("literal", at, {"value": unescape(word.text[1:-1])})

        if word.kind == "number":
            return Node("literal", at, {"value": number_of(word.text)})

        if word.kind == "template":
            return self.template(word)

        if word.kind == "regular":
            return Node("unknown", at)

        if word.text == "function":
            if self.peek() != "(":
                self.at += 1

            return self.function_rest(at)

        if word.text in LITERALS:
            return Node("literal", at, {"value": LITERALS[word.text]})

        if word.kind == "name":
            return Node("name", at, {"name": word.text})

        return self.brackets(at, word)

    def brackets(self, at: int, word: Word) -> Node:
        """(a), [a, b], {a: b}"""
        if word.text == "(":
            found = self.expression()
            self.expect(")")
            return found

        if word.text == "[":
            items = []
            while not self.take("]"):
                items.append(self.assignment())
                if not self.take(","):
                    self.expect("]")
                    break

            return Node("list", at, {"items": items})

        if word.text == "{":
            return self.object(at)

        raise JavaScriptError(f"'{word.text}' is not expected here", at)

    def object(self, at: int) -> Node:
        """{a: 1, "b": 2, c, ...d, f() { … }}"""
        pairs: list[tuple[Any, Node]] = []

        while not self.take("}"):
            begin = self.offset()
            if self.take("..."):
                pairs.append((None, self.assignment()))
            else:
                pairs.append(self.pair(begin))

            if not self.take(","):
                self.expect("}")
                break

        return Node("object", at, {"pairs": pairs})

    def pair(self, at: int) -> tuple[Any, Node]:
        """a: 1, "a": 1, [a]: 1, a, a() { … }"""
        if self.take("["):
            key: Any = self.expression()
            self.expect("]")
        else:
            word = self.word()
            key = word.text
            if word.kind == "string":
                key = unescape(word.text[1:-1])

        if self.peek() == "(":
            return key, self.function_rest(at)

        if self.take(":"):
            return key, self.assignment()

        if self.take("="):
            return key, self.assignment()

        return key, Node("name", at, {"name": key})

    def template(self, word: Word) -> Node:
        """`a ${b}`"""
        parts: list[Any] = []

        for kind, held in word.parts:
            if kind == "text":
                parts.append(held)
            else:
                assert isinstance(held, tuple)
                parts.append(parse_expression(self.text, *held))

        return Node("template", word.start, {"parts": parts})


LITERALS = {"true": True, "false": False, "null": None, "undefined": None}


def number_of(text: str) -> int | float:
    """Return the value of a number."""
    if text.lower().startswith("0x"):
        return int(text, 16)

    value = float(text)
    if value.is_integer() and abs(value) < 1e15:
        return int(value)

    return value


STATEMENTS: dict[str, Callable[[Parser, int], Node]] = {
    "{": Parser.block, ";": Parser.empty, "const": Parser.declaration, "let": Parser.declaration,
    "var": Parser.declaration, "function": Parser.function, "return": Parser.return_,
    "if": Parser.if_, "while": Parser.while_, "try": Parser.try_, "throw": Parser.throw,
    "for": Parser.for_, "export": Parser.export,
}  # fmt: skip


def parse_program(text: str, start: int = 0, end: int | None = None) -> list[Node]:
    """Return the statements of a text; a `JavaScriptError` if it is none."""
    return Parser(text, start, end).program()


def parse_expression(text: str, start: int = 0, end: int | None = None) -> Node:
    """Return the one expression of a text."""
    parser = Parser(text, start, end)
    if parser.has_ended:
        raise JavaScriptError("an expression is missing", start)

    found = parser.expression()
    if not parser.has_ended:
        raise JavaScriptError(f"'{parser.peek()}' is not expected here", parser.offset())

    return found
