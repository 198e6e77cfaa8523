import type { Answer, Request } from './protocol.ts';

/** Something that answers requests, one after the other. */
export interface Thread {
  readonly isOver: boolean; // it answers no more
  ask(request: Request): Promise<Answer>;
  end(): void;
}

/** For what somebody wrote, or for the catalogue. */
export type MakeThread = (isWritten: boolean) => Thread;

/** The threads that run algorithms: one for the catalogue, and one for each text, which might leave anything behind. */
export class Threads {
  readonly #make: MakeThread;
  readonly #threads = new Map<string, Thread>(); // by code; '' is the catalogue

  constructor(make: MakeThread) {
    this.#make = make;
  }

  /** A living one. */
  of(code = ''): Thread {
    const known = this.#threads.get(code);
    if (known && !known.isOver) return known;
    const thread = this.#make(code !== '');
    this.#threads.set(code, thread);
    return thread;
  }

  /** Ends all but the catalogue's and this one. */
  keep(code = ''): void {
    for (const [other, thread] of this.#threads) {
      if (other === '' || other === code) continue;
      thread.end();
      this.#threads.delete(other);
    }
  }
}
