// Folklore: the central coordinator of lecture slides, which also answers a client that has to wait: with DENIED. A client that hears
// nothing in a round trip suspects the coordinator; without DENIED, a long queue and a crashed coordinator look the same. The slides set
// no time limit, and without one DENIED tells nothing (ER-41). Channels are FIFO, so a DENIED cannot arrive after the grant that it
// preceded, be taken for the answer to the next request, and hide a crash. A client that was denied trusts the coordinator from then on.

import type { Algorithm, Facts, Process, World } from '../../core/algorithm.ts';
import { atMost } from '../../core/bounds.ts';
import { centralCoordinator } from './central-coordinator.ts';

type Knows = ['parent', 'maxDelay'];

const init = (place: Facts<Knows>) => ({
  ...centralCoordinator.init(place),
  suspects: false, // the coordinator: it has not answered in time
});

type State = ReturnType<typeof init>;
type Message = { type: 'request' | 'granted' | 'denied' | 'release' | 'T' };
type P = Process<'mutex', Message, Knows>;

function answered(s: State, p: P) {
  p.cancel('T');
  s.suspects = false;
}

/** The same, where the coordinator also answers a process that has to wait, so that silence is suspicious; at most 4 messages per entry. */
export const centralCoordinatorDenied: Algorithm<'mutex', State, Message, Knows> = {
  name: 'central-coordinator-denied',
  problem: 'mutex',
  paper: 'folklore',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'bounded' },
  knows: ['parent', 'maxDelay'],
  timers: ['T'],
  messages: { request: {}, granted: {}, denied: {}, release: {}, T: {} },
  addresses: centralCoordinator.addresses!,
  bounds: [...centralCoordinator.bounds, atMost(['denied'], '1', 'by the rules', () => 1)],
  bypass: centralCoordinator.bypass!,
  init,

  calls: {
    request(s, p) {
      centralCoordinator.calls.request(s, p);
      if (s.coordinator !== null) p.after(2 * p.maxDelay, { type: 'T' }); // a round trip, handling included
    },
    release: (s, p) => centralCoordinator.calls.release(s, p),
  },

  on: {
    request(s, p, _m, client) {
      centralCoordinator.on.request(s, p, { type: 'request' }, client);
      if (s.holder !== client) p.send(client, { type: 'denied' });
    },
    release: (s, p, _m, client) => centralCoordinator.on.release(s, p, { type: 'release' }, client),
    granted(s, p) {
      answered(s, p);
      p.emit({ type: 'entered' });
    },
    denied: (s, p) => answered(s, p), // keep waiting
    T(s, p) {
      s.suspects = true;
      p.emit({ type: 'suspects' });
    },
  },

  invariants: {
    ...(centralCoordinator.invariants as { [lemma: string]: (world: World<State, Message>) => boolean }),
    'nobody suspects a coordinator that lives': ({ states }) => states.every(({ suspects }) => !suspects),
  },
};
