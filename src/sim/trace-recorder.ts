import { eventTimestamper } from '../causality/timestamps.ts';
import type { Message, Pid } from '../core/algorithm.ts';
import { copyOf } from '../core/plain-data.ts';
import { failure, type TraceEvent, type TraceInput, type TraceOutput, TraceWriter } from '../core/trace.ts';
import type { RegisterAccess } from '../machine/index.ts';
import { traceHead } from './scenario/scenario-fields.ts';
import type { Setup } from './scenario/setup.ts';
import type { WatchOptions } from './watch-options.ts';

type OnEvent = (event: TraceEvent) => void;

/** Returns null if no option asks for events and no snapshot is taken. `observe` receives each event first. */
export const traceRecorderOf = (watch: WatchOptions, setup: Setup, observe: OnEvent): TraceRecorder | null =>
  watch.trace || watch.record || setup.snapshots.length > 0 ? new TraceRecorder(watch, setup, observe) : null;

/**
 * Records a run. It collects what the handler of the current event does, and writes that with the event. Messages are copied: a faulty
 * algorithm may change an object that it has sent or received.
 */
export class TraceRecorder {
  readonly #writer: TraceWriter | null;
  readonly #record: WatchOptions['record'];
  readonly #observe: OnEvent;
  readonly #ended = new Set<number>(); // serials of messages that have arrived or were lost
  readonly #mayRepeat: boolean;
  readonly #stamp: ((event: TraceEvent) => TraceEvent) | null;
  #outputs: TraceOutput[] = [];

  constructor({ trace, record, stamps }: WatchOptions, setup: Setup, observe: OnEvent) {
    this.#writer = trace ? new TraceWriter(trace, traceHead(setup, { stamps })) : null;
    this.#stamp = stamps ? eventTimestamper(stamps) : null;
    this.#record = record;
    this.#observe = observe;
    this.#mayRepeat = setup.duplication > 0;
  }

  event(time: number, process: Pid, input: TraceInput): void {
    if (input.kind === 'lose') this.markRepetition(time, process, input.serial);
    const outputs = this.#outputs;
    this.#outputs = [];
    const bare = { time, process, input: copyOf(input), outputs };
    const event = this.#stamp === null ? bare : this.#stamp(bare);
    this.#observe(event);
    this.#writer?.event(event);
    this.#record?.(event);
  }

  /** Records a repetition when a message that has already arrived or was lost does so again. */
  markRepetition(time: number, process: Pid, serial: number): void {
    if (!this.#mayRepeat) return;
    if (this.#ended.has(serial)) this.event(time, process, { kind: 'repeat', serial });
    this.#ended.add(serial);
  }

  send(serial: number, to: Pid, link: number | null, message: Message): void {
    this.#outputs.push({ kind: 'send', serial, to, link, message: copyOf(message) });
  }

  emit(event: Message): void {
    this.#outputs.push({ kind: 'emit', event: copyOf(event) });
  }

  after(ticks: number, message: Message): void {
    this.#outputs.push({ kind: 'after', ticks, message: copyOf(message) });
  }

  cancel(type: string): void {
    this.#outputs.push({ kind: 'cancel', type });
  }

  coin(value: number, options: number): void {
    this.#outputs.push({ kind: 'coin', value, options });
  }

  clock(time: number): void {
    this.#outputs.push({ kind: 'clock', time });
  }

  access(accessed: RegisterAccess): void {
    this.#outputs.push(accessed);
  }

  fail(error: unknown): void {
    this.#outputs.push(failure(error));
  }

  end(verdict: string): void {
    this.#writer?.end(verdict);
  }
}
