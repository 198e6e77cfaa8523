import type { Assumptions, Pid } from './algorithm.ts';
import { assert, InputError } from './assert.ts';
import { suggest } from './did-you-mean.ts';
import { Random } from './random.ts';

/** The names of shapes; `random:DEGREE` takes the mean degree. */
export const shapes = ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'wheel', 'random:DEGREE'] as const;

/**
 * The links of a network. The links of a process are numbered 0, 1, ..; link l of process i arrives as link `arrival(i, l)`
 * of process `to(i, l)`. Complete graphs and rings are computed, not stored; other graphs keep a row of links per process.
 *
 * @example
 * import { Topology } from 'batonjs/core';
 *
 * const line = Topology.graph(3, [[0, 1], [1, 2]]);
 * line.neighbours(1); // → [0, 2]
 * line.diameter; // → 2
 * line.list(); // → '0-1,1-2'
 * [...line.parents(0)]; // → [-1, 0, 1]
 * Topology.complete(4).degree(0); // → 3
 *
 * @example
 * import { Topology } from 'batonjs/core';
 *
 * const ring = Topology.twoWayRing(4);
 * ring.to(0, 1); // → 1
 * ring.arrival(0, 1); // → 0
 * ring.sender(1, 0); // → 0
 * ring.link(0, 3); // → 0
 * ring.isMultiple(0); // → false
 * Topology.oneWayRing(4).degree(0); // → 1
 */
export class Topology {
  /** Its name, like `complete`, `ring` or `random:3`. */
  readonly name: string;
  /** The number of processes. */
  readonly n: number;
  /** The number of links. */
  readonly edges: number;
  readonly #form: Form;
  readonly #offset: Int32Array; // row of process i: offset[i] .. offset[i+1]-1
  readonly #target: Int32Array;
  readonly #arrival: Int32Array;
  #diameter: number | null = null;

  private constructor(name: string, n: number, edges: number, form: Form, rows: Rows = noRows) {
    this.name = name;
    this.n = n;
    this.edges = edges;
    this.#form = form;
    this.#offset = rows.offset;
    this.#target = rows.target;
    this.#arrival = rows.arrival;
  }

  /** True if it was created as a complete graph. */
  get complete(): boolean {
    return this.#form === complete;
  }

  /** Returns the number of links on which process i sends. */
  degree(i: Pid): number {
    if (this.#form === complete) return this.n - 1;
    return this.#form === rows ? this.#offset[i + 1]! - this.#offset[i]! : this.#form;
  }

  /** Returns the process that a link of process i leads to. */
  to(i: Pid, link: number): Pid {
    if (this.#form === oneWay || (this.#form === twoWay && link === 1)) return i + 1 === this.n ? 0 : i + 1;
    if (this.#form === twoWay) return i === 0 ? this.n - 1 : i - 1;
    if (this.#form === complete) return link < i ? link : link + 1;
    return this.#target[this.#offset[i]! + link]!;
  }

  /** Returns the number that a link of process i has at the process it leads to. */
  arrival(i: Pid, link: number): number {
    if (this.#form === oneWay) return 0;
    if (this.#form === twoWay) return 1 - link;
    if (this.#form === complete) return link < i ? i - 1 : i;
    return this.#arrival[this.#offset[i]! + link]!;
  }

  /** Returns the link of i that leads to j, or -1. */
  link(i: Pid, j: Pid): number {
    if (this.#form === complete) return j === i || !(j >= 0 && j < this.n) ? -1 : j < i ? j : j - 1;
    if (this.#form !== rows) return this.neighbours(i).indexOf(j);
    let low = this.#offset[i]!;
    let high = this.#offset[i + 1]! - 1;
    const start = low;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#target[middle]!;
      if (found === j) return middle - start;
      if (found < j) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** True for a one-way or two-way ring of links, not for a graph that happens to be a cycle. */
  get isRing(): boolean {
    return this.#form === oneWay || this.#form === twoWay;
  }

  /** Returns true if two links of i lead to the same process, so that its position does not identify the link. */
  isMultiple(i: Pid): boolean {
    return this.#form === twoWay && this.to(i, 0) === this.to(i, 1);
  }

  /** Returns the process that sends on the link that arrives at process i as `link`. */
  sender(i: Pid, link: number): Pid {
    if (this.#form === oneWay) return i === 0 ? this.n - 1 : i - 1;
    return this.to(i, link);
  }

  /** Returns the processes that the links of process i lead to. */
  neighbours(i: Pid): Pid[] {
    return Array.from({ length: this.degree(i) }, (_, link) => this.to(i, link));
  }

  /** Returns the neighbour of each process towards the root, by breadth-first search; -1 at the root. */
  parents(root: Pid): Int32Array {
    const parent = new Int32Array(this.n).fill(-1);
    this.#search(root, (i, from) => {
      parent[i] = from;
    });
    return parent;
  }

  /** The length of the longest shortest path. */
  get diameter(): number {
    this.#diameter ??= this.#measure();
    return this.#diameter;
  }

  /** True if every process can be reached from process 0. */
  get connected(): boolean {
    return this.#form !== rows || this.#search(0, () => {}).reached === this.n;
  }

  /** True if it is connected and has no cycle. */
  get isTree(): boolean {
    return !this.isRing && this.edges === this.n - 1 && this.connected;
  }

  /** Returns the edges as text, like 0-1,1-2, so that a trace can describe a graph that has no name. */
  list(): string {
    const edges: string[] = [];
    for (let i = 0; i < this.n; i += 1) {
      for (const j of this.neighbours(i)) if (i < j) edges.push(`${i}-${j}`);
    }
    return edges.join(',');
  }

  #measure(): number {
    if (this.#form === complete) return this.n > 1 ? 1 : 0;
    if (this.#form === oneWay) return this.n - 1;
    if (this.name === 'ring') return Math.floor(this.n / 2);
    if (this.isTree) return this.#search(this.#search(0, () => {}).last, () => {}).depth;
    let longest = 0;
    for (let i = 0; i < this.n; i += 1) longest = Math.max(longest, this.#search(i, () => {}).depth);
    return longest;
  }

  #search(from: Pid, visit: (i: Pid, from: Pid) => void): { reached: number; depth: number; last: Pid } {
    const depth = new Int32Array(this.n).fill(-1);
    const queue = new Int32Array(this.n);
    queue[0] = from;
    depth[from] = 0;
    let reached = 1;
    for (let head = 0; head < reached; head += 1) {
      const i = queue[head]!;
      for (let link = 0; link < this.degree(i); link += 1) {
        const j = this.to(i, link);
        if (depth[j] !== -1) continue;
        depth[j] = depth[i]! + 1;
        visit(j, i);
        queue[reached] = j;
        reached += 1;
      }
    }
    const last = queue[reached - 1]!;
    return { reached, depth: depth[last]!, last };
  }

  /** Creates a complete graph: each process has a link to every other one. */
  static complete(n: number): Topology {
    return new Topology('complete', n, (n * (n - 1)) / 2, complete);
  }

  /** Creates a one-way ring: each process sends only to the next one; in a ring of one it sends to itself. */
  static oneWayRing(n: number): Topology {
    return new Topology('ring', n, n, oneWay);
  }

  /**
   * Creates a two-way ring. Link 0 leads left and arrives from the right. Two processes have two links; a single process has both to
   * itself.
   */
  static twoWayRing(n: number): Topology {
    return new Topology('ring', n, n, twoWay);
  }

  /**
   * Creates an undirected graph. An edge given twice counts once.
   *
   * @param name the name in traces. Defaults to `edges`, which makes a trace list the edges.
   * @throws {AssertionError} when an edge joins a process to itself, or to one that does not exist.
   */
  static graph(n: number, edges: Iterable<readonly [Pid, Pid]>, name = 'edges'): Topology {
    const sets = Array.from({ length: n }, () => new Set<Pid>());
    for (const [a, b] of edges) {
      assert(a !== b && a >= 0 && b >= 0 && a < n && b < n, `no edge between ${a} and ${b}`);
      sets[a]!.add(b);
      sets[b]!.add(a);
    }
    const offset = new Int32Array(n + 1);
    for (let i = 0; i < n; i += 1) offset[i + 1] = offset[i]! + sets[i]!.size;
    const target = new Int32Array(offset[n]!);
    for (let i = 0; i < n; i += 1)
      target.set(
        [...sets[i]!].sort((a, b) => a - b),
        offset[i]!,
      );
    const arrival = new Int32Array(target.length);
    const graph = new Topology(name, n, target.length / 2, rows, { offset, target, arrival });
    for (let i = 0; i < n; i += 1) {
      for (let e = offset[i]!; e < offset[i + 1]!; e += 1) arrival[e] = graph.link(target[e]!, i);
    }
    return graph;
  }
}

type Rows = { offset: Int32Array; target: Int32Array; arrival: Int32Array };
const noRows: Rows = { offset: new Int32Array(0), target: new Int32Array(0), arrival: new Int32Array(0) };

// How links are found. The value for a ring is also the number of links of each process.
type Form = 0 | 1 | 2 | 3;
const complete: Form = 0;
const oneWay: Form = 1;
const twoWay: Form = 2;
const rows: Form = 3;

/** The default network for an assumption. */
export function defaultShape(assumed: Assumptions['topology']): string {
  const usual = { 'two-way ring': 'ring', connected: 'random:3' };
  return assumed in usual ? usual[assumed as keyof typeof usual] : assumed;
}

/** Builds the shape that an algorithm needs: a ring of links for ring algorithms, a graph for the others. */
export function buildTopology(
  shape: string,
  n: number,
  assumed: Assumptions['topology'],
  seed: number,
): Topology {
  if (shape === 'ring' && assumed === 'ring') return Topology.oneWayRing(n);
  if (shape === 'ring' && assumed === 'two-way ring') return Topology.twoWayRing(n);
  if (shape === 'complete') return Topology.complete(n);
  if (assumed === 'shared memory') return Topology.graph(n, [], assumed); // no links
  if (shape.startsWith('edges:')) return fromEdges('edges', shape.slice(6).split(','), n);
  return Topology.graph(n, edgesOf(shape, n, seed), shape);
}

export function checkFit(topology: Topology, assumed: Assumptions['topology'], algorithm: string): void {
  const fits = {
    complete: topology.complete,
    ring: topology.isRing && topology.degree(0) === 1,
    'two-way ring': topology.isRing && topology.degree(0) === 2,
    tree: topology.isTree,
    connected: !topology.isRing,
    'shared memory': true,
  }[assumed];
  if (!fits) {
    throw new InputError(
      `${algorithm} runs on a ${assumed} network, not on ${topology.name}: try --topology ${defaultShape(assumed)}`,
    );
  }
  if (!topology.connected && assumed !== 'shared memory') {
    throw new InputError(`the graph is not connected: some processes cannot reach process 0; add edges`);
  }
}

function* edgesOf(shape: string, n: number, seed: number): Iterable<readonly [Pid, Pid]> {
  const columns = Math.ceil(Math.sqrt(n));
  const [kind, degree] = shape.startsWith('random:') ? shape.split(':') : [shape];
  switch (kind) {
    case 'random':
      yield* randomEdges(n, meanDegree(degree, shape), new Random(seed, 'topology'));
      return;
    case 'wheel':
      if (n < 4)
        throw new InputError(`a wheel has a hub and at least 3 others: --n must be 4 or more, not ${n}`);
      for (let i = 1; i < n; i += 1) yield [i, i === n - 1 ? 1 : i + 1];
      for (let i = 1; i < n; i += 1) yield [0, i];
      return;
    case 'ring':
    case 'line':
    case 'star':
    case 'tree':
    case 'grid':
      for (let i = 1; i < n; i += 1) {
        if (kind === 'star') yield [0, i];
        else if (kind === 'tree') yield [(i - 1) >> 1, i];
        else if (kind !== 'grid' || i % columns !== 0) yield [i - 1, i];
        if (kind === 'grid' && i >= columns) yield [i - columns, i];
      }
      if (kind === 'ring' && n > 2) yield [n - 1, 0];
      return;
    default:
      throw new InputError(
        `no topology is called '${shape}'${suggest(shape, shapes)}: choose ${shapes.join(', ')}, or a file of edges`,
      );
  }
}

function meanDegree(text: string | undefined, shape: string): number {
  const degree = Number(text);
  if (!(degree >= 1)) throw new InputError(`'${shape}' lacks a mean degree of 1 or more: write random:3`);
  return degree;
}

/** A random tree, which keeps the graph connected, and further random edges up to the mean degree. */
function* randomEdges(n: number, degree: number, random: Random): Iterable<readonly [Pid, Pid]> {
  const order = random.permutation(n);
  const seen = new Set<number>();
  for (let i = 1; i < n; i += 1) {
    const [a, b] = [order[i]! - 1, order[random.below(i)]! - 1];
    seen.add(Math.min(a, b) * n + Math.max(a, b));
    yield [a, b];
  }
  const wanted = Math.min(Math.round((n * degree) / 2), (n * (n - 1)) / 2);
  while (seen.size < wanted) {
    const [a, b] = [random.below(n), random.below(n)];
    const key = Math.min(a, b) * n + Math.max(a, b);
    if (a === b || seen.has(key)) continue;
    seen.add(key);
    yield [a, b];
  }
}

/**
 * Builds a graph from lines like `0 1` or 0-1, with positions from 0. Blank lines and `#` comments are skipped.
 *
 * @param name the name of the file, for error messages
 * @param n the number of processes. Defaults to the largest position plus one.
 * @throws {InputError} when a line is not an edge, or names a process that does not exist.
 *
 * @example
 * import { fromEdges } from 'batonjs/core';
 *
 * const graph = fromEdges('office.txt', ['# two rooms', '0 1', '1-2']);
 * graph.n; // → 3
 */
export function fromEdges(name: string, lines: readonly string[], n?: number): Topology {
  const edges: [Pid, Pid][] = [];
  let largest = (n ?? 1) - 1;
  lines.forEach((line, index) => {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') return;
    const match = /^(\d{1,7})(?:\s*-\s*|\s+|\s*,\s*)(\d{1,7})$/.exec(text);
    if (!match)
      throw new InputError(
        `${name}, line ${index + 1}: '${text}' is not an edge; write two positions, like 0 1`,
      );
    const [a, b] = [Number(match[1]), Number(match[2])];
    if (a === b) throw new InputError(`${name}, line ${index + 1}: process ${a} cannot be its own neighbour`);
    largest = Math.max(largest, a, b);
    edges.push([a, b]);
  });
  if (n !== undefined && largest >= n) {
    throw new InputError(`${name} names process ${largest}, but --n ${n} ends at ${n - 1}: leave out --n`);
  }
  if (edges.length === 0 && n === undefined)
    throw new InputError(`${name} has no edges: write two positions per line, like 0 1`);
  return Topology.graph(largest + 1, edges);
}
