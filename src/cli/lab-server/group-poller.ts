import { groups, type Inspection, inspectGroup, type MemberSince } from '../../cluster/index.ts';
import { EntryRates, type GroupNow, type GroupsNow, type TurnNow } from '../../live/index.ts';

const everyMs = 500;

/** Looks at the groups of this machine while somebody watches, from outside: nothing about them changes. */
export class GroupPoller {
  readonly #changed: (now: GroupsNow) => void;
  readonly #rates = new EntryRates();
  #isWatched = false;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(changed: (now: GroupsNow) => void) {
    this.#changed = changed;
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    clearTimeout(this.#timer);
    if (isWatched && !this.#isLooking) this.#look();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const now = await this.#now();
    this.#isLooking = false;
    if (!this.#isWatched) return;
    this.#changed(now);
    this.#timer = setTimeout(() => this.#look(), everyMs);
  }

  async #now(): Promise<GroupsNow> {
    try {
      // One that cannot be looked at may have gone meanwhile: the others are told.
      const seen = await Promise.all(groups().map((name) => inspectGroup(name).catch(() => null)));
      const found = seen.filter((one) => one !== null).map((one) => this.#groupNow(one));
      this.#rates.keep(
        new Set(found.flatMap(({ name, locks }) => locks.map((lock) => key(name, lock.name)))),
      );
      return { groups: found, problem: null };
    } catch (error) {
      return { groups: [], problem: (error as Error).message };
    }
  }

  #groupNow({ group, epoch, members, locks, elections }: Inspection): GroupNow {
    const now = performance.now();
    return {
      name: group,
      epoch,
      members: members.map(({ label, answered }) => ({ label, answered })),
      locks: locks.map(({ name, algorithm, holder, waiters }) => ({
        name,
        algorithm,
        holder: holder && { ...turnOf(holder), fence: holder.fence },
        waiters: waiters.map(turnOf),
        perSecond: this.#rates.of(key(group, name), holder?.fence ?? null, now),
      })),
      elections: elections.map(({ name, leader, candidates }) => ({
        name,
        leader: leader && { ...turnOf(leader), term: leader.term },
        candidates: candidates.map(turnOf),
      })),
    };
  }
}

const key = (group: string, lock: string): string => JSON.stringify([group, lock]);
const turnOf = ({ label, since }: MemberSince): TurnNow => ({ label, since: since.getTime() });
