// A new master for a group that synchronises its clocks to each other, by composition: a synchronisation run by a master, and an
// election. R. Gusella and S. Zatti (1989) elect a new time daemon when the old one falls silent; the rules are ours.
//
// A process whose application calls `synchronise` waits for a round. If none comes, the master is dead or asleep: an election chooses the
// next one, which begins a round at once. A false alarm costs only messages. Corrections made so far stay in effect.

import type {
  Address,
  Algorithm,
  AnyAlgorithm,
  Message as AnyMessage,
  Facts,
  Pid,
  Plain,
  Problems,
  Process,
} from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import type { Input } from '../machine/index.ts';
import {
  allProcesses,
  callInput,
  compositionDeclarations,
  InnerAlgorithm,
  type InnerGroup,
  messageInput,
  type PlainMessage,
  type PrefixedTimer,
  recoveryInput,
} from './inner-algorithm.ts';

type Knows = ['me', 'n', 'neighbours', 'parent', 'maxDelay', 'minDelay', 'drift'];
type InnerName = 'clocks' | 'election';

type State = {
  master: Pid;
  clocks: Plain;
  election: Plain;
};

type Message =
  | { type: InnerName; as: Address; message: PlainMessage }
  | { type: 'silent' }
  | { type: PrefixedTimer<InnerName>; message: PlainMessage };

type P = Process<'clocks', Message, Knows>;

/**
 * Composes clocks that a master synchronises to each other with an election that survives crashes. If the master crashes, the next one is
 * elected. {@link withRecovery} takes any election.
 * @throws {InputError} if the clocks follow a source of time, which an election cannot replace.
 * @example
 * import { berkeley, bully } from 'batonjs-lab/algorithms';
 * import { clocksWithRecovery } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const faults = [{ type: 'crash', process: 0, at: 0 }] as const; // the master
 * const run = simulate(clocksWithRecovery(berkeley, bully), { n: 4, faults, seed: 1 });
 * run.clocks?.filter(({ estimatedOffset }) => estimatedOffset !== null).length; // → 3
 */
export function clocksWithRecovery(
  clocks: AnyAlgorithm,
  election: AnyAlgorithm,
): Algorithm<'clocks', State, Message, Knows> {
  if (clocks.synchronises?.begins !== 'root' || clocks.synchronises.to !== 'each other')
    throw new InputError(`${clocks.name} has a source of time, not a master: an election cannot replace it`);
  const parts = {
    clocks: new InnerAlgorithm<InnerName>('clocks', clocks),
    election: new InnerAlgorithm<InnerName>('election', election),
  };

  const allOf = (p: Facts<Knows>, root: Pid): InnerGroup => ({
    members: allProcesses(p.n),
    root,
    maxDelay: p.maxDelay,
    minDelay: p.minDelay,
    drift: p.drift,
  });

  function inside(part: InnerName, s: State, p: P, input: Input) {
    const emit = (event: AnyMessage) => {
      if (event.type === 'adjust') adjusted(p, event as Problems['clocks']['event']);
      if (event.type === 'elected') elected(s, p, event as Elected);
    };
    const send = (to: Pid, message: PlainMessage, as: Address) => p.send(to, { type: part, as, message });
    parts[part].step(s[part], allOf(p, s.master), p, input, { send, emit });
  }

  const synchronise = (s: State, p: P) => inside('clocks', s, p, callInput('synchronise'));

  function adjusted(p: P, event: Problems['clocks']['event']) {
    p.cancel('silent');
    p.emit(event);
  }

  function elected(s: State, p: P, { leader }: Elected) {
    s.master = leader;
    if (leader === p.me) synchronise(s, p);
  }

  const onTimers = (part: InnerName) =>
    parts[part].onTimers((s: State, p: P, input) => inside(part, s, p, input));

  return {
    ...compositionDeclarations(clocks, election),
    problem: 'clocks',
    knows: ['me', 'n', 'neighbours', 'parent', 'maxDelay', 'minDelay', 'drift'],
    addresses: { values: ['master'], inner: { clocks: { of: clocks }, election: { of: election } } },
    synchronises: { to: 'each other', begins: 'all' },
    timers: [...parts.clocks.timers, ...parts.election.timers, 'silent'],
    init(place) {
      const master = place.parent ?? place.me;
      const group = allOf(place, master);
      return {
        master,
        clocks: parts.clocks.init(group, place.me),
        election: parts.election.init(group, place.me),
      };
    },
    recover: (s, p) => inside('election', s, p, recoveryInput(election)),

    calls: {
      synchronise(s, p) {
        p.after(patience(p), { type: 'silent' });
        synchronise(s, p);
      },
    },

    on: {
      clocks: (s, p, { as, message }) => inside('clocks', s, p, messageInput(message, as)),
      election: (s, p, { as, message }) => inside('election', s, p, messageInput(message, as)),
      silent(s, p) {
        p.after(overdue(p), { type: 'silent' });
        inside('election', s, p, callInput('start'));
      },
      ...onTimers('clocks'),
      ...onTimers('election'),
    },
  };
}

type Elected = { readonly type: 'elected'; readonly leader: Pid };

// Any value is safe: a short one costs elections, a long one costs time.
const patience = (p: P) => 4 * p.maxDelay; // the master's question, the answers, the result
const overdue = (p: P) => 10 * p.n * p.maxDelay;
