// Processes that send letters to each other. A letter names all causally earlier letters, so its receiver can check the order.
import { assert } from '../../src/core/assert.ts';
import {
  type CausalOrder,
  causalOrder,
  deliver,
  mayDeliver,
  noneSent,
  type SentMatrix,
  send,
} from '../../src/core/causal-delivery.ts';
import type { Algorithm, ChannelKind, Pid, Plain, Process } from '../../src/core/index.ts';

interface Letter {
  readonly type: 'letter';
  readonly name: string; // `0>2 1`: from 0 to 2, the second letter of 0
  readonly past: readonly string[];
}

/** The same with a causal stamp, for channels without causal order. */
type Mail = Letter & { readonly ST?: SentMatrix };

interface Desk {
  answers: number; // letters still to send
  written: number;
  known: string[];
  had: string[]; // in the order of delivery
}

const knows = ['me', 'n'] as const;
type Writer = Pick<Process<'election', Mail & Plain, typeof knows>, 'me' | 'n'> & {
  send(to: Pid, letter: Letter): void;
};

const desk = (answers: number): Desk => ({ answers, written: 0, known: [], had: [] });

/** Sends to every other process in turn. */
function write(s: Desk, p: Writer): void {
  for (let to = 0; to < p.n; to += 1) {
    if (to === p.me) continue;
    const name = `${p.me}>${to} ${s.written}`;
    s.written += 1;
    p.send(to, { type: 'letter', name, past: s.known });
    s.known = [...s.known, name].sort();
  }
}

/** Throws if a letter arrives before a causally earlier one. */
function readLetter(s: Desk, p: Writer, { name, past }: Letter): void {
  const missing = past.find((other) => other.includes(`>${p.me} `) && !s.had.includes(other));
  assert(missing === undefined, `${name} comes before ${missing}, which was written before it`);
  s.had.push(name);
  s.known = [...new Set([...s.known, ...past, name])].sort();
  if (s.answers === 0) return;
  s.answers -= 1;
  write(s, p);
}

const common = {
  problem: 'election',
  paper: 'of these tests',
  knows,
  bounds: [],
} as const;
const leader = { type: 'elected', leader: 0 } as const; // the problem does not matter here

/** Relies on causal channels. */
export const letters = (
  channels: ChannelKind,
  answers = 1,
): Algorithm<'election', Desk & Plain, Letter & Plain, typeof knows> => ({
  ...common,
  name: `letters-${channels}`,
  assumes: { topology: 'complete', channels, failures: 'none', timing: 'asynchronous' },
  init: () => desk(answers) as Desk & Plain,
  begin: (_, p) => p.emit(leader),
  calls: { start: (s, p) => write(s, p as Writer) },
  on: { letter: (s, p, m) => readLetter(s, p as Writer, m) },
});

type Sorting = Desk & { order: CausalOrder; early: { from: Pid; mail: Mail }[] };

/** Relies on no order: it defers letters that arrive early. */
export const sortedLetters = (
  answers = 1,
): Algorithm<'election', Sorting & Plain, Mail & Plain, typeof knows> => {
  const writer = (s: Sorting, p: Process<'election', Mail & Plain, typeof knows>): Writer => ({
    me: p.me,
    n: p.n,
    send: (to, letter) => p.send(to, { ...letter, ST: send(s.order, p.me, to) } as Mail & Plain),
  });
  return {
    ...common,
    name: 'sorted-letters',
    assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
    init({ n }) {
      const sorting: Sorting = { ...desk(answers), order: causalOrder(noneSent(n)), early: [] };
      return sorting as Sorting & Plain;
    },
    begin: (_, p) => p.emit(leader),
    calls: { start: (s, p) => write(s, writer(s, p)) },
    on: {
      letter(s, p, mail, from) {
        s.early = [...s.early, { from, mail }];
        for (;;) {
          const next = s.early.find((one) => mayDeliver(s.order, p.me, one.from, one.mail.ST!));
          if (next === undefined) return;
          s.early = s.early.filter((one) => one !== next);
          deliver(s.order, p.me, next.from, next.mail.ST!);
          readLetter(s, writer(s, p), next.mail);
        }
      },
    },
  };
};
