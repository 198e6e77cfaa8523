import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemberId, Peer, View } from '../member/index.ts';
import { checkOptions } from './checks.ts';
import { type ConsistentInspection, consistentInspection, consistentReportIn } from './consistent.ts';
import { BatonError } from './errors.ts';
import { type Inspection, inspectionOf } from './inspection.ts';
import { defaultLeaseMs } from './join.ts';
import { type Place, type PlaceOptions, placeOf } from './place.ts';
import { snapshotMs } from './runtime.ts';
import type { Frame, Told } from './transport/transport.ts';

const answerMs = 1000;
const attempts = 5; // at a snapshot, which a change of the view interrupts
const pauseMs = 100; // between them

/** A group as its members tell it, asked from outside: nothing about the group changes. Null if nobody is in it. */
export const look = (group: string, options: PlaceOptions = {}): Promise<Inspection | null> =>
  from(group, options, async (place) => {
    const living = await present(place);
    if (living === null) return null;
    const { view, members } = living;
    const { id, answers } = await asked(place, members, 'ask', answerMs);
    return inspectionOf(group, view, id, answers);
  });

/** The same of one moment at which it could have been so, by a snapshot. Rejects if none is had in some attempts. */
export const lookConsistently = (
  group: string,
  options: PlaceOptions = {},
): Promise<ConsistentInspection | null> =>
  from(group, options, async (place) => {
    let why = '';
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await pause(pauseMs);
      const living = await present(place);
      if (living === null) return null;
      const one = living.members[attempt % living.members.length]!;
      const { answers } = await asked(place, [one], 'snapshot', snapshotMs + answerMs);
      const report = consistentReportIn(answers.get(one.id)?.report);
      if (report !== null && !('failed' in report)) return consistentInspection(group, report);
      why = report?.failed ?? `${one.label} does not answer, or its version takes no snapshots`;
    }
    throw new BatonError('unavailable', `no consistent snapshot of group '${group}': ${why}`);
  });

async function from<T>(
  group: string,
  options: PlaceOptions,
  inquire: (place: Place) => Promise<T>,
): Promise<T> {
  checkOptions(options);
  const place = await placeOf(group, defaultLeaseMs, {
    ...options,
    listen: options.listen?.replace(/:\d+$/, ':0'), // where a member may listen already
    advertise: undefined,
  });
  try {
    return await inquire(place);
  } finally {
    await place.engine.close();
  }
}

async function present({ engine }: Place): Promise<{ view: View; members: readonly Peer[] } | null> {
  const view = await engine.read();
  const dead = view === null ? [] : await engine.expired(view.members);
  const members = view?.members.filter((peer) => !dead.includes(peer.id)) ?? [];
  return view === null || members.length === 0 ? null : { view, members };
}

async function asked(
  { listen }: Place,
  members: readonly Peer[],
  type: 'ask' | 'snapshot',
  timeoutMs: number,
): Promise<{ readonly id: MemberId; readonly answers: ReadonlyMap<MemberId, Told> }> {
  const id: MemberId = randomBytes(8).toString('hex');
  const answers = new Map<MemberId, Told>();
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const received = (from: MemberId, frame: Frame) => {
    if (frame.type === 'answer') answers.set(from, frame);
    if (members.every((peer) => answers.has(peer.id))) finish();
  };
  const transport = await listen(id, { received, closed: () => {}, refused: () => {} });
  for (const peer of members) transport.send(peer, { type, question: 0, address: transport.address });
  const timer = setTimeout(finish, timeoutMs);
  await done;
  clearTimeout(timer);
  await transport.close();
  return { id, answers };
}
