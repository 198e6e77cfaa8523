import { bully } from '../algorithms/election/bully.ts';
import { centralCoordinator } from '../algorithms/mutex/central-coordinator.ts';
import { tokenRing } from '../algorithms/mutex/token-ring.ts';
import { lockWithRecovery } from '../compositions/index.ts';
import type { Mutant } from './mutant.ts';

const coordinator = lockWithRecovery(centralCoordinator, bully);

export const centralCoordinatorBullyGrantsAtOnce: Mutant = {
  ...coordinator,
  name: 'central-coordinator+bully-grants-at-once',
  of: coordinator.name,
  lie: 'the new coordinator does not wait for who is still inside',
  failingRun: { n: '3', start: '1@5,2@30', hold: 'fixed:400', latency: 'fixed:4', crash: '0@20' },
  on: {
    ...coordinator.on,
    answer: (s, p, m, j) => coordinator.on.answer(s, p, { ...m, inside: false }, j),
  },
};

const ring = lockWithRecovery(tokenRing, bully);

export const tokenRingBullyGoesOn: Mutant = {
  ...ring,
  name: 'token-ring+bully-goes-on',
  of: ring.name,
  lie: 'who has answered does not stop its run, and takes the old token',
  failingRun: { n: '4', hold: 'fixed:100', crash: '0@10', restart: '0@35' },
  on: {
    ...ring.on,
    ask(s, p, m, j) {
      const { lock } = s;
      ring.on.ask(s, p, m, j);
      s.lock = lock;
    },
  },
};

export const tokenRingBullyHearsAtOnce: Mutant = {
  ...ring,
  name: 'token-ring+bully-hears-at-once',
  of: ring.name,
  lie: 'who restarts takes part at once, while tokens of its former life are still on their way',
  failingRun: {
    n: '2',
    crash: '1@43,1@202,0@222',
    restart: '1@43,1@202,0@222',
    entries: '10',
    think: 'fixed:0',
    hold: 'fixed:20',
    latency: 'uniform:0:10',
    seed: '76',
  },
  recover: (s, p) => ring.on.hears(s, p, { type: 'hears' }, p.me),
};
