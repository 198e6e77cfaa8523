import type { Pid } from '../core/algorithm.ts';
import { Random } from '../core/random.ts';
import type { Topology } from '../core/topology.ts';

/** A point in the unit square; y grows downwards. */
export interface LayoutPoint {
  /** From 0, left, to 1, right. */
  readonly x: number;
  /** From 0, top, to 1, bottom. */
  readonly y: number;
}

/**
 * Places the processes of a network in the unit square. The same network always gets the same layout.
 * @param root the process on top of a tree. Defaults to 0.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { networkLayout } from 'batonjs-lab/diagram';
 * import { prepare } from 'batonjs-lab/sim';
 *
 * const { topology, root } = prepare(raymond, { n: 3, topology: 'tree' });
 * networkLayout(topology, root)[0]; // → { x: 0.5, y: 0 }
 */
export function networkLayout(network: Topology, root: Pid = 0): LayoutPoint[] {
  const topology = network.whole; // processes that were left out keep their place
  const { n, name } = topology;
  if (n === 1) return [{ x: 0.5, y: 0.5 }];
  if (name === 'grid') return grid(n);
  if (name === 'line') return line(n);
  if (name === 'star' || name === 'wheel') return [{ x: 0.5, y: 0.5 }, ...circle(n - 1)];
  if (topology.isRing || topology.complete || name === 'ring') return circle(n);
  if (topology.isTree) return tree(topology, root);
  return springs(topology);
}

/** A circle through the unit square, from the top, clockwise. */
function circle(n: number): LayoutPoint[] {
  const [step, ...points] = [turn(1 / n), { x: 0, y: -0.5 }];
  for (let i = 1; i < n; i += 1) {
    const { x, y } = points[i - 1]!;
    points.push({ x: x * step!.x - y * step!.y, y: x * step!.y + y * step!.x });
  }
  return points.map(({ x, y }) => ({ x: rounded(x + 0.5), y: rounded(y + 0.5) }));
}

/** cos and sin of a fraction of a turn, by their series: Math.cos may differ in the last bit between engines. */
function turn(part: number): LayoutPoint {
  const angle = 2 * Math.PI * (part > 0.5 ? part - 1 : part);
  let [x, y, term] = [0, 0, 1];
  for (let k = 0; k < 40; k += 1) {
    if (k % 2 === 0) x += k % 4 === 0 ? term : -term;
    else y += k % 4 === 1 ? term : -term;
    term *= angle / (k + 1);
  }
  return { x, y };
}

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6 + 0; // no -0

/** Rows and columns as `buildTopology` numbers them. */
function grid(n: number): LayoutPoint[] {
  const columns = Math.ceil(Math.sqrt(n));
  const rows = Math.ceil(n / columns);
  return Array.from({ length: n }, (_, i) => ({
    x: columns > 1 ? (i % columns) / (columns - 1) : 0.5,
    y: rows > 1 ? Math.floor(i / columns) / (rows - 1) : 0.5,
  }));
}

/** A long line is folded into rows of alternating direction. */
function line(n: number): LayoutPoint[] {
  const perRow = n <= 12 ? n : Math.ceil(Math.sqrt(n));
  const rows = Math.ceil(n / perRow);
  return Array.from({ length: n }, (_, i) => {
    const row = Math.floor(i / perRow);
    const x = (i % perRow) / (perRow - 1);
    return { x: row % 2 === 0 ? x : 1 - x, y: rows > 1 ? row / (rows - 1) : 0.5 };
  });
}

/** The root on top, leaves side by side, each parent above the middle of its children. */
function tree(topology: Topology, root: Pid): LayoutPoint[] {
  const parent = topology.parents(root);
  const children: Pid[][] = Array.from({ length: topology.n }, () => []);
  parent.forEach((p, i) => {
    if (p >= 0) children[p]!.push(i);
  });
  const depth = new Int32Array(topology.n);
  const order: Pid[] = [root];
  for (const i of order) {
    for (const child of children[i]!) {
      depth[child] = depth[i]! + 1;
      order.push(child);
    }
  }
  const column = new Float64Array(topology.n);
  let leaves = 0;
  const stack: { i: Pid; isDone: boolean }[] = [{ i: root, isDone: false }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const own = children[top.i]!;
    if (own.length === 0) {
      column[top.i] = leaves;
      leaves += 1;
    } else if (top.isDone) column[top.i] = (column[own[0]!]! + column[own.at(-1)!]!) / 2;
    else stack.push({ i: top.i, isDone: true }, ...own.map((i) => ({ i, isDone: false })).reverse());
  }
  const deepest = depth.reduce((a, b) => Math.max(a, b), 1);
  return Array.from(column, (x, i) => ({
    x: leaves > 1 ? rounded(x / (leaves - 1)) : 0.5,
    y: rounded(depth[i]! / deepest),
  }));
}

/** A force-directed layout: links attract, processes repel each other. It starts from a fixed arrangement, so it is deterministic. */
function springs(topology: Topology): LayoutPoint[] {
  const { n } = topology;
  const random = new Random(n, 'layout');
  const xs = new Float64Array(n);
  const ys = new Float64Array(n);
  const around = circle(n);
  const order = searched(topology);
  for (let k = 0; k < n; k += 1) {
    const jitter = random.below(1000) / 10_000;
    xs[order[k]!] = (around[k]!.x - 0.5) * (0.5 + jitter);
    ys[order[k]!] = (around[k]!.y - 0.5) * (0.5 + jitter);
  }
  const ideal = 0.9 / Math.sqrt(n);
  const rounds = Math.max(20, Math.min(200, Math.floor(1e7 / (n * n))));
  for (let round = 0; round < rounds; round += 1) relax(topology, xs, ys, ideal, 0.1 * (1 - round / rounds));
  return fitted(xs, ys);
}

/** The order of a breadth-first search, so that neighbours start near each other. */
function searched(topology: Topology): Pid[] {
  const order: Pid[] = [0];
  const seen = new Set(order);
  for (const i of order) {
    for (const j of topology.neighbours(i)) {
      if (seen.has(j)) continue;
      seen.add(j);
      order.push(j);
    }
  }
  return order;
}

function relax(topology: Topology, xs: Float64Array, ys: Float64Array, ideal: number, step: number): void {
  const n = xs.length;
  const dx = new Float64Array(n);
  const dy = new Float64Array(n);
  const push = (i: number, j: number, pull: boolean) => {
    const [x, y] = [xs[i]! - xs[j]!, ys[i]! - ys[j]!];
    const square = x * x + y * y + 1e-9;
    const force = pull ? -Math.sqrt(square) / ideal : (ideal * ideal) / square;
    dx[i]! += x * force;
    dy[i]! += y * force;
    dx[j]! -= x * force;
    dy[j]! -= y * force;
  };
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < i; j += 1) push(i, j, false);
    for (const j of topology.neighbours(i)) if (j < i) push(i, j, true);
  }
  for (let i = 0; i < n; i += 1) {
    const length = Math.sqrt(dx[i]! ** 2 + dy[i]! ** 2) + 1e-9;
    const moved = Math.min(length, step) / length;
    xs[i]! += dx[i]! * moved;
    ys[i]! += dy[i]! * moved;
  }
}

function fitted(xs: Float64Array, ys: Float64Array): LayoutPoint[] {
  const least = (values: Float64Array) => values.reduce((a, b) => Math.min(a, b));
  const most = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b));
  const [left, top] = [least(xs), least(ys)];
  const [width, height] = [most(xs) - left || 1, most(ys) - top || 1];
  return Array.from(xs, (x, i) => ({ x: rounded((x - left) / width), y: rounded((ys[i]! - top) / height) }));
}
