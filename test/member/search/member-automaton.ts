// The class `Member` as an automaton. Its states are numbered; a step leads from a state by an input to a state, with effects. The code of
// `Member` runs once for each state and input: a member is made anew, and its shortest known history is repeated.
//
// Two histories lead to the same state if `inspectState` and the pending timers are equal. This is sound because a member has no other
// memory: every field of `Member` and of the classes that it consists of is compared, except
//   - what is derived from the view: positions, networks, overlays, homes, the view in which a run was last found to be usable;
//   - what nothing in the search reads: snapshots, the fence of an earlier hold, the number of state checks left;
//   - what has no effect any more: numbers of runs of earlier views at a home, the view in which a member last asked a home;
//   - the slots that no lock of the instance has. They are independent of the others.
// Timers are compared by the code of their task and by what it has captured: the epoch, the peer, the number of the try, the lock and its run,
// or the message.
//
// The time for which a request has waited is not a part of the state: a member may find at any moment that another does not answer. See
// `scripted-host.ts` for ticks.
// `search.test.ts` tests it: different histories of one state have the same steps.
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { encode } from '../../../src/core/plain-data.ts';
import {
  epochOf,
  fenceOf,
  type MemberId,
  type MemberMessage,
  positionIn,
} from '../../../src/member/index.ts';
import { homesOf } from '../../../src/member/slots.ts';
import { isFlushed } from '../../../src/member/view.ts';
import {
  type Circumstances,
  type Effect,
  type Input,
  isAwaitingReports,
  leaseMs,
  type MemberClass,
  ScriptedHost,
  type Timer,
} from './scripted-host.ts';
import { peerText } from './world.ts';

export interface PastInput {
  readonly input: Input;
  readonly circumstances: Circumstances;
}

/** One state of one member, with what the world must know of it. */
export interface MemberState {
  readonly id: MemberId;
  readonly history: readonly PastInput[];
  readonly text: string; // the state itself
  readonly epoch: number; // -1: no view yet
  readonly ids: readonly MemberId[]; // the members of its view
  readonly first: MemberId | null; // the one that is asked for a new epoch
  readonly slowed: readonly MemberId[]; // a wait depends on these, and asks whether they answer
  readonly suspects: readonly MemberId[]; // it has asked these whether they answer
  readonly promised: Readonly<Record<string, number>>; // by lock: no run below this one will start here
  readonly awaited: Readonly<Record<string, readonly MemberId[]>>; // by the name of a grace timer
  readonly isInstalled: boolean;
  readonly dead: readonly MemberId[];
  readonly early: readonly string[]; // messages that wait for a view: sender and type
  readonly timers: readonly Timer[];
  readonly awaitsNewEpoch: boolean;
  readonly isTidy: boolean; // it keeps only idle runs
  readonly runs: readonly string[]; // locks
  readonly knownParts: readonly (readonly MemberId[])[]; // as a home, by lock
  readonly steps: Map<string, Step>;
}

export interface Step extends PastInput {
  readonly to: number | null; // null: the member is out
  readonly effects: readonly Effect[];
}

const plainTimer = ({ kind, delay, epoch, about }: Timer): Timer => ({ kind, delay, epoch, about });

/** Returns the text that identifies the state of a member. What has no effect any more is left out. */
export function textOf(host: ScriptedHost, slots: ReadonlySet<number>): string {
  const { view, homes, locks, ...rest } = host.member.inspectState();
  const epoch = view?.epoch ?? -1;
  const isUsed = ({ slot }: { readonly slot: number }) => slots.has(slot);
  const { entries, unheard, handover, silent, floor, number: used } = homes.directory;
  const ofThisView = (number: number) => (number <= fenceOf(epoch, 0) ? 0 : number); // lower ones have no effect
  return encode({
    ...{ id: host.member.id, ...rest, timers: host.timers.map(plainTimer) },
    view: view && { epoch, members: view.members.map(peerText) },
    waiting: [...host.member.locks.waiting].map(({ name }) => name),
    locks: {
      ...locks,
      locks: locks.locks.map(({ wantedIn, ...lock }) => ({ ...lock, isWanted: wantedIn === epoch })),
    },
    homes: {
      ...homes,
      directory: {
        silent,
        floor: ofThisView(floor),
        number: ofThisView(used),
        unheard: unheard.filter(isUsed),
        isSynced: !isAwaitingReports(host.member, slots),
        handover: handover.filter(isUsed),
        entries: entries.map(({ run, number, ...entry }) => ({
          ...entry,
          run: run > 0 && epochOf(run) < epoch ? 1 : run, // only runs of this view may be on their way
          number: ofThisView(number),
        })),
      },
    },
  });
}

/** The members on which waits depend: those of the run, or the home. As in `home-protocol.ts`. */
function slowedBy({ member }: ScriptedHost): MemberId[] {
  const { view, locks } = member;
  if (view === null || isFlushed(view)) return [];
  const homes = homesOf(view);
  const found = [...locks.waiting].flatMap(({ isHeld, run, over, slot }) => {
    if (isHeld) return [];
    const isUsable =
      run !== null && run.number > over && run.members.every((id) => positionIn(view, id) >= 0);
    return isUsable ? run.members : [homes[slot]!];
  });
  return found.filter((id) => id !== member.id);
}

/** Whether a member keeps only idle runs, and as a home no round. */
function isTidy({ member }: ScriptedHost): boolean {
  const { homes } = member.inspectState();
  const { entries } = homes.directory;
  const locks = [...member.locks];
  return (
    member.retainedCount === locks.length + entries.length &&
    locks.every((lock) => lock.isIdle && lock.run !== null && lock.early.length === 0) &&
    entries.every(({ round }) => round === null) &&
    homes.runs.left.length + homes.runs.stopped.length === 0
  );
}

const usual: Circumstances = { holdsLease: true, isLeaving: false };

export class MemberAutomaton {
  readonly states: MemberState[] = [];
  readonly messages: MemberMessage[] = []; // by number
  /** Called when another history leads to a known state. */
  merged: ((state: number, history: readonly PastInput[]) => void) | null = null;
  readonly #numbers = new Map<string, number>(); // of states, by text
  readonly #messageNumbers = new Map<string, number>();
  readonly #algorithm: AnyAlgorithm;
  readonly #create: MemberClass;
  readonly slots: ReadonlySet<number>; // of the locks that are used

  constructor(algorithm: AnyAlgorithm, create: MemberClass, slots: ReadonlySet<number>) {
    this.#algorithm = algorithm;
    this.#create = create;
    this.slots = slots;
  }

  numberOf(message: MemberMessage): number {
    const text = encode(message);
    let number = this.#messageNumbers.get(text);
    if (number === undefined) {
      number = this.messages.push(message) - 1;
      this.#messageNumbers.set(text, number);
    }
    return number;
  }

  /** Returns the state of a member that is in no view yet. */
  initial(id: MemberId): number {
    return this.#stateOf(this.replay(id, []), []);
  }

  /** A message is given by its number, so that its text is not needed. */
  receive(at: number, from: MemberId, message: number, circumstances: Circumstances = usual): Step {
    const input = { type: 'message', from, message: this.messages[message]! } as const;
    return this.step(at, input, circumstances, `${from} ${message}`);
  }

  step(from: number, input: Input, circumstances: Circumstances, name: string = encode(input)): Step {
    const { id, history, steps } = this.states[from]!;
    const lease = circumstances.holdsLease ? '' : '-';
    const key = `${lease}${circumstances.isLeaving ? '!' : ''}${name}`;
    let step = steps.get(key);
    if (step === undefined) {
      const host = this.replay(id, history);
      const effects = host.apply(input, circumstances);
      const to = host.isOut ? null : this.#stateOf(host, [...history, { input, circumstances }]);
      step = { input, circumstances, to, effects };
      steps.set(key, step);
    }
    return step;
  }

  /** Makes a member that has this history. */
  replay(id: MemberId, history: readonly PastInput[]): ScriptedHost {
    const { name } = this.#algorithm;
    const options = { id, algorithm: name, algorithmOf: () => this.#algorithm, leaseMs };
    const host = new ScriptedHost(this.#create, options, this.slots);
    for (const { input, circumstances } of history) host.apply(input, circumstances);
    return host;
  }

  #stateOf(host: ScriptedHost, history: readonly PastInput[]): number {
    const text = textOf(host, this.slots);
    let number = this.#numbers.get(text);
    if (number !== undefined) this.merged?.(number, history);
    else {
      const state = host.member.inspectState();
      const { view, isInstalled, dead } = state;
      const { entries } = state.homes.directory;
      const members = view?.members ?? [];
      const first = members.find(({ isSilent }) => isSilent !== true) ?? members[0];
      number =
        this.states.push({
          id: host.member.id,
          history,
          text,
          epoch: view?.epoch ?? -1,
          ids: members.map(({ id }) => id),
          first: first?.id ?? null,
          slowed: slowedBy(host),
          suspects: state.homes.silence.hailed.map(({ id }) => id),
          promised: Object.fromEntries(
            [...host.member.locks].map(({ name, promised, isStopped }) => [
              name,
              isStopped ? promised : promised + 1,
            ]),
          ),
          awaited: Object.fromEntries(
            entries.map(({ lock, round }) => [`grace ${lock}`, round?.awaited ?? []]),
          ),
          isInstalled,
          dead,
          early: state.early.messages.map(({ from, message }) => `${from} ${message.type}`),
          timers: host.timers.map(plainTimer),
          awaitsNewEpoch: state.awaitsNewEpoch,
          isTidy: isTidy(host),
          runs: [...host.member.locks].flatMap(({ name, run }) => (run === null ? [] : [name])),
          knownParts: entries.flatMap(({ parts, unconfirmed }) => (unconfirmed.length > 0 ? [] : [parts])), // others are asked for
          steps: new Map(),
        }) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
