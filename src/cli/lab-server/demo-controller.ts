import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type DemoActionName, type Demonstration, maxDemoProcesses } from '../../live/index.ts';
import type { SupervisorCommand } from './demo-supervisor.ts';

const script = new URL('./demo-supervisor.js', import.meta.url);
const kept = 1500; // events, for who opens the page later

const none: Demonstration = {
  isFresh: true,
  isRunning: false,
  now: 0,
  seats: [],
  epoch: 0,
  perSecond: 0,
  takeover: null,
  events: [],
};

/** The demonstration as the lab has it: its processes are the warden's. */
export class DemoController {
  readonly #changed: (now: Demonstration) => void;
  #supervisor: ChildProcess | null = null;
  #now: Demonstration = none;

  constructor(changed: (now: Demonstration) => void) {
    this.#changed = changed;
  }

  /** With all that is remembered. */
  get now(): Demonstration {
    return this.#now;
  }

  /** Does what was asked, or gives the reason why not. */
  async act(action: DemoActionName, process: number): Promise<string | null> {
    if (action === 'end') await this.end();
    else if (action === 'start') this.#start();
    else return this.#order(action, process);
    return null;
  }

  #start(): void {
    if (this.#supervisor !== null) return;
    const warden = fork(script, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#supervisor = warden;
    this.#update({ ...none, isRunning: true });
    warden.on('message', (update: Demonstration) => this.#supervisor === warden && this.#update(update));
    warden.on('error', () => {}); // it is gone, as `exit` tells
    warden.once('exit', () => {
      if (this.#supervisor !== warden) return;
      this.#supervisor = null;
      this.#update(none);
    });
  }

  #order(action: SupervisorCommand['do'], process: number): string | null {
    if (this.#supervisor === null) return 'the demonstration is not running';
    const { seats } = this.#now;
    if (action === 'add') {
      if (seats.length === maxDemoProcesses && seats.every(({ state }) => state !== 'dead'))
        return `there are ${maxDemoProcesses} already`;
      this.#supervisor.send({ do: action } satisfies SupervisorCommand);
      return null;
    }
    const seat = seats[process];
    if (seat?.state === 'dead' && action === 'kill') return null; // pressed twice
    if (seat === undefined || seat.state === 'dead') return 'there is no such process';
    this.#supervisor.send({ do: action, process } satisfies SupervisorCommand);
    return null;
  }

  #update(update: Demonstration): void {
    const events = update.isFresh ? update.events : [...this.#now.events, ...update.events].slice(-kept);
    this.#now = { ...update, isFresh: true, events };
    this.#changed(update);
  }

  /** Resolves when all processes are gone. */
  async end(): Promise<void> {
    const warden = this.#supervisor;
    if (warden === null) return;
    this.#supervisor = null;
    const exited = once(warden, 'exit');
    if (warden.connected) warden.disconnect();
    await exited;
    this.#update(none);
  }
}
