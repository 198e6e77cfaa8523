import type { Address, AnyAlgorithm, Message, Pid, Plain } from '../core/algorithm.ts';
import { CausalInbox } from './causal.ts';
import type { Carrier, Layout } from './layout.ts';
import type { RunWord } from './words.ts';

/** Who held the lock when the view was installed; the run begins with it inside. */
export interface Seat {
  readonly by: Pid;
  readonly algorithm: string;
  isTaken: boolean; // until then nobody else may ask
}

/** One lock in one view, as this member takes part in handing it on. */
export class Run implements Carrier {
  readonly layout: Layout;
  readonly seat: Seat | null;
  readonly root: Pid;
  readonly heldBack: { readonly to: Pid; readonly word: RunWord }[] = []; // sent by the algorithm, and not said yet
  entry = 0; // the highest of this view that this member knows of
  phase: 'idle' | 'asking' | 'inside' = 'idle';
  awaited: Set<Pid> | null = null; // who has yet to agree to the algorithm; null: they were not asked
  isSeating = false; // asks for what this member held before the view
  readonly order: CausalInbox<RunWord> | null;
  readonly send: Carrier['send'];
  readonly after: Carrier['after'];
  readonly cancel: Carrier['cancel'];
  readonly #process: object;
  readonly #state: unknown;

  constructor(
    layout: Layout,
    { position, root, seat }: { readonly position: Pid; readonly root: Pid; readonly seat: Seat | null },
    actions: (run: Run) => Pick<Carrier, 'send' | 'after' | 'cancel'>,
  ) {
    this.layout = layout;
    this.seat = seat;
    this.root = root;
    this.order = layout.algorithm.assumes.channels === 'causal' ? new CausalInbox(layout.n, position) : null;
    ({ send: this.send, after: this.after, cancel: this.cancel } = actions(this));
    this.#process = layout.process(position, root, this);
    this.#state = this.algorithm.init(layout.place(position, root));
  }

  get algorithm(): AnyAlgorithm {
    return this.layout.algorithm;
  }

  get hasToken(): boolean {
    return this.algorithm.token?.isHeld(this.#state) ?? false;
  }

  begin(): void {
    this.algorithm.begin?.(this.#state, this.#process);
  }

  request(): void {
    this.phase = 'asking';
    this.algorithm.calls.request!(this.#state, this.#process);
  }

  release(): void {
    this.phase = 'idle';
    this.algorithm.calls.release!(this.#state, this.#process);
  }

  receive(message: Message & Plain, as: Address): void {
    this.algorithm.on[message.type]!(this.#state, this.#process, message, as);
  }

  entered(): void {
    this.phase = 'inside';
    this.entry += 1;
  }
}

/** One lock as this member's application sees it: who of it holds, and who waits. */
export class Lock<W> {
  readonly name: string;
  readonly algorithm: string;
  readonly waiting: W[] = [];
  readonly attempts = new Map<number, W>(); // those of `waiting` that give up if somebody holds it
  holder: W | null = null;
  fence = 0; // of the holder
  run: Run | null = null;
  isFresh = true; // used since it was last looked at

  constructor(name: string, algorithm: string) {
    this.name = name;
    this.algorithm = algorithm;
  }

  get isHeld(): boolean {
    return this.holder !== null;
  }

  get isIdle(): boolean {
    return this.holder === null && this.waiting.length === 0;
  }

  drop(wait: W): boolean {
    const index = this.waiting.indexOf(wait);
    if (index < 0) return false;
    this.waiting.splice(index, 1);
    return true;
  }
}
