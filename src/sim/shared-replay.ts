import type { Pid } from '../core/algorithm.ts';
import { type MovingWorld, SharedMachine } from '../core/shared.ts';
import { failure, type Output, type TraceEvent } from '../core/trace.ts';
import type { SharedSetup } from './shared-scenario.ts';

/** A world of shared memory, driven by a trace. */
export class SharedReplayer {
  readonly world: MovingWorld;
  readonly #machine: SharedMachine;
  readonly #crashed = new Set<Pid>();

  constructor({ algorithm, n }: SharedSetup) {
    this.#machine = new SharedMachine(algorithm, n);
    this.world = this.#machine.begin();
  }

  get states(): readonly unknown[] {
    return this.world.processes;
  }

  /** Carries out one event. Returns what was done, or why the event cannot happen here. */
  step({ process, input }: TraceEvent): Output[] | string {
    if (process >= this.#machine.n) return `there is no process ${process}`;
    if (this.#crashed.has(process) && input.kind !== 'restart') return `process ${process} is crashed`;
    const { at } = this.world.processes[process]!;
    switch (input.kind) {
      case 'call': {
        const { name } = input;
        if (name !== 'request' && name !== 'release') return `there is no call '${name}'`;
        if (at !== (name === 'request' ? 'noncritical section' : 'critical section'))
          return `process ${process} is at '${at}'`;
        this.#machine.call(this.world, process, name);
        return [];
      }
      case 'step':
        return at === input.line ? this.#step(process) : `process ${process} is at '${at}'`;
      case 'crash': {
        this.#crashed.add(process);
        const reset = this.#machine.crash(this.world, process);
        return reset.map((one) => ({ kind: 'reset', ...one }));
      }
      case 'restart':
        this.#crashed.delete(process);
        return [];
      case 'pause':
      case 'resume':
        return [];
      default:
        return `there is no ${input.kind} where memory is shared`;
    }
  }

  #step(process: Pid): Output[] {
    const did: Output[] = [];
    try {
      did.push(this.#machine.step(this.world, process));
      if (this.world.processes[process]!.at === 'critical section')
        did.push({ kind: 'emit', event: { type: 'entered' } });
    } catch (error) {
      did.push(failure(error));
    }
    return did;
  }
}
