import { InputError } from '../../core/assert.ts';
import type { Answer, Named, Order } from './protocol.ts';
import { Run } from './run.ts';
import { type MakeThread, type Thread, Threads } from './thread.ts';

export interface Wanted {
  readonly subject: Named;
  readonly setup: Run['setup'];
  readonly order: Order;
  readonly position: number | null; // null: where the order leads to
}

const atOnce = 30; // events that are known when a run is first shown

/** Has runs come about in threads. One of them is shown; another one may be on its way. */
export class Runs {
  readonly #threads: Threads;
  #last = 0; // that was asked for
  #shown: { readonly run: Run; readonly code: string | undefined; readonly thread: Thread } | null = null;
  #isAsking = false; // for more of it

  constructor(makeThread: MakeThread) {
    this.#threads = new Threads(makeThread);
  }

  /** The run, with what is around the position known, all of it if it is recorded; null if another one was asked for meanwhile. */
  async begin(wanted: Wanted): Promise<{ readonly run: Run; readonly position: number } | null> {
    this.#last += 1;
    const id = this.#last;
    const { code } = wanted.subject;
    const thread = this.#threads.of(code);
    try {
      const begun = await this.#known(id, thread, wanted);
      if (begun === null) return null;
      this.#shown = { run: begun.run, code, thread };
      this.#isAsking = false;
      return begun;
    } finally {
      if (id === this.#last) this.#threads.keep(this.#shown?.code);
    }
  }

  async #known(id: number, thread: Thread, { subject, setup, order, position }: Wanted) {
    const keeps = this.#shown?.run.id ?? null;
    const upTo = (position ?? 0) + atOnce;
    const answer = await thread.ask({ kind: 'begin', run: id, keeps, subject, order, upTo });
    if (id !== this.#last) return null;
    if (answer.kind !== 'began') throw refusal(answer);
    const run = new Run(id, setup, answer);
    const at = position ?? answer.position ?? 0;
    const enough = run.isRecorded ? Infinity : at + atOnce;
    while (!run.isOver && run.events.length < enough) {
      const more = await thread.ask({ kind: 'more', run: id, upTo: at + atOnce });
      if (id !== this.#last) return null;
      if (more.kind !== 'part') throw refusal(more);
      run.take(more.part);
    }
    return { run, position: at };
  }

  /** Makes more of the run that is shown known; false if that is under way, or there is no more. */
  async more(run: Run, upTo: number): Promise<boolean> {
    const shown = this.#shown;
    if (run !== shown?.run || run.isOver || run.isLost || this.#isAsking) return false;
    this.#isAsking = true;
    const answer = await shown.thread.ask({ kind: 'more', run: run.id, upTo });
    if (shown !== this.#shown) return false;
    this.#isAsking = false;
    if (answer.kind === 'part') run.take(answer.part);
    else run.isLost = true;
    if (run.isLost) throw refusal(answer);
    return true;
  }
}

const refusal = (answer: Answer): InputError =>
  new InputError(answer.kind === 'refused' ? answer.why : 'it answered something else');
