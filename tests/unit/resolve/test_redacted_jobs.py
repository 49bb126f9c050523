"""The text of a job: each statement once, a procedure as a whole."""

import lineal.model.redaction as redaction
import lineal.resolve.jobs as jobs
from lineal.incremental.extraction import extract
from lineal.model.script import Corpus, Script

BODY = "".join(f"  INSERT INTO t{n % 3} SELECT a FROM s{n};\n\n" for n in range(30))
TEXT = f"CREATE PROCEDURE p AS\nBEGIN\n{BODY}END"


def test_a_procedure_that_writes_a_table_often_is_its_text_once(monkeypatch):
    seen = []

    def redact(text):
        seen.append(text)
        return redaction.redact_text(text)

    monkeypatch.setattr(jobs, "redact_text", redact)
    found = extract(Corpus("tsql", (Script(TEXT, "tsql", "p.sql"),))).jobs

    assert {str(job.outputs[0]) for job in found} == {"t0", "t1", "t2"}
    assert {job.sql for job in found} == {TEXT}
    assert len(seen) == 1
