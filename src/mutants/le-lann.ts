import { leLann, takesPart } from '../algorithms/election/le-lann.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const leLannCompleteAtOnce: Mutant = {
  ...leLann,
  name: 'le-lann-complete-at-once',
  of: 'le-lann',
  lie: "another's number completes the list of who takes part, and goes no further (ER-02, as printed in lecture slides)",
  on: {
    ...leLann.on,
    elect: (s, p, m, from) => leLann.on.elect(s, p, takesPart(s) ? { ...m, j: p.id } : m, from),
  },
};

export const leLannOwnNumberLast: Mutant = {
  ...leLann,
  name: 'le-lann-own-number-last',
  of: 'le-lann',
  lie: 'who hears of the election passes the number on first, and then sends its own: too late to be in the list',
  failingRun: { ids: '1,2', start: '0' },
  on: {
    ...leLann.on,
    elect(s, p, m, from) {
      if (takesPart(s)) leLann.on.elect(s, p, m, from);
      else {
        p.send(next, m);
        leLann.calls.start(s, p);
        s.activeList.push(m.j);
      }
    },
  },
};

export const leLannNoGuard: Mutant = {
  ...leLann,
  name: 'le-lann-no-guard',
  of: 'le-lann',
  lie: 'a process that takes part starts again with a new list, and loses the numbers that it has listed (ER-39, as printed in lecture slides)',
  failingRun: { ids: '1,2', latency: 'fixed:2', start: '1@0,0@3' },
  calls: {
    start(s, p) {
      s.coordinator = 0; // anything but null: it does not count as taking part
      leLann.calls.start(s, p);
    },
  },
};

export const leLannAnnouncementDecides: Mutant = {
  ...leLann,
  name: 'le-lann-announcement-decides',
  of: 'le-lann',
  lie: 'an announcement decides for a process that takes part, though it may be that of the election before (ER-38)',
  failingRun: { ids: '1,2', start: '1@0,0@8', seed: '7' },
  on: {
    ...leLann.on,
    elected(s, p, m) {
      if (!takesPart(s)) return;
      s.coordinator = m.coordinator;
      p.emit({ type: 'elected', leader: m.coordinator });
    },
  },
};
