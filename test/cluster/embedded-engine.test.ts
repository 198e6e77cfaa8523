import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { groupsPresent, openDirectory } from '../../src/cluster/engines/local/group-directory.ts';
import { BatonError } from '../../src/cluster/errors.ts';
import { otherRuntime } from '../../src/cluster/runtime.ts';
import { lastEpoch, type Peer, type View } from '../../src/member/index.ts';
import { algorithm, conformsToEngine, leaseMs, pause, peerNamed, soon } from '../conformance/engine.ts';
import { start } from './child-program.ts';

let folder: string;
let engines: EmbeddedEngine[] = [];
let servers: Server[] = [];
let warnings: string[] = [];
const variables = ['BATON_DIR', 'XDG_RUNTIME_DIR', 'TMPDIR'];
const before = variables.map((name) => process.env[name]);

function enter(): void {
  folder = mkdtempSync(join(tmpdir(), 'baton-engine-'));
  process.env.BATON_DIR = folder;
  warnings = [];
}

async function leave(): Promise<void> {
  await Promise.all(engines.map((engine) => engine.close()));
  for (const server of servers) server.close();
  engines = [];
  servers = [];
  for (const [i, name] of variables.entries())
    if (before[i] === undefined) delete process.env[name];
    else process.env[name] = before[i];
  rmSync(folder, { recursive: true, force: true });
  rmSync(marks(), { recursive: true, force: true });
}

const marks = () => `${folder}-marks`;

/** Calls `happens` once, right after the next directory with the file `name` was listed. */
function afterListing(name: RegExp, happens: (directory: string) => void): void {
  const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');
  const { readdirSync } = fs;
  const list = (directory: string, ...rest: never[]) => {
    const names = readdirSync(directory, ...rest);
    if (names.some((one) => name.test(String(one)))) {
      Object.assign(fs, { readdirSync });
      syncBuiltinESMExports();
      happens(directory);
    }
    return names;
  };
  Object.assign(fs, { readdirSync: list });
  syncBuiltinESMExports();
}

function open(group = 'orders'): EmbeddedEngine {
  const warn = (sentence: string) => warnings.push(sentence);
  const engine = new EmbeddedEngine({ group, leaseMs, warn, markDirectory: marks() });
  engines.push(engine);
  return engine;
}

/** Creates a view when the members of the lost one are out. */
async function restart(engine: EmbeddedEngine, members: readonly Peer[]): Promise<View> {
  for (;;) {
    const view = await engine.change(null, algorithm, members);
    if (view.members.length > 0) return view;
  }
}

async function living(group: string, id: string) {
  const address = open(group).address(id);
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(address, resolve));
  return { id, address, label: id, priority: 0 };
}

conformsToEngine('the embedded engine', () => {
  enter();
  return { open: async (group) => open(group), living, end: leave, isPatient: true };
});

describe('the embedded engine', () => {
  beforeEach(enter);
  afterEach(leave);
  const [a, b] = [peerNamed('a'), peerNamed('b')];
  const directory = () => join(folder, readdirSync(folder)[0]!);
  const files = (prefix: string) => readdirSync(directory()).filter((name) => name.startsWith(prefix));
  const epochNow = () => Math.floor((Date.now() - Date.UTC(2026, 0, 1)) * (64 / 1000));
  const leaveBehind = (epoch: number, changes: object = {}) => {
    const view = { format: 2, boot: 'another', epoch, algorithm, members: [a], ...changes };
    writeFileSync(join(directory(), `view-${epoch}`), JSON.stringify(view));
  };
  const age = (path: string) => utimesSync(path, 0, 0);

  describe('between processes', () => {
    test('every epoch has one winner, and all members end up in the view', async () => {
      const names = ['p', 'q', 'r', 's', 't', 'u'];
      const count = 40;
      const children = names.map((name) => start('adder', ['orders', name, String(count)]));
      const ends = await Promise.all(children.map(({ ended }) => ended));
      expect(ends).toEqual(names.map(() => ({ code: 0, signal: null })));
      const lines = children.flatMap((child) => child.lines.filter((line) => line !== 'ready'));
      const made = lines.filter((line) => line.startsWith('made '));
      expect(lines.length).toBe(names.length * count);
      expect(new Set(made).size).toBe(made.length);
      const last = await open().read();
      // Each took exactly one epoch: the members of the last view stand in the order of their epochs.
      const positions = new Map(last?.members.map(({ id }, k) => [id, k]));
      const firstEpochs = children.flatMap(({ lines }, c) =>
        lines
          .filter((line) => line !== 'ready')
          .flatMap((line, i) =>
            line.startsWith('made ') ? [Number(line.slice(5)) - positions.get(`${names[c]}-${i}`)!] : [],
          ),
      );
      expect(new Set(firstEpochs).size).toBe(1);
      expect(last?.epoch).toBe(firstEpochs[0]! + names.length * count - 1);
      const ids = names.flatMap((name) => Array.from({ length: count }, (_, i) => `${name}-${i}`));
      expect(last?.members.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(files('tmp-')).toEqual([]);
      expect(files('view-').length).toBe(1);
      expect(files('start-')).toEqual([]);
    });

    test('when some are killed at any moment, the others continue and see no partial files', async () => {
      const children = ['p', 'q', 'r'].map((name) => start('adder', ['orders', name, '100000']));
      await Promise.all(children.map((child) => child.ready()));
      const engine = open();
      let highest = -1;
      for (const child of children) {
        for (let i = 0; i < 40; i += 1) {
          await pause(1);
          const epoch = (await engine.read())?.epoch ?? -1;
          expect(epoch).toBeGreaterThanOrEqual(highest);
          highest = epoch;
        }
        child.signal('SIGKILL');
        await child.ended;
      }
      const last = await engine.read();
      expect((await engine.change(last, algorithm, [a])).members).toEqual([a]);
      expect(warnings).toEqual([]);
    });
  });

  describe('epochs', () => {
    test('start from the wall clock, so that they increase after all files were lost', async () => {
      const before = epochNow();
      const view = await open().change(null, algorithm, [a]);
      expect(view.epoch).toBeGreaterThan(before);
      expect(view.epoch).toBeLessThanOrEqual(epochNow());
      expect(epochNow() * 30).toBeLessThan(lastEpoch); // for decades
    });

    test('start from the wall clock again after a reboot, but never below the newest file', async () => {
      const engine = open();
      leaveBehind(17);
      const left = await engine.read();
      expect(left).toEqual({ epoch: 17, algorithm, members: [] }); // no member is left
      const view = await engine.change(left, algorithm, [b]);
      expect(view.epoch).toBeGreaterThan(epochNow() - 640);
      expect(await engine.read()).toEqual(view);
    });

    test('never go below the newest file, even if the clock does', async () => {
      const engine = open();
      const late = lastEpoch - 100;
      leaveBehind(late);
      expect((await engine.change(await engine.read(), algorithm, [b])).epoch).toBe(late + 1);
    });

    test('have a limit, which is reported', async () => {
      const engine = open();
      leaveBehind(lastEpoch);
      await expect(engine.change(await engine.read(), algorithm, [a])).rejects.toThrow(/last epoch/);
    });
  });

  describe('leftovers', () => {
    const unreadable: [string, string][] = [
      ['empty', ''],
      ['truncated', '{"format":2,"boot":"x","epoch":'],
      ['not of this format', '{"format":3,"boot":"x","epoch":60000000000,"algorithm":"x","members":[]}'],
      ['of another epoch than its name', '{"format":2,"boot":"x","epoch":5,"algorithm":"x","members":[]}'],
      ['not a view', '[]'],
      ['null', 'null'],
      [
        'with ids that are paths',
        '{"format":2,"boot":"x","epoch":60000000000,"algorithm":"x","members":[{"id":"../x","address":"","label":""}]}',
      ],
    ];
    test.each(unreadable)(
      'a view that is %s is reported and ignored, but its epoch counts',
      async (_, text) => {
        const engine = open();
        await engine.change(null, algorithm, [a]);
        writeFileSync(join(directory(), 'view-60000000000'), text);
        expect(await engine.read()).toBe(null);
        expect(await engine.read()).toBe(null);
        expect(warnings).toEqual([expect.stringContaining('view-60000000000')]);
        const view = await restart(engine, [b]);
        expect(view).toEqual({ epoch: 60_000_000_001, algorithm, members: [b] });
        expect(await engine.read()).toEqual(view);
      },
    );

    test.each(['while it is watched', 'while it is not'])(
      'a view far ahead that cannot be read is noticed by processes that know the newest one, %s',
      async (how) => {
        const engine = open();
        const seen: (View | null)[] = [];
        if (how === 'while it is watched') engine.watch((view) => seen.push(view));
        const view = await engine.change(null, algorithm, [a]);
        expect(await engine.read()).toEqual(view);
        writeFileSync(join(directory(), 'view-60000000000'), '{');
        if (how === 'while it is watched') await soon(() => seen).toEqual([null]);
        else expect((await engine.change(view, algorithm, [a, b])).members).toEqual([]);
        expect(await engine.read()).toBe(null);
        expect((await restart(engine, [b])).epoch).toBe(60_000_000_001);
      },
    );

    test('a directory or a dead link instead of a view is ignored as well', async () => {
      const engine = open();
      mkdirSync(join(directory(), 'view-60000000000'));
      expect(await engine.read()).toBe(null);
      expect((await engine.change(null, algorithm, [b])).epoch).toBe(60_000_000_001);
      symlinkSync('/nowhere', join(directory(), 'view-60000000002'));
      expect(await engine.read()).toBe(null);
      expect((await restart(engine, [b])).epoch).toBe(60_000_000_003);
    });

    test('files with other names are not views', async () => {
      const engine = open();
      for (const name of [
        'view-',
        'view-1e9',
        'view-0x99',
        'view-01',
        'view--5',
        'view-99999999999',
        'views',
      ])
        writeFileSync(join(directory(), name), 'x');
      expect(await engine.read()).toBe(null);
      expect(warnings).toEqual([]);
    });

    test('after a crash of all members, their sockets show at once that they are dead', async () => {
      const [x, y] = [await living('orders', 'x'), { ...a, id: 'y' }];
      const engine = open();
      const child = start('echo', [engine.address('y'), 'y', 'orders', x.address]);
      await child.ready();
      const peers = [x, { ...y, address: engine.address('y') }];
      await engine.renew('x');
      await engine.renew('y');
      expect(await open().expired(peers)).toEqual([]);
      child.signal('SIGKILL');
      await child.ended;
      await engine.renew('y');
      expect(await open().expired(peers)).toEqual(['y']);
    });

    test('a lease of an earlier boot is over', async () => {
      const x = await living('orders', 'x');
      const engine = open();
      const lease = join(directory(), 'leases', 'x');
      await engine.renew('x');
      expect(await open().expired([x])).toEqual([]);
      const [until] = readFileSync(lease, 'utf8').split(' ');
      writeFileSync(lease, `${until} another\n`);
      expect(await open().expired([x])).toEqual(['x']);
    });

    test('a lease whose file is damaged or missing is over one lease after that was found', async () => {
      const x = await living('orders', 'x');
      const engine = open();
      const lease = join(directory(), 'leases', 'x');
      await engine.renew('x');
      const far = `9999999999999999 ${bootIdOf(lease)}\n`;
      for (const text of [null, '', 'soon', `x ${bootIdOf(lease)}`, far]) {
        if (text === null) rmSync(lease);
        else writeFileSync(lease, text);
        const other = open();
        const found = performance.now();
        expect(await other.expired([x])).toEqual([]);
        await soon(() => other.expired([x])).toEqual(['x']);
        expect(performance.now() - found).toBeGreaterThan(leaseMs - 5);
        await engine.renew('x');
        expect(await other.expired([x])).toEqual([]);
      }
    });
    const bootIdOf = (lease: string) => readFileSync(lease, 'utf8').trimEnd().split(' ').at(-1);

    test('of members in no view are removed when they are old and their sockets refuse', async () => {
      const [x, y] = [await living('orders', 'x'), await living('orders', 'y')];
      const engine = open();
      for (const id of ['x', 'y', 'z', 'young']) {
        await engine.renew(id);
        await engine.close(); // as if it were not in this process
      }
      const child = start('echo', [engine.address('dead'), 'dead', 'orders', x.address]);
      await child.ready();
      child.signal('SIGKILL');
      await child.ended;
      for (const name of ['tmp-1-2-3', 'start-another-boot-17-0', 'tmp-young'])
        writeFileSync(join(directory(), name), '');
      const old = ['x.sock', 'y.sock', 'dead.sock', 'tmp-1-2-3', 'leases/x', 'leases/y', 'leases/z'];
      await pause(leaseMs);
      for (const name of old) age(join(directory(), name));
      await open().change(null, algorithm, [x]);
      await soon(() => existsSync(join(directory(), 'dead.sock'))).toBe(false);
      await soon(() => readdirSync(join(directory(), 'leases')).sort()).toEqual(['x', 'young']);
      expect(existsSync(y.address)).toBe(true); // it answers, so it may be joining
      expect(files('tmp-')).toEqual(['tmp-young']);
      expect(files('start-')).toEqual([]);
    });
  });

  test('a process that slept while its epoch was used and removed has not changed the view', async () => {
    const engine = open();
    let view = await engine.change(null, algorithm, [a]);
    const first = view;
    for (let i = 0; i < 10; i += 1) view = await engine.change(view, algorithm, [b]);
    const sleeper = open();
    rmSync(join(directory(), `view-${first.epoch}`), { force: true });
    expect(await sleeper.change(first, algorithm, [a])).toEqual(view);
    expect(files('view-').length).toBe(1);
  });

  describe('a directory that is removed while the group runs', () => {
    test('is created again: there is no view, leases continue, epochs increase, watchers are notified', async ({
      skip,
    }) => {
      if (otherRuntime === 'Deno') skip('Deno reports no change in a directory that was created again');
      const engine = open();
      const seen: number[] = [];
      engine.watch((view) => view !== null && seen.push(view.epoch));
      const x = await living('orders', 'x');
      await engine.renew('x');
      const view = await engine.change(null, algorithm, [x]);
      await pause(200);
      rmSync(directory(), { recursive: true });
      expect(await engine.read()).toBe(null);
      expect(groupsPresent()).toEqual(['orders']);
      await engine.renew('x');
      expect(readdirSync(join(directory(), 'leases'))).toEqual(['x']);
      const again = await restart(open(), [x]);
      expect(again.epoch).toBeGreaterThan(view.epoch);
      await soon(() => seen.at(-1)).toBe(again.epoch);
    });

    test('is created again by a renewal, too', async () => {
      const engine = open();
      await engine.renew('x');
      rmSync(folder, { recursive: true });
      await engine.renew('x');
      expect(readdirSync(join(directory(), 'leases'))).toEqual(['x']);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    });

    test('leaves no view to follow', async () => {
      const engine = open();
      const view = await engine.change(null, algorithm, [a]);
      rmSync(directory(), { recursive: true });
      expect(await engine.change(view, algorithm, [b])).toEqual({ ...view, members: [] });
    });
  });

  describe('the directory', () => {
    const sub = (name: string) => {
      process.env.BATON_DIR = join(folder, name);
      return join(folder, name);
    };

    test('gives other users no access', () => {
      const path = sub('deep/er');
      open();
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(statSync(join(path, readdirSync(path)[0]!)).mode & 0o777).toBe(0o700);
    });

    test.each(['750', '701', '777'])('with mode %s is refused', (mode) => {
      mkdirSync(sub('open'));
      chmodSync(join(folder, 'open'), mode);
      expect(() => open()).toThrow(BatonError);
      expect(() => open()).toThrow(/open to other users: give it mode 0700, or set BATON_DIR/);
    });

    test('must be a directory', () => {
      mkdirSync(join(folder, 'real'), { mode: 0o700 });
      symlinkSync(join(folder, 'real'), sub('link'));
      expect(() => open()).toThrow(/is not a directory/);
    });

    test('of another user is refused', () => {
      const isRoot = process.getuid!() === 0;
      if (isRoot) {
        mkdirSync(sub('theirs'), { mode: 0o700 });
        chownSync(join(folder, 'theirs'), 12_345, 12_345);
      } else process.env.BATON_DIR = '/';
      expect(() => open()).toThrow(/another user/);
    });

    test('is the same for all processes of the user, whatever their environment', () => {
      delete process.env.BATON_DIR;
      process.env.XDG_RUNTIME_DIR = folder;
      process.env.TMPDIR = folder;
      expect(openDirectory()).toBe(`/tmp/baton-${process.getuid!()}`);
      expect(readdirSync(folder)).toEqual([]);
    });

    test('is resolved against the working directory once', () => {
      process.env.BATON_DIR = relative('.', join(folder, 'here'));
      expect(openDirectory()).toBe(join(folder, 'here'));
    });
  });

  test('groups are found by their names', async () => {
    expect(groupsPresent()).toEqual([]);
    const names = ['orders', 'x'.repeat(200), 'a/b', '..', 'é'];
    for (const name of names) open(name);
    writeFileSync(join(folder, 'something'), '');
    expect(groupsPresent()).toEqual([...names].sort());
    for (const name of ['', 'x'.repeat(201)]) expect(() => open(name)).toThrow(BatonError);
  });

  test('touches its files now and then, so that cleaners of old files keep them', async () => {
    const x = await living('orders', 'x');
    const engine = open();
    await engine.renew('x');
    const view = await engine.change(null, algorithm, [x]);
    const touched = [`view-${view.epoch}`, 'name'].map((name) => join(directory(), name));
    for (const path of touched) age(path);
    await engine.renew('x');
    for (const path of touched) expect(statSync(path).mtimeMs).toBe(0);
    const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    await engine.renew('x');
    later.mockRestore();
    for (const path of touched) expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  });

  test('renewals do not wake watchers of the view', async () => {
    const [engine, other] = [open(), open()];
    await engine.renew('x');
    await engine.change(null, algorithm, [a]);
    let reads = 0;
    other.watch(() => {
      reads += 1;
    });
    await pause(50);
    for (let i = 0; i < 20; i += 1) await engine.renew('x');
    await pause(50);
    expect(reads).toBe(0);
  });
});

test('a first view whose directory is replaced while it is created keeps nobody out, its member neither', async ({
  skip,
}) => {
  if (otherRuntime !== null) skip(`a test cannot replace functions of node:fs in ${otherRuntime}`);
  enter();
  try {
    const [one, other] = [open(), open()];
    const member = async (engine: EmbeddedEngine, id: string): Promise<Peer> => {
      const address = engine.address(id);
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(address, resolve));
      return { ...peerNamed(id), address };
    };
    const peer = await member(one, 'x');
    await one.renew('x');
    afterListing(/^view-/, (directory) => {
      rmSync(directory, { recursive: true });
      mkdirSync(directory, { mode: 0o700 });
    });
    expect((await one.change(null, algorithm, [peer])).members).toEqual([]); // lost as soon as it was created
    /** As a process does that joins. */
    const joins = async (engine: EmbeddedEngine, { id, ...rest }: Peer): Promise<boolean> => {
      await engine.renew(id);
      const view = await engine.read();
      const next = await engine.change(view, algorithm, [...(view?.members ?? []), { id, ...rest }]);
      return next.members.some((peer) => peer.id === id);
    };
    await soon(() => joins(one, peer)).toBe(true);
    const second = await member(other, 'y');
    await soon(() => joins(other, second)).toBe(true);
  } finally {
    await leave();
  }
});
