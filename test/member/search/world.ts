// The state of a whole group in the search, as plain data: what the processes, the engine and the channels remember.
import { type MemberId, type Peer, protocolVersion } from '../../../src/member/index.ts';

/** The life of one process. */
export type Status =
  | 'outside' // in no view: it joins, or rejoins
  | 'member' // in a view, as far as it knows
  | 'leaving' // it has released everything, and asks the engine to remove it
  | 'left'
  | 'dead';

/** A lease is over at its holder before it is over at the engine. That is all that the search assumes about time. */
export type LeaseState = 'held' | 'over' | 'expired';

export interface ProcessState {
  status: Status;
  hasJoined: boolean; // at least once
  incarnation: number;
  member: number; // the state of its member, by number
  isHung: boolean; // it does nothing, until it wakes up
  lease: LeaseState;
  asked: number; // requests made so far; the number of the last one
  pending: number[];
  held: number[];
}

/** A member of a view: its id, followed by `~` if the view calls it silent, and by `'` if it is of a version before 6. */
export type PeerText = string;

export interface StoredView {
  readonly epoch: number;
  readonly after: number | null; // the epoch of the view that it replaced
  readonly members: readonly PeerText[];
}

export const idIn = (text: PeerText): MemberId => text.replace(/[~']/g, '');
export const idsIn = ({ members }: StoredView): MemberId[] => members.map(idIn);

export const peerText = ({
  id,
  isSilent = false,
  speaks,
}: Pick<Peer, 'id' | 'isSilent' | 'speaks'>): PeerText =>
  `${id}${isSilent ? '~' : ''}${speaks === undefined ? "'" : ''}`;

export const peerOf = (text: PeerText): Peer => ({
  ...{ id: idIn(text), address: '', label: '', priority: 0 },
  ...(!text.includes("'") && { speaks: protocolVersion }),
  ...(text.includes('~') && { isSilent: true }),
});

/** A message by its number, or a gap: the receiver learns that messages may have been lost. */
export type InTransit = number;
export const gap: InTransit = -1;

/** The fences of one lock in one lineage of views. */
export interface FenceRange {
  first: number;
  last: number;
}

export interface World {
  processes: ProcessState[];
  channels: Record<string, InTransit[]>; // by `from>to`
  unreported: Record<string, 'broken' | 'unreachable'>; // by `from>to`: the connection broke, and its sender does not know yet
  stored: StoredView | null; // at the engine
  before: StoredView | null; // the stored view before this one: a backup
  past: StoredView[]; // views that a member may still learn of
  lastEpoch: number; // the highest of all views
  lineages: number[]; // the first epoch of each. The engine starts a new lineage when it has lost the view
  proposals: string[]; // on their way to the engine: `after epoch: members`
  fences: Record<string, FenceRange>; // by lock and lineage
  terms: Record<string, string>; // election and term: the leader
  faults: number; // that may still happen
}

export const nameOf = (process: number): string => 'abcdef'[process]!;
export const idOf = (world: World, process: number): MemberId =>
  nameOf(process) + world.processes[process]!.incarnation;
export const processOf = (id: MemberId): number => 'abcdef'.indexOf(id[0]!);

/** Nobody answers under this id any more, or its lease has expired at the engine. */
export function isDead(world: World, id: MemberId): boolean {
  const process = world.processes[processOf(id)]!;
  const isGone = process.status === 'dead' || process.status === 'left';
  return isGone || process.lease === 'expired' || `${process.incarnation}` !== id.slice(1);
}

export const lineageOf = (world: World, epoch: number): number =>
  world.lineages.filter((first) => first <= epoch).length;

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the text that identifies a world. `decodeWorld` makes a copy of the world from it. */
export function encodeWorld(world: World): string {
  const { channels, unreported, fences, terms, proposals } = world;
  const filled = Object.fromEntries(Object.entries(channels).filter(([, items]) => items.length > 0));
  return JSON.stringify({
    ...world,
    channels: sorted(filled),
    unreported: sorted(unreported),
    fences: sorted(fences),
    terms: sorted(terms),
    proposals: [...proposals].sort(),
  });
}

export const decodeWorld = (text: string): World => JSON.parse(text);

/** Returns a copy that can be changed. Views are not changed, and shared. */
export const copyOf = (world: World): World => ({
  ...world,
  processes: world.processes.map((one) => ({ ...one, pending: [...one.pending], held: [...one.held] })),
  channels: Object.fromEntries(Object.entries(world.channels).map(([key, items]) => [key, [...items]])),
  unreported: { ...world.unreported },
  past: [...world.past],
  lineages: [...world.lineages],
  proposals: [...world.proposals],
  fences: { ...world.fences },
  terms: { ...world.terms },
});
