// The states of a system of processes that share registers, and their steps, written from docs/reference/contract.md alone.
import type { Pid } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import type {
  AnyCompositeLine,
  AnyLine,
  AnySharedAlgorithm,
  Memory,
} from '../../src/core/shared-algorithm.ts';
import type { Outcome, Step, WorldModel } from './state-graph.ts';

export interface MemorySpace {
  readonly algorithm: AnySharedAlgorithm;
  readonly n: number;
  readonly entries: number; // Infinity: without end
  readonly together: boolean;
  readonly crashes: number;
}

interface Local {
  readonly at: string; // a line or a section
  readonly s: string; // the local variables as JSON
  readonly phase: 'idle' | 'waiting' | 'inside' | 'leaving';
  readonly left: number | null; // requests; null: without end
}

export interface MemoryWorld {
  readonly memory: Memory;
  readonly processes: readonly Local[];
  readonly crashes: number; // that may still happen
}

export class MemoryModel implements WorldModel<MemoryWorld> {
  readonly #space: MemorySpace;
  readonly #programs: readonly Readonly<Record<string, AnyLine | AnyCompositeLine>>[];

  constructor(space: MemorySpace) {
    this.#space = space;
    const { algorithm, n } = space;
    this.#programs = Array.from({ length: n }, (_, me) => algorithm.program({ me, n }));
  }

  #fresh(me: Pid): string {
    return encode(this.#space.algorithm.init({ me, n: this.#space.n }));
  }

  initial(): Outcome<MemoryWorld>[] {
    const { algorithm, n, entries, crashes, together } = this.#space;
    const left = entries === Infinity ? null : entries;
    const processes = Array.from(
      { length: n },
      (_, i): Local => ({ at: 'noncritical section', s: this.#fresh(i), phase: 'idle', left }),
    );
    const world: MemoryWorld = { memory: algorithm.registers(n), processes, crashes };
    return [
      { world: together ? [...processes.keys()].reduce((all, i) => this.#asked(all, i), world) : world },
    ];
  }

  #asked(world: MemoryWorld, i: Pid): MemoryWorld {
    const { left } = world.processes[i]!;
    return withLocal(world, i, {
      at: this.#space.algorithm.request,
      phase: 'waiting',
      left: left === null ? null : left - 1,
    });
  }

  steps(world: MemoryWorld): Step<MemoryWorld>[] {
    return world.processes.flatMap(({ at, phase, left }, i) => {
      const steps: Step<MemoryWorld>[] = [];
      if (phase !== 'idle' || Object.hasOwn(this.#programs[i]!, at))
        steps.push({ fair: `step ${i}`, outcomes: [this.#step(world, i)] });
      if (phase === 'idle' && left !== 0)
        steps.push({ fair: null, outcomes: [{ world: this.#asked(world, i) }] });
      if (world.crashes > 0) steps.push({ fair: null, outcomes: [{ world: this.#crashed(world, i) }] });
      return steps;
    });
  }

  /** The release, or one access. */
  #step(world: MemoryWorld, i: Pid): Outcome<MemoryWorld> {
    const { at, s, phase } = world.processes[i]!;
    const { release } = this.#space.algorithm;
    if (phase === 'inside') return { world: withLocal(world, i, { at: release, phase: 'leaving' }) };
    try {
      const locals = JSON.parse(s);
      const { memory, goto } = this.#access(world.memory, this.#programs[i]![at]!, locals);
      return this.#moved({ ...world, memory }, i, goto, encode(locals));
    } catch (error) {
      return { broken: `the contract: ${(error as Error).message}` };
    }
  }

  #access(memory: Memory, line: AnyLine | AnyCompositeLine, s: object): { memory: Memory; goto: string } {
    if (line.reads !== undefined) return this.#composite(memory, line, s);
    const name = (line.read ?? line.write)!;
    const index = typeof line.at === 'function' ? line.at(s) : line.at;
    const held = memory[name];
    const old = Array.isArray(held) ? held[index ?? -1] : held;
    if (typeof old !== 'number') throw new Error(`there is no register ${name}[${index}]`);
    if (line.read !== undefined)
      return { memory, goto: typeof line.goto === 'function' ? line.goto(old, s) : line.goto };
    const value = typeof line.value === 'function' ? line.value(s) : line.value;
    if (!Number.isInteger(value)) throw new Error(`it writes ${value} to ${name}`);
    const after = Array.isArray(held) ? held.with(index!, value!) : value!;
    return {
      memory: { ...memory, [name]: after },
      goto: typeof line.goto === 'function' ? line.goto(s) : line.goto,
    };
  }

  /** Several reads, and perhaps a write, in one step. */
  #composite(memory: Memory, line: AnyCompositeLine, s: object): { memory: Memory; goto: string } {
    const values = line.reads.map(([name, index]) => (memory[name] as number[])[index]!);
    const value = line.writes === undefined ? null : line.value!(values, s);
    const goto = typeof line.goto === 'function' ? line.goto(values, s) : line.goto;
    if (value === null) return { memory, goto };
    const [name, index] = line.writes!;
    return { memory: { ...memory, [name]: (memory[name] as number[]).with(index, value) }, goto };
  }

  #moved(world: MemoryWorld, i: Pid, goto: string, s: string): Outcome<MemoryWorld> {
    const { phase } = world.processes[i]!;
    if (goto === 'critical section') {
      if (phase !== 'waiting') return { broken: 'only a waiting process enters' };
      if (world.processes.some((other) => other.phase === 'inside')) return { broken: 'at most one inside' };
      return { world: withLocal(world, i, { at: goto, s, phase: 'inside' }) };
    }
    if (goto === 'noncritical section')
      return { world: withLocal(world, i, { at: goto, s: this.#fresh(i), phase: 'idle' }) };
    if (!Object.hasOwn(this.#programs[i]!, goto)) throw new Error(`there is no line '${goto}'`);
    return { world: withLocal(world, i, { at: goto, s }) };
  }

  /** A crashed process is in its noncritical section again, and its own registers are as in the beginning. */
  #crashed(world: MemoryWorld, i: Pid): MemoryWorld {
    const { algorithm, n } = this.#space;
    const before = algorithm.registers(n);
    const memory = { ...world.memory };
    for (const name of (algorithm.owned ?? []) as string[])
      memory[name] = (memory[name] as number[]).with(i, (before[name] as number[])[i]!);
    const outside = { at: 'noncritical section', s: this.#fresh(i), phase: 'idle' } as const;
    return withLocal({ ...world, memory, crashes: world.crashes - 1 }, i, outside);
  }

  falseLemmas({ memory, processes }: MemoryWorld): string[] {
    const { invariants = {} } = this.#space.algorithm;
    const world = { memory, processes: processes.map(({ at, s }) => ({ at, s: JSON.parse(s) })) };
    return Object.keys(invariants).filter((lemma) => !invariants[lemma]!(world as never));
  }

  brokenAtRest(): string | null {
    return null; // every process is in its noncritical section: all others may take steps
  }

  due({ processes }: MemoryWorld): string[] {
    return processes.flatMap(({ phase }, i) => {
      if (phase === 'waiting') return [`${i} enters`];
      return phase === 'leaving' ? [`${i} leaves`] : [];
    });
  }

  isReached({ processes }: MemoryWorld): boolean {
    return processes.some(({ phase }) => phase === 'inside');
  }
}

const withLocal = (world: MemoryWorld, i: Pid, change: Partial<Local>): MemoryWorld => ({
  ...world,
  processes: world.processes.with(i, { ...world.processes[i]!, ...change }),
});
