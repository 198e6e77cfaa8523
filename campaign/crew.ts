// The processes of a campaign, their reports, and the resource that they share.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Setting } from './contenders/contender.ts';
import type { Ground } from './ground.ts';
import { History } from './history.ts';
import { Resources } from './resource.ts';
import type { Ordered, Told } from './worker.ts';

interface Member {
  readonly child: ChildProcess;
  readonly life: number; // the number of this process, among all that the campaign has started
  isStopped: boolean;
  acquired: number;
  isInside: boolean;
  isLeaving: boolean;
}

export class Crew {
  readonly history = new History();
  readonly resources = new Resources();
  readonly failures = new Map<string, number>();
  readonly #ground: Ground;
  readonly #settingOf: (member: number) => Setting;
  readonly #envOf: (member: number) => NodeJS.ProcessEnv;
  readonly #members = new Map<number, Member>();
  #lives = 0;

  constructor(
    ground: Ground,
    settingOf: (member: number) => Setting,
    envOf: (member: number) => NodeJS.ProcessEnv,
  ) {
    this.#ground = ground;
    this.#settingOf = settingOf;
    this.#envOf = envOf;
  }

  get up(): number[] {
    return [...this.#members].flatMap(([i, { isLeaving }]) => (isLeaving ? [] : [i]));
  }

  /** Returns the members that hold a lock, according to their reports. */
  get inside(): number[] {
    return [...this.#members].flatMap(([i, { isInside }]) => (isInside ? [i] : []));
  }

  /** Returns whether every member has acquired a lock since then. */
  servedSince(counts: ReadonlyMap<number, number>): boolean {
    return this.up.every((i) => this.#members.get(i)!.acquired > (counts.get(i) ?? 0));
  }

  get acquired(): Map<number, number> {
    return new Map([...this.#members].map(([i, { acquired }]) => [i, acquired]));
  }

  start(i: number): void {
    if (this.#members.has(i)) return;
    const file = fileURLToPath(new URL('worker.js', import.meta.url));
    const env = { ...process.env, ...this.#envOf(i), CAMPAIGN_SETTING: JSON.stringify(this.#settingOf(i)) };
    const child = this.#ground.start(i, file, env);
    this.#lives += 1;
    const member: Member = {
      child,
      life: this.#lives,
      isStopped: false,
      acquired: 0,
      isInside: false,
      isLeaving: false,
    };
    this.#members.set(i, member);
    child.on('message', (told: Told) => this.#told(i, member, told));
    child.on('exit', (code) => {
      if (this.#members.get(i) !== member) return;
      this.#members.delete(i);
      if (code !== 0 && !member.isLeaving) this.#failed(`process ended with ${code}`);
    });
  }

  kill(i: number): void {
    const member = this.#members.get(i);
    if (member === undefined) return;
    this.#members.delete(i);
    member.child.kill('SIGKILL');
  }

  pause(i: number): void {
    const member = this.#members.get(i);
    member?.child.kill('SIGSTOP');
    if (member !== undefined) member.isStopped = true;
  }

  goOn(i: number): void {
    const member = this.#members.get(i);
    member?.child.kill('SIGCONT');
    if (member !== undefined) member.isStopped = false;
  }

  block(i: number, blockMs: number): void {
    this.#order(i, { blockMs });
  }

  leave(i: number): void {
    const member = this.#members.get(i);
    if (member === undefined || member.isStopped) return;
    member.isLeaving = true;
    this.#order(i, { stop: true });
  }

  async end(): Promise<void> {
    for (const [i] of this.#members) {
      this.goOn(i);
      this.leave(i);
    }
    const until = performance.now() + 15_000;
    while (this.#members.size > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    for (const [i, { life }] of this.#members) {
      this.#failed(`did not leave (${life})`);
      this.kill(i);
    }
  }

  #order(i: number, order: Ordered): void {
    const child = this.#members.get(i)?.child;
    if (child?.connected) child.send(order, () => {});
  }

  #told(i: number, member: Member, told: Told): void {
    const { history, resources } = this;
    const key = (hold: number) => `${member.life} ${hold}`;
    switch (told.what) {
      case 'is':
        this.#ground.known(i, told.id);
        break;
      case 'acquired': {
        const { lock, at, fence, waitedMs } = told;
        member.acquired += 1;
        member.isInside = true;
        history.acquired(key(told.hold), { member: i, lock, acquired: at, fence, waitedMs });
        break;
      }
      case 'held':
        history.held(key(told.hold), told.at);
        break;
      case 'released':
      case 'lost':
        member.isInside = false;
        history.ended(key(told.hold), told.what, told.at);
        break;
      case 'read':
        this.#answer(member, told.ask, resources.read(told.lock, told.fence));
        break;
      case 'write':
        resources.write(told.lock, told.fence, told.fenced, told.plain);
        this.#answer(member, told.ask, { fenced: null, plain: null });
        break;
      case 'failed':
        this.#failed(told.message);
    }
  }

  #answer({ child }: Member, ask: number, values: { fenced: number | null; plain: number | null }): void {
    if (child.connected) child.send({ ask, ...values } satisfies Ordered, () => {});
  }

  #failed(message: string): void {
    this.failures.set(message, (this.failures.get(message) ?? 0) + 1);
  }
}
