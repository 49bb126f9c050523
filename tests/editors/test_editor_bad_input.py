"""What an editor and a project may do to the server: type fast, cancel, break files, come twice, die."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

from editor_client import Editor, talk, talk_at_once
from lsprotocol import types

STG_ORDERS, ORDERS = "models/staging/stg_orders.sql", "models/marts/orders.sql"
CUSTOMERS, PROJECT = "models/marts/customers.sql", "dbt_project.yml"


def test_fifty_edits_a_second_and_cancelled_requests(jaffle: Path) -> None:
    """Whatever is cancelled meanwhile, the last text counts, and its diagnostics are published."""

    async def conversation(editor: Editor) -> None:
        text = editor.text(STG_ORDERS)
        editor.open(STG_ORDERS)
        for number in range(50):
            editor.edit(STG_ORDERS, text + f"-- {number}\n" + "select" * (number % 2))
            ask_and_cancel(editor, CUSTOMERS, "sum(amount)")
            await asyncio.sleep(0.02)
        renamed = text.replace("id as order_id", "id as number")
        editor.edit(STG_ORDERS, renamed)
        ask_and_cancel(editor, CUSTOMERS, "sum(amount)")
        editor.open(CUSTOMERS)
        assert "`stg_orders.number`" in await editor.hover(STG_ORDERS, "number", text=renamed)
        await editor.until(lambda: any("order_id" in each for each in editor.problems(ORDERS)))
        await editor.until(
            lambda: not any("parse-error" in each for each in editor.problems(STG_ORDERS))
        )

        editor.edit(STG_ORDERS, text)
        await editor.until(lambda: not any("order_id" in each for each in editor.problems(ORDERS)))

    talk(jaffle, conversation)


def ask_and_cancel(editor: Editor, name: str, needle: str) -> None:
    """Ask for a hover, and tell the server at once that nobody waits for it."""
    document = types.TextDocumentIdentifier(editor.uri(name))
    params = types.HoverParams(document, editor.at(name, needle))
    number = str(uuid4())
    editor.client.protocol.send_request(types.TEXT_DOCUMENT_HOVER, params, msg_id=number)
    editor.client.cancel_request(types.CancelParams(number))


def test_a_closed_document_is_that_of_its_file_again(jaffle: Path) -> None:
    async def conversation(editor: Editor) -> None:
        text = editor.text(STG_ORDERS)
        editor.open(STG_ORDERS, text.replace("id as order_id", "id as number"))
        await editor.until(lambda: any("order_id" in each for each in editor.problems(ORDERS)))
        editor.close(STG_ORDERS)
        await editor.until(lambda: not any("order_id" in each for each in editor.problems(ORDERS)))
        assert "`stg_orders.order_id`" in await editor.hover(STG_ORDERS, "order_id")

    talk(jaffle, conversation)


def test_a_huge_file_and_unknown_names(jaffle: Path) -> None:
    """2,000 columns are read like any others; names that nobody knows have no hover."""
    columns = ",\n".join(f"    order_id + {number} as c{number}" for number in range(2_000))
    huge = f"select\n{columns}\nfrom {{{{ ref('stg_orders') }}}}\n"
    jaffle.joinpath("models/huge.sql").write_text("select 1 as one\n")

    async def conversation(editor: Editor) -> None:
        editor.open("models/huge.sql", huge)
        assert "raw_orders.id" in await editor.hover(STG_ORDERS, "id as", "id")
        await editor.until(lambda: editor.uri("models/huge.sql") in editor.client.diagnostics)
        last = await editor.hover("models/huge.sql", "c1999", text=huge)
        assert "`stg_orders.order_id`" in last
        assert await editor.hover("models/none.sql", "x", text="x") == ""
        assert await editor.definition("models/none.sql", "x", text="x") == []
        text = "select nobody, orders.nothing from orders\n"
        editor.open("models/new.sql", text)
        assert await editor.definition("models/new.sql", "nobody", text=text) == []
        beyond = types.Position(10_000, 10_000)
        document = types.TextDocumentIdentifier(editor.uri(STG_ORDERS))
        params = types.HoverParams(document, beyond)
        assert await editor.client.text_document_hover_async(params) is None

    talk(jaffle, conversation)


def test_files_that_change_while_they_are_read(jaffle: Path) -> None:
    """Whatever a reading has seen halfway, the one after the last change sees the file as it is."""
    text = jaffle.joinpath(STG_ORDERS).read_text()
    changed = text.replace("id as order_id", "id as number")

    async def conversation(editor: Editor) -> None:
        for number in range(20):
            halfway = len(text) // 2 if number % 2 else 0
            editor.save(STG_ORDERS, text[:halfway])
            await asyncio.sleep(0.05)
        editor.save(STG_ORDERS, changed)
        await editor.until(lambda: any("order_id" in each for each in editor.problems(ORDERS)))
        assert "`stg_orders.number`" in await editor.hover(STG_ORDERS, "number")
        jaffle.joinpath(STG_ORDERS).unlink()
        editor.save(ORDERS, editor.text(ORDERS))
        assert "`orders.amount`" in await editor.hover(CUSTOMERS, "sum(amount)", "amount")
        editor.save(STG_ORDERS, text)
        await editor.until(lambda: not any("order_id" in each for each in editor.problems(ORDERS)))

    talk(jaffle, conversation)


def test_answers_are_about_the_current_files(jaffle: Path) -> None:
    """Lines are added above the name: whether a client tells or not, a rename edits the name."""

    async def conversation(editor: Editor) -> None:
        assert "`stg_orders.order_id`" in await editor.hover(STG_ORDERS, "order_id")
        editor.save(STG_ORDERS, "-- one\n-- two\n" + editor.text(STG_ORDERS))
        assert "`stg_orders.order_id`" in await editor.hover(STG_ORDERS, "as order_id", "order_id")
        text = "-- nobody\n-- tells\n-- this\n" + editor.text(CUSTOMERS)
        jaffle.joinpath(CUSTOMERS).write_text(text, encoding="utf-8")
        document = types.TextDocumentIdentifier(editor.uri(CUSTOMERS))
        params = types.RenameParams(document, editor.at(CUSTOMERS, "as spent", "spent"), "paid")
        found = await editor.client.text_document_rename_async(params)
        assert found is not None and found.document_changes is not None
        (change,) = found.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        lines = text.splitlines()
        for edit in change.edits:
            assert isinstance(edit, (types.TextEdit, types.AnnotatedTextEdit))
            span = edit.range
            line = lines[span.start.line]
            assert line[span.start.character : span.end.character] == "spent"

    talk(jaffle, conversation)


def test_a_broken_dbt_project_has_a_diagnostic_and_answers(jaffle: Path) -> None:
    """The settings cannot be read: their file has a diagnostic, and the models are read without them."""
    good = jaffle.joinpath(PROJECT).read_text()
    jaffle.joinpath(PROJECT).write_text("name: [jaffle\n")

    async def conversation(editor: Editor) -> None:
        await editor.until(lambda: any("yaml-error" in each for each in editor.problems(PROJECT)))
        assert "raw_orders.id" in await editor.hover(STG_ORDERS, "id as", "id")
        editor.save(PROJECT, good)
        await editor.until(lambda: not editor.problems(PROJECT))
        assert "raw_orders.id" in await editor.hover(STG_ORDERS, "id as", "id")

    talk(jaffle, conversation)


def test_two_clients_at_once_have_their_own_texts(jaffle: Path) -> None:
    async def first(editor: Editor) -> str:
        text = editor.text(STG_ORDERS).replace("id as order_id", "id as typed_here")
        editor.open(STG_ORDERS, text)
        return await editor.hover(STG_ORDERS, "typed_here", text=text)

    async def second(editor: Editor) -> str:
        return await editor.hover(STG_ORDERS, "order_id")

    typed, saved = talk_at_once(jaffle, first, second)
    assert "stg_orders.typed_here" in typed
    assert "stg_orders.order_id" in saved


def test_the_server_ends_with_its_client(jaffle: Path) -> None:
    """A client that dies closes its pipes; neither the server nor its worker stays."""
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"'
        + jaffle.as_uri().encode()
        + b'","capabilities":{}}}'
    )
    told = b'{"jsonrpc":"2.0","method":"initialized","params":{}}'
    started = subprocess.Popen(
        [sys.executable, "-m", "lineal", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LINEAL_CACHE": str(jaffle.parent / "cache")},
        start_new_session=True,
    )
    assert started.stdin is not None
    for each in (body, told):
        started.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(each), each))
    started.stdin.flush()
    time.sleep(2)
    started.stdin.close()
    assert started.wait(30) is not None
    for _ in range(100):
        if not is_alive(started.pid):
            break
        time.sleep(0.2)
    assert not is_alive(started.pid)


def is_alive(group: int) -> bool:
    """Whether a process of a group still runs."""
    try:
        os.killpg(group, signal.SIGCONT)
    except ProcessLookupError:
        return False
    return True
