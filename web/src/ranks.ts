// Steps from left to right: a thing stands behind all that it is made from.

/** A map has no more columns than this, unless it has more layers: it is read at a glance. */
const GLANCE = 5;

/** Takes steps from the layers that have most, given each layer's last step; what follows in one layer then stands below. */
export function capSteps(last: Map<number, number>): void {
  const sum = (): number => [...last.values()].reduce((total, steps) => total + steps + 1, 0);
  while (sum() > GLANCE) {
    const [layer, steps] = [...last].reduce((one, other) => (other[1] > one[1] ? other : one));
    if (!steps) return;
    last.set(layer, steps - 1);
  }
}

/** Each node's step within its layer: behind all that it is made from there; at most so many steps. */
export function ranksOf(nodes: number[], edges: [number, number][], layerOf: (id: number) => number): Map<number, number> {
  const next = new Map<number, number[]>(nodes.map((id) => [id, []]));
  const before = new Map<number, number[]>(nodes.map((id) => [id, []]));
  const kept = acyclic(nodes, edges.filter(([from, to]) => from !== to && layerOf(from) === layerOf(to)));
  for (const [from, to] of kept) {
    next.get(from)!.push(to);
    before.get(to)!.push(from);
  }
  const rank = new Map<number, number>();
  const order: number[] = [];
  const waiting = new Map(nodes.map((id) => [id, before.get(id)!.length]));
  const ready = nodes.filter((id) => !waiting.get(id));
  for (const id of ready) {
    rank.set(id, Math.max(0, ...before.get(id)!.map((other) => rank.get(other)! + 1)));
    order.push(id);
    for (const other of next.get(id)!) {
      waiting.set(other, waiting.get(other)! - 1);
      if (!waiting.get(other)) ready.push(other);
    }
  }
  for (const id of order.reverse()) {
    if (next.get(id)!.length) rank.set(id, Math.max(rank.get(id)!, Math.min(...next.get(id)!.map((other) => rank.get(other)!)) - 1));
  }
  return rank;
}

/** Without the edges that lead back on a cycle. */
function acyclic(nodes: number[], edges: [number, number][]): [number, number][] {
  const next = new Map<number, number[]>(nodes.map((id) => [id, []]));
  for (const [from, to] of edges) next.get(from)!.push(to);
  const state = new Map<number, 1 | 2>();
  const kept: [number, number][] = [];
  for (const start of nodes) {
    if (state.has(start)) continue;
    const stack: [number, number][] = [[start, 0]];
    state.set(start, 1);
    while (stack.length) {
      const top = stack[stack.length - 1]!;
      const to = next.get(top[0])![top[1]++];
      if (to === undefined) {
        state.set(top[0], 2);
        stack.pop();
      } else if (state.get(to) !== 1) {
        kept.push([top[0], to]);
        if (!state.has(to)) {
          state.set(to, 1);
          stack.push([to, 0]);
        }
      }
    }
  }
  return kept;
}
