import type { Joined } from './growth-member.js';

export const events = ['nothing', 'joins', 'leaves', 'killed'] as const;
export type GrowthEvent = (typeof events)[number];
export type Change = Exclude<GrowthEvent, 'nothing'>;

/** The figures of a group of one size. Times are milliseconds, one for each repetition. */
export interface Figures {
  readonly members: number;
  readonly locks: number; // held by all members
  readonly joins: Joined[];
  readonly shared: Readonly<Record<GrowthEvent, number[]>>; // halts of the lock with two users
  readonly single: Readonly<Record<GrowthEvent, number[]>>;
  readonly bytes: Record<Change, number>; // sent by all members
  readonly outs: number; // how often a member was put out meanwhile, which should not happen
  readonly heap: number; // bytes, of a member
  readonly resident: number;
  readonly processor: number; // seconds per second, of an idle member
}

export const eventTitles: Readonly<Record<GrowthEvent, string>> = {
  nothing: 'nothing',
  joins: 'one joins',
  leaves: 'one leaves',
  killed: 'one is killed',
};
