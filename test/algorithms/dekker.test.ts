import { describe, expect, test } from 'vitest';
import { dekker } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { sharedMutants } from '../../src/mutants/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';
import { conformsToShared, mostPassed } from '../conformance/shared.ts';

const claiming = ['L: if c[j] = 0', 'if turn = i goto L'];
const steppedBack = ['c[i] := 1', 'B: if turn = j goto B'];

conformsToShared(dekker, {
  hash: '083a08537a107809',
  alone: { 2: { read: 1, write: 3 } },
  registers: { 2: 3 },
  spaces: [
    { n: 2, states: 122 },
    { n: 2, entries: 2, states: 327 },
  ],
  bypass: {
    'no process bypasses a claim that is up': { space: { n: 2 }, lines: claiming, most: 0 },
    'a process that stepped back can be bypassed forever': {
      space: { n: 2 },
      lines: [...claiming, ...steppedBack],
      most: Infinity,
    },
  },
  scenarios: [{ latency: 'fixed:1', think: 'fixed:0' }, {}],
  golden: {
    'steps-back': {
      about:
        'Both want to enter. It is the turn of 0, so 1 takes its claim back and waits for its turn, which 0 gives it when it leaves.',
      scenario: { think: 'fixed:0', seed: 3 },
    },
    crash: {
      about:
        'Process 1 stops with its claim up. It is the turn of 0, which waits for ever for c[1] to change.',
      scenario: { seed: 1, faults: [{ type: 'crash', process: 1, at: 9 }] },
    },
  },
});

const mutant = (name: string) => sharedMutants.find((one) => one.name === name)!;

describe('dekker', () => {
  test('at random speeds a process is bypassed several times', () => {
    const heavy = { entries: 20, think: 'fixed:0', latency: 'exponential:20' };
    expect(mostPassed(dekker, heavy, 'A: c[i] := 0', 50)).toBe(4);
  });

  test('a slow process that stepped back can be bypassed any number of times', () => {
    for (const times of [3, 30, 300]) {
      const scenario = {
        seed: 3,
        entries: times + 1,
        think: 'fixed:0',
        faults: [{ type: 'pause', process: 1, at: 12, until: 1000 * times }],
      } as const;
      const { events, verdict } = parseTrace(traceOf(dekker, scenario));
      const paused = events.findIndex(({ input }) => input.kind === 'pause');
      const resumed = events.findIndex(({ input }) => input.kind === 'resume');
      const passed = events
        .slice(paused, resumed)
        .filter(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'));
      expect(verdict).toBe('ok');
      expect(passed.length).toBe(times + 1);
    }
  });

  test('no process steps back twice for one entry: at most 5 writes, and 5 occur', () => {
    const writes = new Set<number>();
    for (let seed = 0; seed < 300; seed += 1) {
      const { byType } = simulate(dekker, { seed }).messages;
      writes.add(byType.write!);
    }
    expect(writes).toEqual(new Set([6, 8]));
  });

  test('the attempts that lead to it: two inside, a deadlock, and a livelock', () => {
    const broken = (name: string) =>
      check(mutant(name), { entries: Infinity }, { lemmas: false }).violation?.property;
    expect(broken('dekker-looks-first')).toBe('at most one inside');
    expect(broken('dekker-insists')).toBe('every request enters');
    expect(broken('dekker-after-you')).toBe('every request enters');
    const { ok } = check(
      mutant('dekker-after-you'),
      { entries: Infinity },
      { progress: false, lemmas: false },
    );
    expect(ok).toBe(true); // some event could always help
  });

  test('the simulator detects the deadlock at once, and the livelock at the limit', () => {
    const together = { latency: 'fixed:1', think: 'fixed:0', limit: 1000 };
    expect(simulate(mutant('dekker-insists'), together)).toMatchObject({
      events: 7,
      violations: [
        {
          property: 'every request enters',
          why: 'processes 0, 1 wait for ever: no write is left that could help',
        },
      ],
    });
    expect(simulate(mutant('dekker-after-you'), together).violations[0]?.property).toBe('the run ends');
    expect(simulate(dekker, together).ok).toBe(true);
  });

  test('if a crash reset its claim, the other could still wait forever, because the turn stays', () => {
    const { violation } = check({ ...dekker, owned: ['c'] }, { entries: Infinity }, { crashes: 1 });
    expect(violation?.property).toBe('every request enters');
  });
});
