// A group of real processes for the growth benchmark. It grows, and it is observed while members join, leave and are killed.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { leaseMs as usualLeaseMs } from './contenders/contender.js';
import { dismiss, hear, hire, now, startCollecting } from './crew.js';
import { grantsIn, longestGap } from './grants.js';
import type { Look, MemberOrders, Replies, Request } from './growth-member.js';
import type { Window } from './judge.js';
import type { Pace } from './lock-use.js';

const startsAtOnce = 16;
const weighsAtOnce = 4;
const busyFraction = 0.2; // of a lease: for as long the members may be busy with the joins of a batch
const pollMs = 20;
const calmMs = 200; // after a change, before all members are asked about it
const marginMs = 100; // after the last member has installed the view
const patienceMs = 300_000;

/** Another process waits when one releases, so every grant is a handover. */
export const handedOver: Pace = { holdMs: 1, pauseMs: 0 };
export const usedAlone: Pace = { holdMs: 0, pauseMs: 1 };

export class GrowthGroup {
  readonly #name: string;
  readonly #leaseMs: number;
  readonly #members: ChildProcess[] = [];
  #joinsAtOnce = 1;
  readonly #living = new Set<ChildProcess>(); // visitors included
  readonly #users = new Map<string, ChildProcess[]>(); // by lock
  readonly #logs = new Map<ChildProcess, Map<string, Float64Array[]>>(); // by user and lock, in pieces

  constructor(name: string, leaseMs = usualLeaseMs) {
    this.#name = name;
    this.#leaseMs = leaseMs;
  }

  get size(): number {
    return this.#members.length;
  }

  member(place: number): ChildProcess {
    return this.#members[place]!;
  }

  async grow(size: number): Promise<void> {
    while (this.size < size) {
      const started = await this.#start(Math.min(startsAtOnce, size - this.size));
      while (started.length > 0) await this.#admit(started.splice(0, this.#joinsAtOnce));
    }
  }

  /** Lets processes join at the same time. After too many joins in a row, members without processor time would lose their leases. */
  async #admit(started: readonly ChildProcess[]): Promise<void> {
    const began = performance.now();
    await Promise.all(started.map((child) => ask(child, { type: 'join' })));
    this.#members.push(...started);
    await this.settled(this.size);
    const eachMs = (performance.now() - began - calmMs) / started.length;
    this.#joinsAtOnce = Math.max(
      1,
      Math.min(startsAtOnce, Math.floor((busyFraction * this.#leaseMs) / eachMs)),
    );
  }

  /** Every member takes locks until it holds this many. */
  async hold(locks: number): Promise<void> {
    await this.#askAll({ type: 'hold', locks });
    await this.settled(this.size);
  }

  /** Starts processes that have not joined yet. */
  async visitors(count: number): Promise<ChildProcess[]> {
    const started = await this.#start(count);
    await pause(calmMs);
    return started;
  }

  async #start(count: number): Promise<ChildProcess[]> {
    const orders: MemberOrders = { group: this.#name, leaseMs: this.#leaseMs };
    const started = Array.from({ length: count }, () => hire('growth-member.js', orders, startCollecting));
    const isReady = ({ type }: { readonly type: string }) => type === 'ready';
    for (const child of started) {
      this.#living.add(child);
      child.once('exit', () => this.#living.delete(child));
    }
    await Promise.all(started.map((child) => hear(child, patienceMs, isReady)));
    return started;
  }

  /** Waits until these members know one view of this size. Returns when the last one of them installed it. */
  async settled(size: number, among: readonly ChildProcess[] = this.#members): Promise<number> {
    const late = performance.now() + patienceMs;
    const isThere = (one: Look) => one.members === size && one.isSettled;
    while (performance.now() < late) {
      if (isThere(await ask(among[0]!, { type: 'look' }))) {
        await pause(calmMs);
        const all = await this.looks(among);
        if (all.every((one) => isThere(one) && one.epoch === all[0]!.epoch))
          return Math.max(...all.map(({ viewAt }) => viewAt));
      }
      await pause(pollMs);
    }
    throw new Error(`the members did not agree on a view of ${size} within ${patienceMs / 1000} s`);
  }

  looks(among: readonly ChildProcess[] = this.#members): Promise<Look[]> {
    return Promise.all(among.map((child) => ask(child, { type: 'look' })));
  }

  /** Asks a few at a time: collecting the garbage of all members at once would keep the processors busy for seconds. */
  async weights(): Promise<Replies['weigh'][]> {
    const all: Replies['weigh'][] = [];
    for (let k = 0; k < this.size; k += weighsAtOnce) {
      const some = this.#members.slice(k, k + weighsAtOnce);
      all.push(...(await Promise.all(some.map((child) => ask(child, { type: 'weigh' })))));
    }
    return all;
  }

  // Locks in use.

  /** The members at these places begin to use a lock. */
  async use(lock: string, places: readonly number[], pace: Pace): Promise<void> {
    const users = places.map((place) => this.member(place));
    this.#users.set(lock, users);
    for (const user of users) await ask(user, { type: 'use', lock, pace });
  }

  async rest(): Promise<void> {
    await this.#askAll({ type: 'rest' });
    this.#users.clear();
    this.#logs.clear();
  }

  /** Runs `change`, and waits until these members know the view of this size that follows from it. */
  async observe<T>(
    change: () => Promise<T>,
    size: number,
    among: readonly ChildProcess[] = this.#members,
  ): Promise<{ readonly result: T; readonly window: Window }> {
    const from = now();
    const result = await change();
    const changedAt = now();
    const settledAt = await this.settled(size, among);
    const to = Math.max(changedAt, settledAt) + marginMs * 1e6;
    await pause(Math.max(0, (to - now()) / 1e6));
    return { result, window: { from, to } };
  }

  /** Returns the longest time, in milliseconds, that a user of the lock went without it. */
  async halt(lock: string, window: Window): Promise<number> {
    const late = performance.now() + patienceMs;
    const users = this.#users.get(lock)!;
    while (performance.now() < late) {
      await Promise.all(users.map((user) => this.#readLogs(user)));
      const halts = users.map((user) => longestGap(grantsIn(this.#logs.get(user)!.get(lock) ?? []), window));
      const halt = Math.max(...halts); // NaN if one of them is
      if (!Number.isNaN(halt)) return halt;
      await pause(pollMs);
    }
    throw new Error(`lock ${lock} was not granted within ${patienceMs / 1000} s`);
  }

  async #readLogs(user: ChildProcess): Promise<void> {
    const mine = this.#logs.get(user) ?? new Map<string, Float64Array[]>();
    this.#logs.set(user, mine);
    const { logs } = await ask(user, { type: 'logs' });
    for (const [lock, log] of logs) mine.set(lock, [...(mine.get(lock) ?? []), log]);
  }

  async end(): Promise<void> {
    await dismiss([...this.#living], 0);
  }

  #askAll<T extends Request['type']>(request: Request & { readonly type: T }): Promise<Replies[T][]> {
    return Promise.all(this.#members.map((child) => ask<T>(child, request)));
  }
}

/** Sends a request to a process. Returns its reply. */
export function ask<T extends Request['type']>(
  child: ChildProcess,
  request: Request & { readonly type: T },
): Promise<Replies[T]> {
  const reply = hear<Replies[T] & { readonly type: string }>(
    child,
    patienceMs,
    ({ type }) => type === request.type,
  );
  child.send(request);
  return reply;
}
