"""The outermost boundary of an extraction: a script over which lineal fails as a whole is left out.

Most failures end at the boundary of their statement. One that comes through costs its script, and
nothing else: the guilty scripts are found by halves. Nothing is paid for it while nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lineal.model.boundary import culprits, internal_error, let_pass
from lineal.model.diagnostic import Diagnostic, Place
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script

Extract = Callable[[Corpus], Extraction]


def contain(corpus: Corpus, extract: Extract, plainly: Extract) -> Extraction:
    """Return an extraction; of the sound scripts, plainly, if extracting all of them fails.

    A failure that belongs to no script is raised, unless the plain way does not have it.
    """
    try:
        return extract(corpus)
    except Exception as error:
        let_pass(error)
        return extract_sound_part(corpus, plainly, error)


def extract_sound_part(corpus: Corpus, extract: Extract, error: Exception) -> Extraction:
    """Return the extraction of the scripts over which lineal does not fail, and report the rest."""

    def extract_some(scripts: Sequence[Script]) -> Extraction:
        """Extract some scripts of the corpus."""
        return extract(replace(corpus, scripts=list(scripts)))

    guilty = culprits(corpus.scripts, extract_some)
    left_out = {id(script) for script, _ in guilty}
    found = extract_some([each for each in corpus.scripts if id(each) not in left_out])
    for script, why in guilty:
        lose(found, internal_error(why, Place(script.file, script.line, 1), "this script"))

    if not guilty:
        lose(found, internal_error(error, None, "the memory of former results"))

    return found


def lose(found: Extraction, diagnostic: Diagnostic) -> None:
    """Report a part of the input that was not read."""
    found.diagnostics.append(diagnostic)
    found.coverage.miss(diagnostic.code.code)
