// What the page was given, as src/lineal/web/data.py writes it: tables whose columns are arrays of numbers.

export interface Raw {
  version: number;
  title: string;
  start: string;
  /** The version of the files behind it, if a server follows them. */
  at?: string;
  datasets: number[][];
  columns: number[][];
  edges: number[][];
  rows: number[][];
  usages: number[][];
  /** A label that a column has from another one: column, label, the column that it came from. */
  brought: number[][];
  /** Who names a column: column, dataset, clause, place. */
  named: number[][];
  /** Which dataset reads which: read, reader. */
  reads: number[][];
  /** Which dataset is made from which: from, to, marks (one for each kind of edge, read, low, medium, ambiguous). */
  links: number[][];
  /** Calls that give one type whatever they are given, and calls that give back what they are given. */
  calls: { fixed: string[]; kept: string[] };
  words: string[];
  diagnostics: RawDiagnostic[];
  coverage: Ledger;
  texts: Record<string, string>;
  diff: RawDiff | null;
}

/** What a run found and what became of it; every difference within a chain is explained in left_out. */
export interface Ledger {
  percent: number | null;
  files: Chain & { found: number; due: number; read: number; rendered: number };
  statements: Chain & { found: number; parsed: number; evaluated: number };
  columns: Chain & { named: number; resolved: number };
}

export interface Chain {
  left_out: { stage: string; reason: string; count: number; examples?: string[] }[];
}

export type Mark = "added" | "removed" | "changed";

export interface RawDiff {
  datasets: [number, Mark][];
  columns: [number, Mark][];
  edges: [number, Mark][];
  findings: RawFinding[];
  /** The statements of a dataset before and after. */
  rewritten: Record<string, [string, string]>;
}

export interface RawFinding {
  level: string;
  kind: string;
  dataset: string;
  /** Kind, dataset, column, before, after. */
  details: [string, string, string, string, string][];
  follows: string[];
}

export interface RawDiagnostic {
  code: string;
  severity: "error" | "warning" | "info";
  message: string;
  hint: string;
  place: [number, number, number];
  /** The dataset whose definition the place is in, or -1. */
  dataset: number;
}

export const VERSION = 5;

/** The text between <script type="application/octet-stream"> tags: JSON, deflated, in base 64. */
export async function unpacked(text: string): Promise<Raw> {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return checked(JSON.parse(await new Response(stream).text()) as Raw);
}

export function checked(raw: Raw): Raw {
  if (raw.version !== VERSION) throw new Error(`the data has version ${raw.version}, this page reads ${VERSION}`);
  return raw;
}
