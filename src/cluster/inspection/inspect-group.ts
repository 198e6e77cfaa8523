import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { optionNames } from '../../core/did-you-mean.ts';
import { visibleText } from '../../core/visible-text.ts';
import type { MemberId, Peer, View } from '../../member/index.ts';
import { BatonError, toBatonError } from '../errors.ts';
import { checkGroupName, checkKnownOptions, checkOptions } from '../group/arguments.ts';
import { defaultLeaseMs } from '../join.ts';
import { type ConnectionOptions, type GroupBackend, openBackend } from '../membership/backend.ts';
import { checkConnectionOptions, connectionOptions } from '../membership/connection-checks.ts';
import { snapshotMs } from '../membership/member-queries.ts';
import type { Frame, MemberReport } from '../transport/transport.ts';
import { AnswerCollector } from './answer-pieces.ts';
import {
  type ConsistentInspection,
  consistentInspection,
  parseConsistentReport,
} from './consistent-inspection.ts';
import { type Inspection, inspectionOf } from './inspection.ts';

const answerMs = 1000;
const attempts = 5; // to take a snapshot, which a change of the view interrupts
const pauseMs = 100; // between them

/**
 * Asks all members of a group for their locks, waiting requests and clocks, without joining it. Returns null if the group has no members.
 *
 * @throws {BatonError} `input` when the name or an option is wrong.
 * @throws {BatonError} `unavailable` when the engine does not answer.
 *
 * @example
 * import { join } from 'batonjs';
 * import { inspectGroup } from 'batonjs/cluster';
 *
 * const group = await join('orders');
 * const inspection = await inspectGroup('orders');
 * console.log(inspection?.members.length); // → 1
 * await group.leave();
 * await inspectGroup('orders'); // → null
 */
export const inspectGroup = (group: string, options: ConnectionOptions = {}): Promise<Inspection | null> =>
  withBackend('inspectGroup', group, options, async (backend) => {
    const living = await livingMembers(backend);
    if (living === null) return null;
    const { view, members } = living;
    const { id, answers } = await queryMembers(backend, members, 'ask', answerMs);
    return inspectionOf(group, view, id, answers);
  });

/**
 * Returns a consistent global state of a group, by a snapshot, without joining it. Returns null if the group has no members.
 *
 * @throws {BatonError} `unavailable` when the engine does not answer, or no snapshot succeeds in five attempts.
 * @throws {BatonError} `input` when the name or an option is wrong.
 *
 * @example
 * import { join } from 'batonjs';
 * import { inspectGroupConsistently } from 'batonjs/cluster';
 *
 * await using group = await join('orders');
 * await using lock = await group.lock('invoice-42');
 * const state = await inspectGroupConsistently('orders');
 * state?.locks.map(({ name, holders }) => [name, holders.length]); // → [['invoice-42', 1]]
 */
export const inspectGroupConsistently = (
  group: string,
  options: ConnectionOptions = {},
): Promise<ConsistentInspection | null> =>
  withBackend('inspectGroupConsistently', group, options, async (backend) => {
    let why = '';
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await pause(pauseMs);
      const living = await livingMembers(backend);
      if (living === null) return null;
      const one = living.members[attempt % living.members.length]!;
      const { answers } = await queryMembers(backend, [one], 'snapshot', snapshotMs + answerMs);
      const report = parseConsistentReport(answers.get(one.id)?.report);
      if (report !== null && !('failed' in report)) return consistentInspection(group, report);
      why = visibleText(report?.failed ?? `${one.label} does not answer, or its version takes no snapshots`);
    }
    throw new BatonError('unavailable', `no consistent snapshot of group '${group}': ${why}`);
  });

const inspectOptions = optionNames<ConnectionOptions>(connectionOptions);

async function withBackend<T>(
  call: string,
  group: string,
  options: ConnectionOptions,
  work: (backend: GroupBackend) => Promise<T>,
): Promise<T> {
  checkGroupName(group);
  checkOptions(options);
  checkKnownOptions(call, options, inspectOptions);
  checkConnectionOptions(options);
  try {
    const backend = await openBackend(group, defaultLeaseMs, {
      ...options,
      listen: undefined, // answers come back over the connections that it opens
      advertise: undefined,
    });
    try {
      return await work(backend);
    } finally {
      await backend.engine.close();
    }
  } catch (error) {
    throw toBatonError(error, `inspecting group '${group}'`);
  }
}

async function livingMembers({
  engine,
}: GroupBackend): Promise<{ view: View; members: readonly Peer[] } | null> {
  const view = await engine.read();
  const dead = view === null ? [] : await engine.expired(view.members);
  const members = view?.members.filter((peer) => !dead.includes(peer.id)) ?? [];
  return view === null || members.length === 0 ? null : { view, members };
}

async function queryMembers(
  { listen }: GroupBackend,
  members: readonly Peer[],
  type: 'ask' | 'snapshot',
  timeoutMs: number,
): Promise<{ readonly id: MemberId; readonly answers: ReadonlyMap<MemberId, MemberReport> }> {
  const id: MemberId = randomBytes(8).toString('hex');
  const collector = new AnswerCollector(members.map((peer) => peer.id));
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const received = (from: MemberId, frame: Frame) => {
    if ('question' in frame) collector.add(from, frame);
    if (collector.isComplete) finish();
  };
  const transport = await listen(id, { received, closed: () => {}, refused: () => {} });
  for (const peer of members) transport.send(peer, { type, question: 0 });
  const timer = setTimeout(finish, timeoutMs);
  await done;
  clearTimeout(timer);
  await transport.close();
  return { id, answers: collector.answers };
}
