import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { refuseUnknownOptions, suggest } from '../../core/did-you-mean.ts';
import { fromEdges } from '../../core/network-shapes.ts';
import type { Topology } from '../../core/topology.ts';
import { checkPosition, checkWhole } from './number-checks.ts';

/** A fault of a run. Times are in ticks; `until: Infinity` never ends. */
export type Fault =
  /** A restarted process has a fresh state. `corrupt` gives the variables of a self-stabilising algorithm any values. */
  | { readonly type: 'crash' | 'restart' | 'corrupt'; readonly process: Pid; readonly at: number }
  /** A paused process handles nothing; its messages and timers wait for it. */
  | { readonly type: 'pause'; readonly process: Pid; readonly at: number; readonly until: number }
  /** All links of the topology exist at first; cut one at 0 if it should appear later. A cut loses the messages in flight on the link. */
  | { readonly type: 'cut' | 'link'; readonly between: readonly [Pid, Pid]; readonly at: number }
  /** From then on, each reading of its clock is `by` ticks too large. */
  | { readonly type: 'lie'; readonly process: Pid; readonly at: number; readonly by: number }
  /** The message with this number in the trace never arrives. */
  | { readonly type: 'lose'; readonly message: number }
  /** Messages between `side` and the other processes wait until it heals; none is lost. */
  | {
      readonly type: 'partition';
      readonly side: readonly Pid[];
      readonly at: number;
      readonly until: number;
    };

/** A fault of all processes: each of them is corrupted at the same time. */
export type CommonFault = { readonly type: 'corrupt'; readonly process: 'all'; readonly at: number };

export function checkFaults(faults: readonly Fault[], n: number): readonly Fault[] {
  for (const fault of faults) {
    if (typeof fault.type !== 'string')
      throw new InputError(`a fault needs a type: ${kinds.join(', ')}; this one is ${JSON.stringify(fault)}`);
    if (!kinds.includes(fault.type))
      throw new InputError(`no fault is called '${fault.type}'${suggest(fault.type, kinds)}`);
    refuseUnknownOptions(`a fault of type ${fault.type}`, fault, fieldsOf[fault.type]);
    if (fault.type === 'lose') {
      checkWhole(fault.message, 'lose', 0);
      continue;
    }
    checkWhole(fault.at, `${fault.type} time`, 0);
    for (const process of processesOf(fault)) checkPosition(process, n, fault.type);
    if (fault.type === 'lie') checkWhole(fault.by, 'lie', -(10 ** 9), 10 ** 9);
    const mayEnd = fault.type === 'pause' || fault.type === 'partition';
    if (mayEnd && fault.until !== Infinity) checkWhole(fault.until, `${fault.type} end`, 0);
    if (fault.type === 'partition' && fault.side.length === 0)
      throw new InputError('a partition needs somebody on its side');
    if (mayEnd && !(fault.until > fault.at)) {
      throw new InputError(`a ${fault.type} at ${fault.at} cannot end at ${fault.until}: it must end later`);
    }
  }
  return checkOrder(faults);
}

const ofProcess = ['type', 'process', 'at'];
const fieldsOf: { readonly [T in Fault['type']]: readonly string[] } = {
  crash: ofProcess,
  restart: ofProcess,
  corrupt: ofProcess,
  pause: [...ofProcess, 'until'],
  lie: [...ofProcess, 'by'],
  cut: ['type', 'between', 'at'],
  link: ['type', 'between', 'at'],
  lose: ['type', 'message'],
  partition: ['type', 'side', 'at', 'until'],
};

/** In the order in which they take effect within a tick. */
const kinds: readonly Fault['type'][] = [
  'lose',
  'cut',
  'link',
  'partition',
  'crash',
  'restart',
  'pause',
  'corrupt',
  'lie',
];

/** Sorts by time, then kind, then process, and checks that each link change and restart is possible. */
function checkOrder(faults: readonly Fault[]): readonly Fault[] {
  const at = (fault: Fault): number => (fault.type === 'lose' ? -1 : fault.at);
  const subject = (fault: Fault): number => (fault.type === 'lose' ? fault.message : processesOf(fault)[0]!);
  const order = (a: Fault, b: Fault): number =>
    at(a) - at(b) || kinds.indexOf(a.type) - kinds.indexOf(b.type) || subject(a) - subject(b);
  const sorted = [...faults].sort(order);
  removedLinks(sorted);
  for (const fault of sorted) {
    const before = (other: Fault): boolean =>
      other.type === 'crash' && subject(other) === subject(fault) && order(other, fault) < 0;
    if (fault.type === 'restart' && !sorted.some(before)) {
      throw new InputError(`restart: process ${fault.process} does not crash before ${fault.at}`);
    }
  }
  return sorted;
}

/** The processes that a fault affects. */
function processesOf(fault: Exclude<Fault, { type: 'lose' }>): readonly Pid[] {
  if (fault.type === 'partition') return fault.side;
  return 'between' in fault ? fault.between : [fault.process];
}

/**
 * The links that are cut in the end, as `a-b`.
 * @throws InputError if a cut link is cut, or an existing link appears.
 */
export function removedLinks(inOrder: readonly Fault[]): Set<string> {
  const gone = new Set<string>();
  for (const fault of inOrder) {
    if (!('between' in fault)) continue;
    const [a, b] = fault.between;
    const link = a < b ? `${a}-${b}` : `${b}-${a}`;
    if (gone.has(link) === (fault.type === 'cut')) {
      const why = fault.type === 'cut' ? 'has gone already' : 'is there; cut it before, or at 0';
      throw new InputError(`${fault.type}: at ${fault.at} the link ${link} ${why}`);
    }
    if (fault.type === 'cut') gone.add(link);
    else gone.delete(link);
  }
  return gone;
}

/** Whether the network is connected after the last link change. */
export function isConnectedAfter(faults: readonly Fault[], topology: Topology): boolean {
  const gone = removedLinks(faults);
  if (gone.size === 0) return true;
  const left = topology
    .list()
    .split(',')
    .filter((link) => !gone.has(link));
  return fromEdges('edges', left, topology.n).without(new Set(topology.leftOut)).connected;
}
