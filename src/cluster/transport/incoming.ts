import type { Socket } from 'node:net';
import type { MemberId } from '../../member/index.ts';
import { type Hello, unpacked, unpackedHello, versions } from './frames.ts';
import type { Frame, Refusal } from './transport.ts';
import { Inbox } from './wire.ts';

const helloMs = 10_000; // to say who one is

export interface Doorkeeper {
  readonly group: string;
  readonly id: MemberId;
  /** Somebody has said who it is; false: not wanted. */
  greeted(socket: Socket, from: MemberId): boolean;
  received(from: MemberId, frame: Frame): void;
  refused(why: Refusal): void;
  ended(socket: Socket, from: MemberId): void;
}

/** A connection that somebody has opened: who it is, then frames. Ended without a word if nobody ever says anything on it. */
export function accept(socket: Socket, keeper: Doorkeeper): void {
  const inbox = new Inbox();
  let from: MemberId | null = null;

  const greet = (body: Buffer): boolean => {
    const hello = unpackedHello(body);
    const why = hello === null ? 'malformed' : objection(hello, keeper);
    if (why === null && keeper.greeted(socket, hello!.from)) {
      socket.setTimeout(0);
      from = hello!.from;
      return true;
    }
    keeper.refused(why ?? 'stranger');
    socket.destroy();
    return false;
  };
  const take = (body: Buffer): boolean => {
    if (from === null) return greet(body);
    const frame = unpacked(body);
    if (frame === null) keeper.refused('malformed');
    else keeper.received(from, frame);
    return !socket.destroyed;
  };

  socket.setTimeout(helloMs, () => socket.destroy());
  socket.on('data', (chunk) => {
    if (socket.destroyed || inbox.add(chunk, take)) return;
    keeper.refused('oversized');
    socket.destroy();
  });
  socket.on('error', () => {}); // `close` follows
  socket.on('close', () => {
    if (from !== null) keeper.ended(socket, from);
  });
}

function objection({ lowest, highest, group, from, to }: Hello, keeper: Doorkeeper): Refusal | null {
  if (lowest > versions.highest || highest < versions.lowest) return 'unknown version';
  return group !== keeper.group || to !== keeper.id || from === keeper.id ? 'stranger' : null;
}
