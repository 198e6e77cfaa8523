import type { Bypass, Counting, Pid } from '../core/algorithm.ts';
import type { Violation } from './monitor.ts';

/** How often others entered while a process waited, by the rule that counts entries. */
export type BypassCounts = Record<Counting, number>;

/** A bypass bound, as a number. */
export type BypassLimit = Omit<Bypass, 'when' | 'entries'> & { readonly most: number };

/** The counting rules, as text. */
export const bypassCountingText: Readonly<Record<Counting, string>> = {
  request: 'from its request',
  heard: 'once its request was heard',
  quiet: 'when no request was on its way',
};

/** Counts how often others enter while a process waits, in constant time per event. */
export class BypassCounter {
  readonly most: Readonly<BypassCounts>; // so far
  readonly #most: BypassCounts = { request: 0, heard: 0, quiet: 0 };
  #limits: readonly BypassLimit[];
  #entries = 0;
  #quietEntries = 0;
  #inFlight = 0; // requests of all processes
  readonly #own: Int32Array; // requests of each process that are in flight
  readonly #before: Int32Array; // entries before its request
  readonly #quietBefore: Int32Array; // entries before its request while no request was in flight
  readonly #unheard: Int32Array; // entries since, while requests of its own were in flight, up to #unheardSince
  readonly #unheardSince: Int32Array; // entries when its requests were last in flight

  constructor(n: number, limits: readonly BypassLimit[]) {
    this.most = this.#most;
    this.#limits = limits;
    this.#own = new Int32Array(n);
    this.#before = new Int32Array(n);
    this.#quietBefore = new Int32Array(n);
    this.#unheard = new Int32Array(n);
    this.#unheardSince = new Int32Array(n);
  }

  /** Stops checking limits. */
  dropLimits(): void {
    this.#limits = [];
  }

  requestCalled(process: Pid): void {
    this.#before[process] = this.#entries;
    this.#quietBefore[process] = this.#quietEntries;
    this.#unheard[process] = 0;
    this.#unheardSince[process] = this.#entries; // requests of an earlier wait may still be in flight
  }

  requestSent(process: Pid): void {
    this.#inFlight += 1;
    this.#own[process]! += 1;
    if (this.#own[process] === 1) this.#unheardSince[process] = this.#entries;
  }

  requestReceived(process: Pid): void {
    this.#inFlight -= 1;
    this.#own[process]! -= 1;
    if (this.#own[process] === 0) this.#unheard[process]! += this.#entries - this.#unheardSince[process]!;
  }

  /** Ends the wait of a process. Returns the bound that was broken meanwhile, if any. */
  entered(process: Pid): Violation | null {
    const request = this.#entries - this.#before[process]!;
    const unheard = this.#own[process]! > 0 ? this.#entries - this.#unheardSince[process]! : 0;
    const heard = request - this.#unheard[process]! - unheard;
    const quiet = this.#quietEntries - this.#quietBefore[process]!;
    this.#entries += 1;
    if (this.#inFlight === 0) this.#quietEntries += 1;

    const most = this.#most;
    if (request > most.request) most.request = request;
    if (heard > most.heard) most.heard = heard;
    if (quiet > most.quiet) most.quiet = quiet;
    for (const limit of this.#limits) {
      const entries = limit.from === 'request' ? request : limit.from === 'heard' ? heard : quiet;
      if (entries > limit.most) return bypassViolation(process, entries, limit);
    }
    return null;
  }
}

export function bypassViolation(
  process: Pid,
  entries: number,
  { from, most, formula, source }: BypassLimit,
): Violation {
  const promised = `at most ${most} = ${formula} (${source})`;
  const why = `others entered ${entries} times while process ${process} waited, ${bypassCountingText[from]}, but ${promised}`;
  return { property: 'the bypass bound', why };
}
