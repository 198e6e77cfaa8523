// Networks by name or from a list of edges.
import type { Assumptions, Pid } from './algorithm.ts';
import { InputError } from './assert.ts';
import { suggest } from './did-you-mean.ts';
import { Random } from './random.ts';
import { Topology } from './topology.ts';

/** The names of shapes; `random:DEGREE` takes the mean degree. */
export const shapes = ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'wheel', 'random:DEGREE'] as const;

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
