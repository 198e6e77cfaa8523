// Snapshots by composition: any message-passing algorithm, with the two rules of Chandy and Lamport. The messages, timers, calls and random
// choices of the algorithm are unchanged; markers use the same channels.
import type {
  Address,
  AnyAlgorithm,
  Message as AnyMessage,
  Facts,
  Measured,
  Plain,
  SnapshotEvent,
  World,
} from '../core/algorithm.ts';
import { copyOf } from '../core/plain-data.ts';
import { declared, RestrictedProcess } from '../machine/index.ts';
import {
  chandyLamport,
  isComplete,
  type LocalSnapshot,
  nothingRecorded,
  type RecordingProcess,
  type SnapshotRules,
} from './chandy-lamport.ts';

type Message = AnyMessage & Plain;

export type State = { run: Plain; cut: LocalSnapshot<Plain, Message> };
type P = Facts<['neighbours']> & {
  send(to: Address, message: { type: 'marker' }): void;
  emit(event: SnapshotEvent): void;
};

const marker = 'marker';

/**
 * Returns an algorithm that can take snapshots of itself, by the rules of Chandy and Lamport (1985): one marker on each channel. Its name is
 * ALGORITHM+chandy-lamport. It needs channels that are at least FIFO.
 * @param rules other rules, to see what they break. Defaults to those of Chandy and Lamport.
 * @throws {InputError} if the algorithm is incomplete.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { withSnapshots } from 'batonjs-lab/compositions';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { snapshot } = simulate(withSnapshots(raymond), { n: 3, seed: 1 });
 * snapshot?.states.length; // → 3
 * console.log(snapshot?.inFlight);
 */
export function withSnapshots(underlying: AnyAlgorithm, rules: SnapshotRules = chandyLamport): AnyAlgorithm {
  declared(underlying);
  const { timers = [], crashNotice, begin, recover, links } = underlying;
  const inner = new RestrictedProcess(underlying);
  const received = (type: string) => (s: State, p: P, m: Message, from: Address) => {
    if (!timers.includes(type) && type !== crashNotice) rules.messageCame(s.cut, from, m);
    underlying.on[type]!(s.run, inner.at(p), m, from);
  };
  return {
    ...declarations(underlying),
    init: (place): State => ({ run: underlying.init(place), cut: nothingRecorded() }),
    ...(begin && { begin: (s: State, p: P) => begin(s.run, inner.at(p)) }),
    ...(recover && { recover: (s: State, p: P) => recover(s.run, inner.at(p)) }),
    ...(links && {
      links: {
        appears: (s: State, p: P, j: Address) => links.appears(s.run, inner.at(p), j),
        goes: (s: State, p: P, j: Address) => links.goes(s.run, inner.at(p), j),
      },
    }),

    calls: {
      ...mapped(underlying.calls, (call) => (s: State, p: P) => call(s.run, inner.at(p))),
      snapshot(s: State, p: P) {
        rules.record(s.cut, recorderAt(s, p));
        emitIfComplete(s, p);
      },
    },

    on: {
      ...mapped(underlying.on, (_, type) => received(type)),
      marker(s: State, p: P, _: Message, from: Address) {
        rules.markerCame(s.cut, from, recorderAt(s, p));
        emitIfComplete(s, p);
      },
    },
  };
}

/** In every supported network a process has as many incoming as outgoing channels. */
function recorderAt({ run }: State, p: P): RecordingProcess<Plain, Address> {
  const outgoing = [...new Set(p.neighbours)];
  return {
    incoming: outgoing.length,
    outgoing,
    state() {
      p.emit({ type: 'recorded' });
      return copyOf(run) as Plain;
    },
    sendMarker: (to) => p.send(to, { type: marker }),
  };
}

function emitIfComplete(s: State, p: P): void {
  if (isComplete(s.cut)) p.emit({ type: 'complete' });
}

/** Markers are part of every load, and causal chains lead through them. */
const isRaisedByMarkers = (measure: Measured = 'messages') => measure === 'load' || measure === 'chain';

function declarations(underlying: AnyAlgorithm) {
  const { problem, assumes, knows, bounds, bypass, elects, electsAgain, synchronises, perpetual } =
    underlying;
  const { timers, addresses, invariants = {}, messages, token, crashNotice } = underlying;
  return {
    name: `${underlying.name}+chandy-lamport`,
    problem,
    paper: 'doi:10.1145/214451.214456',
    assumes: {
      ...assumes,
      channels: assumes.channels === 'unordered' ? ('fifo' as const) : assumes.channels,
      failures: 'none' as const,
    },
    knows: knows.includes('neighbours') ? knows : [...knows, 'neighbours' as const],
    bounds: bounds.filter(({ measures }) => !isRaisedByMarkers(measures)),
    ...(bypass && { bypass }),
    ...(elects && { elects }),
    ...(electsAgain && { electsAgain }),
    ...(synchronises && { synchronises }),
    ...(perpetual && { perpetual }),
    ...(timers && { timers }),
    ...(crashNotice && { crashNotice }),
    ...(messages && { messages: { ...messages, [marker]: {} } }),
    ...(addresses && { addresses }),
    ...(token && {
      token: {
        isHeld: ({ run }: State) => token.isHeld(run),
        isIn: (m: Message) => m.type !== marker && token.isIn(m),
      },
    }),
    invariants: {
      ...mapped(invariants, (holds) => (world: ComposedWorld) => holds(underlyingWorld(world))),
      ...Object.fromEntries(
        Object.entries(invariants).map(([lemma, holds]) => [
          `in the snapshot: ${lemma}`,
          (world: ComposedWorld) => {
            const snapshot = recordedWorld(world);
            return snapshot === null || holds(snapshot);
          },
        ]),
      ),
    },
    snapshots: { of: underlying, marker, recorded: recordedWorld },
  };
}

type ComposedWorld = World<State, Message>;

/** The world of the underlying algorithm. */
const underlyingWorld = ({ states, inFlight, ...names }: ComposedWorld): World<Plain, Message> => ({
  ...names,
  states: states.map(({ run }) => run),
  inFlight: inFlight.filter(({ message }) => message.type !== marker),
});

/** The recorded global state; null until every process is complete. */
function recordedWorld({ states, inFlight: _, ...names }: ComposedWorld): World<Plain, Message> | null {
  if (!states.every(({ cut }) => isComplete(cut))) return null;
  const channels = states.flatMap(({ cut }, to) =>
    Object.entries(cut.channels).flatMap(([address, messages]) => {
      const from = names.sender(to, Number(address));
      return messages.map((message) => ({ from, to, message }));
    }),
  );
  return { ...names, states: states.map(({ cut }) => cut.state), inFlight: channels };
}

const mapped = <F, G>(table: { readonly [key: string]: F }, to: (value: F, key: string) => G) =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, to(value, key)]));
