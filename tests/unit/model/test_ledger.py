"""The file chain of the ledger: every difference between two numbers has a reason."""

from __future__ import annotations

from lineal.model.ledger import EXAMPLES, FileLedger, Reason, Stage


def chain(ledger: FileLedger) -> tuple[int, int, int, int]:
    made = ledger.chain()
    return made.found, made.due, made.read, made.rendered


def test_each_reason_lowers_the_number_after_its_stage() -> None:
    expected = {
        Stage.FOUND: (2, 1, 1, 1),
        Stage.DUE: (2, 2, 1, 1),
        Stage.READ: (2, 2, 2, 1),
    }
    for reason in Reason:
        ledger = FileLedger()
        ledger.add("a.sql")
        ledger.leave_out("b.sql", reason)
        assert chain(ledger) == expected[reason.stage], reason
        assert list(ledger.reasons()) == [(reason, 1, ["b.sql"])]


def test_a_file_counts_once_with_its_first_reason() -> None:
    ledger = FileLedger()
    ledger.leave_out("a.sql", Reason.TEMPLATE_ERROR)
    ledger.add("a.sql")
    ledger.leave_out("a.sql", Reason.ENCODING)
    ledger.leave_out("a.sql", Reason.TEMPLATE_ERROR)

    assert chain(ledger) == (1, 1, 0, 0)
    assert list(ledger.reasons()) == [(Reason.ENCODING, 1, ["a.sql"])]


def test_files_that_are_not_due_are_counted_and_not_kept() -> None:
    ledger = FileLedger()
    for number in range(1000):
        ledger.leave_out(f"target/{number}.sql", Reason.BUILD_FOLDER)

    ((reason, count, files),) = ledger.reasons()
    assert (reason, count, len(files)) == (Reason.BUILD_FOLDER, 1000, EXAMPLES)
    assert chain(ledger) == (1000, 0, 0, 0)


def test_a_file_of_two_inputs_counts_once() -> None:
    first, second = FileLedger(), FileLedger()
    first.add("a.sql")
    first.leave_out("x.bin", Reason.OTHER_KIND)
    second.leave_out("a.sql", Reason.NOT_TEXT)
    second.leave_out("y.bin", Reason.OTHER_KIND)
    first.unite(second)

    assert chain(first) == (3, 1, 0, 0)
    assert [(reason, count) for reason, count, _ in first.reasons()] == [
        (Reason.OTHER_KIND, 2),
        (Reason.NOT_TEXT, 1),
    ]
