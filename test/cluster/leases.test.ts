import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-leases-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const crowd = 4;
const groups = 300;

/** Waits until all threads are ready, then writes its lease into a new folder. */
const writer = (leases: string) => `
  import { workerData } from 'node:worker_threads';
  const { LeaseFiles } = await import(${JSON.stringify(leases)});
  const { gate, folder, crowd, groups, id } = workerData;
  for (let k = 0; k < groups; k += 1) {
    const files = new LeaseFiles(folder + '/' + k, 1000);
    Atomics.add(gate, 0, 1);
    while (Atomics.load(gate, 0) < (k + 1) * crowd);
    files.renew(id);
    files.close();
  }`;

test('several members that start a group at the same time all succeed', async () => {
  for (let k = 0; k < groups; k += 1) mkdirSync(join(folder, `${k}`));
  const leases = pathToFileURL('dist/cluster/engines/local/lease-files.js').href;
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const source = new URL(`data:text/javascript,${encodeURIComponent(writer(leases))}`);
  const ends = await Promise.all(
    Array.from({ length: crowd }, (_, id) => {
      const worker = new Worker(source, { workerData: { gate, folder, crowd, groups, id: `${id}` } });
      return new Promise((resolve) => {
        worker.once('error', (error) => {
          Atomics.store(gate, 0, crowd * groups); // releases all other threads
          resolve(error);
        });
        worker.once('exit', resolve);
      });
    }),
  );
  expect(ends).toEqual(Array(crowd).fill(0));
});
