// Random elections: three that are correct unless a choice breaks them.
import { type AnyAlgorithm, type Fact, next } from '../../src/core/algorithm.ts';
import type { Choices } from './choices.ts';
import { frame } from './random-locks.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the handlers are those of `AnyAlgorithm`
type S = any;
type P = any;
type M = any;
// biome-ignore-end lint/suspicious/noExplicitAny: above

/** An algorithm that names the leader as me and another has no ids: the checker takes that position for an id. Processes rank by position. */
const knowledge = (names: string): Fact[] => (names === 'id' ? ['id'] : ['me']);
const rank = (p: P): number => p.id ?? p.me;
const following = (p: P): number => (p.id === undefined ? (p.me + 1) % p.n : next);

const failures = (c: Choices) => c.mostly('none' as const, 'crash' as const);

/** Names go round a ring, and the best one returns to its process. */
export function ringElection(c: Choices): AnyAlgorithm {
  const chosen = {
    elects: c.one('largest' as const, 'smallest' as const),
    promises: c.mostly(true, false),
    forwards: c.mostly<'better' | 'all' | 'worse'>('better', 'all', 'worse'),
    joins: c.mostly(true, false), // a process that has not started sends its own name instead of a worse one
    claims: c.mostly('at once', 'after the lap'),
    names: c.one('id', 'me'), // the leader by its id, or as me and another
    announces: c.mostly('a lap', 'one', 'never'),
    stops: c.mostly(true, false), // the announcement ends at the leader
    repeatsByTimer: c.chance(0.15),
    perpetual: c.chance(0.15),
  };
  const isBetter = (a: number, b: number) => (chosen.elects === 'largest' ? a > b : a < b);
  const start = (s: S, p: P) => {
    if (s.started) return;
    s.started = true;
    p.send(following(p), { type: 'name', id: rank(p) });
  };
  const elected = (p: P, id: number) => {
    const named = id === rank(p) ? 'me' : 'another';
    p.emit({ type: 'elected', leader: chosen.names === 'id' ? id : named });
  };
  return {
    ...frame('ring-election', chosen, {
      topology: 'ring',
      channels: c.one('unordered', 'fifo', 'causal'),
      failures: failures(c),
    }),
    problem: 'election',
    knows: [...knowledge(chosen.names), 'n'],
    ...(chosen.promises && { elects: chosen.elects }),
    ...(chosen.perpetual && { perpetual: true }),
    ...(chosen.repeatsByTimer && { timers: ['repeat'] }),
    init: () => ({ started: false, leads: false, knows: false }),
    calls: { start },
    on: {
      name(s: S, p: P, m: M) {
        const forwards = { better: isBetter(m.id, rank(p)), all: true, worse: !isBetter(m.id, rank(p)) };
        if (m.id === rank(p)) {
          s.leads = true;
          if (chosen.claims === 'at once') elected(p, rank(p));
          if (chosen.announces !== 'never') p.send(following(p), { type: 'leader', id: rank(p) });
          if (chosen.repeatsByTimer) p.after(1, { type: 'repeat' });
        } else if (forwards[chosen.forwards]) {
          s.started ||= chosen.joins;
          p.send(following(p), m);
        } else if (chosen.joins) start(s, p);
      },
      leader(s: S, p: P, m: M) {
        if (m.id === rank(p)) {
          if (chosen.claims !== 'at once') elected(p, rank(p));
          if (chosen.stops) return;
        } else if (!s.knows) elected(p, m.id);
        s.knows = true;
        if (chosen.announces === 'a lap') p.send(following(p), m);
      },
      ...(chosen.repeatsByTimer && {
        repeat(_s: S, p: P) {
          p.after(1, { type: 'repeat' });
        },
      }),
    },
  };
}

/** Every process tells all others its name, and decides when it has enough of them. */
export function broadcastElection(c: Choices): AnyAlgorithm {
  const chosen = {
    elects: c.one('largest' as const, 'smallest' as const),
    promises: c.mostly(true, false),
    missing: c.mostly(0, 1), // names that a process does not wait for
    joins: c.mostly(true, false),
    decides: c.one('each', 'leader'),
    names: c.one('id', 'me'),
    timesOut: c.chance(0.2),
    rearms: c.chance(0.5),
  };
  const isBetter = (a: number, b: number) => (chosen.elects === 'largest' ? a > b : a < b);
  const toAll = (p: P, message: object) => {
    for (const j of p.neighbours) p.send(j, message);
  };
  const elected = (s: S, p: P, id: number) => {
    if (s.knows) return;
    s.knows = true;
    const named = id === rank(p) ? 'me' : 'another';
    p.emit({ type: 'elected', leader: chosen.names === 'id' ? id : named });
  };
  const decide = (s: S, p: P) => {
    if (chosen.decides === 'each') elected(s, p, s.best ?? rank(p));
    else if (s.best === rank(p) && !s.knows) {
      elected(s, p, rank(p));
      toAll(p, { type: 'leader', id: rank(p) });
    }
  };
  const join = (s: S, p: P) => {
    if (s.joined) return;
    s.joined = true;
    s.best = s.best === null || isBetter(rank(p), s.best) ? rank(p) : s.best;
    toAll(p, { type: 'name', id: rank(p) });
    if (chosen.timesOut) p.after(2, { type: 'enough' });
  };
  return {
    ...frame('broadcast-election', chosen, {
      channels: c.one('unordered', 'fifo', 'causal'),
      failures: failures(c),
    }),
    problem: 'election',
    knows: [...knowledge(chosen.names), 'n', 'neighbours'],
    ...(chosen.promises && { elects: chosen.elects }),
    ...(chosen.timesOut && { timers: ['enough'] }),
    init: () => ({ joined: false, best: null, heard: 0, knows: false }),
    calls: { start: join },
    on: {
      name(s: S, p: P, m: M) {
        s.heard += 1;
        if (s.best === null || isBetter(m.id, s.best)) s.best = m.id;
        if (chosen.joins) join(s, p);
        if (s.heard >= p.n - 1 - chosen.missing) decide(s, p);
      },
      leader: (s: S, p: P, m: M) => elected(s, p, m.id),
      ...(chosen.timesOut && {
        enough(s: S, p: P) {
          if (s.heard > 0 || !chosen.rearms) decide(s, p);
          else p.after(2, { type: 'enough' });
        },
      }),
    },
  };
}

/** Two anonymous processes toss coins until they differ. On channels that keep their order, the rounds need no numbers. */
export function coinElection(c: Choices): AnyAlgorithm {
  const chosen = {
    sides: c.one(2, 3),
    tossesAgain: c.mostly('both', 'nobody', 'one'),
    waitsForLeader: c.mostly(true, false),
    perpetual: c.chance(0.1),
  };
  const toss = (s: S, p: P) => {
    s.side = p.choose(chosen.sides);
    p.send(next, { type: 'side', side: s.side });
  };
  return {
    ...frame('coin-election', chosen, {
      topology: 'ring',
      channels: c.mostly('fifo', 'unordered', 'causal'),
    }),
    problem: 'election',
    knows: [],
    ...(chosen.perpetual && { perpetual: true }),
    init: () => ({ side: null }),
    calls: { start: (s: S, p: P) => s.side === null && toss(s, p) },
    on: {
      side(s: S, p: P, m: M) {
        if (s.side === null) toss(s, p);
        const isTie = m.side === s.side;
        if (isTie && chosen.tossesAgain === 'both') toss(s, p);
        else if (isTie && chosen.tossesAgain === 'one' && s.side === 0) toss(s, p);
        else if (m.side < s.side) {
          p.emit({ type: 'elected', leader: 'me' });
          p.send(next, { type: 'leader' });
        } else if (!isTie && !chosen.waitsForLeader) p.emit({ type: 'elected', leader: 'another' });
      },
      leader: (_s: S, p: P) => chosen.waitsForLeader && p.emit({ type: 'elected', leader: 'another' }),
    },
  };
}
