// Epochs rise whatever happens to what an engine has stored, and to the clock it reads.

import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { HighWaterMark } from '../../src/cluster/engines/local/high-water-mark.ts';
import { ViewFiles } from '../../src/cluster/engines/local/view-files.ts';
import { StoreEngine } from '../../src/cluster/engines/remote/store-engine.ts';
import type { Store, StoredRecord } from '../../src/cluster/engines/store.ts';
import { epochAt, epochMs, parseRecord, startOfEpoch } from '../../src/cluster/engines/view-record.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, leaseMs, peerNamed, soon } from '../conformance/engine.ts';
import { seedsOf } from '../tiers.ts';

const [a, b] = [peerNamed('a'), peerNamed('b')];
const start = startOfEpoch(1_000_000);
let folder: string;
let warnings: string[] = [];
const warn = (sentence: string) => warnings.push(sentence);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-epochs-'));
  process.env.BATON_DIR = join(folder, 'groups');
  warnings = [];
});
afterEach(() => {
  delete process.env.BATON_DIR;
  rmSync(folder, { recursive: true, force: true });
});

/** A wall clock that moves only when a process waits or a test says so. */
class TestClock {
  ms = start;
  readonly now = () => this.ms;
}

describe('the time of an epoch', () => {
  test('is a 64th of a second', () => {
    expect(epochAt(start)).toBe(1_000_000);
    expect(epochAt(start + epochMs - 0.001)).toBe(1_000_000);
    expect(epochAt(start + 1000)).toBe(1_000_064);
    expect(startOfEpoch(1_000_064)).toBe(start + 1000);
    expect(epochAt(0)).toBe(0);
  });
});

describe('a stored record', () => {
  const record = (changes: object) =>
    JSON.stringify({ format: 2, boot: '', epoch: 5, algorithm, members: [a], ...changes });

  test('of format 1 is only read to begin above it', () => {
    const parsed = parseRecord(record({ format: 1, epoch: 220_361_911 }));
    expect(parsed).toMatchObject({ is: 'of format 1', view: { epoch: 8 * 220_361_911 + 7 } });
  });

  test.each([
    ['an epoch after the last', { epoch: 2 ** 36 }],
    ['an epoch after the last of format 1', { format: 1, epoch: 2 ** 33 }],
    ['a negative epoch', { epoch: -1 }],
    ['a member twice', { members: [a, b, a] }],
    ['members that are no list', { members: { every: 1 } }],
    ['no members', { members: undefined }],
  ])('with %s is damaged', (_, changes) => {
    expect(parseRecord(record(changes))).toEqual({ is: 'damaged' });
  });
});

describe('the files of views', () => {
  const directory = () => join(folder, 'views');
  const marks = () => join(folder, 'marks');
  beforeEach(() => mkdirSync(directory()));

  const open = (clock: TestClock) => {
    const mark = new HighWaterMark(directory(), 'orders', warn, marks());
    return {
      mark,
      views: new ViewFiles({ directory: directory(), group: 'orders', mark, warn, now: clock.now }),
    };
  };

  /** As the engine does. */
  function create({ views, mark }: ReturnType<typeof open>, clock: TestClock): View {
    const newest = views.newest();
    const epoch = views.nextEpoch(newest)!;
    if (startOfEpoch(epoch) > clock.ms) clock.ms += Math.min(startOfEpoch(epoch) - clock.ms, epochMs);
    const made = views.create(newest, epoch, algorithm, [a])!;
    mark.raise(epoch, null);
    return made;
  }

  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('create' as const), times: fc.integer({ min: 1, max: 6 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove views' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove one' as const), which: fc.nat(50) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('truncate' as const), which: fc.nat(50), to: fc.nat(60) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: 100 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('set the clock back' as const), ms: fc.nat(10_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose the mark' as const) }) },
  );

  const run = (
    steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
    mayLose: boolean,
  ) => {
    rmSync(directory(), { recursive: true, force: true });
    rmSync(marks(), { recursive: true, force: true });
    mkdirSync(directory());
    const clock = new TestClock();
    let process = open(clock);
    let highest = -1;
    for (const one of steps) {
      const files = readdirSync(directory());
      const file = (which: number) => join(directory(), files[which % files.length]!);
      if (one.do === 'create')
        for (let i = 0; i < one.times; i += 1) {
          const { epoch } = create(process, clock);
          if (epoch <= highest) throw new Error(`${epoch} after ${highest}`);
          highest = epoch;
        }
      else if (one.do === 'sweep') for (const name of files) rmSync(join(directory(), name));
      else if (one.do === 'remove views') {
        for (const name of files) if (name.startsWith('view-')) rmSync(join(directory(), name));
      } else if (one.do === 'remove one') {
        if (files.length > 0) rmSync(file(one.which));
      } else if (one.do === 'truncate') {
        if (files.length > 0) truncateSync(file(one.which), one.to);
      } else if (one.do === 'restart') process = open(clock);
      else if (one.do === 'pause') clock.ms += one.ms;
      else if (one.do === 'set the clock back') clock.ms -= mayLose ? 0 : one.ms;
      else if (mayLose) rmSync(marks(), { recursive: true, force: true });
    }
  };
  const numRuns = seedsOf(200);

  test('any loss of files, restart and clock: epochs rise, with the mark', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => run(steps, false)),
      { numRuns },
    );
  });

  test('any loss of files and of the mark, and any restart: epochs rise, with the clock', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => run(steps, true)),
      { numRuns },
    );
  });

  test('a start that another process chose is taken over, and damaged ones are passed over', () => {
    const clock = new TestClock();
    const [one, other] = [open(clock), open(clock)];
    const epoch = one.views.nextEpoch(null)!;
    expect(epoch).toBe(1_000_001);
    clock.ms += 10_000;
    expect(other.views.nextEpoch(null)).toBe(epoch);
    for (const name of readdirSync(directory())) truncateSync(join(directory(), name));
    const next = other.views.nextEpoch(null)!;
    expect(next).toBe(1_000_641);
    expect(one.views.nextEpoch(null)).toBe(next);
    expect(warnings).toHaveLength(2);
    expect(one.views.create(null, next, algorithm, [a])).not.toBe(null);
    expect(other.views.create(null, next, algorithm, [b])).toBe(null);
    expect(readdirSync(directory())).toEqual([`view-${next}`]);
  });

  describe('the high-water mark', () => {
    const only = () => join(marks(), readdirSync(marks())[0]!);

    test('is private to the user, and has a fixed length', () => {
      const { mark } = open(new TestClock());
      expect(mark.read()).toEqual({ epoch: -1, leaseUntil: 0 });
      mark.raise(17, 5);
      expect(statSync(marks()).mode & 0o777).toBe(0o700);
      expect(statSync(only()).mode & 0o777).toBe(0o600);
      const { size } = statSync(only());
      mark.raise(2 ** 36 - 1, 1e9);
      expect(statSync(only()).size).toBe(size);
      mark.raise(3, 4);
      expect(mark.read()).toEqual({ epoch: 2 ** 36 - 1, leaseUntil: 1e9 });
      mark.raise(3, null);
      expect(mark.read()).toEqual({ epoch: 2 ** 36 - 1, leaseUntil: 0 });
      expect(warnings).toEqual([]);
    });

    test.each([
      ['empty', () => ''],
      ['truncated', (text: string) => text.slice(0, 20)],
      ['changed', (text: string) => text.replace('17', '18')],
      ['longer', (text: string) => `${text}x`],
    ])('that is %s is ignored with a warning, and written again', (_, change) => {
      const { mark } = open(new TestClock());
      mark.raise(17, 5);
      writeFileSync(only(), change(readFileSync(only(), 'utf8')));
      expect(mark.read()).toEqual({ epoch: -1, leaseUntil: 0 });
      expect(mark.read()).toEqual({ epoch: -1, leaseUntil: 0 });
      expect(warnings).toEqual([expect.stringMatching(/is damaged: it is ignored/)]);
      mark.raise(19, 5);
      expect(mark.read()).toEqual({ epoch: 19, leaseUntil: 5 });
    });

    test.each([
      ['belongs to another user', () => chownSync(marks(), 65_534, 65_534)],
      ['is a link', () => symlinkSync(folder, marks())],
      ['is a file', () => writeFileSync(marks(), '')],
    ])('in a directory that %s is not used, with one warning', (what, spoil) => {
      if (process.getuid!() !== 0 && what.includes('user')) return;
      const clock = new TestClock();
      if (what.includes('user')) mkdirSync(marks(), { mode: 0o700 });
      spoil();
      const opened = open(clock);
      const { epoch } = create(opened, clock);
      expect(create(opened, clock).epoch).toBe(epoch + 1);
      expect(warnings).toEqual([expect.stringMatching(/only the clock keeps fences rising/)]);
      expect(opened.mark.read()).toEqual({ epoch: -1, leaseUntil: 0 });
    });

    test('is removed when it was not written for 30 days', () => {
      open(new TestClock()).mark.raise(17, 5);
      const first = only();
      utimesSync(first, Date.now() / 1000 - 31 * 86_400, Date.now() / 1000 - 31 * 86_400);
      new HighWaterMark('/elsewhere', 'invoices', warn, marks()).raise(1, 1);
      expect(readdirSync(marks())).toHaveLength(1);
      expect(only()).not.toBe(first);
    });
  });

  test('a process that is stopped before it creates the view loses, if others were faster and their files are gone', () => {
    const clock = new TestClock();
    const [one, other] = [open(clock), open(clock)];
    const first = create(one, clock);
    const epoch = one.views.nextEpoch(first)!;
    other.views.newest();
    for (let i = 0; i < 5; i += 1) create(other, clock);
    for (const name of readdirSync(directory())) rmSync(join(directory(), name));
    expect(one.views.create(first, epoch, algorithm, [b])).toBe(null);
  });
});

describe('members of an older version', () => {
  test('are not joined while they live', async () => {
    const engine = new EmbeddedEngine({
      group: 'orders',
      leaseMs,
      warn,
      markDirectory: join(folder, 'marks'),
    });
    const path = join(process.env.BATON_DIR!, readdirSync(process.env.BATON_DIR!)[0]!);
    await engine.renew('a');
    const [, boot] = readFileSync(join(path, 'leases', 'a'), 'utf8')
      .trimEnd()
      .split(' ');
    const epoch = Math.floor(epochAt(Date.now()) / 8);
    writeFileSync(
      join(path, `view-${epoch}`),
      JSON.stringify({ format: 1, boot, epoch, algorithm, members: [a] }),
    );
    await expect(engine.read()).rejects.toMatchObject({ code: 'input', message: /older version/ });
    await soon(() => engine.read().catch(() => 'refused')).toBe(null); // its lease is over
    const view = await engine.change(null, algorithm, [b]);
    expect(view.epoch).toBeGreaterThanOrEqual(8 * epoch + 8);
    await engine.close();
  });
});

/** A database in memory, with a clock that starts at `start` and may be shifted or frozen. */
class MemoryStore implements Store {
  record: { text: string; revision: string } | null = null;
  alive: readonly string[] = [];
  shiftMs = 0;
  requests = 0;
  readonly #began = performance.now();
  readonly #precisionMs: number;
  readonly #isFrozen: boolean;

  constructor(precisionMs = 0, isFrozen = false) {
    this.#precisionMs = precisionMs;
    this.#isFrozen = isFrozen;
  }

  get ms(): number {
    return start + this.shiftMs + (this.#isFrozen ? 0 : performance.now() - this.#began);
  }

  async read(): Promise<StoredRecord> {
    this.requests += 1;
    const wallMs = this.#precisionMs === 0 ? this.ms : 1000 * Math.floor(this.ms / 1000);
    const { text, revision } = this.record ?? { text: null, revision: '' };
    return { text, revision, wallMs, precisionMs: this.#precisionMs };
  }

  async swap(before: StoredRecord, text: string): Promise<boolean> {
    if ((this.record?.revision ?? '') !== before.revision) return false;
    this.record = { text, revision: `${this.requests}` };
    return true;
  }

  async keyOr(candidate: string): Promise<string> {
    return candidate;
  }

  watch(): void {}
  async renew(): Promise<void> {}
  async living(ids: readonly string[]): Promise<readonly string[]> {
    return ids.filter((id) => this.alive.includes(id));
  }
  async forget(): Promise<void> {}
  async close(): Promise<void> {}
}

describe('an engine on a database', () => {
  const open = (store: Store) => new StoreEngine(store, { group: 'orders', warn });

  test.each([0, 999])(
    'with a clock of precision %d ms: epochs rise after wipes, in every process',
    async (precisionMs) => {
      const store = new MemoryStore(precisionMs);
      const epochs: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const engine = open(store);
        for (let i = 0; i <= 4 * round; i += 1)
          epochs.push((await engine.change(await engine.read(), algorithm, [a])).epoch);
        store.record = null;
      }
      expect(epochs).toEqual([...new Set(epochs)].sort((x, y) => x - y));
      expect(epochs.at(-1)).toBeLessThanOrEqual(epochAt(store.ms + precisionMs));
    },
  );

  test('64 views in a second of a clock of whole seconds need no wait', async () => {
    const store = new MemoryStore(999);
    const engine = open(store);
    let view = await engine.change(null, algorithm, [a]);
    const { requests } = store;
    for (let i = 0; i < 63; i += 1) view = await engine.change(view, algorithm, [a]);
    expect(store.requests - requests).toBe(63);
  });

  test('a clock that was set back blocks nobody, and epochs rise in a process that has seen them', async () => {
    const store = new MemoryStore(0, true);
    const engine = open(store);
    store.shiftMs = 1e9;
    const late = open(store);
    store.record = {
      text: JSON.stringify({ format: 2, boot: '', epoch: epochAt(store.ms), algorithm, members: [] }),
      revision: 'x',
    };
    const view = await late.read();
    store.shiftMs = 0;
    const began = performance.now();
    const next = await late.change(view, algorithm, [a]);
    expect(next.epoch).toBe(view!.epoch + 1);
    store.record = null;
    expect(await late.read()).toBe(null);
    expect((await late.change(null, algorithm, [a])).epoch).toBe(next.epoch + 1);
    expect(performance.now() - began).toBeLessThan(1000);
    expect((await engine.read())?.epoch).toBe(next.epoch + 1);
  });

  test('nothing older than what was seen is returned, and it is replaced', async () => {
    const store = new MemoryStore();
    const [engine, stranger] = [open(store), open(store)];
    const old = await engine.change(null, algorithm, [a]);
    const saved = store.record;
    const view = await engine.change(old, algorithm, [b]);
    store.record = saved;
    expect(await engine.read()).toBe(null);
    expect((await stranger.read())?.epoch).toBe(old.epoch);
    expect(await engine.change(view, algorithm, [a])).toEqual({ epoch: view.epoch, algorithm, members: [] });
    const next = await engine.change(null, algorithm, [a]);
    expect(next.epoch).toBeGreaterThan(view.epoch);
    expect(await stranger.read()).toEqual(next);
  });

  test('an answer that was overtaken by a newer one does not look like a lost view', async () => {
    const store = new MemoryStore();
    const engine = open(store);
    const first = await engine.change(null, algorithm, [a]);
    const stale = await store.read();
    const next = await engine.change(first, algorithm, [b]);
    const fresh = open(
      new (class extends MemoryStore {
        #calls = 0;
        override async read(): Promise<StoredRecord> {
          this.#calls += 1;
          if (this.#calls > 1) return store.read();
          await new Promise((resolve) => setTimeout(resolve, 20));
          return stale;
        }
      })(),
    );
    const slow = fresh.read();
    expect(await fresh.read()).toEqual(next);
    expect(await slow).toEqual(next);
  });

  test('members of an older version are not joined while they live', async () => {
    const store = new MemoryStore();
    const epoch = Math.floor(epochAt(start) / 8) + 100;
    store.record = {
      text: JSON.stringify({ format: 1, boot: '', epoch, algorithm, members: [a] }),
      revision: 'x',
    };
    store.alive = ['a'];
    const engine = open(store);
    await expect(engine.read()).rejects.toMatchObject({ code: 'input', message: /older version/ });
    store.alive = [];
    expect(await engine.read()).toBe(null);
    expect((await engine.change(null, algorithm, [b])).epoch).toBe(8 * epoch + 8);
  });
});
