// What is to be seen, to take away: a picture, the edges as CSV, a Mermaid diagram, a link.

import type { Canvas } from "./canvas.ts";
import { s } from "./dom.ts";
import type { EdgeId, Lineage } from "./lineage.ts";
import { short } from "./shape.ts";
import type { State } from "./state.ts";
import { titled } from "./words.ts";

/** The edges of the pinned path among those to be seen, or all of them. */
export function edgesOf(lineage: Lineage, canvas: Canvas, state: State): EdgeId[] {
  const visible = canvas.visibleEdges(state).sort((a, b) => a - b);
  if (state.column === null) return visible;
  const { edges } = lineage.path(state.column, state.inspect);
  return visible.filter((edge) => edges.has(edge));
}

export function csv(lineage: Lineage, edges: EdgeId[]): string {
  const rows = edges.map((edge) => {
    const source = lineage.source(edge);
    const field = lineage.isField(edge);
    return [
      lineage.name(lineage.datasetOf[source]!),
      lineage.columnName(source),
      lineage.name(lineage.intoDataset(edge)),
      field ? lineage.columnName(lineage.target(edge)) : "",
      lineage.edgeKind(edge),
      lineage.level(edge),
    ];
  });
  return [["source", "source_column", "target", "target_column", "kind", "confidence"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A cell that a spreadsheet would calculate is quoted with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function mermaid(lineage: Lineage, edges: EdgeId[]): string {
  const tables = new Map<number, string>();
  const id = (dataset: number): string => {
    if (!tables.has(dataset)) tables.set(dataset, `t${tables.size}`);
    return tables.get(dataset)!;
  };
  const lines = new Set<string>();
  for (const edge of edges) {
    const from = id(lineage.datasetOf[lineage.source(edge)]!);
    const to = id(lineage.intoDataset(edge));
    const column = quoted(lineage.columnName(lineage.source(edge)));
    lines.add(lineage.isField(edge) ? `  ${from} -->|"${column}"| ${to}` : `  ${from} -.->|"${column}"| ${to}`);
  }
  const nodes = [...tables].map(([dataset, name]) => `  ${name}["${quoted(lineage.name(dataset))}"]`);
  return ["flowchart LR", ...nodes, ...lines].join("\n") + "\n";
}

function quoted(text: string): string {
  return [...titled(text)].map((letter) => (/[\w .,:/-]/.test(letter) ? letter : `#${letter.codePointAt(0)};`)).join("");
}

/** The picture as one SVG with its colours written out: cards, rows and lines. */
export function svg(lineage: Lineage, canvas: Canvas): SVGSVGElement {
  const boxes = [...canvas.picture.boxes];
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const left = Math.min(...boxes.map(([, box]) => box.x)) - 20;
  const top = Math.min(...boxes.map(([, box]) => box.y)) - 20;
  const width = Math.max(...boxes.map(([, box]) => box.x + box.width)) - left + 20;
  const height = Math.max(...boxes.map(([, box]) => box.y + box.height)) - top + 20;
  const root = s("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${left} ${top} ${width} ${height}`, width: Math.ceil(width), height: Math.ceil(height), "font-family": "system-ui, sans-serif", "font-size": 13 });
  root.append(s("rect", { x: left, y: top, width, height, fill: colour("--ground") }));
  for (const wire of canvas.picture.wires) {
    root.append(s("path", { d: wire.path, fill: "none", stroke: colour(`--${wire.kind}`), "stroke-width": 1.5, "stroke-dasharray": DASHES[wire.kind] ?? null }));
  }
  for (const [dataset, box] of boxes) {
    root.append(s("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8, fill: colour("--card"), stroke: colour("--line") }));
    root.append(s("text", { x: box.x + 12, y: box.y + 20, "font-weight": 600, fill: colour("--ink") }, short(lineage.name(dataset))));
    root.append(s("text", { x: box.x + 12, y: box.y + 36, "font-size": 11, fill: colour("--quiet") }, lineage.kind(dataset)));
    const start = box.y + 46 + (box.scrolls ? 30 : 0);
    lineage.columns(dataset).slice(0, box.rows).forEach((column, index) => {
      root.append(s("text", { x: box.x + 12, y: start + index * 24 + 16, fill: colour("--ink") }, short(lineage.columnName(column))));
    });
  }
  return root;
}

const DASHES: Record<string, string> = { rename: "7 4", inspect: "2 4" };

export async function png(picture: SVGSVGElement): Promise<Blob> {
  const text = new XMLSerializer().serializeToString(picture);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture")))));
}

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
