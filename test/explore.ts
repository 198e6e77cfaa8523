// Every interleaving on a small shared memory as a graph. It answers a question that the checker does not: how often a process is bypassed.
// It keeps all states, without reduction.
import type { Pid } from '../src/core/algorithm.ts';
import type { AnySharedAlgorithm, Memory } from '../src/core/shared-algorithm.ts';
import { type Input, type LineState, MemoryMachine } from '../src/machine/index.ts';

export interface Space {
  readonly n: number;
  readonly entries?: number; // requests of each process; unlimited unless given
  readonly crashes?: number; // in total; a crashed process may ask again
}

interface State {
  readonly memory: Memory;
  readonly processes: LineState[];
  readonly left: (number | null)[]; // remaining requests
  crashes: number;
}

interface Edge {
  readonly to: number;
  readonly by: Pid;
  readonly what: 'request' | 'release' | 'step' | 'crash';
  readonly enters: boolean;
}

export interface Graph {
  readonly n: number;
  readonly states: readonly State[];
  readonly edges: readonly (readonly Edge[])[];
}

export function explore(algorithm: AnySharedAlgorithm, { n, entries, crashes = 0 }: Space): Graph {
  const machine = new MemoryMachine(algorithm, { n });
  const processes = Array.from({ length: n }, (_, i) => machine.init(i));
  const first: State = { memory: machine.memory, processes, left: Array(n).fill(entries ?? null), crashes };
  const known = new Map([[JSON.stringify(first), 0]]);
  const states = [first];
  const edges: Edge[][] = [];
  for (let from = 0; from < states.length; from += 1) {
    const state = states[from]!;
    edges.push([]);
    for (let by = 0; by < n; by += 1) {
      for (const what of movesOf(machine, state, by)) {
        const next = copy(state);
        machine.memory = next.memory;
        machine.step(by, next.processes[by]!, inputOf(what, next.processes[by]!.at));
        if (what === 'crash') next.crashes -= 1;
        if (what === 'request' && next.left[by] !== null) next.left[by]! -= 1;
        const key = JSON.stringify(next);
        let to = known.get(key);
        if (to === undefined) {
          to = states.length;
          known.set(key, to);
          states.push(next);
        }
        const enters = what === 'step' && next.processes[by]!.at === 'critical section';
        edges[from]!.push({ to, by, what, enters });
      }
    }
  }
  return { n, states, edges };
}

const inputOf = (what: Edge['what'], line: string): Input =>
  what === 'step' ? { kind: what, line } : what === 'crash' ? { kind: what } : { kind: 'call', name: what };

function movesOf(machine: MemoryMachine, { processes, left, crashes }: State, i: Pid): Edge['what'][] {
  const { at } = processes[i]!;
  const step: Edge['what'][] = machine.hasStep(processes[i]!) ? ['step'] : [];
  const crash: Edge['what'][] = crashes > 0 && at !== 'noncritical section' ? ['crash'] : [];
  if (at === 'critical section') return ['release', ...crash];
  if (at !== 'noncritical section') return [...step, ...crash];
  return left[i] === 0 ? step : [...step, 'request'];
}

const copy = ({ memory, processes, left, crashes }: State): State => ({
  memory: Object.fromEntries(
    Object.entries(memory).map(([name, held]) => [name, Array.isArray(held) ? [...held] : held]),
  ),
  processes: processes.map(({ at, s }) => ({ at, s: { ...(s as object) } })),
  left: [...left],
  crashes,
});

/** Returns a state from which the processes cannot all reach their noncritical sections, even without further requests and crashes. */
export function deadlock({ states, edges }: Graph): State | undefined {
  const before: number[][] = states.map(() => []);
  edges.forEach((list, from) => {
    for (const { to, what } of list) if (what === 'step' || what === 'release') before[to]!.push(from);
  });
  const isQuiet = ({ processes }: State) => processes.every(({ at }) => at === 'noncritical section');
  const ends = new Uint8Array(states.length);
  const todo = states.flatMap((state, index) => (isQuiet(state) ? [index] : []));
  for (const index of todo) ends[index] = 1;
  for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
    for (const from of before[index]!) {
      if (ends[from] === 1) continue;
      ends[from] = 1;
      todo.push(from);
    }
  }
  return states.find((_, index) => ends[index] === 0);
}

/** Returns the most entries of others while process i is at these lines; Infinity if there is no bound. */
export function bypasses(graph: Graph, i: Pid, lines: readonly string[]): number {
  const isThere = (state: State) => lines.includes(state.processes[i]!.at);
  const most = new Map<number, number>(); // entries from a state on; components come in reverse topological order
  let result = 0;
  for (const members of components(graph, isThere)) {
    const isMember = new Set(members);
    let longest = 0;
    for (const from of members) {
      for (const { to, by, enters } of graph.edges[from]!) {
        if (by === i && !isThere(graph.states[to]!)) continue;
        const entered = enters && by !== i ? 1 : 0;
        if (isMember.has(to) && entered === 1) return Infinity;
        if (!isMember.has(to)) longest = Math.max(longest, entered + (most.get(to) ?? 0));
      }
    }
    for (const member of members) most.set(member, longest);
    result = Math.max(result, longest);
  }
  return result;
}

/** Returns the strongly connected components of the subgraph where `holds`, in reverse topological order (Tarjan). */
function components({ states, edges }: Graph, holds: (state: State) => boolean): number[][] {
  const isIn = states.map(holds);
  const order = new Int32Array(states.length).fill(-1);
  const low = new Int32Array(states.length);
  const onStack = new Uint8Array(states.length);
  const stack: number[] = [];
  const found: number[][] = [];
  let count = 0;
  const visit = (root: number) => {
    const path = [{ at: root, next: 0 }];
    while (path.length > 0) {
      const frame = path.at(-1)!;
      const { at } = frame;
      if (frame.next === 0) {
        order[at] = low[at] = count;
        count += 1;
        stack.push(at);
        onStack[at] = 1;
      }
      const edge = edges[at]![frame.next];
      frame.next += 1;
      if (edge !== undefined) {
        if (!isIn[edge.to]) continue;
        if (order[edge.to] === -1) path.push({ at: edge.to, next: 0 });
        else if (onStack[edge.to] === 1) low[at] = Math.min(low[at]!, order[edge.to]!);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) low[parent.at] = Math.min(low[parent.at]!, low[at]!);
      if (low[at] !== order[at]) continue;
      const members = stack.splice(stack.lastIndexOf(at));
      for (const member of members) onStack[member] = 0;
      found.push(members);
    }
  };
  states.forEach((_, index) => {
    if (isIn[index] && order[index] === -1) visit(index);
  });
  return found;
}
