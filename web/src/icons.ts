// A sign for each kind of thing, 16 by 16.

import { s } from "./dom.ts";

const TABLE = "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6";
const SIGNS: Record<string, string> = {
  table: TABLE,
  view: "M1.5 8c2-3.5 4.2-5 6.5-5s4.5 1.5 6.5 5c-2 3.5-4.2 5-6.5 5s-4.5-1.5-6.5-5zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  model: "M8 1.8 14 5v6l-6 3.2L2 11V5zM2 5l6 3.2L14 5M8 8.2v6",
  source: "M3 4c0-1.1 2.2-2 5-2s5 .9 5 2-2.2 2-5 2-5-.9-5-2zM3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2",
  seed: "M8 14V8M8 8c0-3 2-5 5-5 0 3-2 5-5 5zM8 10C8 7.6 6.400 6 4 6c0 2.400 1.600 4 4 4z",
  file: "M4 1.800h5l3.500 3.500v9h-8.500zM9 1.800v3.500h3.500",
  python: "M5.500 4 2 8l3.500 4M10.500 4 14 8l-3.500 4",
  function: "M10.500 2.500c-2-.6-2.700.5-3 2L6.200 11.500c-.3 1.600-1 2.600-3 2M5 6.500h5",
  query: "M3 3.500h10M3 6.500h10M3 9.500h6M3 12.500h4",
  test: "M8 1.800 13.500 4v4c0 3.200-2.200 5.200-5.500 6.300C4.700 13.200 2.500 11.200 2.500 8V4zM5.500 8l1.800 1.800L10.800 6",
  metric: "M2.500 13.500v-4h2.600v4zM6.700 13.500v-7h2.600v7zM10.900 13.500v-11h2.600v11z",
  exposure: "M2 3h12v8H2zM5.500 14h5M8 11v3",
  ml_model: "M4 4.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM4 14.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM12 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM5.300 3.800l5.400 3.400M5.300 12.200l5.400-3.400",
  snapshot: "M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800zM8 4.500V8l2.500 1.800",
  topic: "M2 5c2-2 4-2 6 0s4 2 6 0M2 8.500c2-2 4-2 6 0s4 2 6 0M2 12c2-2 4-2 6 0s4 2 6 0",
  box: "M2.500 5h11v8.500h-11zM4 5V2.500h8V5",
};

const LIKE: Record<string, string> = {
  sql: "model",
  incremental: "model",
  dynamic: "model",
  materialized_view: "view",
  external: "file",
  stream: "topic",
  queue: "topic",
  stage: "file",
  notebook: "python",
  application: "exposure",
  contract: "test",
  assertion: "test",
  audit: "test",
  path: "file",
  unit_test: "test",
  semantic_model: "metric",
  saved_query: "query",
  dashboard: "exposure",
};

export function icon(kind: string): SVGSVGElement {
  const sign = Object.hasOwn(SIGNS, kind) ? kind : Object.hasOwn(LIKE, kind) ? LIKE[kind]! : "table";
  return s("svg", { class: "icon", viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" }, s("path", { d: SIGNS[sign]! }));
}
