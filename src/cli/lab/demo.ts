import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type ActionName, type Demonstration, mostSeats } from '../../live/index.ts';
import type { Order } from './warden.ts';

const script = new URL('./warden.js', import.meta.url);
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
export class Demo {
  readonly #changed: (now: Demonstration) => void;
  #warden: ChildProcess | null = null;
  #now: Demonstration = none;

  constructor(changed: (now: Demonstration) => void) {
    this.#changed = changed;
  }

  /** With all that is remembered. */
  get now(): Demonstration {
    return this.#now;
  }

  /** Does what was asked, or gives the reason why not. */
  async act(action: ActionName, process: number): Promise<string | null> {
    if (action === 'end') await this.end();
    else if (action === 'start') this.#start();
    else return this.#order(action, process);
    return null;
  }

  #start(): void {
    if (this.#warden !== null) return;
    const warden = fork(script, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#warden = warden;
    this.#tell({ ...none, isRunning: true });
    warden.on('message', (update: Demonstration) => this.#warden === warden && this.#tell(update));
    warden.on('error', () => {}); // it is gone, as `exit` tells
    warden.once('exit', () => {
      if (this.#warden !== warden) return;
      this.#warden = null;
      this.#tell(none);
    });
  }

  #order(action: Order['do'], process: number): string | null {
    if (this.#warden === null) return 'the demonstration is not running';
    const { seats } = this.#now;
    if (action === 'add') {
      if (seats.length === mostSeats && seats.every(({ state }) => state !== 'dead'))
        return `there are ${mostSeats} already`;
      this.#warden.send({ do: action } satisfies Order);
      return null;
    }
    const seat = seats[process];
    if (seat?.state === 'dead' && action === 'kill') return null; // pressed twice
    if (seat === undefined || seat.state === 'dead') return 'there is no such process';
    this.#warden.send({ do: action, process } satisfies Order);
    return null;
  }

  #tell(update: Demonstration): void {
    const events = update.isFresh ? update.events : [...this.#now.events, ...update.events].slice(-kept);
    this.#now = { ...update, isFresh: true, events };
    this.#changed(update);
  }

  /** Resolves when all processes are gone. */
  async end(): Promise<void> {
    const warden = this.#warden;
    if (warden === null) return;
    this.#warden = null;
    const exited = once(warden, 'exit');
    if (warden.connected) warden.disconnect();
    await exited;
    this.#tell(none);
  }
}
