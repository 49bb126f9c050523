// Where cards go when they stand in groups: dagre's layers from left to right, and the lanes in which edges pass the layers
// between. Without groups: columns.ts.

import { graphlib, layout as dagre } from "@dagrejs/dagre";
import { inColumns } from "./columns.ts";

export interface Node {
  id: number;
  width: number;
  height: number;
  group?: string;
  /** Things of one layer stand side by side, those of the next one to their right. */
  layer?: number;
}

export interface Request {
  number: number;
  nodes: Node[];
  edges: [number, number][];
  /** At most so many cards beside each other; the rest of a layer follows below. */
  most?: number;
  /** The size of the stage, which a picture that is too high for it fills from side to side. */
  room?: { width: number; height: number } | null;
}

export interface Placed {
  number: number;
  /** Left upper corners, by id. */
  at: Record<number, { x: number; y: number }>;
  /** Widths that differ from those that were asked for. */
  widths: Record<number, number>;
  bands: { layer: number; left: number; right: number }[];
  /** `from>to`: the lanes of an edge, one for each layer that it passes; each is [left, right, height]. */
  lanes: Record<string, [number, number, number][]>;
  /** The layers' left and right borders: those of their widest cards. */
  layers: [number, number][];
  groups: { name: string; x: number; y: number; width: number; height: number }[];
}

const MANY = 250;

export function placed(request: Request): Placed {
  return request.nodes.some((node) => node.group) ? inGroups(request) : inColumns(request);
}

function inGroups(request: Request): Placed {
  const graph = new graphlib.Graph({ compound: true, multigraph: false });
  const many = request.nodes.length > MANY;
  graph.setGraph({
    rankdir: "LR",
    nodesep: 34,
    ranksep: 96,
    edgesep: 14,
    marginx: 40,
    marginy: 40,
    ranker: many ? "longest-path" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const groups = new Set<string>();
  for (const node of request.nodes) {
    graph.setNode(String(node.id), { width: node.width, height: node.height });
    if (node.group) {
      const name = `group:${node.group}`;
      if (!groups.has(name)) {
        groups.add(name);
        graph.setNode(name, {});
      }
      graph.setParent(String(node.id), name);
    }
  }
  for (const [from, to] of request.edges) graph.setEdge(String(from), String(to), {});
  dagre(graph);
  const layers = layersOf(graph, request.nodes);
  return {
    number: request.number,
    at: corners(graph, request.nodes),
    widths: {},
    bands: [],
    lanes: lanesOf(graph, request, layers),
    layers,
    groups: [...groups].map((name) => {
      const { x, y, width, height } = graph.node(name) as Required<Spot>;
      return { name: name.slice(6), x: x - width / 2, y: y - height / 2, width, height };
    }),
  };
}

interface Spot {
  x: number;
  y: number;
  width: number;
  height: number;
}

function corners(graph: graphlib.Graph, nodes: Node[]): Placed["at"] {
  const at: Placed["at"] = {};
  for (const { id } of nodes) {
    const spot = graph.node(String(id)) as Spot;
    at[id] = { x: spot.x - spot.width / 2, y: spot.y - spot.height / 2 };
  }
  return at;
}

/** Where an edge passes a layer, it goes straight on over the layer's whole width: no card stands there. */
function lanesOf(graph: graphlib.Graph, request: Request, layers: Placed["layers"]): Placed["lanes"] {
  const lanes: Placed["lanes"] = {};
  for (const [from, to] of request.edges) {
    const points = (graph.edge(String(from), String(to)) as { points?: { x: number; y: number }[] }).points ?? [];
    const passed: [number, number, number][] = [];
    for (const point of points.slice(1, -1)) {
      const layer = layers.find(([left, right]) => point.x >= left && point.x <= right);
      const last = passed[passed.length - 1];
      if (layer && !(last && last[0] === layer[0])) passed.push([layer[0], layer[1], point.y]);
    }
    const ends = new Set([layerAt(layers, graph.node(String(from)) as Spot), layerAt(layers, graph.node(String(to)) as Spot)]);
    lanes[`${from}>${to}`] = passed.filter(([left]) => !ends.has(left));
  }
  return lanes;
}

function layerAt(layers: [number, number][], spot: Spot): number {
  return layers.find(([left, right]) => spot.x >= left && spot.x <= right)?.[0] ?? -1;
}

/** The layers' left and right borders: cards of one layer share their middle. */
function layersOf(graph: graphlib.Graph, nodes: Node[]): [number, number][] {
  const middles = new Map<number, number>();
  for (const { id } of nodes) {
    const spot = graph.node(String(id)) as Spot;
    const middle = Math.round(spot.x);
    middles.set(middle, Math.max(middles.get(middle) ?? 0, spot.width));
  }
  return [...middles].map(([middle, width]): [number, number] => [middle - width / 2, middle + width / 2]).sort((a, b) => a[0] - b[0]);
}
