import type { Pid } from './algorithm.ts';
import { assert } from './assert.ts';

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
 *
 * @example
 * import { Topology } from 'batonjs/core';
 *
 * const closed = Topology.oneWayRing(4).without(new Set([0, 3]));
 * closed.neighbours(2); // → [1]
 * closed.neighbours(3); // → []
 * [closed.members, closed.leftOut, closed.includes(3), closed.whole.edges]; // → [2, [0, 3], false, 4]
 */
export class Topology {
  /** Its name, like `complete`, `ring` or `random:3`. */
  readonly name: string;
  /** The number of processes. */
  readonly n: number;
  /** The number of links. */
  readonly edges: number;
  /** The number of processes that have a place in it: n, unless {@link Topology.without} left some out. */
  readonly members: number;
  /** The network before processes were left out; itself if none was. */
  readonly whole: Topology;
  readonly #form: Form;
  readonly #closed: ClosedRing | null; // a ring that leaves processes out
  readonly #isLeftOut: Uint8Array | null;
  readonly #offset: Int32Array; // row of process i: offset[i] .. offset[i+1]-1
  readonly #target: Int32Array;
  readonly #arrival: Int32Array;
  #diameter: number | null = null;

  private constructor(
    name: string,
    n: number,
    edges: number,
    form: Form,
    rows: Rows = noRows,
    rest: Remainder | null = null,
  ) {
    this.name = name;
    this.n = n;
    this.edges = edges;
    this.members = rest?.members ?? n;
    this.whole = rest?.whole ?? this;
    this.#isLeftOut = rest?.isLeftOut ?? null;
    this.#closed = rest?.ring ?? null;
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
    if (this.#form === rows) return this.#offset[i + 1]! - this.#offset[i]!;
    return this.#closed !== null && this.#closed.next[i] === nowhere ? 0 : this.#form;
  }

  /** Returns the process that a link of process i leads to. */
  to(i: Pid, link: number): Pid {
    if (this.#form === oneWay || (this.#form === twoWay && link === 1)) return this.#next(i);
    if (this.#form === twoWay) return this.#previous(i);
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
    if (this.#form === oneWay) return this.#previous(i);
    return this.to(i, link);
  }

  #next(i: Pid): Pid {
    if (this.#closed !== null) return this.#closed.next[i]!;
    return i + 1 === this.n ? 0 : i + 1;
  }

  #previous(i: Pid): Pid {
    if (this.#closed !== null) return this.#closed.previous[i]!;
    return i === 0 ? this.n - 1 : i - 1;
  }

  /** The processes that {@link Topology.without} left out, in order. */
  get leftOut(): Pid[] {
    return Array.from(this.#isLeftOut ?? []).flatMap((isLeftOut, i) => (isLeftOut ? [i] : []));
  }

  /** Returns true if process i has a place in the network: it was not left out. */
  includes(i: Pid): boolean {
    return this.#isLeftOut === null || this.#isLeftOut[i] === 0;
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

  /** True if every process that was not left out can be reached from every other one. */
  get connected(): boolean {
    return this.#form !== rows || this.#search(this.#first, () => {}).reached === this.members;
  }

  /** True if it is connected and has no cycle. */
  get isTree(): boolean {
    return !this.isRing && this.edges === this.members - 1 && this.connected;
  }

  get #first(): Pid {
    return this.#isLeftOut?.indexOf(0) ?? 0;
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
    if (this.#form === oneWay) return this.members - 1;
    if (this.isRing || (this.name === 'ring' && this.whole === this)) return Math.floor(this.members / 2);
    if (this.isTree) return this.#search(this.#search(this.#first, () => {}).last, () => {}).depth;
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

  /**
   * Returns the network without some of its processes. The others keep their positions. A ring closes over the processes that are left out; any other
   * network keeps the links between those that stay.
   *
   * @param leftOut the processes to leave out: not all of them
   */
  without(leftOut: ReadonlySet<Pid>): Topology {
    if (leftOut.size === 0) return this;
    const isLeftOut = Uint8Array.from({ length: this.n }, (_, i) =>
      leftOut.has(i) || !this.includes(i) ? 1 : 0,
    );
    const stay = Array.from({ length: this.n }, (_, i) => i).filter((i) => isLeftOut[i] === 0);
    assert(stay.length > 0, 'a network without processes');
    const rest: Remainder = { isLeftOut, members: stay.length, whole: this.whole, ring: null };
    if (this.isRing)
      return new Topology(this.name, this.n, stay.length, this.#form, noRows, {
        ...rest,
        ring: closedRing(this.n, stay),
      });
    const kept = (i: Pid) => (isLeftOut[i] === 1 ? [] : this.neighbours(i).filter((j) => isLeftOut[j] === 0));
    return Topology.#ofRows(this.name, this.n, kept, rest);
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
    return Topology.#ofRows(name, n, (i) => [...sets[i]!].sort((a, b) => a - b));
  }

  /** Creates a graph from the neighbours of each process, in order. */
  static #ofRows(
    name: string,
    n: number,
    neighboursOf: (i: Pid) => readonly Pid[],
    rest: Remainder | null = null,
  ): Topology {
    const row = Array.from({ length: n }, (_, i) => Int32Array.from(neighboursOf(i)));
    const offset = new Int32Array(n + 1);
    for (let i = 0; i < n; i += 1) offset[i + 1] = offset[i]! + row[i]!.length;
    const target = new Int32Array(offset[n]!);
    for (let i = 0; i < n; i += 1) target.set(row[i]!, offset[i]!);
    const arrival = new Int32Array(target.length);
    const graph = new Topology(name, n, target.length / 2, rows, { offset, target, arrival }, rest);
    for (let i = 0; i < n; i += 1) {
      for (let e = offset[i]!; e < offset[i + 1]!; e += 1) arrival[e] = graph.link(target[e]!, i);
    }
    return graph;
  }
}

type Rows = { offset: Int32Array; target: Int32Array; arrival: Int32Array };
const noRows: Rows = { offset: new Int32Array(0), target: new Int32Array(0), arrival: new Int32Array(0) };

/** What is left of a network from which processes were left out. */
interface Remainder {
  readonly isLeftOut: Uint8Array; // by position: 1 if it was
  readonly members: number;
  readonly whole: Topology;
  readonly ring: ClosedRing | null;
}

/** The neighbours of each process on a ring that leaves processes out. */
interface ClosedRing {
  readonly next: Int32Array;
  readonly previous: Int32Array;
}

const nowhere = -1; // where a process that was left out would send

function closedRing(n: number, members: readonly Pid[]): ClosedRing {
  const [next, previous] = [new Int32Array(n).fill(nowhere), new Int32Array(n).fill(nowhere)];
  members.forEach((i, k) => {
    const j = members[(k + 1) % members.length]!;
    next[i] = j;
    previous[j] = i;
  });
  return { next, previous };
}

// How links are found. The value for a ring is also the number of links of each process.
type Form = 0 | 1 | 2 | 3;
const complete: Form = 0;
const oneWay: Form = 1;
const twoWay: Form = 2;
const rows: Form = 3;
