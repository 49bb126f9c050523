"""The open documents: texts that an editor has, and no file yet."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from lineal.projects.intake import SHADOWS
from lineal.service.editor.positions import Text


class Documents:
    """The texts of open documents; readers of a project file read these instead.

    Each text is written to a file in a temporary folder, its shadow, which is opened in place of
    the file itself.
    """

    def __init__(self, text_on_disk: Callable[[str], str]) -> None:
        self.text_on_disk = text_on_disk
        self.texts: dict[str, str] = {}
        self._folder = ""
        self._numbers: dict[str, int] = {}

    def put(self, path: str, text: str) -> None:
        """Take the text of a document, in place of what its file holds."""
        path = os.path.abspath(path)  # noqa: PTH100
        self.texts[path] = text
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="lineal-lsp-")

        number = self._numbers.setdefault(path, len(self._numbers))
        shadow = Path(self._folder, f"{number}{Path(path).suffix}")
        shadow.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        SHADOWS[path] = str(shadow)

    def drop(self, path: str) -> None:
        """Forget a document that is closed: its file counts again."""
        path = os.path.abspath(path)  # noqa: PTH100
        self.texts.pop(path, None)
        SHADOWS.pop(path, None)

    def text(self, path: str) -> str:
        """Return the text of a document, else that of its file; '' if there is none."""
        found = self.texts.get(os.path.abspath(path))  # noqa: PTH100
        return self.text_on_disk(path) if found is None else found

    def lines(self, path: str, encoding: str) -> Text:
        """Return a text that can tell offsets from positions."""
        return Text(self.text(path), encoding)

    def close(self) -> None:
        """Remove the shadows."""
        for path in self.texts:
            SHADOWS.pop(path, None)

        self.texts.clear()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""
