// The processes of a campaign, their reports, and the resource that they share.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Setting } from './contenders/contender.ts';
import type { MemberHost } from './ground.ts';
import type { History } from './history.ts';
import { processorWaitMs } from './processor-wait.ts';
import type { Resources } from './resource.ts';
import type { Ordered, Told } from './worker.ts';

interface Member {
  readonly child: ChildProcess;
  readonly life: number; // the number of this process, among all that the campaign has started
  isStopped: boolean;
  isInside: boolean;
  isLeaving: boolean;
  isWantedAgain: boolean; // starts again when it has left
  isServed: boolean; // since `awaitService`
  failure: string; // the last one since `awaitService`
  joined: () => void; // called once
}

/** What a campaign starts the processes with. */
export interface Launch {
  readonly host: MemberHost;
  readonly serverPid: () => number | undefined; // of the engine
  readonly members: number; // processes with higher numbers are visitors
  readonly settingOf: (member: number) => Omit<Setting, 'isVisitor'>;
  readonly envOf: (member: number) => NodeJS.ProcessEnv;
  readonly history: History;
  readonly resources: Resources;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;
const mostVisitors = 12;
const mostFailures = 100; // kinds that are counted apart

export class MemberProcesses {
  readonly failures = new Map<string, number>();
  crashes = 0;
  foreignErrors = 0; // errors that are not of the library's own class
  readonly #launch: Launch;
  readonly #processes = new Map<number, Member>();
  #lives = 0;
  #visitors = 0;
  #healedAt = Infinity;
  #slowestServiceMs = 0; // since then
  #waitedBefore = new Map<number, number>(); // by process id: how long it had waited for a processor then
  #isEnding = false;

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  /** Returns the members that hold a lock, according to their reports. Visitors are not among them. */
  get inside(): number[] {
    const { members } = this.#launch;
    return [...this.#processes].flatMap(([i, { isInside }]) => (isInside && i < members ? [i] : []));
  }

  /** Measures from now on how long each member waits for its next lock. */
  awaitService(): void {
    this.#healedAt = now();
    this.#slowestServiceMs = 0;
    this.#waitedBefore = this.#processorWaits();
    for (const member of this.#processes.values()) {
      member.isServed = false;
      member.failure = '';
    }
  }

  /**
   * Returns the longest time that a member has waited for a lock since `awaitService`. Time in which members waited for a processor does not
   * count: the machine may have other work.
   */
  get slowestServiceMs(): number {
    let ms = this.#slowestServiceMs;
    for (const [pid, waited] of this.#processorWaits()) ms -= waited - (this.#waitedBefore.get(pid) ?? 0);
    return Math.max(0, ms);
  }

  #processorWaits(): Map<number, number> {
    const pids = [...this.#processes.values()].map(({ child }) => child.pid!);
    const { serverPid } = this.#launch;
    const server = serverPid();
    return new Map(
      (server === undefined ? pids : [...pids, server]).map((pid) => [pid, processorWaitMs(pid)]),
    );
  }

  /** Returns the members that have had no lock since `awaitService`. */
  get unserved(): number[] {
    return Array.from({ length: this.#launch.members }, (_, i) => i).filter(
      (i) => this.#processes.get(i)?.isServed !== true,
    );
  }

  /** Describes the state of a member that waits. */
  describe(i: number): string {
    const member = this.#processes.get(i);
    if (member === undefined) return `member ${i}, which does not run,`;
    const { isLeaving, isInside, failure } = member;
    const state = isLeaving ? ', which is leaving,' : isInside ? ', which holds a lock,' : '';
    return `member ${i}${state}${failure === '' ? '' : ` ("${failure}")`}`;
  }

  start(i: number): void {
    const running = this.#processes.get(i);
    if (running !== undefined) {
      running.isWantedAgain = running.isLeaving;
      return;
    }
    const { host, envOf, settingOf, members, history } = this.#launch;
    const file = fileURLToPath(new URL('worker.js', import.meta.url));
    const setting: Setting = { ...settingOf(i), isVisitor: i >= members };
    const env = {
      ...process.env,
      ...envOf(i),
      NODE_NO_WARNINGS: '1', // damaged files are expected here
      CAMPAIGN_SETTING: JSON.stringify(setting),
    };
    this.#lives += 1;
    history.started(this.#lives, now());
    const child = host.start(i, file, env);
    const member: Member = {
      child,
      life: this.#lives,
      isStopped: false,
      isInside: false,
      isLeaving: false,
      isWantedAgain: false,
      isServed: false,
      failure: '',
      joined: () => {},
    };
    this.#processes.set(i, member);
    child.on('message', (told: Told) => this.#told(i, member, told));
    child.on('error', (error) => this.#failed(`process: ${error.message}`));
    child.on('exit', (code, signal) => this.#exited(i, member, code, signal));
  }

  #exited(i: number, member: Member, code: number | null, signal: string | null): void {
    const isUnexpected = this.#processes.get(i) === member;
    if (isUnexpected) this.#processes.delete(i);
    setImmediate(() => this.#launch.history.exited(member.life)); // after its last messages
    if (!isUnexpected || this.#isEnding || signal === 'SIGINT') return; // ^C reaches processes that have only just started
    if (code !== 0 || !member.isLeaving) {
      this.crashes += 1;
      this.#failed(`process ended by itself with ${code ?? signal}`);
    }
    if (member.isWantedAgain) this.start(i);
  }

  /** Starts a process that joins and leaves again and again, if there are not many yet. `joined` is called when it has joined once. */
  startVisitor(joined: (i: number) => void): void {
    const { members } = this.#launch;
    if ([...this.#processes.keys()].filter((one) => one >= members).length >= mostVisitors) return;
    this.#visitors += 1;
    const i = members + this.#visitors;
    this.start(i);
    this.#processes.get(i)!.joined = () => joined(i);
  }

  kill(i: number): void {
    const member = this.#processes.get(i);
    if (member === undefined) return;
    this.#processes.delete(i);
    member.child.kill('SIGKILL');
  }

  killAll(): void {
    for (const i of [...this.#processes.keys()]) this.kill(i);
  }

  killVisitors(): void {
    for (const i of [...this.#processes.keys()]) if (i >= this.#launch.members) this.kill(i);
  }

  pause(i: number): void {
    const member = this.#processes.get(i);
    member?.child.kill('SIGSTOP');
    if (member !== undefined) member.isStopped = true;
  }

  goOn(i: number): void {
    const member = this.#processes.get(i);
    member?.child.kill('SIGCONT');
    if (member !== undefined) member.isStopped = false;
  }

  block(i: number, ms: number): void {
    this.#order(i, { blockUntil: now() + ms });
  }

  leave(i: number): void {
    const member = this.#processes.get(i);
    if (member === undefined || member.isStopped) return;
    member.isLeaving = true;
    this.#order(i, { stop: true });
  }

  async end(): Promise<void> {
    for (const [i, member] of this.#processes) {
      this.goOn(i);
      this.leave(i);
      member.isWantedAgain = false;
    }
    const until = performance.now() + 15_000;
    while (this.#processes.size > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    for (const i of [...this.#processes.keys()]) {
      this.#failed('did not leave');
      this.kill(i);
    }
  }

  /** Ends all processes at once. What happens to them from now on says nothing. */
  abandon(): void {
    this.#isEnding = true;
    this.killAll();
  }

  #order(i: number, order: Ordered): void {
    const child = this.#processes.get(i)?.child;
    if (child?.connected) child.send(order, () => {});
  }

  #told(i: number, member: Member, told: Told): void {
    const { history, resources } = this.#launch;
    const key = (hold: number) => `${member.life} ${hold}`;
    switch (told.what) {
      case 'is':
        member.joined();
        member.joined = () => {};
        break;
      case 'acquired': {
        const { lock, at, fence, waitedMs } = told;
        member.isInside = true;
        this.#served(i, member, at, waitedMs);
        history.acquired(key(told.hold), {
          member: i,
          life: member.life,
          lock,
          acquired: at,
          fence,
          waitedMs,
        });
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
        if (told.isForeign) this.foreignErrors += 1;
        member.failure = told.message;
        this.#failed(told.message);
    }
  }

  #served(i: number, member: Member, at: number, waitedMs: number): void {
    if (at < this.#healedAt || member.isServed || i >= this.#launch.members) return;
    member.isServed = true;
    const waited = Math.min(waitedMs, at - this.#healedAt);
    this.#slowestServiceMs = Math.max(this.#slowestServiceMs, waited);
  }

  #answer({ child }: Member, ask: number, values: { fenced: number | null; plain: number | null }): void {
    if (child.connected) child.send({ ask, ...values } satisfies Ordered, () => {});
  }

  /** Counts a failure by its kind: the message without ids and numbers. */
  #failed(message: string): void {
    const kind = message.replace(/[\w-]*\d[\w-]*/g, '#');
    const counted = this.failures.size < mostFailures || this.failures.has(kind) ? kind : 'others';
    this.failures.set(counted, (this.failures.get(counted) ?? 0) + 1);
  }
}
