"""make release: builds wheel and source archive into dist/, and checks that they can be published.

    content   only files that belong there
    twine     the metadata that PyPI asks for
    install   each Python from 3.11 on this machine: version, one lineage, the samples, import time
    sbom      the packages that `pip install lineal` brings, as CycloneDX
    changes   the section of CHANGELOG.md for this version

Nothing is uploaded. CONTRIBUTING.md lists what only the owner of the repository can do.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import lineal

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
VERSION = lineal.__version__
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MOST_BYTES = 4_000_000
MOST_IMPORT = 60
"""Milliseconds that `import lineal` may take."""

IN_WHEEL = re.compile(r"^(lineal/|lineal-[\w.]+\.dist-info/)")
IN_ARCHIVE = re.compile(
    r"^lineal-[\w.]+/(src/lineal/|examples/|README\.md|LICENSE|CHANGELOG\.md|pyproject\.toml|PKG-INFO|\.gitignore)"
)
STRANGE = re.compile(
    r"__pycache__|\.pyc$|/\.lineal/|/\.git/|node_modules|spark-warehouse|\.DS_Store"
)


class Failed(Exception):
    """A check does not hold; the message says which, and why."""


def main() -> int:
    """Build and check; 1 if a check does not hold."""
    try:
        for step in (build, check_content, check_metadata, check_installs, write_changes):
            for line in step():
                print(f"{step.__name__}: {line}", flush=True)
    except Failed as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    print(
        f"ready in {DIST.relative_to(ROOT)}: {', '.join(sorted(file.name for file in DIST.iterdir()))}"
    )
    return 0


def run(*call: str, cwd: Path = ROOT) -> str:
    """Run a command and return its output; a failure ends the release."""
    done = subprocess.run(call, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(call)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build() -> Iterator[str]:
    """Build the source archive, and the wheel from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST))
    for file in sorted(DIST.iterdir()):
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise Failed(f"{file.name} has {size:,} bytes, and may have {MOST_BYTES:,}")
        yield f"{file.name} {size / 1e6:.2f} MB"


def wheel() -> Path:
    """Return the wheel of this version."""
    return DIST / f"lineal-{VERSION}-py3-none-any.whl"


def archive() -> Path:
    """Return the source archive of this version."""
    return DIST / f"lineal-{VERSION}.tar.gz"


def check_content() -> Iterator[str]:
    """Check that both files hold the package and its samples, and nothing else."""
    with zipfile.ZipFile(wheel()) as file:
        yield check_names(wheel().name, file.namelist(), IN_WHEEL)
    with tarfile.open(archive()) as packed:
        yield check_names(archive().name, packed.getnames(), IN_ARCHIVE)


def check_names(name: str, names: list[str], allowed: re.Pattern[str]) -> str:
    """Return how many files there are; one that does not belong there ends the release."""
    strange = [each for each in names if not allowed.match(each) or STRANGE.search(each)]
    if strange:
        raise Failed(f"{name} holds files that do not belong there: {', '.join(strange[:5])}")
    if not any(each.endswith("shop/lineal.yml") for each in names):
        raise Failed(f"{name} lacks the samples")
    return f"{name} {len(names)} files"


def check_metadata() -> Iterator[str]:
    """Ask twine whether PyPI would accept the files."""
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel()), str(archive()))
    yield "twine check passes"


def check_installs() -> Iterator[str]:
    """Install the wheel for each Python that is present; name those that are not."""
    for version in PYTHONS:
        python = find_python(version)
        if python is None:
            yield f"Python {version} is not on this machine: not tested"
            continue
        with TemporaryDirectory() as folder:
            yield f"Python {version} {check_install(python, Path(folder))}"


def find_python(version: str) -> str | None:
    """Return an interpreter of a version: on the path, or one that pyenv holds."""
    named = shutil.which(f"python{version}")
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for python in [str(each) for each in reversed(kept)] + [named or ""]:
        if (
            python
            and not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
        ):
            return python
    return None


def check_install(python: str, folder: Path) -> str:
    """Install the wheel into a new environment and use it; return what was measured."""
    run(python, "-m", "venv", str(folder / "env"))
    inside = str(folder / "env" / "bin" / "python")
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel()))
    said = run(inside, "-m", "lineal", "--version", cwd=folder).strip()
    if said != f"lineal {VERSION}":
        raise Failed(f"lineal --version says {said}")
    run(inside, "-m", "lineal", "demo", "--samples", cwd=folder)
    edges = run(inside, "-m", "lineal", "lineage", "examples/sales", "--output", "rows", cwd=folder)
    if "orders,amount,paid_orders,euros" not in edges:
        raise Failed(f"the lineage of the samples lacks an edge: {edges}")
    write_sbom(inside)
    return f"works, import takes {import_time(inside)} ms"


def import_time(python: str) -> int:
    """Return the CPU milliseconds of `import lineal`, the smallest of five processes."""
    program = "import time; t = time.process_time(); import lineal; print((time.process_time() - t) * 1000)"
    taken = round(min(float(run(python, "-c", program)) for _ in range(5)))
    if taken > MOST_IMPORT:
        raise Failed(f"import lineal takes {taken} ms, and may take {MOST_IMPORT}")
    return taken


def write_sbom(python: str) -> None:
    """Write the packages of an environment as a CycloneDX document."""
    listed = json.loads(
        run(python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check")
    )
    packages = [each for each in listed if each["name"] not in ("pip", "setuptools", "lineal")]
    components = [
        {
            "type": "library",
            "name": each["name"],
            "version": each["version"],
            "purl": f"pkg:pypi/{each['name'].lower()}@{each['version']}",
        }
        for each in packages
    ]
    made = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid4()}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "lineal",
                "version": VERSION,
                "purl": f"pkg:pypi/lineal@{VERSION}",
            }
        },
        "components": components,
    }
    (DIST / f"lineal-{VERSION}.cdx.json").write_text(
        json.dumps(made, indent=1) + "\n", encoding="utf-8"
    )


def write_changes() -> Iterator[str]:
    """Write the section of the changelog for this version; before a release, what is unreleased."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name in (VERSION, "Unreleased"):
        section = changelog_section(text, name)
        if section:
            (DIST / "CHANGES.md").write_text(section, encoding="utf-8")
            yield f"section [{name}], {section.count(chr(10) + '- ')} entries"
            return
    raise Failed(f"CHANGELOG.md has no section for {VERSION}")


def changelog_section(text: str, name: str) -> str:
    """Return the section of a version, without its heading; '' if there is none."""
    found = re.search(
        rf"^## \[{re.escape(name)}\].*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() + "\n" if found else ""


if __name__ == "__main__":
    sys.exit(main())
