import { groups, type Inspection, inspectGroup, type MemberSince } from '../../cluster/index.ts';
import { EntryRates, type GroupNow, type GroupsNow, type TurnNow } from '../../live/index.ts';

const everyMs = 500;

/** Inspects the groups of this machine periodically while the page is open, without joining them. */
export class GroupPoller {
  readonly #changed: (now: GroupsNow) => void;
  readonly #rates = new EntryRates();
  #isWatched = false;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(changed: (now: GroupsNow) => void) {
    this.#changed = changed;
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    clearTimeout(this.#timer);
    if (isWatched && !this.#isPolling) this.#poll();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    const now = await this.#now();
    this.#isPolling = false;
    if (!this.#isWatched) return;
    this.#changed(now);
    this.#timer = setTimeout(() => this.#poll(), everyMs);
  }

  async #now(): Promise<GroupsNow> {
    try {
      // A group that cannot be inspected may be gone. The others are still reported.
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
