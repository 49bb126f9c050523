// The whole picture in a corner, with the part that is to be seen; a click goes there.

import type { Canvas } from "./canvas.ts";
import { h, s } from "./dom.ts";

const WIDTH = 180;
const HEIGHT = 96;

export class Minimap {
  private svg = s("svg", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
  readonly element = h("div", { class: "minimap" }, this.svg);
  private frame = s("rect", { class: "frame" });
  private bounds = { x: 0, y: 0, scale: 1 };

  constructor(private canvas: Canvas) {
    canvas.stage.addEventListener("arranged", () => this.draw());
    canvas.stage.addEventListener("moved", () => this.move());
    const go = (event: PointerEvent): void => {
      const box = this.svg.getBoundingClientRect();
      const { x, y, scale } = this.bounds;
      canvas.viewport.centre((event.clientX - box.left) / scale + x, (event.clientY - box.top) / scale + y);
    };
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      go(event);
    });
    this.svg.addEventListener("pointermove", (event) => event.buttons && go(event));
  }

  private draw(): void {
    const boxes = [...this.canvas.picture.boxes.values()];
    if (!boxes.length) return;
    const left = Math.min(...boxes.map((box) => box.x));
    const top = Math.min(...boxes.map((box) => box.y));
    const width = Math.max(...boxes.map((box) => box.x + box.width)) - left;
    const height = Math.max(...boxes.map((box) => box.y + box.height)) - top;
    const scale = Math.min((WIDTH - 12) / width, (HEIGHT - 12) / height);
    this.bounds = { x: left - (WIDTH / scale - width) / 2, y: top - (HEIGHT / scale - height) / 2, scale };
    const cards = boxes.map((box) =>
      s("rect", { class: "mini", x: (box.x - this.bounds.x) * scale, y: (box.y - this.bounds.y) * scale, width: Math.max(2, box.width * scale), height: Math.max(2, box.height * scale) }),
    );
    this.svg.replaceChildren(...cards, this.frame);
    this.move();
  }

  private move(): void {
    const { x, y, scale } = this.bounds;
    const seen = this.canvas.viewport.window();
    this.element.hidden = this.canvas.isAllSeen();
    document.body.classList.toggle("mapped", !this.element.hidden);
    const attributes = { x: (seen.x - x) * scale, y: (seen.y - y) * scale, width: seen.width * scale, height: seen.height * scale };
    for (const [name, value] of Object.entries(attributes)) this.frame.setAttribute(name, String(Math.round(value * 10) / 10));
  }
}
