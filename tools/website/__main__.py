"""make docs: puts the pages together and builds the site, without a warning.

python -m website              build site/ in .cache/site
python -m website --stage      only write the pages, to look at them or to serve them with MkDocs
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import yaml

from website.pages import DOCS, ROOT, dead_links, write_if_changed, write_pages
from website.staging import navigation, stage

WORK = ROOT / ".cache" / "site"
SETTINGS = "mkdocs.yml"


def main() -> int:
    """Build the site; 1 if a link is dead or MkDocs warns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", action="store_true", help="Only write the pages.")
    parser.add_argument("--out", type=Path, default=WORK / "site", help="Where the site goes.")
    arguments = parser.parse_args()
    staged = stage()
    dead = dead_links(staged.pages, staged.files)
    for link in dead:
        print(f"dead link: {link}", file=sys.stderr)
    if dead:
        return 1
    write_pages(staged, WORK / "pages")
    write_settings(staged.pages, arguments.out)
    print(f"{len(staged.pages)} pages, {len(staged.files)} files", flush=True)
    if arguments.stage:
        return 0
    call = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "-f",
        str(WORK / SETTINGS),
    ]
    # the notice that a successor is being built is not about the pages
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    code = subprocess.run(call, env=environment, check=False).returncode
    if not code:
        print(f"open {arguments.out / 'index.html'}")
    return code


def write_settings(pages: dict[str, str], out: Path) -> None:
    """Write the settings of MkDocs: those of docs/mkdocs.yml with the tree of pages."""
    settings = {
        "INHERIT": str(DOCS / SETTINGS),
        "docs_dir": str(WORK / "pages"),
        "theme": {"custom_dir": str(DOCS / "theme")},
        "site_dir": str(out.resolve()),
        "nav": navigation(pages),
    }
    text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False, width=1000)
    write_if_changed(WORK / SETTINGS, text.encode("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
