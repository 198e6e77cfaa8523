import { suzukiKasami } from '../algorithms/mutex/suzuki-kasami.ts';
import { chandyLamport, type SnapshotRules } from '../compositions/chandy-lamport.ts';
import { withSnapshots } from '../compositions/with-snapshots.ts';
import type { Address, AnyAlgorithm, Message } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

const right = withSnapshots(suzukiKasami);

const named = (name: string, lie: string, algorithm: AnyAlgorithm): Mutant => ({
  ...algorithm,
  name: `${right.name}-${name}`,
  of: right.name,
  lie,
});

const withRules = (name: string, lie: string, rules: Partial<SnapshotRules>): Mutant =>
  named(name, lie, withSnapshots(suzukiKasami, { ...chandyLamport, ...rules }));

export const chandyLamportForgetsMarker = withRules(
  'forgets-marker',
  'who begins sends no marker along the first of its channels',
  { record: (cut, q) => chandyLamport.record(cut, { ...q, outgoing: q.outgoing.slice(1) }) },
);

export const chandyLamportEmptyChannels = withRules(
  'empty-channels',
  'what comes along a channel before its marker is not recorded',
  { messageCame: () => {} },
);

export const chandyLamportRecordsOn = withRules(
  'records-on',
  'each channel is recorded until the last marker comes, not until its own',
  {
    messageCame: (cut, c, message) =>
      cut.awaited > 0 && chandyLamport.messageCame({ ...cut, closed: [] }, c, message),
  },
);

type P = { send(to: Address, message: Message): void; emit(event: Message): void };
type Handler = (s: { held: Address[] }, p: P, ...rest: unknown[]) => void;

/** Holds back the markers that a handler sends until the next handler at this process has sent its messages. */
const heldBack = (handlers: { readonly [name: string]: (...all: never[]) => void }) =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handler]): [string, Handler] => [
      name,
      (s, p, ...rest) => {
        const due = s.held.splice(0);
        const send: P['send'] = (to, m) => (m.type === 'marker' ? s.held.push(to) : p.send(to, m));
        (handler as Handler)(s, { ...p, send, emit: (event) => p.emit(event) }, ...rest);
        for (const to of due) p.send(to, { type: 'marker' });
      },
    ]),
  );

export const chandyLamportLateMarker: Mutant = {
  ...named('late-marker', 'markers come after what the process sends next', {
    ...right,
    init: (place) => ({ ...right.init(place), held: [] }),
    calls: heldBack(right.calls),
    on: heldBack(right.on),
  }),
  failingRun: { n: '2', seed: '4' },
};
