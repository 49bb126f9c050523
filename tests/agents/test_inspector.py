"""The command line of the MCP inspector asks `lineal mcp`: a client that is not the Python SDK's.

Run it with `make test-inspector`, which installs the inspector; `make test` skips it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_agent import SOURCES

INSPECTOR = os.environ.get("LINEAL_INSPECTOR", "")
pytestmark = pytest.mark.skipif(not INSPECTOR, reason="LINEAL_INSPECTOR names no inspector")


def inspect(project: Path, *arguments: str) -> dict[str, Any]:
    """Return what the inspector prints for one request."""
    server = [sys.executable, "-m", "lineal", "mcp", str(project)]
    done = subprocess.run(
        [INSPECTOR, "--cli", *server, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "LINEAL_CACHE": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_inspector_lists_the_tools(project: Path) -> None:
    tools = {tool["name"]: tool for tool in inspect(project, "--method", "tools/list")["tools"]}
    assert {"search", "upstream", "impact", "unused", "coverage"} <= set(tools)
    assert tools["upstream"]["inputSchema"]["required"] == ["column"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())


def test_the_inspector_calls_a_tool(project: Path) -> None:
    call = ("--method", "tools/call", "--tool-name", "upstream", "--tool-arg", "column=mart.total")
    answer = inspect(project, *call)["structuredContent"]
    ends = [(each["source"]["dataset"], each["target"]["dataset"]) for each in answer["items"]]
    assert ends == [("stg_orders", "mart"), ("orders", "stg_orders")]
    assert answer["status"] == "answered" and answer["coverage"]["complete"] is True


def test_the_inspector_gets_an_error_for_an_unknown_name(project: Path) -> None:
    call = ("--method", "tools/call", "--tool-name", "upstream", "--tool-arg", "column=mart.totl")
    answer = inspect(project, *call)["structuredContent"]
    assert answer["status"] == "not_known" and "did you mean total?" in answer["note"]


def test_the_inspector_reads_resources_and_prompts(project: Path) -> None:
    uri = "lineal://project/summary"
    [content] = inspect(project, "--method", "resources/read", "--uri", uri)["contents"]
    assert json.loads(content["text"])["coverage"]["percent"] == 100
    prompts = inspect(project, "--method", "prompts/list")["prompts"]
    assert {prompt["name"] for prompt in prompts} == {"review_impact", "write_descriptions"}
