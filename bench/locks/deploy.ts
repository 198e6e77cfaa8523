// Measures a rolling deploy: every process of a group under load is replaced, one after the other.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { leaseMs } from './contenders/contender.js';
import { dismiss, hear, hire, now } from './crew.js';
import type { DeployOrders, DeploySaid, Logs } from './deploy-member.js';
import { inOwnDirectory } from './directory.js';
import { judge, type Verdict, type Window } from './judge.js';
import type { Pace } from './lock-use.js';
import { atMost, medianAndLongest, type Part, significant, table } from './report.js';

interface Kind {
  readonly title: string;
  readonly sharers: number; // processes that use one lock
  readonly pace: Pace;
}

const kinds: Readonly<Record<string, Kind>> = {
  hot: {
    title: 'one lock of all processes',
    sharers: Number.POSITIVE_INFINITY,
    pace: { holdMs: 0, pauseMs: 30 },
  },
  few: { title: 'locks of 4 processes each', sharers: 4, pace: { holdMs: 2, pauseMs: 20 } },
  own: {
    title: 'locks of one process each, and of the one that replaces it',
    sharers: 1,
    pace: { holdMs: 0, pauseMs: 20 },
  },
};
const startsAtOnce = 4;
const warmUpMs = 5000;
const quietMs = 10_000;
const drainMs = 1000;
const patienceMs = 60_000;

/** The processes of the service, by place. A process that replaces another one has the same place, and uses the same locks. */
class Service {
  readonly #group: string;
  readonly #processes: ChildProcess[] = [];
  readonly ended: Logs[] = [];

  constructor(group: string) {
    this.#group = group;
  }

  async start(processes: number): Promise<void> {
    for (let k = 0; k < processes; k += startsAtOnce) {
      const places = Array.from({ length: Math.min(startsAtOnce, processes - k) }, (_, i) => k + i);
      this.#processes.push(...(await Promise.all(places.map((place) => this.#hire(place)))));
    }
  }

  /** Returns when the process has its first lock. */
  async #hire(place: number): Promise<ChildProcess> {
    const uses = Object.entries(kinds).map(([kind, { sharers, pace }]) => {
      const number = Math.floor(place / sharers);
      return { kind, lock: `${kind}-${number}`, number, pace };
    });
    const child = hire('deploy-member.js', { group: this.#group, drainMs, uses } satisfies DeployOrders);
    await hear<DeploySaid>(child, patienceMs, ({ type }) => type === 'first');
    return child;
  }

  async replace(place: number): Promise<void> {
    const before = this.#processes[place]!;
    this.#processes[place] = await this.#hire(place);
    await this.#terminate(before);
  }

  async #terminate(child: ChildProcess): Promise<void> {
    const logs = hear<DeploySaid & Logs>(child, patienceMs, ({ type }) => type === 'logs');
    child.kill('SIGTERM');
    this.ended.push(await logs);
    child.send('read');
    await dismiss([child]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((child) => this.#terminate(child)));
  }

  end(): Promise<void> {
    return dismiss(this.#processes, 0);
  }
}

export function deployed(where: string, processes: number): Promise<Part> {
  return inOwnDirectory(async () => {
    const service = new Service(`${where}-deploy`);
    const replacements: number[] = []; // milliseconds
    try {
      await service.start(processes);
      await pause(warmUpMs);
      const quiet: Window = { from: now(), to: now() + quietMs * 1e6 };
      await pause(quietMs);
      const from = now();
      for (let place = 0; place < processes; place += 1) {
        const began = now();
        await service.replace(place);
        replacements.push((now() - began) / 1e6);
        console.error(
          `deploy: ${place + 1} of ${processes} replaced, ${significant(replacements.at(-1)!)} ms`,
        );
      }
      const during: Window = { from, to: now() };
      await service.stop();
      return reportOf(processes, service.ended, { quiet, during, replacements });
    } finally {
      await service.end();
    }
  });
}

interface Course {
  readonly quiet: Window;
  readonly during: Window;
  readonly replacements: readonly number[];
}

function reportOf(processes: number, ended: readonly Logs[], { quiet, during, replacements }: Course): Part {
  const judged = Object.entries(kinds).map(([name, kind]) => {
    const logs = ended.flatMap((one) => one.logs).filter((log) => log.kind === name);
    const locks = Math.max(1, Math.ceil(processes / kind.sharers));
    return { kind, locks, before: judge(logs, locks, quiet), meanwhile: judge(logs, locks, during) };
  });
  const errors = ended.flatMap((one) => one.errors);
  const violations = judged.reduce((sum, { meanwhile }) => sum + meanwhile.violations, 0);
  const targets = [
    atMost('errors that the leaving of the own process does not explain', errors.length, 0),
    atMost('entries before another process had left, or with a fence that did not rise', violations, 0),
  ];
  const heads = [
    ...['lock', 'locks', 'acquisitions/s before', 'during', 'ratio'],
    ...['wait before: p50, ms', 'p99', 'longest', 'during: p50, ms', 'p99', 'longest'],
  ];
  const waits = ({ p50, p99, max }: Verdict) => [p50, p99, max].map(significant);
  const rows = judged.map(({ kind, locks, before, meanwhile }) => [
    kind.title,
    `${locks}`,
    significant(before.acquisitions),
    significant(meanwhile.acquisitions),
    (meanwhile.acquisitions / before.acquisitions).toFixed(2),
    ...waits(before),
    ...waits(meanwhile),
  ]);
  const lasted = (during.to - during.from) / 1e9;
  return {
    lines: [
      `${processes} processes of one group take locks again and again. Each is replaced, one after the other: a new process starts and takes its first lock; then the old one gets SIGTERM, calls`,
      `\`group.leave({ drainMs: ${drainMs} })\` and ends. The deploy took ${significant(lasted)} s. One replacement took ${medianAndLongest(replacements)} ms, as median (longest). "Before" is ${quietMs / 1000} s in which nobody joins or`,
      `leaves. Leases last ${leaseMs / 1000} s. The fences of all processes are checked, per lock, in the order of the entries.`,
      '',
      ...table(heads, rows),
      '',
      ...targets.map(({ line }) => line),
      ...(errors.length === 0 ? [] : ['', 'Errors:', ...new Set(errors)]),
    ],
    isGood: targets.every(({ isMet }) => isMet),
  };
}
