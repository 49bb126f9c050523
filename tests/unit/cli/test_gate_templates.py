"""The GitLab template and the pre-commit hook do what they say, with the metadata of this project."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
GIT = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.com"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a change that breaks a reader."""
    (tmp_path / "v.sql").write_text("CREATE VIEW v AS SELECT 1 AS id, 2 AS a")
    (tmp_path / "w.sql").write_text("CREATE VIEW w AS SELECT a FROM v")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        subprocess.run([*GIT, *arguments], cwd=tmp_path, check=True)
    (tmp_path / "v.sql").write_text("CREATE VIEW v AS SELECT 1 AS id")
    return tmp_path


def metadata() -> dict[str, Any]:
    """Return what the project says of itself."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script as a runner does, with lineal on the path."""
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def template() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((ROOT / "templates" / "lineal.gitlab-ci.yml").read_text())
    return made


@pytest.mark.parametrize(("fail_on", "code"), [("block", 1), ("never", 0)])
def test_the_job_of_gitlab(repository: Path, fail_on: str, code: int) -> None:
    made = template()
    base = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True
    )
    variables = {
        **made["variables"],
        "LINEAL_FAIL_ON": fail_on,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base.stdout.strip(),
    }
    done = run("\n".join(made["lineal-diff"]["script"]), repository, **variables)
    assert done.returncode == code, done.stderr
    assert "⛔ BLOCK" in (repository / "lineage.md").read_text()
    assert '"verdict": "BLOCK"' in (repository / "lineage.json").read_text()


def test_the_template_installs_the_package_of_this_project() -> None:
    made = template()
    assert made["variables"]["LINEAL_PACKAGE"] == metadata()["name"]
    assert "lineal" in metadata()["scripts"]


def test_the_hook_of_pre_commit(repository: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    [hook] = [each for each in hooks if each["id"] == "lineal-diff"]
    assert hook["entry"].split()[0] in metadata()["scripts"]
    done = run(" ".join(map(shlex.quote, shlex.split(hook["entry"]))), repository)
    assert done.returncode == 1
    assert done.stdout.startswith("BLOCK: 1 finding")


def test_the_examples_of_the_guide_run_for_any_owner() -> None:
    """The action is the checkout of the step before it, and the hooks are those of this project."""
    page = (ROOT / "docs" / "how-to" / "diff.md").read_text()
    blocks = [yaml.safe_load(each.split("```")[0]) for each in page.split("```yaml\n")[1:]]
    [action] = [each for each in blocks if "jobs" in each]
    [hooks] = [each for each in blocks if "repos" in each]
    name = metadata()["name"]
    [_, checkout, uses] = action["jobs"]["lineage"]["steps"]
    assert checkout["with"]["repository"] == f"${{{{ github.repository_owner }}}}/{name}"
    assert uses["uses"] == f"./{checkout['with']['path']}"
    assert set(uses["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text())["inputs"])
    [repo] = hooks["repos"]
    assert repo["repo"].endswith(f"/{name}")
    known = {each["id"] for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert {hook["id"] for hook in repo["hooks"]} <= known
