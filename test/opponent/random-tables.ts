// Random tables: small automata that react to messages, calls and timers in random ways. Few of them are correct. Their states meet every
// combination of the things that a reduction has to get right.
import type { AnyAlgorithm, Network } from '../../src/core/algorithm.ts';
import type { Choices } from './choices.ts';
import { frame } from './random-locks.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the handlers are those of `AnyAlgorithm`
type S = any;
type P = any;
// biome-ignore-end lint/suspicious/noExplicitAny: above

interface Reaction {
  readonly mode: number; // the next one
  readonly sends: readonly { readonly to: number; readonly type: string }[];
  readonly emits: 'me' | 'another' | 'entered' | null;
  readonly timer: 'sets' | 'cancels' | null;
}

interface Row {
  readonly reactions: readonly Reaction[]; // two: a coin decides
}

const types = ['a', 'b'];

/** One row per mode. A process sends at most `budget` messages in all; without a budget, a message causes at most one other. */
export function randomTable(c: Choices): AnyAlgorithm {
  const isLock = c.chance(0.5);
  const topology = c.one<Network>('ring', 'ring', 'two-way ring', 'complete');
  const modes = 2 + c.below(2);
  const budget = c.chance(0.6) ? 1 + c.below(3) : null;
  const hasTimer = c.chance(0.3);
  const hasCoin = c.chance(0.25);
  const isRooted = c.chance(isLock ? 0.3 : 0.7); // the root has a table of its own, and wins the elections
  const reaction = (mostSends: number, isDecisive: boolean, leader: 'me' | 'another'): Reaction => ({
    mode: c.below(modes),
    sends: Array.from({ length: c.below(mostSends + 1) }, () => ({ to: c.below(2), type: c.one(...types) })),
    emits: isDecisive && c.chance(0.4) ? (isLock ? 'entered' : leader) : null,
    timer: hasTimer && c.chance(0.4) ? c.one('sets', 'sets', 'cancels') : null,
  });
  const table = (mostSends: number, isDecisive: boolean, isRoot: boolean): Row[] =>
    Array.from({ length: modes }, () => {
      const row = () => reaction(mostSends, isDecisive, leaderFor(c, isRooted, isRoot));
      return { reactions: hasCoin && c.chance(0.3) ? [row(), row()] : [row()] };
    });
  const inputs = [...(isLock ? ['request', 'release'] : ['start']), ...types, ...(hasTimer ? ['tick'] : [])];
  const tables = (isRoot: boolean) =>
    Object.fromEntries(
      inputs.map((input) => {
        const isMessage = types.includes(input);
        return [input, table(budget === null && isMessage ? 1 : 2, input !== 'release', isRoot)];
      }),
    );
  const chosen = {
    topology,
    budget,
    isGuarded: c.mostly(true, false), // it decides only while that is allowed
    usual: tables(false),
    root: isRooted ? tables(true) : null,
    perpetual: c.chance(0.2),
  };
  const act = (s: S, p: P, input: string) => {
    const { reactions } = (p.root && chosen.root ? chosen.root : chosen.usual)[input]![s.mode]!;
    const { mode, sends, emits, timer } = reactions[reactions.length > 1 ? p.choose(2) : 0]!;
    s.mode = mode;
    for (const { to, type } of sends) {
      if (s.left === 0) break;
      if (s.left !== null) s.left -= 1;
      p.send(p.neighbours[to % p.neighbours.length], { type });
    }
    if (timer === 'sets') p.after(1, { type: 'tick' });
    if (timer === 'cancels') p.cancel('tick');
    if (emits === null || (chosen.isGuarded && s.done)) return;
    s.done = true;
    p.emit(emits === 'entered' ? { type: 'entered' } : { type: 'elected', leader: emits });
  };
  const handlers = (list: readonly string[]) =>
    Object.fromEntries(list.map((input) => [input, (s: S, p: P) => act(s, p, input)]));
  return {
    ...frame('table', chosen, {
      topology,
      channels: c.one('unordered', 'fifo', 'causal'),
      failures: c.mostly('none', 'crash'),
    }),
    problem: isLock ? 'mutex' : 'election',
    knows: isRooted ? ['neighbours', 'root'] : ['neighbours'],
    ...(chosen.perpetual && { perpetual: true }),
    ...(hasTimer && { timers: ['tick'] }),
    init: () => ({ mode: 0, left: budget, done: isLock }),
    calls: isLock
      ? {
          request(s: S, p: P) {
            s.done = false;
            act(s, p, 'request');
          },
          release: (s: S, p: P) => act(s, p, 'release'),
        }
      : handlers(['start']),
    on: handlers([...types, ...(hasTimer ? ['tick'] : [])]),
  };
}

function leaderFor(c: Choices, isRooted: boolean, isRoot: boolean): 'me' | 'another' {
  if (!isRooted) return c.one('me', 'another', 'another');
  return isRoot ? 'me' : 'another';
}
