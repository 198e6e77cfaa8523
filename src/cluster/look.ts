import { randomBytes } from 'node:crypto';
import type { MemberId } from '../member/index.ts';
import { type Inspection, inspectionOf } from './inspection.ts';
import { defaultLeaseMs } from './join.ts';
import { type Place, type PlaceOptions, placeOf } from './place.ts';
import type { Frame, Told } from './transport/transport.ts';

const answerMs = 1000;

/** A group as its members tell it, asked from outside: nothing about the group changes. Null if nobody is in it. */
export async function look(group: string, options: PlaceOptions = {}): Promise<Inspection | null> {
  const place = await placeOf(group, defaultLeaseMs, {
    ...options,
    listen: options.listen?.replace(/:\d+$/, ':0'), // where a member may listen already
    advertise: undefined,
  });
  try {
    return await asked(group, place);
  } finally {
    await place.engine.close();
  }
}

async function asked(group: string, { engine, listen }: Place): Promise<Inspection | null> {
  const view = await engine.read();
  const dead = view === null ? [] : await engine.expired(view.members);
  const members = view?.members.filter((peer) => !dead.includes(peer.id)) ?? [];
  if (view === null || members.length === 0) return null;
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
  for (const peer of members) transport.send(peer, { type: 'ask', question: 0, address: transport.address });
  const timer = setTimeout(finish, answerMs);
  await done;
  clearTimeout(timer);
  await transport.close();
  return inspectionOf(group, view, id, answers);
}
