// K. M. Chandy, L. Lamport: Distributed Snapshots: Determining Global States of Distributed Systems. ACM Transactions on Computer
// Systems 3(1):63-75, 1985. Channels keep the order and lose nothing, and from everywhere one can get everywhere.
//
// The two rules, and what a process keeps for them; whoever carries messages (an algorithm, a member of a group) calls them. A channel
// to a process is known by where its messages come from, and nobody need know beforehand where that is, only how many there are.

type Channel = string | number;

/** What one process has recorded: its own state, and of each channel to it what was on its way. */
export type LocalSnapshot<S, M> = {
  state: S | null; // null: nothing is recorded yet
  channels: { [from: Channel]: M[] }; // those that were not empty
  closed: Channel[]; // whose marker has come
  awaited: number; // markers that have yet to come
};

export const nothingRecorded = <S, M>(): LocalSnapshot<S, M> => ({
  state: null,
  channels: {},
  closed: [],
  awaited: 0,
});

export const isComplete = ({ state, awaited }: LocalSnapshot<unknown, unknown>): boolean =>
  state !== null && awaited === 0;

/** The process that does it. */
export interface RecordingProcess<S, C extends Channel> {
  state(): S; // a copy
  readonly incoming: number; // channels
  readonly outgoing: readonly C[];
  sendMarker(to: C): void;
}

/** Marker-Sending Rule: it records its state, and sends a marker along each channel before it sends anything else. */
function record<S, C extends Channel>(cut: LocalSnapshot<S, unknown>, q: RecordingProcess<S, C>): void {
  if (cut.state !== null) return;
  cut.state = q.state();
  cut.awaited = q.incoming;
  for (const c of q.outgoing) q.sendMarker(c);
}

/** Marker-Receiving Rule: what came along c since it recorded its state is the state of c; nothing, if it does so only now. */
function markerCame<S, C extends Channel>(
  cut: LocalSnapshot<S, unknown>,
  c: Channel,
  q: RecordingProcess<S, C>,
): void {
  record(cut, q);
  cut.closed.push(c);
  cut.awaited -= 1;
}

/** Any other message comes along c. */
function messageCame<M>(cut: LocalSnapshot<unknown, M>, c: Channel, message: M): void {
  if (cut.state === null || cut.closed.includes(c)) return;
  cut.channels[c] ??= [];
  cut.channels[c].push(message);
}

export const chandyLamport = { record, markerCame, messageCame };
export type SnapshotRules = typeof chandyLamport;
