"""-- lineal: ignore[A050]: which findings a comment silences, and which comments silence none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lineal.model.finding import Found, Suppression
from lineal.model.grouping import group
from lineal.rules.rule import Rule


class Silence:
    """The comments of a project that silence rules, and which of them have done so."""

    def __init__(self, suppressions: Iterable[Suppression], rules: Collection[Rule]) -> None:
        self._by_file = group(suppressions, lambda each: each.place.file)
        self._used: set[tuple[str, tuple[str, ...], str]] = set()
        self._rules = rules

    def covers(self, rule: Rule, found: Found) -> bool:
        """Tell whether a comment is at any of the spots that a finding has to do with."""
        silenced = False
        for place in found.places:
            for suppression in self._by_file.get(place.file, ()):
                code = _matching_code(rule, suppression) if suppression.covers(place) else None
                if code is not None:
                    self._used.add((place.file, suppression.codes, code))
                    silenced = True

        return silenced

    def unused_comments(self, active: Collection[str]) -> Iterator[Found]:
        """Comments that silence nothing, although their rules were asked; a file may be read in
        several renderings.
        """
        for file, several in self._by_file.items():
            for suppression in dict.fromkeys(several):
                for code in suppression.codes or ("",):
                    if (file, suppression.codes, code) not in self._used and self._was_asked(
                        code, active
                    ):
                        yield Found(self._message(code), suppression.place)

    def _was_asked(self, code: str, active: Collection[str]) -> bool:
        """Tell whether the rules of a comment are among the active ones."""
        called = [rule for rule in self._rules if rule.is_called(code)] if code else []
        return not called or all(rule.code in active for rule in called)

    def _message(self, code: str) -> str:
        """Return the message of a comment that silences nothing."""
        if not code:
            return "the comment silences nothing"

        known = any(rule.is_called(code) for rule in self._rules)
        if known:
            return f"ignore[{code}] silences nothing"

        return f"ignore[{code}]: there is no such rule"


def _matching_code(rule: Rule, suppression: Suppression) -> str | None:
    """The code by which a comment means the rule; '' where it means all of them."""
    if not suppression.codes:
        return ""

    return next(filter(rule.is_called, suppression.codes), None)
