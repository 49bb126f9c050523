// Moving and zooming. Letters are never smaller than can be read: from afar a card shows its name only, in letters of a
// size of their own, and none where there is no room for one.

import type { Place } from "./routes.ts";
import { FRAMED } from "./state.ts";

export interface View {
  x: number;
  y: number;
  scale: number;
}

/** Below, letters of 12 px would be under 9 px: they are left out, and names get a size of their own. */
export const FAR = 0.75;
/** Below, a card has no room for a name. */
const TINY = 0.3;
/** A picture that does not fit is not shown smaller than this to begin with. */
export const LEAST = 0.5;
const SMALLEST = 0.08;
const LARGEST = 2.5;
const NAME = 10;
/** Below, names need the room of their signs. */
const FARTHER = 0.6;
/** What is selected is looked at from no farther than this: its columns can be read. */
const READABLE = 0.9;
const PADDING = 20;
/** The height of the layers' names above the cards. */
export const TITLES = 40;

export class Viewport {
  view: View = { x: 0, y: 0, scale: 1 };
  /** Whether the view is as it was fitted: nobody has moved it since. */
  untouched = true;

  constructor(
    private stage: HTMLElement,
    private world: HTMLElement,
    private boxes: () => Place[],
  ) {
    this.pan();
    this.zoom();
  }

  look(view: View): void {
    this.untouched = false;
    this.view = view;
    this.world.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    this.stage.classList.toggle("far", view.scale < FAR);
    this.stage.classList.toggle("farther", view.scale < FARTHER);
    this.stage.classList.toggle("tiny", view.scale < TINY);
    this.world.style.setProperty("--far", `${(NAME / view.scale).toFixed(2)}px`);
    this.stage.dispatchEvent(new CustomEvent("moved"));
  }

  /** Some things in the middle, all of them to be seen; never larger than life. */
  fit(boxes: Place[], least = SMALLEST): void {
    if (!boxes.length) return;
    const { left, top, right, bottom } = bounds(boxes);
    const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
    const wanted = Math.min(1, (width - 2 * PADDING) / (right - left), (height - 2 * PADDING) / (bottom - top + TITLES));
    const scale = Math.max(least, wanted);
    this.look({ scale, x: width / 2 - (scale * (left + right)) / 2, y: height / 2 - (scale * (top - TITLES + bottom)) / 2 });
  }

  /** As much of a picture as can be read, with some things in the middle of what is seen. */
  begin(around: Place[], least: number): void {
    const all = this.boxes();
    if (!all.length) return;
    this.fit(all, least);
    const { left, top, right, bottom } = bounds(around.length ? around : all);
    const { scale } = this.view;
    if (around.length) this.centre((left + right) / 2, (top + bottom) / 2);
    this.fill(scale, !around.length);
    this.untouched = true;
  }

  /** No empty half of the stage while things are out of sight on the other side. */
  private fill(scale: number, fromStart: boolean): void {
    const { left, top, right, bottom } = bounds(this.boxes());
    const pulled = (at: number, least: number, most: number, room: number): number => {
      const [first, last] = [least * scale, most * scale];
      if (last - first <= room - 2 * PADDING) return room / 2 - (first + last) / 2;
      if (fromStart) return PADDING - first;
      return Math.max(room - last - PADDING, Math.min(PADDING - first, at));
    };
    const { x, y } = this.view;
    this.look({ scale, x: pulled(x, left, right, this.stage.clientWidth), y: pulled(y, top - TITLES, bottom, this.stage.clientHeight) });
  }

  /** Where one looked from before a selection was shown large; null once somebody has moved. */
  private overview: View | null = null;
  private shownLarge: View | null = null;

  /** Letters of a thing that can be read: it stays where it is, as far as it is then to be seen. */
  approach(box: Place): void {
    if (this.view.scale >= FAR) return;
    const [from, untouched] = [this.view, this.untouched];
    const kept = (at: number, size: number, room: number): number => Math.max(PADDING, Math.min(at, room - size * READABLE - PADDING));
    const x = kept(from.x + box.x * from.scale, box.width, this.stage.clientWidth);
    const y = kept(from.y + box.y * from.scale, box.height, this.stage.clientHeight);
    this.overview ??= from;
    this.glide({ scale: READABLE, x: x - box.x * READABLE, y: y - box.y * READABLE });
    this.shownLarge = this.view;
    this.untouched = untouched;
  }

  /** Back to where one looked from, if nobody has moved since. */
  retreat(): void {
    const back = this.overview;
    if (back && this.view === this.shownLarge) {
      const { untouched } = this;
      this.glide(back);
      this.untouched = untouched;
    }
    this.overview = null;
  }

  /** Moves a thing into sight, no farther than needed; one that is larger than the stage from its beginning. */
  bring(box: Place): void {
    const { x, y, scale } = this.view;
    const [shown, untouched] = [this.view === this.shownLarge, this.untouched];
    const moved = (at: number, from: number, size: number, room: number): number => {
      const start = at + from * scale;
      return at + Math.max(PADDING, Math.min(start, room - size * scale - PADDING)) - start;
    };
    this.glide({ scale, x: moved(x, box.x, box.width, this.stage.clientWidth), y: moved(y, box.y, box.height, this.stage.clientHeight) });
    if (shown) this.shownLarge = this.view;
    this.untouched = untouched;
  }

  private glide(view: View): void {
    this.stage.classList.add("gliding");
    this.look(view);
    setTimeout(() => this.stage.classList.remove("gliding"), 320);
  }

  zoomBy(factor: number): void {
    this.zoomAt(factor, this.stage.clientWidth / 2, this.stage.clientHeight / 2);
  }

  private zoomAt(factor: number, x: number, y: number): void {
    const scale = Math.max(SMALLEST, Math.min(LARGEST, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.look({ scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio });
  }

  panBy(x: number, y: number): void {
    this.look({ ...this.view, x: this.view.x + x, y: this.view.y + y });
  }

  centre(x: number, y: number): void {
    const { scale } = this.view;
    this.look({ scale, x: this.stage.clientWidth / 2 - x * scale, y: this.stage.clientHeight / 2 - y * scale });
  }

  /** The part of the world that is to be seen. */
  window(): Place {
    const { x, y, scale } = this.view;
    return { x: -x / scale, y: -y / scale, width: this.stage.clientWidth / scale, height: this.stage.clientHeight / scale };
  }

  /** One finger or the mouse moves the picture, two fingers zoom. */
  private pan(): void {
    const down = new Map<number, { x: number; y: number }>();
    this.stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || (event.target as Element).closest(".card, .wire, .band button, .ask, .working")) return;
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.stage.setPointerCapture(event.pointerId);
      this.stage.classList.add("panning");
    });
    this.stage.addEventListener("pointermove", (event) => {
      const from = down.get(event.pointerId);
      if (!from) return;
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      const to = { x: event.clientX, y: event.clientY };
      if (other) this.pinch(from, to, other);
      else this.panBy(to.x - from.x, to.y - from.y);
      down.set(event.pointerId, to);
    });
    const end = (event: PointerEvent): void => {
      down.delete(event.pointerId);
      if (!down.size) this.stage.classList.remove("panning");
    };
    this.stage.addEventListener("pointerup", end);
    this.stage.addEventListener("pointercancel", end);
  }

  private pinch(from: { x: number; y: number }, to: { x: number; y: number }, fixed: { x: number; y: number }): void {
    const apart = (point: { x: number; y: number }): number => Math.max(20, Math.hypot(point.x - fixed.x, point.y - fixed.y));
    const box = this.stage.getBoundingClientRect();
    this.zoomAt(apart(to) / apart(from), fixed.x - box.left, fixed.y - box.top);
  }

  /** The wheel zooms; in a notebook it is the notebook's, and zooms with Ctrl. */
  private zoom(): void {
    this.stage.addEventListener(
      "wheel",
      (event) => {
        if (FRAMED && !event.ctrlKey && !event.metaKey) return;
        const inside = (event.target as Element).closest<HTMLElement>(".rows");
        if (inside && !event.ctrlKey && inside.scrollHeight > inside.clientHeight) return;
        event.preventDefault();
        const box = this.stage.getBoundingClientRect();
        if (event.ctrlKey || Math.abs(event.deltaX) < Math.abs(event.deltaY)) {
          this.zoomAt(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
        } else this.panBy(-event.deltaX, 0);
      },
      { passive: false },
    );
  }
}

export function bounds(boxes: Place[]): { left: number; top: number; right: number; bottom: number } {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return { left, top, right, bottom };
}
