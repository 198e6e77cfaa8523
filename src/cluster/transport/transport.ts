import type { ClockRateBounds, MemberId, MemberMessage, Peer, PeerClockReading } from '../../member/index.ts';

/** What one member asks another for a report with, and the answer. */
export type QueryFrame =
  | { readonly type: 'ask'; readonly question: number; readonly address: string } // where the answer goes
  | ({ readonly type: 'answer'; readonly question: number } & MemberReport)
  | { readonly type: 'snapshot'; readonly question: number; readonly address: string } // of the whole group, to be answered so
  | { readonly type: 'ping'; readonly question: number; readonly address: string }
  | { readonly type: 'pong'; readonly question: number; readonly clocks: PeerClockReading | null }; // null: it does not tell

/** What a member tells when it is asked. */
export interface MemberReport {
  readonly report: unknown;
  readonly clocks: readonly PeerClockReport[];
}

/** What one member knows of the clocks of another, in milliseconds. */
export interface PeerClockReport {
  readonly id: MemberId;
  readonly offset: number;
  readonly error: number;
  readonly rate: ClockRateBounds | null;
  readonly age: number;
}

/** Who is told so will have what it waits for in a moment, and may as well not fall asleep before. */
export interface HandoverHint {
  readonly type: 'soon';
}

export type Frame = MemberMessage | QueryFrame | HandoverHint;

/** Why something that came in was not taken. */
export type RefusalReason =
  | 'malformed' // not a frame, or not of a shape we know
  | 'oversized'
  | 'unknown version'
  | 'stranger'; // another group, another member than was meant, or without the group's secret

/** What `closed` tells of a member. */
export type CloseReason =
  | 'dead' // its process is gone, for certain
  | 'broken' // it lives, but words to it or from it may have been lost
  | 'unreachable'; // there has been no way to it for as long as the transport has patience; words to it are lost

/** Told by a transport; called in the order of what happened, never from within `send`. */
export interface TransportListener {
  received(from: MemberId, frame: Frame): void;
  closed(peer: MemberId, why: CloseReason): void;
  refused(why: RefusalReason): void;
}

/** Channels to the other members: reliable and in order as long as `closed` is not told. */
export interface Transport {
  readonly address: string;
  send(to: Peer, frame: Frame): void; // connects when it must
  /** Ends connections with whoever was among these and is no more, without telling `closed`. Who has only just come is let be. */
  keep(peers: readonly Peer[]): void;
  close(): Promise<void>;
}
