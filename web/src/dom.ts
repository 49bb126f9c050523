// Elements from values. Text is only ever set as text: nothing that comes from a lineage is parsed as markup.

type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

export function s<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled<E extends Element>(element: E, attributes: Attributes, children: (Child | Child[])[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as unknown as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child): child is Node | string => child !== null && child !== false && child !== undefined));
  return element;
}

export function clear(element: Element, ...children: (Child | Child[])[]): void {
  element.replaceChildren();
  filled(element, {}, children);
}

const FOCUSABLE = "button, input, select, summary, [tabindex]";

/** As `clear`, but whoever has the focus in there keeps it: on the same control, else on the heading. */
export function redraw(element: HTMLElement, ...children: (Child | Child[])[]): void {
  const active = document.activeElement;
  const held = active instanceof HTMLElement && active !== element && element.contains(active) ? active : null;
  const wanted = held ? signOf(held) : "";
  clear(element, ...children);
  if (!held) return;
  const all = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const next = all.find((each) => signOf(each) === wanted && !each.hasAttribute("disabled")) ?? heading(element) ?? all[0];
  next?.focus({ preventScroll: true });
}

/** What a control is, however often it is made. */
function signOf(element: HTMLElement): string {
  const data = Object.entries(element.dataset).map(([name, value]) => `${name}=${value}`);
  const label = element.getAttribute("aria-label") ?? (element.matches("button, summary") ? element.textContent : "");
  return [element.tagName, element.className, label, element.getAttribute("role"), ...data].join(" ");
}

function heading(element: HTMLElement): HTMLElement | null {
  const found = element.querySelector<HTMLElement>("h2");
  found?.setAttribute("tabindex", "-1");
  return found;
}

/** Arrow keys go from one to the next of some controls, of which one is reached by Tab. */
export function rove(holder: HTMLElement, selector: string): void {
  holder.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = [...holder.querySelectorAll<HTMLElement>(selector)].filter((each) => each.offsetParent !== null);
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at < 0 || (step === undefined && event.key !== "Home" && event.key !== "End")) return;
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : (at + step! + all.length) % all.length;
    event.preventDefault();
    event.stopPropagation();
    all.forEach((each, index) => each.setAttribute("tabindex", index === to ? "0" : "-1"));
    all[to]!.focus();
  });
}
