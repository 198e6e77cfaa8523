// The locks of one member in the view that is installed, each handed on by one run of an algorithm.
import type { AnyAlgorithm, Pid } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { hash } from '../core/random.ts';
import type { Host } from './host.ts';
import { Layout } from './layout.ts';
import { electionOf, isElection } from './leaders.ts';
import { Lock, Run, type RunActions, type Seat } from './lock.ts';
import { lastEntry, type View } from './view.ts';
import type { Held, Inherited, RunWord, ViewWord, Word } from './words.ts';

// Milliseconds.
const probeAgain = 4;
const probeAtLast = 1000;
const pace = 2; // between two steps of a token that nobody asks for

/** What locks need of the member they belong to. */
export interface Surroundings<W> {
  readonly host: Host<W>;
  readonly algorithm: string; // of the group
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly fence: (epoch: number, entry: number) => number;
  say(to: Pid, word: Word): void;
  soon(to: Pid): void;
  sayToAll(word: Word): void;
  leads(election: string, term: number, ends: boolean): void;
  refresh(): void;
  broken(reason: string): void; // the membership ends
}

/** The view in which runs go on, from its install to the next view. */
interface Term {
  readonly view: View;
  readonly position: Pid;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly layouts: Map<string, Layout>;
}

export class Locks<W> {
  readonly #all = new Map<string, Lock<W>>();
  readonly #around: Surroundings<W>;
  #term: Term | null = null;
  #attempts = 0;

  constructor(around: Surroundings<W>) {
    this.#around = around;
  }

  [Symbol.iterator](): Iterator<Lock<W>> {
    return this.#all.values();
  }

  get(name: string): Lock<W> | undefined {
    return this.#all.get(name);
  }

  /** What is kept only because its part of a run is here, and was not used since this was last asked: a new epoch forgets it. */
  sweep(): { readonly stale: number; readonly used: number } {
    let stale = 0;
    let used = 0;
    for (const lock of this) {
      if (lock.isIdle && !lock.isFresh) stale += 1;
      else used += 1;
      lock.isFresh = false;
    }
    return { stale, used };
  }

  request(name: string, wait: W, algorithm: string, isTry = false): void {
    const lock = this.#lock(name, algorithm);
    const { host } = this.#around;
    if (lock.algorithm !== algorithm) host.refused(wait, handedOn(name, lock.algorithm));
    else if (isTry && !lock.isIdle) host.busy(wait);
    else {
      lock.isFresh = true;
      lock.waiting.push(wait);
      this.#advance(lock);
      if (isTry && this.#all.get(name) === lock && lock.holder !== wait) this.#try(lock, wait);
    }
  }

  cancel(name: string, wait: W): void {
    const lock = this.#all.get(name);
    if (lock?.drop(wait)) this.#forgetIdle(lock);
  }

  release(name: string, wait: W): void {
    const lock = this.#all.get(name);
    if (lock === undefined || lock.holder !== wait) return;
    lock.holder = null;
    if (isElection(name)) this.#around.leads(electionOf(name), lock.fence, true);
    const { run } = lock;
    if (run?.phase === 'inside') {
      run.release();
      this.#settle(lock, run);
    } else this.#forgetIdle(lock); // the view changes, or we are not yet inside again: `settle` will see that nobody holds it
  }

  // Views.

  held(): Held[] {
    const held: Held[] = [];
    for (const { name: lock, algorithm, fence, holder } of this)
      if (holder !== null) held.push({ lock, algorithm, fence });
    return held;
  }

  stop(): void {
    this.#term = null;
    for (const lock of this) {
      lock.run = null;
      this.#forgetIdle(lock);
    }
  }

  clear(): void {
    this.stop();
    for (const lock of this) lock.attempts.clear();
    this.#all.clear();
  }

  begin(view: View, position: Pid, held: readonly Inherited[]): void {
    const seats = new Map<string, Seat>();
    this.#term = { view, position, seats, layouts: new Map() };
    for (const { lock, algorithm, by } of held) {
      if (seats.has(lock)) fail(`two members of one view hold '${lock}'`);
      const isTaken = this.#layout(algorithm)?.entersInSilence(by) ?? false;
      seats.set(lock, { by, algorithm, isTaken });
    }
    for (const [name, { by, algorithm }] of seats)
      if (by === position) this.#takeSeat(this.#lock(name, algorithm));
    for (const lock of [...this]) this.#advance(lock);
  }

  // Words.

  busy(name: string, attempt: number): void {
    const lock = this.#all.get(name);
    const wait = lock?.attempts.get(attempt);
    if (lock === undefined || wait === undefined) return;
    lock.attempts.delete(attempt);
    if (!lock.drop(wait)) return;
    this.#forgetIdle(lock);
    this.#around.host.busy(wait);
  }

  conflict(name: string, algorithm: string): void {
    const lock = this.#all.get(name);
    for (const wait of [...(lock?.waiting ?? [])]) {
      lock!.drop(wait);
      this.#around.host.refused(wait, handedOn(name, algorithm));
    }
    if (lock !== undefined) this.#around.refresh(); // who agreed with us before would hold to that until then
  }

  opened(name: string): void {
    const seat = this.#term!.seats.get(name);
    if (seat !== undefined) seat.isTaken = true;
    const lock = this.#all.get(name);
    if (lock !== undefined) this.#advance(lock);
  }

  begun({ lock: name, algorithm }: ViewWord & { type: 'begin' }, sender: Pid): void {
    const lock = this.#lockOf(name, algorithm, sender);
    if (lock === null) return;
    this.#runOf(lock);
    this.#around.say(sender, { type: 'agree', epoch: this.#term!.view.epoch, lock: name });
  }

  agreed(name: string, sender: Pid): void {
    const lock = this.#all.get(name);
    if (lock?.run?.awaited?.delete(sender)) this.#advance(lock);
  }

  received(word: RunWord, sender: Pid): void {
    const lock = this.#lockOf(word.lock, word.algorithm ?? this.#around.algorithm, sender);
    if (lock === null) return;
    const run = this.#runOf(lock);
    const { on, timers = [] } = run.algorithm;
    const { type } = word.message;
    const isKnown = Object.hasOwn(on, type) && !timers.includes(type);
    if (!isKnown || !run.layout.comesFrom(this.#term!.position, word.as, sender))
      this.#around.host.unheard('malformed');
    else if (run.order === null) this.#deliver(lock, run, word);
    else if (run.order.isStamp(word.stamp))
      for (const due of run.order.arrived(sender, word.stamp, word)) this.#deliver(lock, run, due);
    else this.#around.host.unheard('malformed');
  }

  #deliver(lock: Lock<W>, run: Run, { entry, message, as }: RunWord): void {
    if (entry > run.entry) run.entry = entry;
    lock.isFresh ||= run.algorithm.perpetual !== true;
    run.receive(message, as);
    this.#settle(lock, run);
  }

  /** The lock, if this member knows the algorithm and has no other for it. */
  #lockOf(name: string, algorithm: string, sender: Pid): Lock<W> | null {
    if (this.#layout(algorithm) === null) {
      this.#around.host.unheard('malformed');
      return null;
    }
    const lock = this.#lock(name, algorithm);
    if (lock.algorithm === algorithm) return lock;
    this.#around.say(sender, { type: 'conflict', lock: name, algorithm: lock.algorithm });
    return null;
  }

  // Runs.

  #runOf(lock: Lock<W>): Run {
    if (lock.run !== null) return lock.run;
    const { view, position, seats } = this.#term!;
    const seat = seats.get(lock.name) ?? null;
    const root = seat?.by ?? pick(lock.name, view.members.length);
    const layout = this.#layout(lock.algorithm)!;
    const run = new Run(layout, { position, root, seat }, (r) => this.#actions(lock, r));
    lock.run = run;
    run.begin();
    return run;
  }

  /** Of an algorithm that begins something by itself everybody's part must run, though nobody speaks to it. */
  #runOfAll({ name, algorithm, run }: Lock<W>): void {
    if (run === null && this.#layout(algorithm)!.algorithm.begin !== undefined)
      this.#around.sayToAll({ type: 'begin', epoch: this.#term!.view.epoch, lock: name, algorithm });
  }

  #advance(lock: Lock<W>): void {
    if (this.#term === null || lock.waiting.length === 0 || lock.holder !== null) return;
    if (lock.run === null) this.#runOfAll(lock);
    const run = this.#runOf(lock);
    if (run.phase !== 'idle' || run.seat?.isTaken === false || !this.#isAgreed(lock, run)) return;
    if (run.entry < lastEntry) {
      run.request();
      this.#settle(lock, run);
    } else this.#around.refresh();
  }

  /**
   * Two algorithms for one lock do not exclude each other. That of the group is everybody's who is in it; any other must be agreed to by
   * all before it is asked for.
   */
  #isAgreed({ name, algorithm }: Lock<W>, run: Run): boolean {
    const { view, position } = this.#term!;
    if (algorithm === this.#around.algorithm || run.seat !== null) return true;
    if (run.awaited === null) {
      run.awaited = new Set(view.members.keys());
      run.awaited.delete(position);
      this.#around.sayToAll({ type: 'begin', epoch: view.epoch, lock: name, algorithm });
    }
    return run.awaited.size === 0;
  }

  /** After every handler: if that brought us inside, whose turn is it? */
  #settle(lock: Lock<W>, run: Run): void {
    if (run.phase === 'inside' && run.isSeating) this.#seated(lock, run);
    if (run.phase === 'inside' && lock.holder === null) {
      const wait = lock.waiting[0];
      if (wait === undefined) run.release();
      else if (this.#around.host.mayAct()) this.#grant(lock, run, wait);
    }
    if (run.phase === 'idle') this.#advance(lock);
  }

  #grant(lock: Lock<W>, run: Run, wait: W): void {
    lock.waiting.shift();
    lock.holder = wait;
    const before = lock.fence;
    lock.fence = this.#around.fence(this.#term!.view.epoch, run.entry);
    if (isElection(lock.name)) this.#around.leads(electionOf(lock.name), lock.fence, false);
    this.#around.host.granted(wait, lock.fence, lock.fence - before - 1);
  }

  #takeSeat(lock: Lock<W>): void {
    this.#runOfAll(lock);
    const run = this.#runOf(lock);
    run.isSeating = true;
    run.request();
    this.#settle(lock, run);
  }

  #seated({ name }: Lock<W>, run: Run): void {
    run.isSeating = false;
    if (run.seat!.isTaken) return;
    run.seat!.isTaken = true;
    this.#around.sayToAll({ type: 'open', epoch: this.#term!.view.epoch, lock: name });
  }

  #actions(lock: Lock<W>, run: Run): RunActions {
    const { name } = lock;
    const { epoch } = this.#term!.view;
    const { host, say, soon } = this.#around;
    const algorithm = lock.algorithm === this.#around.algorithm ? null : lock.algorithm;
    const timers = new Map<string, () => void>();
    const { token, perpetual } = run.algorithm;
    const isPaced = perpetual === true;
    return {
      broken: (reason) => this.#around.broken(reason),
      send: (to, as, message) => {
        const stamp = run.order?.sending(to) ?? null;
        const word = {
          type: 'run',
          epoch,
          lock: name,
          algorithm,
          entry: run.entry,
          as,
          stamp,
          message: message as RunWord['message'],
        } as const;
        if (isPaced && (run.heldBack.length > 0 || lock.isIdle)) {
          run.heldBack.push({ to, word });
          host.after(pace, () => {
            run.heldBack.shift();
            if (lock.run === run) say(to, word);
          });
        } else say(to, word);
        const next = token?.next?.(message);
        if (next !== undefined) soon(next);
      },
      after: (milliseconds, message) => {
        timers.get(message.type)?.();
        const fire = () => {
          timers.delete(message.type);
          if (lock.run !== run) return;
          run.fire(message);
          this.#settle(lock, run);
        };
        timers.set(message.type, host.after(milliseconds, fire));
      },
      cancel: (type) => {
        timers.get(type)?.();
        timers.delete(type);
      },
    };
  }

  #try(lock: Lock<W>, wait: W): void {
    this.#attempts += 1;
    lock.attempts.set(this.#attempts, wait);
    this.#probe(lock, this.#attempts, probeAgain);
  }

  /** Whoever holds it says so. If nobody does, this wait is granted soon, or somebody else's before it. */
  #probe(lock: Lock<W>, attempt: number, again: number): void {
    const wait = lock.attempts.get(attempt);
    if (wait === undefined) return;
    if (lock.waiting.includes(wait)) {
      this.#around.sayToAll({ type: 'probe', lock: lock.name, attempt });
      this.#around.host.after(again, () => this.#probe(lock, attempt, Math.min(2 * again, probeAtLast)));
    } else lock.attempts.delete(attempt);
  }

  #lock(name: string, algorithm: string): Lock<W> {
    let lock = this.#all.get(name);
    if (lock === undefined) {
      lock = new Lock<W>(name, this.#term?.seats.get(name)?.algorithm ?? algorithm);
      this.#all.set(name, lock);
    }
    return lock;
  }

  #layout(name: string): Layout | null {
    const { layouts, view } = this.#term!;
    const known = layouts.get(name);
    const algorithm = known?.algorithm ?? this.#around.algorithmOf(name);
    if (algorithm === undefined) return null;
    const layout = known ?? new Layout(algorithm, view.members.length);
    layouts.set(name, layout);
    return layout;
  }

  #forgetIdle(lock: Lock<W>): void {
    if (lock.run === null && lock.isIdle) this.#all.delete(lock.name);
  }
}

/** The same member everywhere, so that a request finds the root. */
const pick = (name: string, n: number): Pid => (hash(name) >>> 0) % n;

const handedOn = (name: string, algorithm: string) =>
  `lock '${name}' is handed on by ${algorithm} in this group: name the same algorithm in every process`;
