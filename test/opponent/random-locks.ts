// Random locks: four that are correct unless a choice breaks them. The choices are printed with the name.
import { type AnyAlgorithm, next } from '../../src/core/algorithm.ts';
import type { Choices } from './choices.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the handlers are those of `AnyAlgorithm`
type S = any;
type P = any;
// biome-ignore-end lint/suspicious/noExplicitAny: above

export const frame = (
  family: string,
  choices: object,
  assumes: Partial<AnyAlgorithm['assumes']>,
): Pick<AnyAlgorithm, 'name' | 'paper' | 'assumes' | 'bounds'> => ({
  name: `random-${family}`,
  paper: JSON.stringify(choices),
  assumes: {
    topology: 'complete',
    channels: 'unordered',
    failures: 'none',
    timing: 'asynchronous',
    ...assumes,
  },
  bounds: [],
});

/** A token on a ring. It circulates, or stays where it was used last and is called by a request. */
export function tokenLock(c: Choices): AnyAlgorithm {
  const isCalled = c.chance(0.4);
  const chosen = {
    perpetual: c.mostly(!isCalled, isCalled),
    passes: isCalled ? 'never' : c.one('at once', 'at once', 'by timer', 'by coin'),
    calls: isCalled,
    entersTwice: c.mostly(false, true),
    forgetsWish: c.mostly(true, false),
    keepsToken: c.mostly(false, true),
    swallows: c.mostly(false, true), // a call that meets a waiting process goes no further
    duplicates: c.mostly(false, false, true),
  };
  const pass = (s: S, p: P) => {
    if (chosen.duplicates || s.token) p.send(next, { type: 'token' });
    s.token = false;
  };
  const idle = (s: S, p: P) => {
    if (chosen.passes === 'at once') pass(s, p);
    else if (chosen.passes === 'by timer') p.after(1, { type: 'pass' });
    else if (chosen.passes === 'by coin') {
      if (p.choose(2) === 0) pass(s, p);
      else p.after(1, { type: 'pass' });
    } else if (s.called) {
      s.called = false;
      pass(s, p);
    }
  };
  const arrive = (s: S, p: P) => {
    s.token = true;
    if (s.wants && !s.inside) {
      s.inside = true;
      p.emit({ type: 'entered' });
    } else if (!s.inside || chosen.entersTwice) idle(s, p);
  };
  const usesTimer = chosen.passes === 'by timer' || chosen.passes === 'by coin';
  return {
    ...frame('token-lock', chosen, { topology: 'ring', channels: c.one('unordered', 'fifo', 'causal') }),
    problem: 'mutex',
    knows: ['root'],
    ...(chosen.perpetual && { perpetual: true }),
    ...(usesTimer && { timers: ['pass'] }),
    init: ({ root }) => ({ token: root, wants: false, inside: false, called: false }),
    begin: (s: S, p: P) => s.token && arrive(s, p),
    calls: {
      request(s: S, p: P) {
        s.wants = true;
        if (s.token) arrive(s, p);
        else if (chosen.calls) p.send(next, { type: 'call' });
      },
      release(s: S, p: P) {
        s.inside = false;
        if (chosen.forgetsWish) s.wants = false;
        if (!chosen.keepsToken) idle(s, p);
      },
    },
    on: {
      token: arrive,
      call(s: S, p: P) {
        if (s.token && !s.inside) pass(s, p);
        else if (s.token || (s.wants && !chosen.swallows)) s.called = true;
        else p.send(next, { type: 'call' });
      },
      ...(usesTimer && { pass: (s: S, p: P) => s.token && !s.inside && idle(s, p) }),
    },
  };
}

/** A coordinator, process 0, that grants the lock. It queues the others, or tells them to ask again. */
export function coordinatorLock(c: Choices): AnyAlgorithm {
  const chosen = {
    queues: c.chance(0.7),
    retries: c.one('at once', 'by timer'),
    order: c.one('first', 'last'),
    checks: c.mostly(true, false),
    grantsNext: c.mostly(true, false),
    frees: c.mostly(true, false),
    perpetual: c.chance(0.2),
  };
  const grant = (s: S, p: P, j: number) => {
    s.busy = chosen.checks;
    if (j === p.me) p.emit({ type: 'entered' });
    else p.send(j, { type: 'grant' });
  };
  const asked = (s: S, p: P, j: number) => {
    if (!s.busy) grant(s, p, j);
    else if (chosen.queues || j === p.me) s.queue.push(j);
    else p.send(j, { type: 'denied' });
  };
  const freed = (s: S, p: P) => {
    if (chosen.frees) s.busy = false;
    const j = chosen.order === 'first' ? s.queue.shift() : s.queue.pop();
    if (j !== undefined && chosen.grantsNext) grant(s, p, j);
  };
  const ask = (s: S, p: P) => (p.me === 0 ? asked(s, p, 0) : p.send(0, { type: 'ask' }));
  const usesTimer = !chosen.queues && chosen.retries === 'by timer';
  return {
    ...frame('coordinator-lock', chosen, { channels: c.one('unordered', 'fifo', 'causal') }),
    problem: 'mutex',
    knows: ['me'],
    ...(chosen.perpetual && { perpetual: true }),
    ...(usesTimer && { timers: ['again'] }),
    init: () => ({ busy: false, queue: [] }),
    calls: {
      request: ask,
      release: (s: S, p: P) => (p.me === 0 ? freed(s, p) : p.send(0, { type: 'free' })),
    },
    on: {
      ask: (s: S, p: P, _m: unknown, j: number) => asked(s, p, j),
      grant: (_s: S, p: P) => p.emit({ type: 'entered' }),
      free: freed,
      denied: (s: S, p: P) => (usesTimer ? p.after(1, { type: 'again' }) : ask(s, p)),
      ...(usesTimer && { again: ask }),
    },
  };
}

/** One fork per pair of processes: a waiting process needs all of its forks, and takes one from a waiting process of lower priority. */
export function forkLock(c: Choices): AnyAlgorithm {
  const chosen = {
    priority: c.one('lower', 'higher'),
    yields: c.mostly('by priority', 'always', 'never'),
    asksAgain: c.mostly(true, false),
    handsOver: c.mostly(true, false),
    needs: c.mostly('all', 'one'),
  };
  const others = (p: P): number[] => p.neighbours;
  const enterIfReady = (s: S, p: P) => {
    const held = others(p).filter((j) => s.fork[j]).length;
    if (!s.wants || s.inside || held < (chosen.needs === 'all' ? others(p).length : 1)) return;
    s.inside = true;
    p.emit({ type: 'entered' });
  };
  const give = (s: S, p: P, j: number) => {
    s.fork[j] = false;
    s.asked[j] = false;
    p.send(j, { type: 'fork' });
  };
  return {
    ...frame('fork-lock', chosen, { channels: c.one('unordered', 'fifo', 'causal') }),
    problem: 'mutex',
    knows: ['me', 'n', 'neighbours'],
    init: ({ me, n }) => ({
      wants: false,
      inside: false,
      fork: Array.from({ length: n }, (_, j) => me < j),
      asked: Array(n).fill(false),
    }),
    calls: {
      request(s: S, p: P) {
        s.wants = true;
        for (const j of others(p)) if (!s.fork[j]) p.send(j, { type: 'ask' });
        enterIfReady(s, p);
      },
      release(s: S, p: P) {
        s.wants = false;
        s.inside = false;
        for (const j of others(p)) if (s.asked[j] && s.fork[j] && chosen.handsOver) give(s, p, j);
      },
    },
    on: {
      ask(s: S, p: P, _m: unknown, j: number) {
        const isFirst = chosen.priority === 'lower' ? j < p.me : j > p.me;
        const mustYield = { 'by priority': isFirst, always: true, never: false }[chosen.yields];
        s.asked[j] = true;
        if (!s.fork[j] || s.inside || (s.wants && !mustYield)) return;
        give(s, p, j);
        if (s.wants && chosen.asksAgain) p.send(j, { type: 'ask' });
      },
      fork(s: S, p: P, _m: unknown, j: number) {
        s.fork[j] = true;
        if (s.asked[j] && !s.wants) give(s, p, j);
        else enterIfReady(s, p);
      },
    },
  };
}

/** A token that moves on demand: a request goes to all others. */
export function demandLock(c: Choices): AnyAlgorithm {
  const chosen = {
    remembers: c.mostly(true, false),
    order: c.one('first', 'last'),
    handsOver: c.mostly(true, false),
    staleTokens: c.mostly('forward', 'keep'),
    asksOne: c.mostly(false, true),
  };
  const handOver = (s: S, p: P) => {
    const j = chosen.order === 'first' ? s.queue.shift() : s.queue.pop();
    if (j === undefined) return;
    s.token = false;
    p.send(j, { type: 'token' });
  };
  const enter = (s: S, p: P) => {
    s.inside = true;
    p.emit({ type: 'entered' });
  };
  return {
    ...frame('demand-lock', chosen, { channels: c.one('unordered', 'fifo', 'causal') }),
    problem: 'mutex',
    knows: ['neighbours', 'root', 'me'],
    init: ({ root }) => ({ token: root, wants: false, inside: false, queue: [] }),
    calls: {
      request(s: S, p: P) {
        s.wants = true;
        if (s.token) enter(s, p);
        else
          for (const j of chosen.asksOne ? p.neighbours.slice(0, 1) : p.neighbours)
            p.send(j, { type: 'ask' });
      },
      release(s: S, p: P) {
        s.wants = false;
        s.inside = false;
        if (chosen.handsOver) handOver(s, p);
      },
    },
    on: {
      ask(s: S, p: P, _m: unknown, j: number) {
        if (!s.token && !chosen.remembers) return;
        if (!s.queue.includes(j)) s.queue.push(j);
        if (s.token && !s.inside) handOver(s, p);
      },
      token(s: S, p: P, _m: unknown, j: number) {
        s.token = true;
        s.queue = s.queue.filter((k: number) => k !== j || chosen.staleTokens === 'keep');
        if (s.wants) enter(s, p);
        else if (chosen.staleTokens === 'forward') handOver(s, p);
      },
    },
  };
}
