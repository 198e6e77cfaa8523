import { bully } from '../algorithms/election/bully.ts';
import type { Message, Pid } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const bullyAnswersSuperiors: Mutant = {
  ...bully,
  name: 'bully-answers-superiors',
  of: 'bully',
  lie: 'an election is answered when it was started above, not below (ER-01, as printed in lecture slides)',
  on: {
    ...bully.on,
    election(s, p, m, j) {
      if (j > p.me) bully.on.election(s, p, m, j);
    },
  },
};

export const bullyShortCut: Mutant = {
  ...bully,
  name: 'bully-short-cut',
  of: 'bully',
  lie: 'who has nobody above wins without waiting T, as most textbooks have it; elections overlap and messages explode',
  calls: { start: (s, p) => start(s, p) },
  recover: (s, p) => start(s, p),
  on: {
    ...bully.on,
    election(s, p, m, j) {
      if (Math.max(p.me, ...p.neighbours) > p.me) bully.on.election(s, p, m, j);
      else {
        p.send(j, { type: 'answer' });
        start(s, p);
      }
    },
  },
};

const start: Mutant['calls'][string] = (s, p) => {
  if (Math.max(p.me, ...p.neighbours) > p.me) bully.calls.start(s, p);
  else bully.on.T(s, p, { type: 'T' }, p.me);
};

/** 2 comes back while 1 wins, and their announcements cross. */
const crossing = { n: '3', crash: '2@0', restart: '2@103', start: '1@101', seed: '45' };

export const bullyTellsInferiors: Mutant = {
  ...bully,
  name: 'bully-tells-inferiors',
  of: 'bully',
  lie: 'the winner tells only lower processes, so a higher process that lives does not hear of the victory',
  failingRun: crossing,
  on: {
    ...bully.on,
    T(s, p, m, j) {
      const send = (to: Pid, message: Message) => {
        if (to < p.me) p.send(to, message);
      };
      bully.on.T(s, { ...p, emit: (event: Message) => p.emit(event), send }, m, j);
    },
  },
};

export const bullyToleratesInferiors: Mutant = {
  ...bully,
  name: 'bully-tolerates-inferiors',
  of: 'bully',
  lie: 'a process ignores the victory of a lower one (ER-40, as printed in the second version of lecture slides)',
  failingRun: crossing,
  on: {
    ...bully.on,
    coordinator(s, p, m, j) {
      if (j > p.me) bully.on.coordinator(s, p, m, j);
    },
  },
};

export const bullyIgnoresCrashes: Mutant = {
  ...bully,
  name: 'bully-ignores-crashes',
  of: 'bully',
  lie: 'a process that hears of the crash of its coordinator does nothing',
  failingRun: { n: '3', crash: '2@100' },
  on: { ...bully.on, crashed() {} },
};

export const bullyFollowsTheDead: Mutant = {
  ...bully,
  name: 'bully-follows-the-dead',
  of: 'bully',
  lie: 'a process follows an announcement that arrives after the report that its sender has crashed',
  failingRun: null,
  on: {
    ...bully.on,
    crashed(s, p, m, j) {
      if (j === s.coordinator) bully.on.crashed(s, p, m, j);
      s.crashed = [];
    },
  },
};
