// J. Gray, L. Lamport: Consensus on Transaction Commit. ACM TODS 31(1):133-160, 2006, section 3, in the form of Stateright's
// example 2pc: the messages sent are a set that only grows. No process removes a message, so the model is one process, and an action is
// one result of a coin toss.
import type { Algorithm, Process } from '../../../src/core/algorithm.ts';

type Knows = [];
type Message = { type: 'act' };

const init = (managers: number) => ({
  manager: Array<'working' | 'prepared' | 'committed' | 'aborted'>(managers).fill('working'),
  coordinator: 'waiting' as 'waiting' | 'committed' | 'aborted',
  knownPrepared: Array<boolean>(managers).fill(false), // by the coordinator
  sent: { prepared: Array<boolean>(managers).fill(false), commit: false, abort: false },
});

type State = ReturnType<typeof init>;

/** Returns every enabled action. */
function actions(s: State): (() => void)[] {
  const possible: (() => void)[] = [];
  const may = (isEnabled: boolean, act: () => void) => isEnabled && possible.push(act);
  const isWaiting = s.coordinator === 'waiting';
  may(isWaiting && s.knownPrepared.every(Boolean), () => {
    s.coordinator = 'committed';
    s.sent.commit = true;
  });
  may(isWaiting, () => {
    s.coordinator = 'aborted';
    s.sent.abort = true;
  });
  s.manager.forEach((state, m) => {
    const become = (next: State['manager'][number]) => () => {
      s.manager[m] = next;
      if (next === 'prepared') s.sent.prepared[m] = true;
    };
    may(isWaiting && s.sent.prepared[m]!, () => {
      s.knownPrepared[m] = true;
    });
    may(state === 'working', become('prepared'));
    may(state === 'working', become('aborted'));
    may(s.sent.commit, become('committed'));
    may(s.sent.abort, become('aborted'));
  });
  return possible;
}

function arm(s: State, p: Process<'mutex', Message, Knows>) {
  if (actions(s).length > 0) p.after(1, { type: 'act' });
}

export const twoPhaseCommit = (managers: number): Algorithm<'mutex', State, Message, Knows> => ({
  name: 'two-phase-commit',
  problem: 'mutex',
  paper: 'doi:10.1145/1132863.1132867',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: [],
  bounds: [],
  timers: ['act'],
  init: () => init(managers),
  begin: arm,
  calls: { request() {}, release() {} }, // no process asks

  on: {
    act(s, p) {
      const possible = actions(s);
      possible[p.choose(possible.length)]!();
      arm(s, p);
    },
  },

  invariants: {
    'no manager commits while another aborts': ({ states: [s] }) =>
      !(s!.manager.includes('committed') && s!.manager.includes('aborted')),
  },
});
