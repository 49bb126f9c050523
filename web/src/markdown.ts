// Descriptions as they are written in projects: a little Markdown, made of elements and text only. What it does not know
// stays text; a link shows its address and leads nowhere, since nothing may leave the page.

import { h } from "./dom.ts";
import { titled } from "./words.ts";

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\n]+)\*|\[([^\]\n]+)\]\(([^)\s]+)\)/g;
const LONGEST = 20_000;

/** Paragraphs, headings, lists and code of a text. */
export function markdown(text: string): HTMLElement {
  const blocks = text.slice(0, LONGEST).replaceAll("\r", "").split(/\n{2,}|\n(?=```)|(?<=```)\n/);
  return h("div", { class: "markdown" }, ...blocks.filter((block) => block.trim()).map(block));
}

function block(text: string): HTMLElement {
  const code = /^```[^\n]*\n?([\s\S]*?)\n?(?:```)?$/.exec(text.trim());
  if (code) return h("pre", { tabindex: 0 }, h("code", {}, code[1]!.split("\n").map(titled).join("\n")));
  const heading = /^#{1,6} +(.*)$/.exec(text.trim());
  if (heading) return h("p", {}, h("strong", {}, ...inline(heading[1]!)));
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.every((line) => /^\s*[-*+] /.test(line))) return h("ul", {}, ...lines.map((line) => h("li", {}, ...inline(line.replace(/^\s*[-*+] /, "")))));
  if (lines.every((line) => /^\s*\d+[.)] /.test(line))) return h("ol", {}, ...lines.map((line) => h("li", {}, ...inline(line.replace(/^\s*\d+[.)] /, "")))));
  return h("p", {}, ...inline(text.trim()));
}

function inline(text: string): (HTMLElement | string)[] {
  const found: (HTMLElement | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) found.push(titled(text.slice(from, match.index)));
    const [whole, code, bold, strong, italic, label, address] = match;
    if (code) found.push(h("code", {}, titled(code)));
    else if (bold || strong) found.push(h("strong", {}, titled(bold ?? strong!)));
    else if (italic) found.push(h("em", {}, titled(italic)));
    else found.push(h("span", { class: "address", title: titled(address!) }, titled(label!)));
    from = match.index + whole.length;
  }
  if (from < text.length) found.push(titled(text.slice(from)));
  return found;
}
