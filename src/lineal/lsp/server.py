"""The features of the language server.

Each hands its question to the worker, and gives the answer the shape that the protocol wants; none
computes lineage. Edits are gathered for a moment before the worker is asked about them.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

from lsprotocol import converters, types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import json_rpc

from lineal import __version__
from lineal.lsp.notebooks import NOTEBOOKS, Notebooks
from lineal.lsp.stdio import ClientInput
from lineal.service.answers import Misasked
from lineal.service.worker import Worker, WorkerFailed

Start = Callable[[str, Callable[[], list[tuple[str, Mapping[str, Any]]]]], Worker]
"""Returns the worker of a folder; it is told the open documents whenever it starts."""

Shape = TypeVar("Shape")

CHECK_AFTER = 0.05
"""Seconds without an edit before the edited file is checked."""
REFRESH_AFTER = 1.0
"""Seconds without an edit before the project is read again, if an edit asks for that."""


START = {"line": 0, "character": 0}
REFUSED = -32803
"""The protocol's code of a request that was understood and cannot be fulfilled: RequestFailed."""


class Session:
    """One client, the worker that reads its project, and the documents that it has open."""

    def __init__(self, server: LanguageServer, start: Start) -> None:
        self.server = server
        self.start = start
        self.worker: Worker | None = None
        self.texts: dict[str, str] = {}
        self.encoding = "utf-16"
        self.published: set[str] = set()
        self.notebooks = Notebooks()
        self._shapes = converters.get_converter()
        self._sent: dict[str, str] = {}
        self._sending = asyncio.Lock()
        self._checking: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._is_edited = False
        self._is_behind = False
        """files have changed, and the project was not read again"""

    # -- the worker --------------------------------------------------------------------------------

    def open(self, folder: str, encoding: str) -> None:
        """Start to read a project."""
        self.encoding = self.notebooks.encoding = encoding
        self.worker = self.start(folder, self.greeting)
        self._refreshing = asyncio.create_task(self.refresh())

    def greeting(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return what a new worker has to know: the texts of open documents."""
        self._sent = dict(self.texts)
        return [("put", {"path": path, "text": text}) for path, text in self.texts.items()]

    async def ask(self, question: str, **asked: Any) -> dict[str, Any]:
        """Return the worker's answer; what cannot be answered is an error of the protocol."""
        if self.worker is None:
            raise JsonRpcException("the server is not initialized", -32002)

        try:
            await self.send_texts(self.worker)
            behind, self._is_behind = self._is_behind, False
            try:
                about = {"encoding": self.encoding, "is_behind": behind}
                return await self.worker.ask(question, {**asked, **about})
            except BaseException:
                self._is_behind = self._is_behind or behind
                raise
        except Misasked as mistake:
            raise JsonRpcException(str(mistake), REFUSED) from mistake
        except WorkerFailed as failure:
            raise JsonRpcException(str(failure), -32603) from failure

    async def send_texts(self, worker: Worker) -> None:
        """Tell the worker the documents as they are now, before it is asked about them.

        A text counts as sent once the worker has taken it: a request that is cancelled before that
        leaves it to the next one.
        """
        async with self._sending:
            for path in self._sent.keys() - self.texts.keys():
                await worker.ask("drop", {"path": path})
                self._sent.pop(path, None)

            for path, text in list(self.texts.items()):
                if self._sent.get(path) != text:
                    await worker.ask("put", {"path": path, "text": text})
                    self._sent[path] = text

    async def close(self) -> None:
        """End the worker."""
        for task in (self._checking, self._refreshing):
            if task is not None:
                task.cancel()

        if self.worker is not None:
            await self.worker.close()

    def kill(self) -> None:
        """End the worker at once."""
        if self.worker is not None:
            self.worker.kill()

    # -- documents ---------------------------------------------------------------------------------

    def put(self, path: str, text: str) -> None:
        """Take the text of a document, and check it once the typing pauses."""
        self.texts[path] = text
        self.check_soon()

    def drop(self, path: str) -> None:
        """Forget a document: its file counts again."""
        self.texts.pop(path, None)
        self.check_soon()

    def check_soon(self) -> None:
        """Check the edits, after those that are being checked now."""
        self._is_edited = True
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self.check_edits())

    async def check_edits(self) -> None:
        """Check edited files until none is left; edits that come meanwhile are checked together."""
        while self._is_edited:
            await asyncio.sleep(CHECK_AFTER)
            self._is_edited = False
            with self.telling():
                await self.check()

    async def check(self) -> None:
        """Publish what the last edits change; the project is read again if that is not enough."""
        found = await self.ask("check")
        self.publish(found["files"], is_whole=False)
        if found["is_stale"]:
            self.refresh_soon(REFRESH_AFTER)

    def files_changed(self) -> None:
        """Read the project again soon; a question that comes before that reads it, too."""
        self._is_behind = True
        self.refresh_soon(REFRESH_AFTER)

    def refresh_soon(self, pause: float = 0.0) -> None:
        """Read the project again after a pause without edits."""
        if self._refreshing is not None and not self._refreshing.done():
            self._refreshing.cancel()

        self._refreshing = asyncio.create_task(self.refresh(pause))

    async def refresh(self, pause: float = 0.0) -> None:
        """Read the project again, and publish all of its diagnostics."""
        await asyncio.sleep(pause)
        with self.telling():
            found = await self.ask("refresh")
            self.publish(found["files"], is_whole=True)
            if found["problem"]:
                self.tell(f"lineal cannot read the project: {found['problem']}")

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Write failures of checks and refreshes into the editor's log."""
        try:
            yield
        except JsonRpcException as failure:
            self.tell(f"lineal cannot read the project: {failure.message}")

    def tell(self, message: str) -> None:
        """Write a line into the editor's log."""
        params = types.LogMessageParams(types.MessageType.Warning, message)
        self.server.window_log_message(params)

    def publish(self, files: Mapping[str, list[dict[str, Any]]], is_whole: bool) -> None:
        """Publish the diagnostics of files; those of files that have none any more are cleared."""
        gone = self.published - files.keys() if is_whole else set()
        for path in [*files, *gone]:
            several = files.get(path, [])
            for uri, listed in self.notebooks.split(path, several, uri_of(path)).items():
                params = types.PublishDiagnosticsParams(
                    uri, [self.shape(each, types.Diagnostic) for each in listed]
                )
                self.server.text_document_publish_diagnostics(params)

        self.published = {path for path in (*self.published, *files) if path not in gone}

    # -- shapes ------------------------------------------------------------------------------------

    def shape(self, values: Any, kind: type[Shape]) -> Shape:
        """Return plain values as an object of the protocol."""
        return self._shapes.structure(values, kind)

    def at(self, params: Any) -> dict[str, Any]:
        """Return the path and position that a request is about."""
        path, position = self.notebooks.place(
            params.text_document.uri, plain_position(params.position)
        )
        return {"path": path, "position": position}

    def locations(self, found: list[dict[str, Any]]) -> list[types.Location]:
        """Return the locations of an answer."""
        shaped = []
        for each in found:
            uri, span = self.notebooks.cell(each["path"], each["range"], uri_of(each["path"]))
            shaped.append(types.Location(uri, self.shape(span, types.Range)))

        return shaped


def plain_position(position: types.Position) -> dict[str, int]:
    """Return a position as plain values."""
    return {"line": position.line, "character": position.character}


def uri_of(path: str) -> str:
    """Return the address of a file."""
    return uris.from_fs_path(path) or path


def path_of(uri: str) -> str:
    """Return the file of an address."""
    return uris.to_fs_path(uri) or uri


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Tell whether a record is more than a refusal, whose reason the client gets as an answer."""
    problem = record.exc_info[1] if record.exc_info else None
    return not (isinstance(problem, JsonRpcException) and problem.code == REFUSED)


def serve(start: Start, stream: BinaryIO) -> None:
    """Serve a client until it ends; `start` returns the worker that reads a folder."""
    logging.getLogger(json_rpc.__name__).addFilter(is_worth_logging)
    server, session = build_server(start)
    server.start_io(ClientInput(stream, session.kill))


def build_server(start: Start) -> tuple[LanguageServer, Session]:
    """Return a language server, and the session with its client."""
    server = LanguageServer("lineal", __version__, notebook_document_sync=NOTEBOOKS)
    session = Session(server, start)
    add_life(server, session)
    add_documents(server, session)
    add_notebooks(server, session)
    add_questions(server, session)
    add_edits(server, session)
    add_actions(server, session)
    add_lenses(server, session)
    return server, session


def add_life(server: LanguageServer, session: Session) -> None:
    """Begin and end with the client."""

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        """Read the project of the folder that the client has open."""
        folder = server.workspace.root_path or os.getcwd()  # noqa: PTH109
        encoding = server.workspace.position_encoding or types.PositionEncodingKind.Utf16
        session.open(folder, str(getattr(encoding, "value", encoding)))

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        """End the worker.

        The type of `params` matters: pygls passes the server first to a handler that accepts it.
        """
        await session.close()


def add_documents(server: LanguageServer, session: Session) -> None:
    """Follow what the editor has open."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        """Take the text of a document that is opened."""
        session.put(path_of(params.text_document.uri), params.text_document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        """Take the text of a document after an edit."""
        document = server.workspace.get_text_document(params.text_document.uri)
        session.put(path_of(params.text_document.uri), document.source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(params: types.DidCloseTextDocumentParams) -> None:
        """Forget the text of a document: its file counts again."""
        session.drop(path_of(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(params: types.DidSaveTextDocumentParams) -> None:
        """Read the project again: a saved file may decide more than its own text."""
        session.refresh_soon()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        """Read the project again once the files have settled, or when the next question comes."""
        session.files_changed()


def add_notebooks(server: LanguageServer, session: Session) -> None:
    """Follow the notebooks that the editor has open."""

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def notebook_did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        """Take the cells of a notebook that is opened."""
        session.put(*session.notebooks.open(server, params.notebook_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def notebook_did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        """Take the cells of a notebook after an edit."""
        session.put(*session.notebooks.open(server, params.notebook_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def notebook_did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget the cells of a notebook."""
        session.drop(session.notebooks.close(params.notebook_document.uri))


def add_questions(server: LanguageServer, session: Session) -> None:
    """Answer what the editor asks."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        """Return type, description, sources and readers of the name under the cursor."""
        found = await session.ask("hover", **session.at(params))
        if not found:
            return None

        _, span = session.notebooks.cell(session.at(params)["path"], found["range"], "")
        return session.shape({**found, "range": span}, types.Hover)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        """Return where the name under the cursor is defined."""
        found = await session.ask("definition", **session.at(params))
        return session.locations(found["locations"])

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        """Return every read of the name under the cursor."""
        found = await session.ask(
            "references",
            **session.at(params),
            include_declaration=params.context.include_declaration,
        )
        return session.locations(found["locations"])


def add_edits(server: LanguageServer, session: Session) -> None:
    """Complete and rename."""

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=[".", "'", '"']),
    )
    async def completion(params: types.CompletionParams) -> types.CompletionList:
        """Return the columns in scope, or the names of datasets."""
        found = await session.ask("completion", **session.at(params))
        items = [session.shape(each, types.CompletionItem) for each in found["items"]]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(
        types.TEXT_DOCUMENT_RENAME,
        types.RenameOptions(prepare_provider=True),
    )
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        """Return the edits of a rename; a refusal is an error with the reason."""
        found = await session.ask("rename", **session.at(params), new_name=params.new_name)
        return workspace_edit(session, found["edits"])

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare_rename(
        params: types.PrepareRenameParams,
    ) -> types.PrepareRenamePlaceholder:
        """Return the name that would be renamed; a refusal is an error with the reason."""
        found = await session.ask("prepare_rename", **session.at(params))
        path = session.at(params)["path"]
        _, span = session.notebooks.cell(path, found["range"], "")
        return types.PrepareRenamePlaceholder(
            session.shape(span, types.Range),
            found["placeholder"],
        )


def add_actions(server: LanguageServer, session: Session) -> None:
    """Offer small edits."""

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[
                types.CodeActionKind.QuickFix,
                types.CodeActionKind.RefactorRewrite,
            ]
        ),
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the edits that are offered at a range."""
        uri = params.text_document.uri
        path, start = session.notebooks.place(uri, plain_position(params.range.start))
        _, end = session.notebooks.place(uri, plain_position(params.range.end))
        span = {"start": start, "end": end}
        found = await session.ask("actions", path=path, range=span)
        return [
            types.CodeAction(
                each["title"],
                kind=each["kind"],
                edit=workspace_edit(session, each["edits"]),
            )
            for each in found["actions"]
        ]


def add_lenses(server: LanguageServer, session: Session) -> None:
    """Show a line above each dataset, and tell editors the name under the cursor."""

    @server.feature(
        types.TEXT_DOCUMENT_CODE_LENS,
        types.CodeLensOptions(resolve_provider=True),
    )
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return where lenses are; their texts follow when they are seen."""
        path, _ = session.notebooks.place(params.text_document.uri, START)
        found = await session.ask("lenses", path=path)
        return [session.shape(each, types.CodeLens) for each in found["lenses"]]

    @server.feature(types.CODE_LENS_RESOLVE)
    async def resolve_lens(lens: types.CodeLens) -> types.CodeLens:
        """Return a lens with its text."""
        found = await session.ask("lens", **dict(lens.data or {}))
        lens.command = types.Command(found["title"], found["command"], None, found["arguments"])
        return lens

    @server.feature("lineal/name")
    async def name(params: Any) -> dict[str, str]:
        """Return the dataset or column under the cursor: {"name": "orders.amount"}."""
        return await session.ask("name", **session.at(named_position(params)))


def named_position(params: Any) -> types.TextDocumentPositionParams:
    """Return the document and position of a request that is not part of the protocol."""
    document, position = params.textDocument, params.position
    return types.TextDocumentPositionParams(
        types.TextDocumentIdentifier(document.uri),
        types.Position(position.line, position.character),
    )


def workspace_edit(session: Session, found: list[dict[str, Any]]) -> types.WorkspaceEdit:
    """Return edits of files; with labels for a preview, if the client shows them."""
    changes: dict[str, list[Any]] = {}
    labels: dict[str, types.ChangeAnnotation] = {}
    for each in found:
        uri, span = session.notebooks.cell(each["path"], each["range"], uri_of(each["path"]))
        labels[each["label"]] = types.ChangeAnnotation(each["label"])
        edit = types.AnnotatedTextEdit(
            each["label"],
            session.shape(span, types.Range),
            each["new_text"],
        )
        changes.setdefault(uri, []).append(edit)

    if not shows_labels(session.server.client_capabilities):
        plain = {
            uri: [types.TextEdit(each.range, each.new_text) for each in several]
            for uri, several in changes.items()
        }
        return types.WorkspaceEdit(changes=plain)

    documents = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri),
            several,
        )
        for uri, several in changes.items()
    ]
    return types.WorkspaceEdit(document_changes=documents, change_annotations=labels)


def shows_labels(capabilities: types.ClientCapabilities) -> bool:
    """Tell whether a client shows what each edit of a rename is for."""
    workspace = capabilities.workspace
    edit = workspace.workspace_edit if workspace is not None else None
    return edit is not None and edit.change_annotation_support is not None
