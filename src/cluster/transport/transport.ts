import type { ClockRateBounds, MemberId, MemberMessage, Peer, PeerClockReading } from '../../member/index.ts';

/** Queries to a member, and the answers. */
export type QueryFrame =
  | { readonly type: 'ask'; readonly question: number }
  | { readonly type: 'snapshot'; readonly question: number } // asks for a snapshot of the whole group
  | { readonly type: 'ping'; readonly question: number }
  | { readonly type: 'reach'; readonly question: number; readonly address: string } // asks for a pong by a connection to this address
  | AnswerFrame;

/** Answers travel back over the connection that the query came on. */
export type AnswerFrame =
  | ({ readonly type: 'answer'; readonly question: number } & MemberReport)
  | { readonly type: 'answer-piece'; readonly question: number; readonly text: string } // of a long report, in JSON; before its `answer`
  | { readonly type: 'pong'; readonly question: number; readonly clocks: PeerClockReading | null }; // null: not reported

const answerTypes: readonly Frame['type'][] = [
  'answer',
  'answer-piece',
  'pong',
] satisfies AnswerFrame['type'][];

export const isAnswer = (frame: Frame): frame is AnswerFrame => answerTypes.includes(frame.type);

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
  /** `answer` writes to the connection that the frame came on. The answer is lost if the connection ends, or the peer does not read. */
  received(from: MemberId, frame: Frame, answer: (frame: AnswerFrame) => void): void;
  closed(peer: MemberId, why: CloseReason): void;
  refused(why: RefusalReason, address: string | null): void; // of the remote end, null if unknown
}

/** Channels to the other members: reliable and in order until `closed`. */
export interface Transport {
  readonly address: string;
  send(to: Peer, frame: Frame): void; // connects if necessary
  /** Ends connections with peers of the previous call that are missing now, without calling `closed`. Other peers are not affected. */
  keep(peers: readonly Peer[]): void;
  /** Connects to its own address as others do. Returns null if it reached itself, or the reason why not. */
  reachItself(timeoutMs: number): Promise<string | null>;
  close(): Promise<void>;
}
