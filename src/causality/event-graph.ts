import type { Pid } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';

/** The direct causes of each event, by number. Events are added as they become known. */
export class EventGraph {
  readonly #before: (number | null)[] = []; // the previous event of the same process
  readonly #remoteCauses: (readonly number[])[] = []; // events that sent what it receives, or wrote what it reads
  readonly #last = new Map<Pid, number>();
  readonly #sender = new Map<number, number>(); // by message
  readonly #writer = new Map<string, number>(); // the last one, by register

  add({ process, input, outputs }: TraceEvent): void {
    const index = this.#before.length;
    const causes: number[] = [];
    if (input.kind === 'recv' && this.#sender.has(input.serial)) causes.push(this.#sender.get(input.serial)!);
    for (const output of outputs) {
      if (output.kind === 'send') this.#sender.set(output.serial, index);
      else if (output.kind === 'read' && this.#writer.has(output.register))
        causes.push(this.#writer.get(output.register)!);
      else if (output.kind === 'write' || output.kind === 'reset') this.#writer.set(output.register, index);
    }
    this.#before.push(this.#last.get(process) ?? null);
    this.#remoteCauses.push(causes);
    this.#last.set(process, index);
  }

  /** The causes of an event that reached it by a message or through a register. */
  remoteCauses(index: number): readonly number[] {
    return this.#remoteCauses[index]!;
  }

  causes(index: number): readonly number[] {
    const before = this.#before[index]!;
    return before === null ? this.#remoteCauses[index]! : [before, ...this.#remoteCauses[index]!];
  }
}
