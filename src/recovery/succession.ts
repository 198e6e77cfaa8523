// A successor for the master of a group whose clocks agree among themselves, by composition: a synchronisation that a master runs, and an
// election. R. Gusella and S. Zatti (1989) elect a new time daemon when the old one falls silent; the rules are ours.
//
// Whose application wants its clock synchronised waits for a round. If none comes, the master is dead, or sleeps: an election names the
// next one, which begins a round at once. A false alarm costs messages only. What a process has corrected so far stays with it.

import type {
  Address,
  Algorithm,
  AnyAlgorithm,
  Message as AnyMessage,
  Pid,
  Place,
  Plain,
  Problems,
  Process,
} from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { type Carrier, carrier, type Group, Inner } from './inner.ts';

type Knows = ['me', 'n', 'neighbours', 'parent', 'maxDelay', 'minDelay', 'drift'];
type Content = AnyMessage & Plain;
type Part = 'clocks' | 'election';

type State = {
  master: Pid;
  clocks: Plain;
  election: Plain;
};

type InnerTimer = `${Part}-${string}`;
type Message =
  | { type: Part; as: Address; message: Content }
  | { type: 'silent' }
  | { type: InnerTimer; message: Content };

type P = Process<'clocks', Message, Knows>;
type Handler = (state: Plain, process: object) => void;

export function succeeding(
  clocks: AnyAlgorithm,
  election: AnyAlgorithm,
): Algorithm<'clocks', State, Message, Knows> {
  if (clocks.synchronises?.begins !== 'root' || clocks.synchronises.to !== 'each other')
    throw new InputError(`${clocks.name} has a source of time, not a master: an election cannot replace it`);
  const parts = { clocks: new Inner(clocks), election: new Inner(election) };

  const everybody = (p: Place<Knows>, root: Pid): Group => ({
    members: Array.from({ length: p.n }, (_, i) => i),
    root,
    maxDelay: p.maxDelay,
    minDelay: p.minDelay,
    drift: p.drift,
  });

  function inside(part: Part, s: State, p: P, handler: Handler) {
    const emit = (event: AnyMessage) =>
      part === 'clocks' ? adjusted(p, event as Problems['clocks']['event']) : elected(s, p, event as Elected);
    const send: Carrier['send'] = (to, message, as) => p.send(to, { type: part, as, message });
    handler(s[part], parts[part].process(everybody(p, s.master), p.me, carrier(part, p, send, emit)));
  }

  const synchronise = (s: State, p: P) => inside('clocks', s, p, clocks.calls.synchronise!);
  const received = (part: Part, s: State, p: P, message: Content, as: Address) =>
    inside(part, s, p, (inner, process) =>
      parts[part].algorithm.on[message.type]!(inner, process, message, as),
    );

  function adjusted(p: P, event: Problems['clocks']['event']) {
    p.cancel('silent');
    p.emit(event);
  }

  function elected(s: State, p: P, { leader }: Elected) {
    s.master = leader;
    if (leader === p.me) synchronise(s, p);
  }

  const timersOf = (part: Part) =>
    (parts[part].algorithm.timers ?? []).map((type): InnerTimer => `${part}-${type}`);
  const onTimers = (part: Part) =>
    timersOf(part).map((type) => [
      type,
      (s: State, p: P, { message }: { message: Content }) => received(part, s, p, message, 0),
    ]);

  return {
    name: `${clocks.name}+${election.name}`,
    problem: 'clocks',
    paper: clocks.paper,
    assumes: {
      topology: 'complete',
      channels: clocks.assumes.channels === 'unordered' ? election.assumes.channels : clocks.assumes.channels,
      failures: 'crash',
      timing: 'bounded',
    },
    knows: ['me', 'n', 'neighbours', 'parent', 'maxDelay', 'minDelay', 'drift'],
    synchronises: { to: 'each other', begins: 'all' },
    timers: [...timersOf('clocks'), ...timersOf('election'), 'silent'],
    bounds: [],
    init(place) {
      const master = place.parent ?? place.me;
      const group = everybody(place, master);
      const begun = (part: Part): Plain =>
        parts[part].algorithm.init(parts[part].place(group, place.me) as never);
      return { master, clocks: begun('clocks'), election: begun('election') };
    },
    recover: (s, p) => inside('election', s, p, election.recover ?? election.calls.start!),

    calls: {
      synchronise(s, p) {
        p.after(patience(p), { type: 'silent' });
        synchronise(s, p);
      },
    },

    on: {
      clocks: (s, p, { as, message }) => received('clocks', s, p, message, as),
      election: (s, p, { as, message }) => received('election', s, p, message, as),
      silent(s, p) {
        p.after(overdue(p), { type: 'silent' });
        inside('election', s, p, election.calls.start!);
      },
      ...Object.fromEntries([...onTimers('clocks'), ...onTimers('election')]),
    },
  };
}

type Elected = { readonly type: 'elected'; readonly leader: Pid };

// Both may be any length: too short costs elections, too long costs time.
const patience = (p: P) => 4 * p.maxDelay; // the master asks, all answer, it tells
const overdue = (p: P) => 10 * p.n * p.maxDelay;
