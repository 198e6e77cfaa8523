import { type ChildProcess, fork } from 'node:child_process';

/** A process that runs worker.js, which writes the log while it holds the lock. */
export class Worker {
  readonly child: ChildProcess;
  turns = 0;
  hasJoined = false;
  readonly ended: Promise<number | null>;

  constructor(options: {
    readonly log: string;
    readonly group: string;
    readonly leaseMs: number;
    readonly algorithm: string;
    readonly directory: string;
  }) {
    const { log, group, leaseMs, algorithm, directory } = options;
    this.child = fork('test/cluster/processes/worker.js', [log, group, `${leaseMs}`, algorithm], {
      env: { ...process.env, BATON_DIR: directory },
    });
    this.child.on('message', (message: 'joined' | { turns: number }) => {
      if (message === 'joined') this.hasJoined = true;
      else this.turns = message.turns;
    });
    this.ended = new Promise((resolve) => this.child.on('exit', resolve));
  }
}
