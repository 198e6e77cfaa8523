// A ring election among the living processes of a complete network. Lecture slides and G. Le Lann (1977) name the idea; the rules are
// ours. The next process on the ring is the next living Pid: a message that is not acknowledged within two longest delays goes to the
// process after. A crash loses the messages a process has acknowledged, so an overdue election runs again under a higher number.
// Messages of older runs are dropped.

import type { Algorithm, AnyAlgorithm, Facts, Pid, Plain, Process } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import type { Input } from '../machine/index.ts';
import { callInput, InnerAlgorithm, messageInput, type PlainMessage } from './inner-algorithm.ts';

type Knows = ['me', 'n', 'neighbours', 'maxDelay'];

type State = {
  number: number; // of the run
  run: Plain;
  isOver: boolean; // we know the leader, or there was no run yet
  dead: Pid[]; // processes believed dead
  sent: { to: Pid; serial: number; hops: number; message: PlainMessage }[]; // of this run, not acknowledged
  serial: number; // of the next message
};

type Message =
  | { type: 'pass'; number: number; serial: number; hops: number; message: PlainMessage } // hops: length of the message chain
  | { type: 'acknowledge'; number: number; serial: number }
  | { type: 'alive' }
  | { type: 'silence' | 'overdue' | 'alone' };

type P = Process<'election', Message, Knows>;

/**
 * Makes a ring election that survives crashes, in a complete network where no message takes longer than a known delay. The ring closes
 * around dead processes.
 * @throws {InputError} unless it is an asynchronous election by ids on a one-way ring.
 * @example
 * import { changRoberts } from 'batonjs/algorithms';
 * import { crashTolerantRing } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const faults = [{ type: 'crash', process: 3, at: 0 }] as const;
 * simulate(crashTolerantRing(changRoberts), { n: 4, faults, seed: 1 }).leader; // → 2
 */
export function crashTolerantRing(election: AnyAlgorithm): Algorithm<'election', State, Message, Knows> {
  const { topology, timing, channels } = election.assumes;
  if (topology !== 'ring' || timing !== 'asynchronous' || election.knows.some((fact) => fact !== 'id')) {
    throw new InputError(
      `${election.name} cannot elect among those who live: that takes bully, or an asynchronous one-way ring election by ids`,
    );
  }
  const ring = new CrashTolerantRing(election);
  return {
    name: election.name,
    problem: 'election',
    paper: election.paper,
    assumes: { topology: 'complete', channels, failures: 'crash', timing: 'bounded' },
    knows: ['me', 'n', 'neighbours', 'maxDelay'],
    addresses: { values: ['dead', 'to'], inner: { run: { of: election } } },
    elects: election.elects ?? 'any',
    timers: ['alone', 'silence', 'overdue'],
    bounds: [],
    init: () => ({ number: 0, run: null, isOver: true, dead: [], sent: [], serial: 0 }),

    calls: { start: (s, p) => ring.start(s, p) },
    // The others know the number of the last run, and start the next one.
    recover(_s, p) {
      for (const j of p.neighbours) p.send(j, { type: 'alive' });
      p.after(overdue(p), { type: 'overdue' });
    },

    on: {
      pass: (s, p, m, j) => ring.passed(s, p, m, j),
      acknowledge(s, p, { number, serial }) {
        if (number !== s.number) return;
        s.sent = s.sent.filter((one) => one.serial !== serial);
        if (s.sent.length === 0) p.cancel('silence');
      },
      alive(s, p, _m, j) {
        s.dead = s.dead.filter((k) => k !== j);
        s.isOver = true; // the current run may skip j
        ring.start(s, p);
      },

      silence: (s, p) => ring.silence(s, p),
      alone(s, p) {
        const mine = s.sent.filter(({ to }) => to === p.me);
        s.sent = s.sent.filter(({ to }) => to !== p.me);
        for (const { hops, message } of mine) ring.handle(s, p, hops, message);
      },
      // We may be left out because another process considers us dead.
      overdue(s, p) {
        for (const j of p.neighbours) p.send(j, { type: 'alive' });
        s.isOver = true;
        ring.start(s, p);
      },
    },
  };
}

const silence = (p: P) => 2 * p.maxDelay;
const overdue = (p: P) => 6 * p.n * p.maxDelay; // three rounds, each hop perhaps past a dead process; a shorter one costs runs, not safety

// The messages of a process that crashed circulate until this limit; no election has longer chains.
const longest = (p: P) => 4 * p.n;

// A process of a one-way ring knows nothing of the others, so its inner group has only itself.
const alone = ({ me, maxDelay }: Facts<Knows>) => ({ members: [me], root: me, maxDelay });

class CrashTolerantRing {
  readonly #election: InnerAlgorithm<'run'>;

  constructor(election: AnyAlgorithm) {
    this.#election = new InnerAlgorithm('run', election);
  }

  start(s: State, p: P): void {
    if (!s.isOver) return;
    this.#begin(s, p, s.number + 1);
    this.#inRun(s, p, 1, callInput('start'));
  }

  #begin(s: State, p: P, number: number): void {
    s.number = number;
    s.run = this.#election.init(alone(p), p.me);
    s.isOver = false;
    s.sent = [];
    p.cancel('silence');
    p.after(overdue(p), { type: 'overdue' });
  }

  passed(s: State, p: P, { number, serial, hops, message }: Message & { type: 'pass' }, j: Pid): void {
    p.send(j, { type: 'acknowledge', number, serial });
    s.dead = s.dead.filter((k) => k !== j);
    if (number > s.number) this.#begin(s, p, number);
    if (number === s.number) this.handle(s, p, hops, message);
    else this.start(s, p); // j does not know of the last election, and wants a new one
  }

  handle(s: State, p: P, hops: number, message: PlainMessage): void {
    this.#inRun(s, p, hops + 1, messageInput(message, 0));
  }

  /** An asynchronous election has no timers to carry. */
  #inRun(s: State, p: P, hops: number, input: Input): void {
    this.#election.step(s.run, alone(p), p as P & Parameters<InnerAlgorithm<'run'>['step']>[2], input, {
      send: (_next, message) => {
        if (hops > longest(p)) return;
        s.sent.push({ to: nextOf(s, p), serial: s.serial, hops, message });
        s.serial += 1;
        transmit(s, p, s.sent.at(-1)!);
      },
      emit: (event) => {
        if (event.type !== 'elected') return;
        s.isOver = true;
        p.cancel('overdue');
        p.emit(event as { type: 'elected'; leader: Pid });
      },
    });
  }

  silence(s: State, p: P): void {
    const silent = s.sent.find(({ to }) => to !== p.me)?.to;
    if (silent === undefined) return;
    s.dead.push(silent);
    for (const one of s.sent.filter(({ to }) => to === silent)) {
      one.to = nextOf(s, p);
      transmit(s, p, one);
    }
  }
}

function nextOf(s: State, p: P): Pid {
  for (let k = 1; k < p.n; k += 1) {
    const j = (p.me + k) % p.n;
    if (!s.dead.includes(j)) return j;
  }
  return p.me;
}

function transmit(s: State, p: P, { to, serial, hops, message }: State['sent'][number]): void {
  if (to === p.me) p.after(1, { type: 'alone' });
  else {
    p.send(to, { type: 'pass', number: s.number, serial, hops, message });
    p.after(silence(p), { type: 'silence' });
  }
}
