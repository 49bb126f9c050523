"""Records the conversation of docs/how-to/agents.md: python docs/agent_session.py, with the extra `mcp`.

A client of the protocol asks `lineal mcp` about examples/shop. The questions and answers are real;
they are written as docs/pictures/agents.svg.
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "agents.svg"
SHOP = "examples/shop"
WIDTH = 100
MOST_ROWS = 4
FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts of the network, which a picture does not need."""

CONVERSATION: list[tuple[str, str, dict[str, Any]]] = [
    ("What breaks if raw_products.active is dropped?", "impact", {"name": "raw_products.active", "change": "drop"}),
    ("Where does fct_orders.amount come from?", "upstream", {"column": "fct_orders.amount"}),
    ("And fct_orders.amont?", "upstream", {"column": "fct_orders.amont"}),
    ("Which models can we delete?", "unused", {}),
]  # fmt: skip


def main() -> int:
    """Ask, and write the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    asyncio.run(talk(console))
    made = console.export_svg(title="An agent asks lineal mcp", unique_id="lineal-mcp")
    PICTURE.write_text(FONTS.sub("", made), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
    return 0


async def talk(console: Console) -> None:
    """Ask each question of the conversation."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "lineal", "mcp", SHOP], cwd=ROOT
    )
    async with (
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        for question, tool, asked in CONVERSATION:
            answer = (await session.call_tool(tool, asked)).structured_content
            assert answer is not None
            write(
                console,
                question,
                f"{tool}({', '.join(f'{k}={v}' for k, v in asked.items())})",
                answer,
            )


def write(console: Console, question: str, call: str, answer: dict[str, Any]) -> None:
    """Write one question, the call and the answer."""
    console.print(f"[bold cyan]>[/] [bold]{question}[/]")
    console.print(f"  {call}", highlight=False, style="dim")
    rows = [row for item in answer["items"] if (row := row_of(item))]
    for row in rows[:MOST_ROWS]:
        console.print(f"  {row}", highlight=False)
    if len(rows) > MOST_ROWS:
        console.print(f"  … and {len(rows) - MOST_ROWS} more", style="dim")
    if answer["note"]:
        console.print(f"  {answer['note']}", highlight=False, style="yellow")
    percent = answer["coverage"]["percent"]
    console.print(f"  [green]{answer['status']}[/] · coverage {percent:g} %\n", highlight=False)


def row_of(item: dict[str, Any]) -> str:
    """Return an item in one line."""
    if "target" in item:
        source, target = item["source"], item["target"]
        usage = item["usages"][0]
        end = f"{target['dataset']}.{target['column']}"
        return f"{source['dataset']}.{source['column']} → {end}  ({usage['expression']})"
    if "effect" in item:
        name = f"{item['dataset']}.{item['column']}" if item.get("column") else item["dataset"]
        return f"{item['effect']:8} {name}  {item.get('note') or ''}".rstrip()
    return f"{item['status']:8} {item['name']}  {item.get('reason') or ''}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
