// J. Gray, L. Lamport: Consensus on Transaction Commit. ACM TODS 31(1):133-160, 2006, section 3, in the form that Stateright has as
// its example 2pc: what is sent is a set that only grows. Nobody takes a message away, so it is all one process, and an action is one
// way a coin falls.
import type { Algorithm, Process } from '../../../src/core/algorithm.ts';

type Knows = [];
type Message = { type: 'act' };

const init = (managers: number) => ({
  manager: Array<'working' | 'prepared' | 'committed' | 'aborted'>(managers).fill('working'),
  coordinator: 'waiting' as 'waiting' | 'committed' | 'aborted',
  knownPrepared: Array<boolean>(managers).fill(false), // to the coordinator
  sent: { prepared: Array<boolean>(managers).fill(false), commit: false, abort: false },
});

type State = ReturnType<typeof init>;

/** Every action that can be taken. */
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
  calls: { request() {}, release() {} }, // nobody asks

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
