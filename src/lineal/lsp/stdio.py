"""Standard input of the language server: the server ends when its client does."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO


class ClientInput(BytesIO):
    """The bytes that a client sends; at their end, the process ends with all that it has started.

    A client that dies sends no `exit`: its end of the pipe is closed, and nothing more comes.
    """

    def __init__(self, stream: BinaryIO, end: Callable[[], None]) -> None:
        super().__init__()
        self.stream = stream
        self.end = end

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line."""
        return self._check_data(self.stream.readline())

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes."""
        return self._check_data(self.stream.read(-1 if size is None else size))

    def _check_data(self, data: bytes) -> bytes:
        """Return the data that was read; end the process when the client has closed the stream."""
        if not data:
            self.end()
            os._exit(0)

        return data
