// The lines of edges: out of a card's side, through the lanes between cards, into the next card's side.

/** The room of a card. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Lane = [left: number, right: number, height: number];
export type Layer = [left: number, right: number];

/** A smooth line from the right side of one card to the left side of another, level wherever it passes a layer. */
export function route(from: Place, fromY: number, to: Place, toY: number, lanes: Lane[], layers: Layer[]): string {
  if (from === to) return loop(from, fromY, toY);
  const forward = to.x >= from.x + from.width;
  if (!forward) return backward(from, fromY, to, toY, lanes, layers);
  const out = lane(from, fromY, layers);
  const into = lane(to, toY, layers);
  return along(from.x + from.width, fromY, to.x, toY, [
    [from.x + from.width, out[1], fromY],
    ...lanes,
    [into[0], to.x, toY],
  ]);
}

/** A card's own lane: up to its layer's borders, which are those of a wider card that the line must not cross. */
function lane(box: Place, height: number, layers: Layer[]): Lane {
  const middle = box.x + box.width / 2;
  const [left, right] = layers.find((layer) => middle >= layer[0] && middle <= layer[1]) ?? [box.x, box.x + box.width];
  return [Math.min(left, box.x), Math.max(right, box.x + box.width), height];
}

function along(x1: number, y1: number, x2: number, y2: number, lanes: Lane[]): string {
  let path = `M${at(x1, y1)}`;
  let [x, y] = [x1, y1];
  for (const [left, right, height] of lanes) {
    path += curve(x, y, left, height) + level(left, right, height);
    [x, y] = [right, height];
  }
  return path + curve(x, y, x2, y2);
}

/** An edge against the flow leaves on the left and arrives on the right: what it passes it passes in its lanes. */
function backward(from: Place, fromY: number, to: Place, toY: number, lanes: Lane[], layers: Layer[]): string {
  if (to.x + to.width <= from.x) {
    const turned = lanes.map(([left, right, height]): Lane => [right, left, height]);
    return along(from.x, fromY, to.x + to.width, toY, turned.sort((a, b) => b[0] - a[0]));
  }
  const out = Math.max(lane(from, fromY, layers)[1], lane(to, toY, layers)[1]) + 30;
  const [x1, x2] = [from.x + from.width, to.x + to.width];
  return `M${at(x1, fromY)}C${at(out, fromY)} ${at(out, toY)} ${at(x2, toY)}`;
}

/** A table that reads itself. */
function loop(box: Place, fromY: number, toY: number): string {
  const x = box.x + box.width;
  return `M${at(x, fromY)}C${at(x + 40, fromY - 14)} ${at(x + 40, toY + 14)} ${at(x, toY + 3)}`;
}

function level(x1: number, x2: number, y: number): string {
  return x1 === x2 ? "" : `L${at(x2, y)}`;
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  if (x1 === x2 && y1 === y2) return "";
  const middle = (x1 + x2) / 2;
  return `C${at(middle, y1)} ${at(middle, y2)} ${at(x2, y2)}`;
}

function at(x: number, y: number): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

/** The same from top to bottom: for screens that are higher than wide. */
export function downwards(from: Place, to: Place, lanes: Lane[], layers: Layer[]): string {
  const [above, below] = [turned(from), turned(to)];
  const path = route(above, above.y + above.height / 2, below, below.y + below.height / 2, lanes, layers);
  return path.replace(/(-?[\d.]+) (-?[\d.]+)/g, "$2 $1");
}

export function turned({ x, y, width, height }: Place): Place {
  return { x: y, y: x, width: height, height: width };
}
