// The workloads measured on both commits. They use only exports that every commit has, and `load` finds where a commit keeps them.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as catalogue from 'batonjs-lab/algorithms';
import type { CheckOptions, Space } from 'batonjs-lab/check';
import type { Scenario } from 'batonjs-lab/sim';

interface Repeated {
  readonly title: string;
  readonly algorithm: keyof typeof catalogue; // the name of the export
  readonly times: number; // so that the measured part takes at least 0.3 s
}

/** `warmUp` makes the runs before the measurement smaller, if a whole run takes long. */
export interface Simulated extends Repeated {
  readonly scenario: Scenario;
  readonly warmUp?: Scenario;
  readonly isTraced?: boolean;
}

export interface Checked extends Repeated {
  readonly space: Space;
  readonly warmUp?: Space;
  readonly options?: CheckOptions;
}

export interface Raced {
  readonly title: string;
  readonly processes: number;
}

export type Work = Simulated | Checked | Raced;

export interface WorkOrders {
  readonly dist: string; // the URL of the commit's compiled code, ending with a slash
  readonly work: Simulated | Checked;
}

export interface Measured {
  readonly seconds: number; // of processor time
  readonly amount?: number; // messages or states: the same on both commits, unless the commits behave differently
}

const simulated: readonly Simulated[] = [
  {
    title: 'chang-roberts, n = 1,000,000',
    algorithm: 'changRoberts',
    scenario: { n: 1_000_000 },
    warmUp: { n: 100_000 },
    times: 1,
  },
  {
    title: 'ricart-agrawala, n = 300, 10 entries',
    algorithm: 'ricartAgrawala',
    scenario: { n: 300, entries: 10 },
    times: 3,
  },
  {
    title: 'suzuki-kasami, n = 300, 10 entries',
    algorithm: 'suzukiKasami',
    scenario: { n: 300, entries: 10 },
    times: 3,
  },
  {
    title: 'raymond, n = 1000, 300 entries',
    algorithm: 'raymond',
    scenario: { n: 1000, entries: 300 },
    warmUp: { entries: 50 },
    times: 2,
  },
  {
    title: 'ricart-agrawala, n = 50, 40 entries, traced',
    algorithm: 'ricartAgrawala',
    scenario: { n: 50, entries: 40 },
    warmUp: { entries: 10 },
    isTraced: true,
    times: 2,
  },
  {
    title: 'bakery, n = 20, 100 entries',
    algorithm: 'bakery',
    scenario: { n: 20, entries: 100 },
    warmUp: { entries: 25 },
    times: 2,
  },
];

const checked: readonly Checked[] = [
  {
    title: 'lamport 3 x 1',
    algorithm: 'lamport',
    space: { n: 3, entries: 1 },
    warmUp: { start: [{ process: 0 }, { process: 1 }] },
    times: 1,
  },
  {
    title: 'ricart-agrawala 3 x 2',
    algorithm: 'ricartAgrawala',
    space: { n: 3, entries: 2 },
    times: 8,
  },
  {
    title: 'ricart-agrawala 3 x 2, no reduction',
    algorithm: 'ricartAgrawala',
    space: { n: 3, entries: 2 },
    options: { reduction: false },
    times: 8,
  },
  {
    title: 'suzuki-kasami 4 x 1',
    algorithm: 'suzukiKasami',
    space: { n: 4, entries: 1 },
    times: 8,
  },
  {
    title: 'chang-roberts 8',
    algorithm: 'changRoberts',
    space: { ids: [8, 7, 6, 5, 4, 3, 2, 1] }, // the order with the most states
    warmUp: { ids: [7, 6, 5, 4, 3, 2, 1] },
    times: 2,
  },
  {
    title: 'bakery 3 x 2',
    algorithm: 'bakery',
    space: { n: 3, entries: 2 },
    warmUp: { entries: 1 },
    times: 2,
  },
];

const raced: readonly Raced[] = [
  { title: 'one process, one lock', processes: 1 },
  { title: '2 processes, one lock', processes: 2 },
  { title: '8 processes, one lock', processes: 8 },
];

export const groups: Readonly<Record<string, { readonly floor: number; readonly works: readonly Work[] }>> = {
  simulate: { floor: 0.97, works: simulated },
  check: { floor: 0.97, works: checked },
  locks: { floor: 0.95, works: raced },
};

/** Prefers the entry point of `folder`, because the package root may export less on one of the commits. */
export async function load<T>(dist: string, folder: string, name: string): Promise<T> {
  for (const entry of [`${folder}/index.js`, 'index.js']) {
    const url = new URL(entry, dist);
    if (!existsSync(fileURLToPath(url))) continue;
    const exported = (await import(url.href))[name];
    if (exported !== undefined) return exported;
  }
  throw new Error(`neither ${folder}/index.js nor index.js in ${dist} exports '${name}'`);
}
