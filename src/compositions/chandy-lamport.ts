// K. M. Chandy, L. Lamport: Distributed Snapshots: Determining Global States of Distributed Systems. ACM Transactions on Computer
// Systems 3(1):63-75, 1985. Channels are FIFO and reliable, and the network is strongly connected.
//
// The two rules and their variables. The carrier of messages (an algorithm, a member of a group) calls them. The sender identifies an
// incoming channel; a process need only know in advance how many there are.

type Channel = string | number;

/** What one process has recorded: its own state, and the messages in flight on each incoming channel. */
export type LocalSnapshot<S, M> = {
  state: S | null; // null before it is recorded
  channels: { [from: Channel]: M[] }; // the nonempty ones
  closed: Channel[]; // channels whose marker has arrived
  awaited: number; // markers still to come
};

export const nothingRecorded = <S, M>(): LocalSnapshot<S, M> => ({
  state: null,
  channels: {},
  closed: [],
  awaited: 0,
});

export const isComplete = ({ state, awaited }: LocalSnapshot<unknown, unknown>): boolean =>
  state !== null && awaited === 0;

/** The process that records. */
export interface RecordingProcess<S, C extends Channel> {
  state(): S; // a copy
  readonly incoming: number; // channels
  readonly outgoing: readonly C[];
  sendMarker(to: C): void;
}

/** Marker-Sending Rule: the process records its state, and sends a marker along each channel before any other message. */
function record<S, C extends Channel>(cut: LocalSnapshot<S, unknown>, q: RecordingProcess<S, C>): void {
  if (cut.state !== null) return;
  cut.state = q.state();
  cut.awaited = q.incoming;
  for (const c of q.outgoing) q.sendMarker(c);
}

/** Marker-Receiving Rule: the state of c is the messages that arrived along c since the process recorded its state; none if it does so now. */
function markerCame<S, C extends Channel>(
  cut: LocalSnapshot<S, unknown>,
  c: Channel,
  q: RecordingProcess<S, C>,
): void {
  record(cut, q);
  cut.closed.push(c);
  cut.awaited -= 1;
}

/** Any other message arrives along c. */
function messageCame<M>(cut: LocalSnapshot<unknown, M>, c: Channel, message: M): void {
  if (cut.state === null || cut.closed.includes(c)) return;
  cut.channels[c] ??= [];
  cut.channels[c].push(message);
}

export const chandyLamport = { record, markerCame, messageCame };
export type SnapshotRules = typeof chandyLamport;
