import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/mutex/central-coordinator.ts';
import { raymond } from '../../src/algorithms/mutex/raymond.ts';
import { tokenRing } from '../../src/algorithms/mutex/token-ring.ts';
import { BypassCounter } from '../../src/problems/bypass-counter.ts';
import { simulate } from '../../src/sim/index.ts';

describe('how often others enter while a process waits', () => {
  test('only entries of others count, from the request on', () => {
    const count = new BypassCounter(2, []);
    for (const process of [1, 1, 0]) {
      count.requestCalled(process);
      expect(count.entered(process)).toBeNull();
    }
    expect(count.most).toEqual({ request: 0, heard: 0, quiet: 0 });
    count.requestCalled(0);
    count.requestCalled(1);
    count.entered(1);
    count.requestCalled(1);
    count.entered(1);
    count.entered(0);
    expect(count.most).toEqual({ request: 2, heard: 2, quiet: 2 });
  });

  test('heard: only while none of its requests is in flight; quiet: only while no request is', () => {
    const count = new BypassCounter(3, []);
    const enters = (process: number) => {
      count.requestCalled(process);
      count.entered(process);
    };
    count.requestCalled(0);
    count.requestSent(0);
    enters(1); // not heard
    count.requestReceived(0);
    enters(1); // heard, and quiet
    count.requestSent(2);
    enters(1); // heard
    count.requestSent(0);
    enters(1); // requests again
    count.requestReceived(2);
    count.requestReceived(0);
    enters(1); // heard, and quiet
    count.requestSent(0);
    enters(1); // not heard, and never will be
    count.entered(0);
    expect(count.most).toEqual({ request: 6, heard: 3, quiet: 2 });
  });

  test('a request of an earlier wait can still be in flight', () => {
    const count = new BypassCounter(2, []);
    count.requestCalled(0);
    count.requestSent(0);
    count.entered(0);
    count.requestCalled(1);
    count.entered(1);
    count.requestCalled(0);
    count.requestCalled(1);
    count.entered(1);
    count.requestReceived(0);
    count.entered(0);
    expect(count.most).toEqual({ request: 1, heard: 0, quiet: 0 });
  });

  test('one more entry breaks the bound, and the violation names the process', () => {
    const limit = { most: 1, formula: 'a-1', source: 'once a turn' };
    for (const from of ['request', 'heard', 'quiet'] as const) {
      const count = new BypassCounter(2, [{ ...limit, from }]);
      count.requestCalled(0);
      for (const _ of [1, 2]) {
        count.requestCalled(1);
        expect(count.entered(1)).toBeNull();
      }
      expect(count.entered(0)).toMatchObject({
        property: 'the bypass bound',
        why: expect.stringMatching(
          /entered 2 times while process 0 waited, .*at most 1 = a-1 \(once a turn\)/,
        ),
      });
    }
  });
});

describe('in a run', () => {
  test('2 waits until its request reaches the coordinator; after that 1 enters once', () => {
    const slow = [{ between: [0, 2] as const, ticks: 300 }];
    const one = { n: 3, start: [{ process: 1 }, { process: 2, at: 0 }], think: 'fixed:0', slow, seed: 1 };
    const bypassOf = (entries: number) => simulate(centralCoordinator, { ...one, entries });
    const [few, many] = [bypassOf(5), bypassOf(10)];
    expect(few).toMatchObject({ ok: true, bypassAtMost: { request: Infinity, heard: 1, quiet: Infinity } });
    expect(few.bypass!.request).toBe(5);
    expect(many.bypass!.request).toBe(10);
    expect(many.bypass!.heard).toBeLessThanOrEqual(1);
  });

  test('a bound depends on the number of requesting processes, and holds only if the assumptions are kept', () => {
    const unfair = {
      ...tokenRing,
      bypass: tokenRing.bypass!.map((bypass) => ({ ...bypass, entries: () => 0 })),
    };
    const broken = simulate(unfair, { n: 3, seed: 1 });
    expect(broken.violations).toMatchObject([{ property: 'the bypass bound' }]);
    expect(simulate(unfair, { n: 3, seed: 1, duplication: 1e-9 }).ok).toBe(true);
    expect(simulate(raymond, { n: 5, start: [{ process: 1 }, { process: 4 }] }).bypassAtMost!.quiet).toBe(1);
    expect(simulate(raymond, { n: 5, start: [] })).toMatchObject({ ok: true, bypassAtMost: { quiet: 0 } });
  });
});
