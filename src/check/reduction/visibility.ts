// Which events a reduction may move to the front of a run, by what the properties can see of them. An event that commutes with all before it leads to the
// same last state wherever it comes. So a reduction can hide only what is seen in the states between, and what is seen on the way.
//
// | property                        | early delivery and ample sets                                                                  |
// | ------------------------------- | ---------------------------------------------------------------------------------------------- |
// | at most one inside              | An entry may be moved: the process stays inside until it releases, so those inside together    |
// |                                 | stay so when one more enters earlier. A release may not: no message makes a process release,   |
// |                                 | and a process that is inside is no ample set.                                                  |
// | at most one leader              | News of a leader may not be moved. "One process hears of a leader, and nobody leads" ends when |
// |                                 | the winner hears of itself; where processes crash, so does "two lead".                         |
// | only who asked enters, the      | A step breaks it, whatever the rest of the world is like. Each process takes the same steps in |
// | contract is kept                | either order.                                                                                  |
// | the cut is consistent           | It depends on which receipts follow which records at each process: the same in either order.   |
// | every request enters, everybody | Asked of quiescent states, none of which is left out. Of runs without end: `FollowedCycles`.   |
// | learns the leader, the snapshot |                                                                                                |
// | is completed, the right one     |                                                                                                |
// | wins, the run ends              |                                                                                                |
// | the message bound               | What a run has sent in the end is the same in either order. On the way, a receipt that is moved |
// |                                 | sends earlier, and no request is moved. So what was sent before a request still is.            |
// | the size bound                  | A step breaks it, whatever the rest of the world is like: where bounds depend on who starts,   |
// |                                 | the world keeps the least size and the largest so far. Ample sets: each process takes the same |
// |                                 | steps in either order. Early delivery: two steps that swap send the same messages together, so |
// |                                 | every message of a run is sent in the run with the receipt moved, or with one more receipt.    |
// | the chain bound                 | Lengths are part of process states and messages, so steps commute only if all lengths agree in |
// |                                 | both orders. From above: a chain never shrinks, and no request is moved. So a run that breaks  |
// |                                 | the bound still does with one more receipt. From below: asked of quiescent states.             |
// | lemmas                          | What changes nothing that they read may be moved: `LemmaReads` says why it is enough to know   |
// |                                 | what they read in the states that were visited. If they come to read more, the search begins   |
// |                                 | again. A lemma about every process that satisfies a condition holds before a process comes to  |
// |                                 | satisfy it, if it holds afterwards. So that may be moved, too.                                 |
// | bypass bounds, faults,          | Neither is used: see `againstReduction`.                                                       |
// | stabilisation, time             |                                                                                                |
//
// Sleep sets leave out no state, so they hide nothing of what states show. They leave out transitions to states that are reached otherwise; a step that
// breaks a property is never one of them, because the search ends with the first. Where bypass is counted, an entry does not sleep.
// The size of a message is seen in a step, not in a state. An event that sleeps is the same step of the same local state as when it was followed, if
// the step in between is at another process. At the same process, both orders send the same messages, and no step of either breaks a bound.
// Lengths of chains are part of the states that sleep sets compare.
// Rotations map every property to itself, as none of them names a process: a chain has the same length after a rotation, and so has a message. A lemma may, so it is evaluated in every rotation of a state.
import type { Message } from '../../core/algorithm.ts';

/** Says whether a property notices if a step with these outputs comes earlier. */
export const isVisible = (emits: readonly Message[], mayRepairLemma: boolean): boolean =>
  mayRepairLemma || emits.some(({ type }) => type === 'elected');
