// What is to be seen, to take away: a picture, the edges as CSV, a Mermaid diagram, a link.

import type { Canvas } from "./canvas.ts";
import { boxCount } from "./cards.ts";
import type { Raw } from "./data.ts";
import { s } from "./dom.ts";
import { said } from "./excerpt.ts";
import type { EdgeId, Lineage } from "./lineage.ts";
import type { Thing } from "./scene.ts";
import { FIND, HEAD, kindLine, ROW, short, type Box } from "./shape.ts";
import type { State } from "./state.ts";
import { bounds } from "./viewport.ts";
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
    const usages = lineage.usages(edge);
    const usage = usages.find((each) => each.place) ?? usages[0];
    return [
      lineage.name(lineage.datasetOf[source]!),
      lineage.columnName(source),
      lineage.name(lineage.intoDataset(edge)),
      field ? lineage.columnName(lineage.target(edge)) : "",
      lineage.edgeKind(edge),
      lineage.level(edge),
      usage?.expression ?? "",
      usage?.place ? said(usage.place) : "",
    ];
  });
  return [["source", "source_column", "target", "target_column", "kind", "confidence", "expression", "place"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A cell that a spreadsheet would calculate is quoted with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One edge for each pair of tables, or one for each pair of columns that names them. */
export function mermaid(lineage: Lineage, edges: EdgeId[], columns: boolean): string {
  const tables = new Map<number, string>();
  const id = (dataset: number): string => {
    if (!tables.has(dataset)) tables.set(dataset, `t${tables.size}`);
    return tables.get(dataset)!;
  };
  const lines = new Map<string, boolean>();
  for (const edge of edges) {
    const from = id(lineage.datasetOf[lineage.source(edge)]!);
    const to = id(lineage.intoDataset(edge));
    const source = quoted(lineage.columnName(lineage.source(edge)));
    const target = lineage.isField(edge) ? quoted(lineage.columnName(lineage.target(edge))) : "rows";
    const key = columns ? `${from} ${to} ${source === target ? source : `${source} → ${target}`}` : `${from} ${to}`;
    lines.set(key, (lines.get(key) ?? false) || lineage.isField(edge));
  }
  const nodes = [...tables].map(([dataset, name]) => `  ${name}["${quoted(lineage.name(dataset))}"]`);
  const arrows = [...lines].map(([key, field]) => {
    const [from, to, ...label] = key.split(" ");
    return `  ${from} ${field ? "-->" : "-.->"}${label.length ? `|"${label.join(" ")}"|` : ""} ${to}`;
  });
  return ["flowchart LR", ...nodes, ...arrows].join("\n") + "\n";
}

/** This page with its data inside, which opens with what is to be seen now. */
export async function standalone(raw: Raw): Promise<string> {
  const stream = new Blob([JSON.stringify({ ...raw, at: undefined })]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  const start = original.indexOf(HOLDER) + HOLDER.length;
  const [before, after] = [original.slice(0, start), original.slice(original.indexOf("<", start))];
  const attribute = location.hash.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `${before.replace("<body>", () => `<body data-address="${attribute}">`)}${btoa(text)}${after}`;
}

const CHUNK = 30_000;
/** The tag that holds the data: the first one, before any text of the page. */
const HOLDER = 'id="lineage">';
let original = "";

/** The page as it came, before anything is drawn; the address that it was saved with, if it has none of its own. */
export function keep(): void {
  const { address } = document.body.dataset;
  if (address && !location.hash) history.replaceState(null, "", address);
  document.body.removeAttribute("data-address");
  original = `<!doctype html>\n${document.documentElement.outerHTML}`;
}

function quoted(text: string): string {
  return [...titled(text)].map((letter) => (/[\w .,:/-]/.test(letter) ? letter : `#${letter.codePointAt(0)};`)).join("");
}

const DASHES: Record<string, string> = { rename: "7 4", inspect: "2 4" };
const LEGEND = 56;

/** The picture as one SVG with its colors written out: title, layers, cards, columns with their types, lines and legend. */
export function svg(lineage: Lineage, canvas: Canvas, title: string): SVGSVGElement {
  const { boxes, wires, bands } = canvas.picture;
  const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const around = bounds([...boxes.values(), ...bands]);
  const [left, top] = [around.left - 24, around.top - LEGEND];
  const width = Math.max(around.right - left + 24, 560);
  const height = around.bottom - top + LEGEND;
  const text = (x: number, y: number, words: string, more: Record<string, string | number> = {}): SVGTextElement => s("text", { x, y, fill: color("--ink"), ...more }, words);
  const root = s("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${left} ${top} ${width} ${height}`, width: Math.ceil(width), height: Math.ceil(height), "font-family": "system-ui, sans-serif", "font-size": 13, role: "img" });
  root.append(s("title", {}, titled(title)), s("defs", {}, ...KINDS.map((kind) => arrow(kind, color(`--${kind}`)))));
  root.append(s("rect", { x: left, y: top, width, height, fill: color("--ground") }));
  root.append(text(left + 24, top + 28, short(title, 90), { "font-size": 16, "font-weight": 600 }));
  for (const band of bands) {
    root.append(s("rect", { x: band.x, y: band.y, width: band.width, height: band.height, rx: 12, fill: color("--line"), "fill-opacity": 0.26 }));
    if (band.open) root.append(text(band.x + 12, band.y + 20, `${short(band.name, 30)} ${band.count}`, { fill: color("--quiet"), "font-weight": 600 }));
  }
  for (const { kind, path } of wires) root.append(s("path", { d: path, fill: "none", stroke: color(`--${kind}`), "stroke-width": 1.5, "stroke-dasharray": DASHES[kind] ?? null, "marker-end": `url(#${kind})` }));
  for (const thing of canvas.scene.things) root.append(...card(lineage, canvas, thing, boxes.get(thing.id)!, color, text));
  KINDS.forEach((kind, index) => {
    const [x, y] = [left + 24 + index * 120, top + height - 20];
    root.append(s("path", { d: `M${x} ${y - 4}h36`, fill: "none", stroke: color(`--${kind}`), "stroke-width": 1.5, "stroke-dasharray": DASHES[kind] ?? null, "marker-end": `url(#${kind})` }), text(x + 44, y, kind, { "font-size": 12 }));
  });
  return root;
}

const KINDS = ["copy", "rename", "transform", "inspect"];

function arrow(kind: string, color: string): SVGMarkerElement {
  return s("marker", { id: kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0 0.5 8 4 0 7.5z", fill: color }));
}

type Text = (x: number, y: number, words: string, more?: Record<string, string | number>) => SVGTextElement;

/** A card with the columns that it shows, each with its type. */
function card(lineage: Lineage, canvas: Canvas, thing: Thing, box: Box, color: (name: string) => string, text: Text): SVGElement[] {
  const quiet = { "font-size": 12, fill: color("--quiet") };
  const isTable = thing.what === "table";
  const found: SVGElement[] = [
    s("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8, fill: color("--card"), stroke: color("--line") }),
    text(box.x + 12, box.y + 19, short(thing.name), { "font-weight": 600 }),
    text(box.x + 12, box.y + 35, isTable ? kindLine(lineage, thing.id) : boxCount(thing), quiet),
  ];
  const start = box.y + HEAD + (box.scrolls ? FIND : 0);
  const { list, rest } = canvas.columnsOf(thing.id);
  list.slice(0, box.rows).forEach((column, index) => {
    const y = start + index * ROW + 16;
    found.push(text(box.x + 12, y, short(lineage.columnName(column))));
    if (lineage.type(column)) found.push(text(box.x + box.width - 12, y, short(lineage.type(column), 16), { ...quiet, "text-anchor": "end" }));
  });
  const more = rest + Math.max(0, list.length - box.rows);
  if (rest > 0) found.push(text(box.x + 12, start + box.rows * ROW + 16, `+${more}`, quiet));
  return found;
}

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
