"""An editor for tests: pytest-lsp's client, which talks to `lineal lsp` over pipes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

COMMAND = [sys.executable, "-m", "lineal", "lsp"]
PATIENCE = 60.0

Result = TypeVar("Result")


class Editor:
    """A folder that is open in an editor."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.versions: dict[str, int] = {}

    # -- documents ---------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return self.folder.joinpath(name).as_uri()

    def text(self, name: str) -> str:
        return self.folder.joinpath(name).read_text(encoding="utf-8")

    def open(self, name: str, text: str | None = None, language: str = "sql") -> None:
        self.versions[name] = 1
        item = types.TextDocumentItem(
            self.uri(name), language, 1, self.text(name) if text is None else text
        )
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def edit(self, name: str, text: str) -> None:
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def save(self, name: str, text: str) -> None:
        """Write a file, and tell the server that it has changed."""
        self.folder.joinpath(name).write_text(text, encoding="utf-8")
        event = types.FileEvent(self.uri(name), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    def log(self, first: int = 0) -> str:
        """The messages of the server, from one of them on."""
        return "\n".join(each.message for each in self.client.log_messages[first:])

    def at(
        self, name: str, needle: str, inside: str = "", text: str | None = None
    ) -> types.Position:
        """The position of a word: of `inside` in the first `needle`."""
        text = self.text(name) if text is None else text
        offset = text.index(needle) + (needle.index(inside) if inside else 0)
        line = text.count("\n", 0, offset)
        return types.Position(line, offset - (text.rfind("\n", 0, offset) + 1))

    # -- questions ---------------------------------------------------------------------------------

    async def hover(self, name: str, needle: str, inside: str = "", **more: Any) -> str:
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(document, self.at(name, needle, inside, **more))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definition(self, name: str, needle: str, inside: str = "", **more: Any) -> list[str]:
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.DefinitionParams(document, self.at(name, needle, inside, **more))
        return self.shown(await self.client.text_document_definition_async(params))

    async def references(
        self, name: str, needle: str, inside: str = "", declared: bool = False
    ) -> list[str]:
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.ReferenceParams(
            types.ReferenceContext(declared), document, self.at(name, needle, inside)
        )
        return self.shown(await self.client.text_document_references_async(params))

    def shown(self, found: Any) -> list[str]:
        """Locations as file:line:column, counted from 1."""
        return [
            f"{Path(each.uri.removeprefix('file://')).relative_to(self.folder)}"
            f":{each.range.start.line + 1}:{each.range.start.character + 1}"
            for each in found or ()
        ]

    async def until(self, is_so: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until something is so."""
        for _ in range(int(seconds / 0.02)):
            if is_so():
                return
            await asyncio.sleep(0.02)
        raise AssertionError("it did not come to be so")

    def problems(self, name: str) -> list[str]:
        """The diagnostics of a file: line, code and message."""
        return [
            f"{each.range.start.line + 1} {each.code} {each.message}"
            for each in self.client.diagnostics.get(self.uri(name), ())
        ]


Conversation = Callable[[Editor], Awaitable[Result]]


def talk(
    folder: Path,
    conversation: Conversation[Result],
    client: str = "visual-studio-code",
    arguments: tuple[str, ...] = (),
) -> Result:
    """Start the server for a folder, talk to it, and end it as an editor does."""
    return asyncio.run(session(folder, conversation, client, arguments))


def talk_at_once(folder: Path, *conversations: Conversation[Result]) -> list[Result]:
    """Open a folder in several editors at the same time; each has a server of its own."""

    async def sessions() -> list[Result]:
        return list(await asyncio.gather(*(session(folder, each) for each in conversations)))

    return asyncio.run(sessions())


async def session(
    folder: Path,
    conversation: Conversation[Result],
    client: str = "visual-studio-code",
    arguments: tuple[str, ...] = (),
) -> Result:
    """Start a server, talk to it, and end it."""
    environment = {**os.environ, "LINEAL_CACHE": str(folder.parent / "cache")}
    config = ClientServerConfig([*COMMAND, *arguments], server_env=environment)
    connected = await config.start()
    assert isinstance(connected, LanguageClient)
    params = types.InitializeParams(
        client_capabilities(client), root_uri=folder.as_uri(), process_id=os.getpid()
    )
    await connected.initialize_session(params)
    try:
        return await asyncio.wait_for(
            _awaited(conversation(Editor(connected, folder))), PATIENCE * 2
        )
    finally:
        try:
            await asyncio.wait_for(connected.shutdown_session(), PATIENCE)
        finally:
            await asyncio.wait_for(connected.stop(), PATIENCE)


async def _awaited(result: Awaitable[Result]) -> Result:
    return await result
