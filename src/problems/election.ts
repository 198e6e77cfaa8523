import type { Pid, Problems, Winner } from '../core/algorithm.ts';
import type { Monitor, Violation } from './monitor.ts';
import { shorten } from './mutex.ts';

export interface Electorate {
  readonly ids: ArrayLike<number>; // by position; positions themselves where processes go by name
  readonly elects: Winner;
  readonly survivesCrashes: boolean; // then a new leader may follow one that crashed or was overtaken by a restart
}

/**
 * Election: at most one leader; everybody alive learns the same one, and it is the promised one. Who has no name says
 * `me` or `another`; the monitor resolves that to the position of who said `me`.
 */
export class ElectionMonitor implements Monitor<Problems['election']['event']> {
  readonly #electorate: Electorate;
  readonly #leaders: Float64Array; // what each process believes; NaN before it learns
  readonly #dead = new Set<Pid>();
  readonly #claimants = new Set<Pid>(); // who believes to lead
  #first: { process: Pid; leader: number } | null = null;
  readonly #involved: Uint8Array; // started, or heard of it, in this life
  #restarts = 0;

  constructor(electorate: Electorate) {
    this.#electorate = electorate;
    this.#leaders = new Float64Array(electorate.ids.length).fill(Number.NaN);
    this.#involved = new Uint8Array(electorate.ids.length);
  }

  /** What each living process believes; null where it learned nothing. */
  get leaders(): (number | null)[] {
    return Array.from(this.#leaders, (leader, i) =>
      Number.isNaN(leader) || this.#dead.has(i) ? null : leader,
    );
  }

  /** The leader all living processes agree on, or null. */
  get leader(): number | null {
    let common: number | null = null;
    for (let i = 0; i < this.#leaders.length; i += 1) {
      if (this.#dead.has(i)) continue;
      const leader = this.#leaders[i]!;
      if (Number.isNaN(leader) || (common !== null && common !== leader)) return null;
      common = leader;
    }
    return common;
  }

  called(process: Pid): void {
    this.#involved[process] = 1;
  }

  heard(process: Pid): void {
    this.#involved[process] = 1;
  }

  emitted(process: Pid, { leader: said }: Problems['election']['event']): Violation | null {
    const anonymous = typeof said !== 'number';
    const [known] = this.#claimants;
    if (said === 'another' && known === undefined) {
      return {
        property: 'at most one leader',
        why: `process ${process} hears of a leader, but nobody leads`,
      };
    }
    const leader = said === 'me' ? process : said === 'another' ? known! : said;
    this.#leaders[process] = leader;
    this.#involved[process] = 1;
    if (leader === (anonymous ? process : this.#electorate.ids[process])) this.#claimants.add(process);
    else this.#claimants.delete(process);

    if (this.#electorate.survivesCrashes) {
      if (this.#claimants.size <= 1 || this.#restarts > 0) return null;
      return {
        property: 'at most one leader',
        why: `processes ${[...this.#claimants].join(' and ')} both lead`,
      };
    }
    this.#first ??= { process, leader };
    if (this.#first.leader === leader) return null;
    return {
      property: 'at most one leader',
      why: `process ${this.#first.process} has leader ${this.#first.leader}, process ${process} has leader ${leader}`,
    };
  }

  crashed(process: Pid): void {
    this.#dead.add(process);
    this.#claimants.delete(process);
    this.#involved[process] = 0;
  }

  restarted(process: Pid): void {
    this.#dead.delete(process);
    this.#leaders[process] = Number.NaN;
    this.#restarts += 1;
  }

  atRest(): Violation[] {
    if (!this.#involved.includes(1)) return []; // nobody alive knows of an election
    const ignorant: Pid[] = [];
    this.#leaders.forEach((leader, i) => {
      if (Number.isNaN(leader) && !this.#dead.has(i)) ignorant.push(i);
    });
    if (ignorant.length > 0) {
      const why = `nothing is left to tell the leader to process ${shorten(ignorant)}`;
      return [{ property: 'everybody learns the leader', why }];
    }
    const leader = this.leader;
    if (leader === null) {
      return [{ property: 'at most one leader', why: `in the end the processes follow ${this.#parties()}` }];
    }
    return this.#rightOne(leader);
  }

  #parties(): string {
    return [...new Set(this.leaders.filter((leader) => leader !== null))].join(' and ');
  }

  #rightOne(leader: number): Violation[] {
    const { ids, elects, survivesCrashes } = this.#electorate;
    const position = Array.prototype.indexOf.call(ids, leader);
    if (position < 0)
      return [{ property: 'at most one leader', why: `${leader} is elected, but nobody has that id` }];
    if (elects === 'any') return [];
    if (survivesCrashes && this.#dead.has(position)) return []; // it died in office: the application will notice
    let best = Number.NaN;
    for (let i = 0; i < ids.length; i += 1) {
      if (survivesCrashes && this.#dead.has(i)) continue;
      const id = ids[i]!;
      if (Number.isNaN(best) || (elects === 'largest' ? id > best : id < best)) best = id;
    }
    if (leader === best) return [];
    return [{ property: `the ${elects} wins`, why: `${leader} is elected although ${best} is there` }];
  }
}
