// An algorithm that breaks its contract after validation. The member leaves the group with the reason, its process continues, and so do
// the other members.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import type { Group } from '../../src/cluster/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { moduleArguments } from './inline-module.ts';
import { another, codeFrom, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

// biome-ignore lint/suspicious/noExplicitAny: these handlers do what no type allows
type Mistake = (s: any, p: any, m: any, from: number) => void;

/** The coordinator makes the mistake when another member requests the lock. */
const flawed = (mistake: Mistake): AnyAlgorithm => ({
  ...(centralCoordinator as AnyAlgorithm),
  name: 'flawed',
  on: { ...centralCoordinator.on, request: mistake },
});

const mistakes: readonly (readonly [string, Mistake, string])[] = [
  [
    'emits denied',
    (_s, p) => p.emit({ type: 'denied' }),
    "it emits 'denied', which is not an event of mutual exclusion",
  ],
  [
    'sends a Date',
    (_s, p, _m, from) => p.send(from, { type: 'granted', at: new Date(0) }),
    "its message 'granted' holds a Date, which is not plain data",
  ],
  [
    'throws',
    () => {
      throw new TypeError('queue is not iterable');
    },
    'queue is not iterable',
  ],
];

describe.each(mistakes)('a lock that %s', (_, mistake, sentence) => {
  test('makes only the affected member leave the group', async () => {
    const groups = await members(2, { algorithm: flawed(mistake) });
    const outs = groups.map((group) => new Promise<string>((resolve) => group.on('out', resolve)));
    const asked = groups.map((group) => group.lock('a'));
    const why = await Promise.race(outs);
    expect(why).toMatch(/^group 'group-\d+' has been left: flawed breaks its contract at process [01]: /);
    expect(why).toContain(sentence);

    const codes = await Promise.all(groups.map((group) => codeFrom(group.lock('b', { timeoutMs: 2000 }))));
    expect(codes.sort()).toEqual(['broken', 'none']);
    const outcomes = await Promise.allSettled(asked);
    const granted = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(granted.filter(({ state }) => state === 'held')).toHaveLength(1);
    for (const { state, signal } of granted) expect(signal.aborted).toBe(state !== 'held');
    for (const one of outcomes)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'broken', message: why });
  });
});

test('an algorithm that fails only with more members makes the affected ones leave when that many members use the lock', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: handlers of any algorithm
  const request = (s: any, p: any) => {
    if (p.n === 4) throw new Error('too many');
    centralCoordinator.calls.request(s, p);
  };
  const knows = ['parent', 'n'] as const;
  const calls: AnyAlgorithm['calls'] = { ...centralCoordinator.calls, request };
  const algorithm: AnyAlgorithm = { ...flawed(() => {}), on: centralCoordinator.on, knows, calls };
  const [a, b, c] = await members(3, { algorithm });
  const held = await a!.lock('a');
  const use = (group: Group) => codeFrom(group.lock('a', { timeoutMs: 5000 }).then((lock) => lock.release()));
  const waits = [b!, c!].map(use);
  const out = new Promise<string>((resolve) => a!.on('out', resolve));
  const d = await another(a!.name, { algorithm });
  expect(held.state).toBe('held'); // it does not use the lock yet
  const last = use(d);
  expect(await out).toContain('too many');
  expect([held.state, held.signal.aborted]).toEqual(['lost', true]);
  expect(await Promise.all([...waits, last])).toEqual(['none', 'none', 'none']);
});

test('a release that fails during leave does not leave a second time', async () => {
  const release = () => {
    throw new Error('stuck');
  };
  const calls = { ...centralCoordinator.calls, release };
  const [a] = await members(1, { algorithm: { ...flawed(() => {}), calls } });
  const outs: string[] = [];
  a!.on('out', (why) => outs.push(why));
  await a!.lock('a');
  const waits = codeFrom(a!.lock('a'));
  await a!.leave();
  expect([await waits, await codeFrom(a!.lock('b')), outs]).toEqual(['left', 'left', []]);
});

test('a listener that throws does not prevent a broken membership from ending', { timeout: 60_000 }, () => {
  const text = `
    import { join } from 'batonjs';
    import { centralCoordinator } from 'batonjs/algorithms';
    process.on('uncaughtException', (error) => console.log(error.message));
    const release = () => { throw new Error('stuck'); };
    const calls = { ...centralCoordinator.calls, release };
    const group = await join('listened', { algorithm: { ...centralCoordinator, name: 'own', calls } });
    group.on('out', () => { throw new Error('listener of out'); });
    group.on('lost', () => { throw new Error('listener of lost'); });
    const [held, other] = [await group.lock('a'), await group.lock('b')];
    held.release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log(other.state, other.signal.aborted, await group.lock('c').catch(({ code }) => code));
    await group.leave();
    console.log('left');`;
  const run = spawnSync(process.execPath, moduleArguments(text), {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(run.stdout.split('\n').sort()).toEqual(
    ['', 'left', 'listener of lost', 'listener of out', 'lost true broken'].sort(),
  );
  expect([run.status, run.stderr]).toEqual([0, '']);
});
