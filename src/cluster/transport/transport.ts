import type { ClockRateBounds, MemberId, MemberMessage, Peer, PeerClockReading } from '../../member/index.ts';

/** Queries between members, and the answers. */
export type QueryFrame =
  | { readonly type: 'ask'; readonly question: number; readonly address: string } // `address` receives the answer
  | ({ readonly type: 'answer'; readonly question: number } & MemberReport)
  | { readonly type: 'snapshot'; readonly question: number; readonly address: string } // asks for a snapshot of the whole group
  | { readonly type: 'ping'; readonly question: number; readonly address: string }
  | { readonly type: 'pong'; readonly question: number; readonly clocks: PeerClockReading | null }; // null: not reported

/** The answer of a member to a query. */
export interface MemberReport {
  readonly report: unknown;
  readonly clocks: readonly PeerClockReport[];
}

/** One member's estimate of the clocks of another, in milliseconds. */
export interface PeerClockReport {
  readonly id: MemberId;
  readonly offset: number;
  readonly error: number;
  readonly rate: ClockRateBounds | null;
  readonly age: number;
}

/** Tells a waiting member that it gets the lock next, so that it spins instead of sleeping. */
export interface HandoverHint {
  readonly type: 'soon';
}

export type Frame = MemberMessage | QueryFrame | HandoverHint;

/** Why a connection or a frame was refused. */
export type RefusalReason =
  | 'malformed' // not a frame of a known shape
  | 'oversized'
  | 'unknown version'
  | 'stranger'; // from another group, for another member, or not authenticated

/** Why a channel closed. */
export type CloseReason =
  | 'dead' // the process of the peer has certainly ended
  | 'broken' // the peer lives, but messages to or from it may have been lost
  | 'unreachable'; // the peer was not reached within `unreachableAfterMs`; messages to it are lost

/** Receives the events of a transport, in order, and never from within `send`. */
export interface TransportListener {
  received(from: MemberId, frame: Frame): void;
  closed(peer: MemberId, why: CloseReason): void;
  refused(why: RefusalReason): void;
}

/** Channels to the other members: reliable and in order until `closed`. */
export interface Transport {
  readonly address: string;
  send(to: Peer, frame: Frame): void; // connects if necessary
  /** Ends connections with peers of the previous call that are missing now, without calling `closed`. Other peers are not affected. */
  keep(peers: readonly Peer[]): void;
  close(): Promise<void>;
}
