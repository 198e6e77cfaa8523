// Everything that can happen next in a group. What the search assumes of the parts around the members:
//
// - Processes (src/cluster/membership). A member that is out loses its locks. Its process starts a new member, which makes the pending
//   requests again and joins. A process that leaves releases its locks, cancels its requests, asks the engine to remove it, and ends.
// - Channels (src/cluster/transport). Each direction is a connection of its own, in order. When it breaks, the messages from some point on
//   are lost, and so is what the sender sends until it is told. The receiver is told before it gets a later message, or never.
// - Deaths. A member may learn that another is dead at any moment after its end, or after its lease has expired at the engine. Messages of
//   the dead may still arrive. To lose them is the same as not to deliver them any more.
// - The engine (src/cluster/engines). One view, changed by compare-and-set. A member may learn of a view at any later moment, or never. An
//   engine that forgets has no view, or the one before. The next epoch is higher than all before.
// - Leases. A lease ends at the member, later at the engine. The member notices at any moment, at the latest when it receives a message.
// - Processes that hang do nothing until they wake up, which they may do at any moment, or until they die. Messages to them wait.
// - Timers. They fire at any moment, those of one kind and delay in their order. A message that a timer repeats is not sent again before
//   the earlier one has been handled or is lost: the second one would find everything done. A timer after which a member no longer waits for
//   others fires when they hang or are gone; earlier, it is a fault. Otherwise, runs could be started again and again.
//
// A join is one event, although it reads the engine several times: a change by another member in between makes it start again, and members
// may learn of the view as late as if the change had come later.
import type { MemberId } from '../../../src/member/index.ts';
import type { Group } from './group.ts';
import type { Fault } from './instance.ts';
import { leaseMs, type Timer } from './scripted-host.ts';
import { gap, idIn, idsIn, isDead, nameOf, processOf } from './world.ts';

export interface GroupEvent {
  readonly label: string;
  readonly fault?: Fault;
  readonly mayNeverHappen?: boolean; // no request may depend on it
  readonly happens: (group: Group) => void;
}

export function* eventsOf(group: Group): Generator<GroupEvent> {
  const { faults } = group.model.instance;
  for (const event of everyEvent(group))
    if (event.fault === undefined || (group.world.faults > 0 && faults.includes(event.fault))) yield event;
}

function* everyEvent(group: Group): Generator<GroupEvent> {
  for (const process of group.world.processes.keys())
    if (group.isRunning(process)) {
      if (group.process(process).isHung) {
        yield* hungEvents(group, process);
        continue;
      }
      yield* applicationEvents(group, process);
      yield* lifeEvents(group, process);
      if (group.process(process).status === 'member') yield* memberEvents(group, process);
      if (group.process(process).status !== 'outside') yield* peerEvents(group, process);
      yield* timerEvents(group, process);
    }
  yield* channelEvents(group);
  yield* engineEvents(group);
}

function* applicationEvents(group: Group, process: number): Generator<GroupEvent> {
  const { status, asked, pending, held, hasJoined } = group.process(process);
  const name = nameOf(process);
  const isIdle = pending.length + held.length === 0;
  if (status !== 'leaving' && hasJoined && isIdle && asked < group.model.instance.asks[process]!.length) {
    const { lock, isTry } = group.model.lockOf(process, asked + 1);
    yield { label: `${name} ${isTry ? 'tries' : 'requests'} ${lock}`, happens: (next) => next.ask(process) };
  }
  for (const number of held)
    yield { label: `${name} releases request ${number}`, happens: (next) => next.release(process, number) };
  for (const number of pending)
    yield {
      label: `${name} cancels request ${number}`,
      fault: 'cancel',
      happens: (next) => next.cancel(process, number),
    };
}

/** Joining, leaving, dying, and the lease. */
function* lifeEvents(group: Group, process: number): Generator<GroupEvent> {
  const { status, lease, hasJoined } = group.process(process);
  const { stored } = group.world;
  const name = nameOf(process);
  const id = group.id(process);
  const isStored = stored !== null && idsIn(stored).includes(id);
  if (status === 'outside')
    yield {
      label: `${id} joins`,
      ...(!hasJoined && { fault: 'join' as const }),
      happens(next) {
        const others = (stored?.members ?? []).filter((other) => !isDead(next.world, idIn(other)));
        next.store([...others, next.model.peerText(id)], process);
        Object.assign(next.process(process), { status: 'member', hasJoined: true });
      },
    };
  if (status === 'member') {
    yield {
      label: `${name} begins to leave`,
      fault: 'leave',
      happens: (next) => beginToLeave(next, process),
    };
    if (lease !== 'held')
      yield {
        label: `${id} notices that its lease is over`,
        happens: (next) => next.input(process, { type: 'out', cause: 'lease over' }),
      };
    yield* leaseEvents(group, process);
    yield {
      label: `${name} hangs`,
      fault: 'hang',
      happens(next) {
        next.process(process).isHung = true;
      },
    };
  }
  if (status === 'leaving')
    yield isStored
      ? {
          label: `the engine removes ${id}`,
          happens: (next) =>
            next.store(
              stored!.members.filter((one) => idIn(one) !== id),
              process,
            ),
        }
      : { label: `${id} has left`, happens: (next) => endProcess(next, process, 'left') };
  if (hasJoined) yield death(process);
}

const death = (process: number): GroupEvent => ({
  label: `${nameOf(process)} dies`,
  fault: 'death',
  happens: (next) => endProcess(next, process, 'dead'),
});

function* leaseEvents(group: Group, process: number): Generator<GroupEvent> {
  const id = group.id(process);
  const { lease } = group.process(process);
  if (lease === 'held')
    yield {
      label: `the lease of ${id} is over at ${id}`,
      fault: 'lease ends',
      happens(next) {
        next.process(process).lease = 'over';
      },
    };
  if (lease === 'over')
    yield {
      label: `the lease of ${id} is over at the engine`,
      happens(next) {
        next.process(process).lease = 'expired';
      },
    };
}

/** The members that asked whether it answers get an answer. */
function wakeUp(group: Group, process: number): void {
  group.process(process).isHung = false;
  for (const [other, { isHung: isOtherHung }] of group.world.processes.entries())
    if (group.isRunning(other) && !isOtherHung && group.member(other).suspects.includes(group.id(process)))
      group.input(other, {
        ...{ type: 'message', from: group.id(process) },
        message: { type: 'hail', isAnswer: true },
      });
}

/** A process that hangs does nothing, and handles nothing. */
function* hungEvents(group: Group, process: number): Generator<GroupEvent> {
  yield {
    label: `${nameOf(process)} wakes up`,
    happens: (next) => wakeUp(next, process),
  };
  yield* leaseEvents(group, process);
  yield death(process);
}

function beginToLeave(group: Group, process: number): void {
  const state = group.process(process);
  state.status = 'leaving';
  for (const number of [...state.pending]) group.cancel(process, number);
  for (const number of [...state.held]) group.release(process, number);
}

function endProcess(group: Group, process: number, status: 'left' | 'dead'): void {
  Object.assign(group.process(process), {
    status,
    isHung: false,
    member: -1,
    lease: 'held',
    pending: [],
    held: [],
  });
}

/** What a member learns from the engine, and what it asks of it. */
function* memberEvents(group: Group, process: number): Generator<GroupEvent> {
  const { stored, past } = group.world;
  const id = group.id(process);
  const { epoch: known } = group.member(process);
  for (const view of past)
    if (view.epoch > known)
      yield {
        label: `${id} learns of view ${view.epoch}: ${view.members}`,
        happens: (next) => next.input(process, { type: 'view', ...view }),
      };
  const isForgotten = known >= 0 && (stored === null || stored.epoch < known);
  if (isForgotten && group.model.instance.mistake !== 'forgotten member stays')
    yield {
      label: `${id} reads the engine, which has forgotten its view`,
      happens: (next) => next.input(process, { type: 'out', cause: 'forgotten' }),
    };
  if (known >= 0)
    yield {
      label: `${id} asks for a new epoch`,
      fault: 'new epoch',
      happens: (next) => next.input(process, { type: 'new epoch' }),
    };
  if (known >= 0)
    yield {
      label: `${id} forgets the locks that it has not used`,
      fault: 'sweep',
      happens: (next) => next.input(process, { type: 'sweep' }),
    };
}

/** What a member learns about its peers, and breaks of the channels to them. */
function* peerEvents(group: Group, process: number): Generator<GroupEvent> {
  const { world } = group;
  const id = group.id(process);
  const { ids, dead } = group.member(process);
  for (const peer of ids) {
    const key = `${id}>${peer}`;
    if (peer === id) continue;
    if (isDead(world, peer) && !dead.includes(peer))
      yield {
        label: `${id} learns that ${peer} is dead`,
        happens: (next) => next.input(process, { type: 'dead', peer }),
      };
    const told = world.unreported[key];
    if (told !== undefined)
      yield {
        label: `${id} is told: the channel to ${peer} is ${told}`,
        happens(next) {
          delete next.world.unreported[key];
          next.input(process, { type: told, peer });
        },
      };
    else if (!isDead(world, peer)) yield* breaks(group, key);
  }
}

function* breaks(group: Group, key: string): Generator<GroupEvent> {
  const items = group.world.channels[key] ?? [];
  for (const fault of ['broken', 'unreachable'] as const)
    for (let kept = 0; kept <= items.length; kept += 1)
      yield {
        label: `the channel ${key} is ${fault}; messages lost: ${items.length - kept}`,
        fault,
        happens(next) {
          next.world.channels[key] = [...items.slice(0, kept), gap];
          next.world.unreported[key] = fault;
        },
      };
}

function* timerEvents(group: Group, process: number): Generator<GroupEvent> {
  const id = group.id(process);
  const { timers, ids } = group.member(process);
  for (const [index, timer] of timers.entries())
    if (mayFire(group, process, timer, timers.slice(0, index))) {
      const isTooEarly = isEarly(group, process, timer);
      const tick = {
        hung: ids.filter((peer) => isHung(group, peer) || isDead(group.world, peer)),
        isEarly: isTooEarly,
      };
      yield {
        label: `timer of ${id} fires: ${timer.kind} ${timer.about}`,
        ...(isTooEarly && { fault: 'impatient' as const }),
        ...(timer.kind === 'speak again' && { fault: 'speak again' as const }),
        happens: (next) =>
          next.input(process, { type: 'timer', index, ...(timer.kind === 'tick' && { tick }) }),
      };
    }
}

/** A member that waits for answers need not wait for members that hang or are gone. */
function isEarly(group: Group, process: number, { kind, about }: Timer): boolean {
  const { slowed, awaited } = group.member(process);
  if (kind === 'tick') return !slowed.some((id) => isHung(group, id));
  return kind === 'grace' && !awaited[about]!.every((id) => isHung(group, id) || isDead(group.world, id));
}

const isHung = (group: Group, id: MemberId): boolean =>
  !isDead(group.world, id) && group.process(processOf(id)).isHung;

function mayFire(group: Group, process: number, timer: Timer, earlier: readonly Timer[]): boolean {
  const id = group.id(process);
  const inTransit = (from: MemberId, to: MemberId, type: string) =>
    (group.world.channels[`${from}>${to}`] ?? []).some(
      (item) => group.model.members.messages[item]?.type === type,
    ) ||
    (!isDead(group.world, to) && group.member(processOf(to)).early.includes(`${from} ${type}`));
  const { ids, first } = group.member(process);
  switch (timer.kind) {
    case 'ask for a new epoch again':
      return first === null || !inTransit(id, first, 'refresh');
    case 'probe':
      return !ids.some((peer) => inTransit(id, peer, 'probe') || inTransit(peer, id, 'busy'));
    case 'unreachable':
      return timer.delay === leaseMs / 5
        ? !isDead(group.world, timer.about) &&
            !inTransit(id, timer.about, 'hail') &&
            !inTransit(timer.about, id, 'hail')
        : !earlier.some(
            ({ kind, delay, about }) => kind === timer.kind && about === timer.about && delay > leaseMs / 5,
          );
    default:
      return !earlier.some(({ kind, delay }) => kind === timer.kind && delay === timer.delay);
  }
}

function* channelEvents(group: Group): Generator<GroupEvent> {
  for (const [key, [first, ...later]] of Object.entries(group.world.channels)) {
    const [from, to] = key.split('>') as [MemberId, MemberId];
    if (first === undefined || group.process(processOf(to)).isHung) continue;
    const message = group.model.members.messages[first];
    const label = message === undefined ? `a gap in its channel` : JSON.stringify(message);
    yield {
      label: `${to} receives from ${from}: ${label}`,
      mayNeverHappen: first === gap && later.length === 0,
      happens: (next) => next.deliver(key),
    };
  }
}

function* engineEvents(group: Group): Generator<GroupEvent> {
  const { stored, before, proposals } = group.world;
  for (const text of proposals) {
    const [after, members] = text.split(':') as [string, string];
    const remove = (next: Group) => {
      next.world.proposals = next.world.proposals.filter((one) => one !== text);
    };
    yield {
      label: `the engine replaces view ${after} by ${members}`,
      happens(next) {
        remove(next);
        if (stored?.epoch === Number(after)) next.store(members === '' ? [] : members.split(','));
      },
    };
    yield { label: `the engine does not get the proposal ${text}`, fault: 'lost proposal', happens: remove };
  }
  if (stored === null) return;
  yield { label: 'the engine is wiped', fault: 'wipe', happens: (next) => next.forget(null) };
  if (before !== null)
    yield {
      label: `the engine goes back to view ${before.epoch}`,
      fault: 'backup',
      happens: (next) => next.forget(before),
    };
}
