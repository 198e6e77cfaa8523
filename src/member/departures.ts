import type { HomeMessage, IdleLock } from './member-messages.ts';
import { inPieces } from './pieces.ts';
import { slotOf } from './slots.ts';
import type { MemberId } from './view.ts';

/** Tells homes which locks this member does not use, and which runs it left by itself: again in every view, until they have noted it. */
export class Departures {
  readonly #send: (home: MemberId, message: HomeMessage) => void;
  readonly #left = new Map<string, IdleLock>();
  #epoch = -1;
  #homes: readonly MemberId[] = []; // by slot

  constructor(send: (home: MemberId, message: HomeMessage) => void) {
    this.#send = send;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return [...this.#left.values()];
  }

  viewChanged(epoch: number, homes: readonly MemberId[]): void {
    this.#epoch = epoch;
    this.#homes = homes;
    this.tell(this.#left.values());
  }

  tell(idle: Iterable<IdleLock>): void {
    const byHome = new Map<MemberId, IdleLock[]>();
    for (const one of idle) {
      const home = this.#homes[slotOf(one.lock)]!;
      const told = byHome.get(home) ?? [];
      told.push(one);
      byHome.set(home, told);
    }
    for (const [home, all] of byHome)
      for (const locks of inPieces(all)) this.#send(home, { type: 'idle', epoch: this.#epoch, locks });
  }

  /** Remembers a run that was left. */
  add(idle: IdleLock): void {
    this.#left.set(idle.lock, idle);
  }

  noted(lock: string): void {
    this.#left.delete(lock);
  }

  clear(): void {
    this.#left.clear();
  }
}
