// Every election algorithm of the catalogue chooses a leader between real processes. The leader is killed, and another one resigns.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { whyNotInGroups } from '../../src/cluster/group/election-algorithm.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Term {
  readonly by: number; // the priority of the process
  readonly fence: number;
}

class Candidate {
  readonly child: ChildProcess;
  hasJoined = false;
  isStanding = false;
  readonly ended: Promise<unknown>;

  constructor(group: string, algorithm: string, priority: number, terms: Term[]) {
    this.child = fork('test/cluster/processes/candidate.js', [group, algorithm, `${priority}`], {
      env: { ...process.env, BATON_DIR: directory },
    });
    this.ended = new Promise((resolve) => this.child.on('exit', resolve));
    this.child.on('message', (message: 'joined' | 'stands' | { fence: number }) => {
      if (message === 'joined') this.hasJoined = true;
      else if (message === 'stands') this.isStanding = true;
      else terms.push({ by: priority, fence: message.fence });
    });
  }
}

const elections = algorithms.filter((one) => one.problem === 'election' && whyNotInGroups(one) === null);

test.concurrent.for(elections.map((one) => [one.name, one] as const))(
  '%s: the highest priority leads if the algorithm promises it; after kill -9 and after a resignation another one leads with a higher fence',
  { timeout: 60_000 },
  async ([name, { elects }], { expect }) => {
    const terms: Term[] = [];
    const soon = (what: () => unknown) => expect.poll(what, { timeout: 20_000, interval: 10 });
    const processes = new Map<number, Candidate>(); // by priority
    const send = (priority: number, what: string) => processes.get(priority)!.child.send(what);
    const expectLeader = async (count: number, highest: number) => {
      await soon(() => terms.length).toBe(count);
      const { by } = terms.at(-1)!;
      if (elects === 'largest' || elects === 'smallest') expect(by).toBe(highest);
      return by;
    };
    try {
      for (const priority of [1, 4, 2, 3]) {
        const one = new Candidate(`by-${name}`, name, priority, terms);
        processes.set(priority, one);
        await soon(() => one.hasJoined).toBe(true);
      }
      send(1, 'stand'); // alone, so that the others are candidates of one round
      expect(await expectLeader(1, 1)).toBe(1);
      for (const priority of [4, 2, 3]) send(priority, 'stand');
      await soon(() => [2, 3, 4].every((priority) => processes.get(priority)!.isStanding)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 100)); // until the first member knows all of them
      send(1, 'resign');
      const second = await expectLeader(2, 4);

      const { child, ended } = processes.get(second)!;
      child.kill('SIGKILL');
      await ended;
      processes.delete(second);
      const third = await expectLeader(3, 3);

      send(third, 'resign');
      expect(await expectLeader(4, third === 3 ? 2 : 3)).not.toBe(third);
      const fences = terms.map(({ fence }) => fence);
      expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b)); // they rise
      for (const one of processes.values()) one.child.send('leave');
      expect(await Promise.all([...processes.values()].map((one) => one.ended))).toEqual([0, 0, 0]);
    } finally {
      for (const one of processes.values()) one.child.kill('SIGKILL');
    }
  },
);
