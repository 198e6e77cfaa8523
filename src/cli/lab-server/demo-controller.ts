import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { electionAlgorithm } from '../../cluster/group/election-algorithm.ts';
import { type DemoActionName, type Demonstration, maxDemoProcesses } from '../../live/index.ts';
import { laboratoryFile } from '../laboratory-files.ts';
import type { SupervisorCommand } from './demo-supervisor.ts';

const script = laboratoryFile('demo-supervisor.js');
const keptEvents = 1500; // for pages that are opened later

const none: Demonstration = {
  isFresh: true,
  isRunning: false,
  algorithm: null,
  now: 0,
  seats: [],
  epoch: 0,
  perSecond: 0,
  takeover: null,
  events: [],
};

/** Controls the demonstration. Its processes are children of the supervisor. */
export class DemoController {
  readonly #changed: (now: Demonstration) => void;
  #supervisor: ChildProcess | null = null;
  #now: Demonstration = none;

  constructor(changed: (now: Demonstration) => void) {
    this.#changed = changed;
  }

  /** The current state, with all kept events. */
  get now(): Demonstration {
    return this.#now;
  }

  /** Carries out an action. `algorithm` is for `start`: it elects a leader. Returns null, or the reason why it cannot. */
  async act(action: DemoActionName, process: number, algorithm: string | null): Promise<string | null> {
    if (action === 'end') await this.end();
    else if (action === 'start') return this.#start(algorithm);
    else return this.#command(action, process);
    return null;
  }

  #start(algorithm: string | null): string | null {
    if (this.#supervisor !== null) return null;
    try {
      if (algorithm !== null) electionAlgorithm(algorithm);
    } catch (error) {
      return (error as Error).message;
    }
    const supervisor = fork(script, algorithm === null ? [] : [algorithm], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#supervisor = supervisor;
    this.#update({ ...none, isRunning: true, algorithm });
    supervisor.on(
      'message',
      (update: Demonstration) => this.#supervisor === supervisor && this.#update(update),
    );
    supervisor.on('error', () => {}); // `exit` follows
    supervisor.once('exit', () => {
      if (this.#supervisor !== supervisor) return;
      this.#supervisor = null;
      this.#update(none);
    });
    return null;
  }

  #command(action: SupervisorCommand['do'], process: number): string | null {
    if (this.#supervisor === null) return 'the demonstration is not running';
    const { seats } = this.#now;
    if (action === 'add') {
      if (seats.length === maxDemoProcesses && seats.every(({ state }) => state !== 'dead'))
        return `there are ${maxDemoProcesses} already`;
      this.#supervisor.send({ do: action } satisfies SupervisorCommand);
      return null;
    }
    const target = seats[process];
    if (target?.state === 'dead' && action === 'kill') return null; // pressed twice
    if (target === undefined || target.state === 'dead') return 'there is no such process';
    this.#supervisor.send({ do: action, process } satisfies SupervisorCommand);
    return null;
  }

  #update(update: Demonstration): void {
    const events = update.isFresh
      ? update.events
      : [...this.#now.events, ...update.events].slice(-keptEvents);
    this.#now = { ...update, isFresh: true, events };
    this.#changed(update);
  }

  /** Resolves when all processes are gone. */
  async end(): Promise<void> {
    const supervisor = this.#supervisor;
    if (supervisor === null) return;
    this.#supervisor = null;
    const exited = once(supervisor, 'exit');
    if (supervisor.connected) supervisor.disconnect();
    await exited;
    this.#update(none);
  }
}
