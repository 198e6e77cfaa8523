import { describe, expect, test } from 'vitest';
import { listed, resolve } from '../../src/catalogue/index.ts';
import { Check, check } from '../../src/check/index.ts';
import { InputError } from '../../src/core/assert.ts';
import { isShared } from '../../src/core/shared-algorithm.ts';
import { checkArguments, parseCheckRequest } from '../../src/lab/check/check-request.ts';
import {
  checkRequestWithout,
  switchableAssumptions,
  violatedAssumptions,
  voidedPromises,
} from '../../src/lab/state/assumptions.ts';
import { firstScenario } from '../../src/lab/state/first-scenario.ts';
import { setupFor } from '../../src/lab/state/run-spec.ts';
import { parseScenario, scenarioKeepsAssumptions } from '../../src/sim/index.ts';

/** Returns null if the algorithm refuses the scenario. */
function unlessRefused<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

describe('assumptions', () => {
  const named = (name: string) => resolve(name);

  test('with a switch are those of the algorithm', () => {
    const says = (name: string) => switchableAssumptions(named(name)).map((one) => one.says);
    expect(says('lamport')).toEqual([
      'channels keep order',
      'no message is lost',
      'no message comes twice',
      'nobody crashes',
    ]);
    expect(says('bully')).toEqual([
      'no message is lost',
      'no message comes twice',
      'messages arrive before timers end',
    ]);
    expect(says('peterson-lock')).toEqual(['nobody crashes']);
    expect(says('bakery')).toEqual([]);
    expect(says('misra')).not.toContain('no message is lost');
    expect(says('vitanyi')).toContain('clocks run alike');
  });

  test.each(listed.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: every switch violates its assumption, in the lab and in the checker',
    (_, algorithm) => {
      const { n = '4' } = isShared(algorithm) ? firstScenario(algorithm) : {};
      const before = setupFor({ algorithm, fields: { n } });
      for (const one of switchableAssumptions(algorithm)) {
        expect(one.isViolated(before), one.says).toBe(false);
        const setup = setupFor({ algorithm, fields: { n, [one.fields[0]]: one.value(Number(n)) } });
        expect(one.isViolated(setup), one.says).toBe(true);
        if (algorithm.problem === 'clocks') continue; // not supported by the checker
        const { subject, space, options } = checkArguments(
          parseCheckRequest(checkRequestWithout(setup, [one])),
        );
        expect(() => new Check(subject, space, options)).not.toThrow();
      }
    },
  );

  test('violated by a scenario are reported, whichever field violates them', () => {
    const gone = (name: string, fields: Record<string, string>) => {
      const algorithm = named(name);
      return violatedAssumptions(algorithm, setupFor({ algorithm, fields })).map(({ says }) => says);
    };
    expect(gone('ricart-agrawala', {})).toEqual([]);
    expect(gone('ricart-agrawala', { lose: '3' })).toEqual(['no message is lost']);
    expect(gone('ricart-agrawala', { cut: '0-1@5' })).toEqual(['every link stays']);
    expect(gone('ricart-agrawala', { pause: '1@5', loss: '0.1' })).toEqual([
      'no message is lost',
      'pauses and partitions end',
    ]);
    expect(gone('bully', { pause: '1@5-9' })).toEqual(['messages arrive before timers end']);
    expect(gone('misra', { lose: '3' })).toEqual([]);
    expect(gone('misra', { loss: '0.1' })).toEqual(['messages are not lost at random']);
    const lamport = named('lamport');
    const unordered = setupFor({ algorithm: lamport, fields: { channels: 'unordered' } });
    expect(violatedAssumptions(lamport, unordered)[0]).toBe(switchableAssumptions(lamport)[0]); // the same object: its switch is off
    expect(gone('ntp', { slew: 'step' })).toEqual(['no clock is set']);
  });

  const takings: Record<string, string>[] = [
    ...['loss', 'duplication'].map((field) => ({ [field]: '0.1' })),
    ...['unordered', 'fifo', 'causal'].map((channels) => ({ channels })),
    ...['1@5', '1@5-50'].flatMap((when) => [{ pause: when }, { partition: when }]),
    { lose: '3' },
    { crash: '1@5' },
    { crash: '1@5', restart: '1@50' },
    { cut: '0-1@5' },
    { cut: '0-1@5', link: '0-1@50' },
    { latency: 'exponential:20' },
    { corrupt: 'all@5' },
    { lie: '1@5:100' },
    { slew: 'step' },
    { drifts: '0,0,0,200' },
  ];

  test.each(listed.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: an assumption is violated if and only if the simulator suspends the promises',
    (_, algorithm) => {
      const size = isShared(algorithm) ? { n: firstScenario(algorithm).n! } : { n: '4' };
      for (const taken of [
        {},
        firstScenario(algorithm),
        ...takings.map((fields) => ({ ...size, ...fields })),
      ]) {
        const kept = unlessRefused(() => scenarioKeepsAssumptions(algorithm, parseScenario(taken)));
        if (kept === null) continue;
        const gone = violatedAssumptions(algorithm, setupFor({ algorithm, fields: taken }));
        const fatal = gone.filter(({ costs }) => costs === undefined);
        expect(fatal.length === 0, JSON.stringify(taken)).toBe(kept);
      }
    },
  );

  test('a property may hold in a small system and fail in a larger one', () => {
    const holds = (request: string) => {
      const { subject, space, options } = checkArguments(parseCheckRequest(request));
      return check(subject, space, options).ok;
    };
    expect(holds('peterson;n:3;channels:unordered')).toBe(true);
    expect(holds('peterson;ids:1,2,4,3;channels:unordered')).toBe(false);
  });

  test('void promises are described, and the check request is small', () => {
    const lamport = named('lamport');
    const [order, loss] = switchableAssumptions(lamport);
    expect(voidedPromises(lamport, [order!, loss!])).toBe(
      'No longer true: channels keep order, no message is lost. What is promised is void: that at most one is inside, and that whoever asks enters.',
    );
    const setup = setupFor({ algorithm: lamport, fields: { n: '9', entries: '5' } });
    expect(checkRequestWithout(setup, [order!, loss!])).toBe(
      'lamport;n:3;entries:2;channels:unordered;losses:1',
    );
    const vitanyi = named('vitanyi');
    expect(voidedPromises(vitanyi, [switchableAssumptions(vitanyi).at(-1)!])).toBe(
      'No longer true: clocks run alike. The bound on messages grows with the ratio of the clocks.',
    );
  });
});
