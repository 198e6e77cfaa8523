import { about } from '../../catalogue/index.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { type Account, type Recorded, Stage, Tally } from '../../stage/index.ts';
import type { Beginning, Change, Part } from './protocol.ts';

const most = 2000; // of a part, in messages or so: whoever takes it is not kept long

type Fields = Readonly<Record<string, unknown>>;

/** A run, told part by part. */
export class Telling {
  readonly show: Stage | Recorded;
  readonly #tally: Tally;
  #told = 0; // events,
  #said = 0; // and refusals

  constructor(show: Stage | Recorded) {
    this.show = show;
    this.#tally = new Tally(show.setup);
  }

  begin(position: number | null, upTo: number): Beginning {
    const { show } = this;
    const { n, algorithm } = show.setup;
    const first = this.#tally.account(false);
    const part = this.next(upTo);
    return {
      head: show.head,
      interventions: show instanceof Stage ? show.interventions : null,
      states: Array.from({ length: n }, (_, process) => show.stateAt(process, 0)),
      memory: about(algorithm).registers(n),
      position,
      part: { ...part, accounts: [first, ...part.accounts] },
    };
  }

  /** The next events, up to so many altogether, unless they are too many for once. */
  next(upTo: number): Part {
    const { show } = this;
    const events: TraceEvent[] = [];
    const changes: Change[] = [];
    const accounts: Account[] = [];
    let size = 0;
    while (size < most && this.#told < Math.max(upTo, show.events.length) && show.reach(this.#told + 1)) {
      const event = show.events[this.#told]!;
      const { process } = event;
      const change = changed(show.stateAt(process, this.#told), show.stateAt(process, this.#told + 1));
      const account = this.#tally.add(event);
      this.#told += 1;
      events.push(event);
      changes.push(change);
      if (account) accounts.push(account);
      size += 1 + event.outputs.length + sizeOf(change);
    }
    const isAll = show.isOver && this.#told === show.events.length;
    if (isAll) accounts.push(this.#tally.account(true));
    const verdict = isAll ? show.verdict : null;
    const overAt = isAll && show instanceof Stage ? show.now : null;
    return { events, changes, accounts, refused: this.#refusals(), verdict, overAt };
  }

  #refusals(): Part['refused'] {
    const { show } = this;
    if (!(show instanceof Stage)) return [];
    const all = [...show.refused].map(([one, why]) => [show.interventions.indexOf(one), why] as const);
    const fresh = all.slice(this.#said);
    this.#said = all.length;
    return fresh;
  }
}

/** What an event left as it was is the same object. */
function changed(before: Fields, now: Fields): Change {
  if (before === now) return null;
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...fields].filter((field) => before[field] !== now[field]).map((field) => [field, now[field]]),
  );
}

/** Values in a list are little beside an event. */
const sizeOf = (change: Change): number =>
  Object.values(change ?? {}).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? 1 + value.length / 20 : 1),
    0,
  );
