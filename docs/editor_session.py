"""Records the pictures of docs/how-to/editor.md: python docs/editor_session.py, with the extra `lsp`.

Neovim runs in tmux, with `lineal lsp` as its language server, over a copy of examples/jaffle. The
keys are typed, and the screen is written as docs/pictures/editor-*.svg.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
PROJECT = ROOT / "examples" / "jaffle"
SETTINGS = Path(__file__).with_name("editor_session.lua")
WIDTH, HEIGHT = 100, 30
PATIENCE = 240.0
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts of the network, which a picture does not need."""


class Scene(NamedTuple):
    """A picture: the file that is opened, the keys, and the text that the screen shows then."""

    title: str
    file: str
    keys: tuple[str, ...]
    shows: str


SCENES = {
    "hover": Scene(
        "Hover over amount in models/marts/customers.sql",
        "models/marts/customers.sql",
        ("/sum(amount)", "Enter", "f(", "l", ":lua vim.lsp.buf.hover()", "Enter"),
        "Read by",
    ),
    "broken": Scene(
        "models/staging/stg_orders.sql loses order_id: models/marts/orders.sql below shows it at once",
        "models/marts/orders.sql",
        (":leftabove split models/staging/stg_orders.sql", "Enter", ":resize 9", "Enter",
         ":%s/as order_id/as number/", "Enter"),
        "no source in scope",
    ),
}  # fmt: skip


def main() -> int:
    """Record every scene."""
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(PROJECT, Path(folder, "jaffle")))
        for name, scene in SCENES.items():
            screen = record(scene, copy, Path(folder))
            picture = PICTURES / f"editor-{name}.svg"
            picture.write_text(draw(screen, scene.title, f"lineal-{name}"), encoding="utf-8")
            print(picture.relative_to(ROOT))
    return 0


def record(scene: Scene, project: Path, folder: Path) -> str:
    """Type the keys of a scene, and return the screen with its colors."""
    with open_editor(project, folder, scene.file) as tmux:
        wait_for(tmux, "downstream")
        for key in scene.keys:
            tmux("send-keys", *([] if key == "Enter" else ["-l"]), key)
        wait_for(tmux, scene.shows)
        time.sleep(1)
        return tmux("capture-pane", "-e", "-p")


class Tmux:
    """A tmux server of its own."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self.socket), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        return done.stdout


@contextmanager
def open_editor(project: Path, folder: Path, file: str) -> Iterator[Tmux]:
    """Open a file of the project in Neovim, and close it at the end."""
    tmux = Tmux(folder / "tmux")
    editor = os.environ.get("NEOVIM") or "nvim"
    settings = ["env", f"PYTHON={sys.executable}", f"LINEAL_CACHE={folder / 'cache'}"]
    settings += [f"HOME={folder}", f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}"]
    size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
    command = [*settings, editor, "-n", "-u", str(SETTINGS), file]
    tmux("-f", os.devnull, "new-session", "-d", *size, "-c", str(project), *command)
    try:
        yield tmux
    finally:
        tmux("kill-server")


def wait_for(tmux: Tmux, text: str) -> None:
    """Wait until the screen shows a text."""
    end = time.monotonic() + PATIENCE
    while text not in (screen := tmux("capture-pane", "-p")):
        if time.monotonic() > end:
            raise SystemExit(f"the editor does not show {text!r}:\n{screen}")
        time.sleep(0.2)


def draw(screen: str, title: str, name: str) -> str:
    """Return a screen as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi(screen.rstrip("\n")), no_wrap=True, crop=True, soft_wrap=False)
    return FONTS.sub("", console.export_svg(title=title, unique_id=name))


if __name__ == "__main__":
    sys.exit(main())
