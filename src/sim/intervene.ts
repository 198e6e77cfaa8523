// Interventions: what a user may do to a run between two events.
import type { Pid } from '../core/algorithm.ts';
import type { ScheduledEvent } from './events/deferred-events.ts';
import type { Timers } from './events/process-timers.ts';
import type { CausalChannels, StampedMessage } from './network/causal-channels.ts';
import type { PendingMessages } from './network/in-flight.ts';
import type { LinkChange, NetworkModel } from './network/network-model.ts';
import { type Application, anyIncarnation } from './processes/application.ts';
import type { ProcessStatus } from './processes/process-status.ts';
import type { Fault } from './scenario/faults.ts';
import { never } from './scenario/number-checks.ts';
import type { Setup } from './scenario/setup.ts';

/**
 * What a user may do to a run between two events: deliver, drop or delay a message; crash, restart, pause or resume a process; have it ask
 * or take a step; cut or mend a link. {@link Simulation.intervene} does it.
 */
export type Intervention =
  /** `message` is its number in the trace. */
  | { readonly do: 'deliver' | 'drop'; readonly message: number }
  | { readonly do: 'delay'; readonly message: number; readonly ticks: number }
  /** `ask` calls `request` or `start`; `step` makes the next access of a process on shared memory. */
  | { readonly do: 'crash' | 'restart' | 'pause' | 'resume' | 'ask' | 'step'; readonly process: Pid }
  | { readonly do: 'cut' | 'mend'; readonly between: readonly [Pid, Pid] };

/** The parts of a simulation that an intervention uses. */
export interface SimulationParts extends PendingMessages {
  readonly setup: Setup;
  readonly timers: Timers;
  readonly network: NetworkModel;
  readonly status: ProcessStatus;
  readonly application: Application;
  readonly causal: CausalChannels | null;
  readonly handle: (process: Pid, event: ScheduledEvent) => void;
}

/** Intervenes in a run. Returns null, or why that is impossible. */
export function intervene(parts: SimulationParts, action: Intervention): string | null {
  const hasLines = parts.codes.step >= 0;
  if (hasLines && !('process' in action))
    return 'its processes share memory: there are no messages and no links';
  if (!hasLines && action.do === 'step') return 'its processes send messages: deliver one of them';
  switch (action.do) {
    case 'deliver':
    case 'drop':
    case 'delay':
      return onMessage(parts, action);
    case 'cut':
    case 'mend':
      return onLink(parts, action);
    case 'ask':
      return ask(parts, action.process);
    case 'step':
      return step(parts, action.process);
    default:
      return onProcess(parts, action.do, action.process);
  }
}

function onMessage(
  parts: SimulationParts,
  action: Intervention & { readonly message: number },
): string | null {
  const { wheel, codes, handle } = parts;
  const slot = messageSlots(parts).find((one) => wheel.serial[one] === action.message);
  if (slot === undefined) {
    const held = [...parts.deferred.all()].find(
      ([, { code, serial }]) => codes.isMessage(code) && serial === action.message,
    );
    if (held) return `message #${action.message} has come, and waits at process ${held[0]}`;
    return `message #${action.message} is not on its way`;
  }
  const process = wheel.process[slot]!;
  if (action.do === 'delay') return delay(parts, slot, action.ticks);
  if (action.do === 'deliver') {
    const obstacle = whyNotDeliver(parts, slot);
    if (obstacle !== null) return obstacle;
  }
  const event = takeOut(parts, slot);
  handle(process, action.do === 'drop' ? { ...event, code: codes.lose } : event);
  return null;
}

/** The slots of the messages in flight. */
const messageSlots = ({ wheel, codes }: SimulationParts): number[] =>
  [...wheel.pending()].filter((slot) => codes.isMessage(wheel.code[slot]!));

function takeOut({ wheel, codes }: SimulationParts, slot: number): ScheduledEvent {
  const event = {
    code: wheel.code[slot]!,
    detail: wheel.detail[slot]!,
    content: wheel.content[slot],
    serial: wheel.serial[slot]!,
    chain: wheel.chain[slot] ?? 0,
  };
  wheel.code[slot] = codes.removed;
  wheel.content[slot] = null;
  return event;
}

function whyNotDeliver(parts: SimulationParts, slot: number): string | null {
  const { wheel, setup, status, causal } = parts;
  const process = wheel.process[slot]!;
  if (status.isPaused(process)) return `process ${process} is paused`;
  const [first] = setup.channels === 'unordered' ? [slot] : channelOf(parts, slot);
  if (first !== slot) return `channels are ${setup.channels}: message #${wheel.serial[first!]} comes first`;
  return causal === null || causal.mayDeliver(wheel.content[slot] as StampedMessage, process)
    ? null
    : 'channels are causal: an earlier message comes first';
}

/** The slots of the messages on the same channel, in the order in which they are due. */
const channelOf = (parts: SimulationParts, slot: number): number[] => {
  const { process, detail } = parts.wheel;
  return messageSlots(parts).filter((one) => process[one] === process[slot] && detail[one] === detail[slot]);
};

/** Delays a message; on an ordered channel, later messages wait as well. */
function delay(parts: SimulationParts, slot: number, ticks: number): string | null {
  const { wheel, setup, network } = parts;
  const time = wheel.due(slot) + ticks;
  if (!(Number.isSafeInteger(ticks) && ticks >= 1 && time < never)) return `${ticks} is not a delay in ticks`;
  const to = wheel.process[slot]!;
  const arrivesAs = wheel.detail[slot]!;
  const from = parts.senderOf(to, arrivesAs);
  const channel = setup.channels === 'unordered' ? [slot] : channelOf(parts, slot);
  const late = channel.slice(channel.indexOf(slot)).filter((one) => wheel.due(one) <= time);
  for (const one of late) {
    const { code, detail, content, serial, chain } = takeOut(parts, one);
    const moved = wheel.add(time, to, code, detail, content);
    wheel.serial[moved] = serial;
    if (wheel.chain.length > 0) wheel.chain[moved] = chain;
  }
  network.holdBack(from, linkTo(parts, from, to, arrivesAs), time);
  return null;
}

function linkTo(
  { setup: { topology, algorithm } }: SimulationParts,
  from: Pid,
  to: Pid,
  arrivesAs: number,
): number {
  if (algorithm.knows.includes('me')) return topology.link(from, to);
  const links = Array.from({ length: topology.degree(from) }, (_, link) => link);
  return links.findIndex(
    (link) => topology.to(from, link) === to && topology.arrival(from, link) === arrivesAs,
  );
}

function onLink(
  parts: SimulationParts,
  action: Intervention & { readonly between: readonly [Pid, Pid] },
): string | null {
  const { setup, network, codes, wheel } = parts;
  const [a, b] = action.between;
  const between: [Pid, Pid] = setup.topology.link(a, b) >= 0 ? [a, b] : [b, a];
  if (!(a >= 0 && b >= 0 && a < setup.n && b < setup.n) || setup.topology.link(...between) < 0 || a === b)
    return `there is no link between ${a} and ${b}`;
  if (setup.channels === 'causal') return 'causal channels have no links of their own to lose';
  if (network.isCut(a, b) === (action.do === 'cut'))
    return `the link between ${a} and ${b} is ${action.do === 'cut' ? 'cut already' : 'there'}`;
  const change: LinkChange = { type: action.do === 'cut' ? 'cut' : 'link', between, at: wheel.now };
  for (const end of between)
    parts.handle(end, { code: codes.linkChange, detail: 0, content: change, serial: 0, chain: 0 });
  return null;
}

function ask(parts: SimulationParts, process: Pid): string | null {
  const { setup, wheel, codes, status, application } = parts;
  const obstacle =
    whyNotUp(setup, status, process) ?? whyNotMember(setup, process) ?? application.whyNotAsk(process);
  if (obstacle !== null) return obstacle;
  if (nextStep(parts, process) !== undefined) return 'it is leaving';
  const isPlanned = (slot: number) =>
    wheel.process[slot] === process &&
    wheel.code[slot] === codes.firstCall &&
    application.isCurrent(process, wheel.detail[slot]!);
  const planned = [...wheel.pending()].find(isPlanned);
  if (planned === undefined) application.addCall(process);
  else takeOut(parts, planned);
  parts.handle(process, {
    code: codes.firstCall,
    detail: anyIncarnation,
    content: null,
    serial: 0,
    chain: 0,
  });
  return null;
}

/** The slot of the next step of a process; a step that a crash has voided has no content. */
const nextStep = ({ wheel, codes }: SimulationParts, process: Pid): number | undefined =>
  [...wheel.pending()].find(
    (slot) =>
      wheel.process[slot] === process && wheel.code[slot] === codes.step && wheel.content[slot] !== null,
  );

function step(parts: SimulationParts, process: Pid): string | null {
  const { setup, status, timers } = parts;
  const obstacle = whyNotUp(setup, status, process);
  if (obstacle !== null) return obstacle;
  const slot = nextStep(parts, process);
  if (slot === undefined) return `process ${process} is at none of its lines`;
  const event = takeOut(parts, slot);
  timers.take(slot, process, event);
  parts.handle(process, event);
  return null;
}

function whyNotUp({ n }: Pick<Setup, 'n'>, status: ProcessStatus, process: Pid): string | null {
  if (!(Number.isInteger(process) && process >= 0 && process < n)) return `there is no process ${process}`;
  if (status.isCrashed(process)) return `process ${process} is crashed`;
  return status.isPaused(process) ? `process ${process} is paused` : null;
}

const whyNotMember = ({ topology }: Pick<Setup, 'topology'>, process: Pid): string | null =>
  topology.includes(process) ? null : `process ${process} has no links: the election is held without it`;

function onProcess(
  { setup, wheel, codes, status, handle }: SimulationParts,
  what: 'crash' | 'restart' | 'pause' | 'resume',
  process: Pid,
): string | null {
  const obstacle = whyNotUp(setup, status, process);
  const expected = what === 'restart' ? 'crashed' : what === 'resume' ? 'paused' : null;
  if (expected !== null && !obstacle?.endsWith(expected))
    return obstacle ?? `process ${process} is not ${expected}`;
  if (expected === null && obstacle !== null && !(what === 'crash' && status.isPaused(process)))
    return obstacle;
  const at = wheel.now;
  const isPause = what === 'pause' || what === 'resume';
  const fault: Fault = isPause ? { type: 'pause', process, at, until: at } : { type: what, process, at };
  const code = what === 'resume' ? codes.faultEnd : codes.fault;
  handle(process, { code, detail: 0, content: fault, serial: 0, chain: 0 });
  return what === 'resume' && status.isPaused(process)
    ? `process ${process} is paused by the scenario`
    : null;
}
