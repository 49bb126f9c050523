// How things are said.

export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** 12,345: the browser's own way takes as long as a whole layout when it is first used. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** What turns the direction of writing or cannot be seen is shown as its number, so that no name hides another. */
export function titled(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g, (letter) =>
    letter === "\n" ? " " : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The schema of a name, or the folder of a path, and what is left of it: "shop." and "orders", "s3://b/" and "a.csv". */
export function parted(name: string): [string, string] {
  const cut = Math.max(name.lastIndexOf("/"), name.includes("/") ? -1 : name.lastIndexOf("."));
  return cut > 0 && cut < name.length - 1 ? [name.slice(0, cut + 1), name.slice(cut + 1)] : ["", name];
}

const KIND_WORDS: Record<string, string> = { sql: "SQL model", python: "Python model", ml_model: "ML model" };

/** A kind as people say it. */
export function kindWord(kind: string): string {
  return Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind]! : kind.replaceAll("_", " ");
}
