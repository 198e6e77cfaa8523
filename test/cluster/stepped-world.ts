// An engine and a network in memory for real groups. Nothing happens by itself: the test releases every promise, delivers every message and
// fires every timer, one step at a time, in an order that follows from a seed.
import { vi } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import type { Frame, Transport, TransportListener } from '../../src/cluster/transport/transport.ts';
import { Random } from '../../src/core/random.ts';
import type { MemberId, Peer, View } from '../../src/member/index.ts';

interface Endpoint {
  readonly id: MemberId;
  readonly listener: TransportListener;
  readonly inboxes: Map<MemberId, Frame[]>; // by sender
}

const leaseMs = 600_000; // by the real clock, which does not matter here
const timerShare = 0.03; // of the steps, while something else is pending: a tick of the lease leads to many others

/** Fake timers must be on. */
export class SteppedWorld {
  readonly #random: Random;
  readonly #spansMachines: boolean;
  readonly #steps: (() => void)[] = [];
  readonly #watchers = new Set<(view: View) => void>();
  readonly #leases = new Set<MemberId>();
  readonly #endpoints = new Map<MemberId, Endpoint>();
  #view: View | null = null;
  #epoch = 0;
  isEngineAway = false;
  openEngines = 0;
  onSend: (from: MemberId, frame: Frame) => void = () => {};

  constructor(seed: number, spansMachines: boolean) {
    this.#random = new Random(seed, 'steps');
    this.#spansMachines = spansMachines;
  }

  get openTransports(): number {
    return this.#endpoints.size;
  }

  group(priority = 0): Group {
    return new Group({
      ...{ group: 'orders', algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority },
      engine: this.#engine(),
      spansMachines: this.#spansMachines,
      listen: (id, listener) => this.#later(() => this.#listen(id, listener)),
    });
  }

  /** Takes one step: something that is pending, or a timer. */
  async step(): Promise<void> {
    const isTimerDue = this.#steps.length === 0 || this.#random.chance(timerShare);
    if (isTimerDue) vi.advanceTimersToNextTimer();
    else {
      const index = this.#random.chance(0.5) ? 0 : this.#random.below(this.#steps.length); // nothing waits for long
      this.#steps.splice(index, 1)[0]!();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Takes steps until the promise settles. */
  async until<T>(promise: Promise<T>, mostSteps = 2000): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await null;
    for (let steps = 0; !isSettled; steps += 1) {
      if (steps === mostSteps) throw new Error(`still pending after ${mostSteps} steps`);
      await this.step();
    }
    return promise;
  }

  /** Changes the view as another member would. */
  remove(id: MemberId): void {
    this.#changeView(this.#view!.members.filter((peer) => peer.id !== id));
  }

  /** The engine loses its data. */
  forgetView(): void {
    this.#view = null;
  }

  #later<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#steps.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #changeView(members: readonly Peer[]): View {
    this.#epoch += 1;
    const after = this.#view === null ? {} : { after: this.#view.epoch };
    const view: View = { epoch: this.#epoch, algorithm: liHudak.name, members, ...after };
    this.#view = view;
    for (const changed of this.#watchers)
      this.#steps.push(() => {
        if (this.#watchers.has(changed)) changed(view);
      });
    return view;
  }

  #engine(): Engine {
    const watchers: ((view: View) => void)[] = [];
    const later = <T>(work: () => T): Promise<T> =>
      this.#later(() => {
        if (this.isEngineAway) throw new Error('the engine is away');
        return work();
      });
    this.openEngines += 1;
    return {
      read: () => later(() => this.#view),
      change: (after, _, members) =>
        later(() => {
          if (after?.epoch === this.#view?.epoch) return this.#changeView(members);
          if (this.#view === null) throw new Error('the view is gone');
          return this.#view;
        }),
      watch: (changed) => {
        watchers.push(changed);
        this.#watchers.add(changed);
      },
      renew: (id) => later(() => void this.#leases.add(id)),
      expired: (members) => later(() => members.flatMap(({ id }) => (this.#leases.has(id) ? [] : [id]))),
      forget: (id) => later(() => void this.#leases.delete(id)),
      close: () =>
        this.#later(() => {
          for (const changed of watchers) this.#watchers.delete(changed);
          this.openEngines -= 1;
        }),
    };
  }

  #listen(id: MemberId, listener: TransportListener): Transport {
    const end: Endpoint = { id, listener, inboxes: new Map() };
    const isOpen = () => this.#endpoints.get(id) === end;
    const died = (peer: MemberId, at: Endpoint) =>
      this.#steps.push(() => {
        if (this.#endpoints.get(at.id) === at) at.listener.closed(peer, 'dead');
      });
    this.#endpoints.set(id, end);
    return {
      address: id,
      send: (to, frame) => {
        this.onSend(id, frame);
        const receiver = this.#endpoints.get(to.id);
        if (receiver === undefined) died(to.id, end);
        if (receiver === undefined || !isOpen()) return;
        const inbox = receiver.inboxes.get(id) ?? [];
        receiver.inboxes.set(id, inbox);
        inbox.push(frame);
        const answer = (frame: Frame) =>
          this.#steps.push(() => {
            if (isOpen()) listener.received(to.id, frame, () => {});
          });
        this.#steps.push(() => {
          const next = inbox.shift()!; // messages of one sender arrive in order, whichever of these steps comes first
          if (this.#endpoints.get(to.id) === receiver) receiver.listener.received(id, next, answer);
        });
      },
      keep: () => {},
      reachItself: () => this.#later(() => null),
      close: () =>
        this.#later(() => {
          if (!isOpen()) return;
          this.#endpoints.delete(id);
          for (const other of this.#endpoints.values()) died(id, other);
        }),
    };
  }
}
