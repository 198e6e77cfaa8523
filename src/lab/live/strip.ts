import type { Pid } from '../../core/algorithm.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { Chronicle, type Phase, type Sent, SpaceTime, type Spacing } from '../../diagram/index.ts';

const msPerUnit = 50;
const step = 5000; // milliseconds; where the picture begins, so that marks of time stay at whole numbers
const most = 4000; // events; of more, the first half is forgotten
const usualKinds = ['request', 'page', 'flush', 'install', 'view', 'open']; // each has its look from the beginning

/** Time goes on, whether something happens or not. */
class GoingOn extends SpaceTime {
  now = 0; // units

  override get width(): number {
    return Math.max(super.width, this.now);
  }

  override present(position: number): number {
    return Math.max(super.present(position), position >= this.chronicle.events.length ? this.now : 0);
  }
}

/** The last minutes of real processes, as a space-time diagram needs them. */
export class Strip {
  chronicle = new Chronicle(0);
  space = new GoingOn(this.chronicle, 'time');
  readonly kinds: string[] = [...usualKinds];
  #events: TraceEvent[] = []; // in units
  #before: readonly TraceEvent[] = []; // what makes everybody what it was when they begin
  #base = 0; // milliseconds

  get spacing(): Spacing {
    return this.space.spacing;
  }

  arrange(spacing: Spacing): void {
    const { now } = this.space;
    this.space = new GoingOn(this.chronicle, spacing);
    this.space.now = spacing === 'time' ? now : 0;
  }

  /** The present, in milliseconds. */
  goOn(now: number): void {
    if (this.spacing === 'time') this.space.now = this.units(now);
  }

  units(milliseconds: number): number {
    return (milliseconds - this.#base) / msPerUnit;
  }

  seconds(units: number): string {
    return `${Math.round((units * msPerUnit + this.#base) / 100) / 10} s`;
  }

  add(events: readonly TraceEvent[], n: number): void {
    if (this.#events.length === 0) this.#base = Math.floor((events[0]?.time ?? 0) / step) * step;
    const scaled = events.map((event) => ({ ...event, time: this.units(event.time) }));
    this.#events.push(...scaled);
    if (n !== this.chronicle.n || this.#events.length > most) this.#rebuild(n);
    else for (const event of scaled) this.chronicle.add(event);
    this.space.extend();
    for (const kind of this.chronicle.ofKind.keys()) if (!this.kinds.includes(kind)) this.kinds.push(kind);
  }

  #rebuild(n: number): void {
    if (this.#events.length > most) this.#forget();
    this.chronicle = new Chronicle(n);
    for (const event of [...this.#before, ...this.#events]) this.chronicle.add(event);
    this.arrange(this.spacing);
  }

  #forget(): void {
    const { chronicle } = this;
    const [cut, first] = [this.#before.length + most / 2, this.#events[most / 2]!.time];
    this.#before = Array.from({ length: chronicle.n }, (_, process) =>
      becoming(process, chronicle.phaseAt(process, cut), chronicle.isPausedAt(process, cut)),
    ).flat();
    const shift = Math.floor((first * msPerUnit) / step) * (step / msPerUnit);
    this.#base += shift * msPerUnit;
    this.#events = this.#events.slice(most / 2).map((event) => ({ ...event, time: event.time - shift }));
  }

  /** What was sent since then. */
  sentSince(units: number): Sent[] {
    const { events, messages } = this.chronicle;
    const found: Sent[] = [];
    for (let k = events.length - 1; k >= 0 && events[k]!.time >= units; k -= 1)
      for (const output of events[k]!.outputs)
        if (output.kind === 'send') found.push(messages.get(output.serial)!);
    return found;
  }
}

/** Events after which a process is what it was. */
function becoming(process: Pid, phase: Phase, isPaused: boolean): TraceEvent[] {
  const event = (input: TraceEvent['input'], outputs: TraceEvent['outputs'] = []) => ({
    time: 0,
    process,
    input,
    outputs,
  });
  const events: TraceEvent[] = [];
  if (phase === 'crashed') events.push(event({ kind: 'crash' }));
  if (phase === 'waiting') events.push(event({ kind: 'call', name: 'request' }));
  if (phase === 'inside')
    events.push(event({ kind: 'call', name: 'request' }, [{ kind: 'emit', event: { type: 'entered' } }]));
  if (isPaused) events.push(event({ kind: 'pause' }));
  return events;
}
