import type { Host } from './host.ts';
import type { MemberId } from './view.ts';

const mostPatience = 200; // ticks
const longestPatience = 10; // ticks, that a caller of `isSilent` asks for in a small group
const decay = 0.9; // with each answer that comes at once

/**
 * Finds members that do not answer. It counts time in ticks. A member that answered late has more time the next time, so that slow networks
 * and busy machines are not taken for silence again and again.
 */
export class Silence {
  readonly #host: Pick<Host<never>, 'send'>;
  readonly #hailed = new Map<MemberId, number>(); // when: in ticks
  readonly #patience = new Map<MemberId, number>(); // ticks that a member has to answer; 1 if it always answered at once
  #now = 0;

  constructor(host: Pick<Host<never>, 'send'>) {
    this.#host = host;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    const hailed = [...this.#hailed].map(([id, at]) => ({
      id,
      ticks: Math.min(this.#now - at, this.patienceFor(id, longestPatience)),
    }));
    return { hailed: hailed.sort((a, b) => (a.id < b.id ? -1 : 1)), patience: [...this.#patience].sort() };
  }

  tick(): void {
    this.#now += 1;
  }

  /** Asks a member to answer, unless it is being asked. */
  hail(id: MemberId): void {
    if (this.#hailed.has(id)) return;
    this.#hailed.set(id, this.#now);
    this.#host.send(id, { type: 'hail', isAnswer: false });
  }

  /** Asks again: the member has as long to answer as before. */
  hailAgain(id: MemberId): void {
    this.#hailed.delete(id);
    this.hail(id);
  }

  /** Whether the member was asked and has had time to answer, at least this many ticks, and nothing has come from it since. */
  isSilent(id: MemberId, atLeast: number): boolean {
    const hailedAt = this.#hailed.get(id);
    return hailedAt !== undefined && this.#now - hailedAt >= this.patienceFor(id, atLeast);
  }

  patienceFor(id: MemberId, atLeast: number): number {
    return Math.max(atLeast, this.patience(id));
  }

  /** The ticks that a member has to answer. */
  patience(id: MemberId): number {
    return this.#patience.get(id) ?? 1;
  }

  heard(id: MemberId): void {
    if (this.#hailed.size > 0) this.#answered(id);
  }

  #answered(id: MemberId): void {
    const hailedAt = this.#hailed.get(id);
    if (hailedAt === undefined) return;
    this.#hailed.delete(id);
    this.adapt(id, this.#now - hailedAt);
  }

  /** The member has answered after this many ticks. */
  adapt(id: MemberId, took: number): void {
    const before = this.patience(id);
    const next = Math.min(mostPatience, took > 0 ? Math.max(2 * took, before) : decay * before);
    if (next > 1) this.#patience.set(id, next);
    else this.#patience.delete(id);
  }

  keep(members: ReadonlyMap<MemberId, unknown>): void {
    for (const id of this.#hailed.keys()) if (!members.has(id)) this.#hailed.delete(id);
    for (const id of this.#patience.keys()) if (!members.has(id)) this.#patience.delete(id);
  }
}
