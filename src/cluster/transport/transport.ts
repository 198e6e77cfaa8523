import type { MemberId, Peer, Rate, Reading, Word } from '../../member/index.ts';

/** What one member asks another for a report with, and the answer. */
export type Inquiry =
  | { readonly type: 'ask'; readonly question: number; readonly address: string } // where the answer goes
  | ({ readonly type: 'answer'; readonly question: number } & Told)
  | { readonly type: 'snapshot'; readonly question: number; readonly address: string } // of the whole group, to be answered so
  | { readonly type: 'ping'; readonly question: number; readonly address: string }
  | { readonly type: 'pong'; readonly question: number; readonly clocks: Reading | null }; // null: it does not tell

/** What a member tells when it is asked. */
export interface Told {
  readonly report: unknown;
  readonly clocks: readonly ClockReport[];
}

/** What one member knows of the clocks of another, in milliseconds. */
export interface ClockReport {
  readonly id: MemberId;
  readonly offset: number;
  readonly error: number;
  readonly rate: Rate | null;
  readonly age: number;
}

/** Who is told so will have what it waits for in a moment, and may as well not fall asleep before. */
export interface Hint {
  readonly type: 'soon';
}

export type Frame = Word | Inquiry | Hint;

/** Why something that came in was not taken. */
export type Refusal =
  | 'malformed' // not a frame, or not of a shape we know
  | 'oversized'
  | 'unknown version'
  | 'stranger'; // another group, another member than was meant, or without the group's secret

/** What `closed` tells of a member. */
export type Closing =
  | 'dead' // its process is gone, for certain
  | 'broken' // it lives, but words to it or from it may have been lost
  | 'unreachable'; // there has been no way to it for as long as the transport has patience; words to it are lost

/** Told by a transport; called in the order of what happened, never from within `send`. */
export interface Listener {
  received(from: MemberId, frame: Frame): void;
  closed(peer: MemberId, why: Closing): void;
  refused(why: Refusal): void;
}

/** Channels to the other members: reliable and in order as long as `closed` is not told. */
export interface Transport {
  readonly address: string;
  send(to: Peer, frame: Frame): void; // connects when it must
  /** Ends connections with whoever was among these and is no more, without telling `closed`. Who has only just come is let be. */
  keep(peers: readonly Peer[]): void;
  close(): Promise<void>;
}
