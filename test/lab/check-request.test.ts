// The parts of the check view that need no browser.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listed, resolve } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import {
  checkArguments,
  checkableAlgorithms,
  checkCommandLine,
  checkRequestText,
  coverageText,
  parseCheckRequest,
} from '../../src/lab/check/check-request.ts';
import { checkRequestFor, parseErrata } from '../../src/lab/check/errata.ts';
import { mutants } from '../../src/mutants/index.ts';

describe('questions', () => {
  const text = 'lamport;n:2;ids:3,1;latency:uniform:0:1;channels:unordered;reduction:off;bounds:on';

  test('are text and back', () => {
    expect(checkRequestText(parseCheckRequest(text))).toBe(text);
    expect(() => parseCheckRequest('lamport;speed:9')).toThrow("'speed:9' is nothing that the checker");
    expect(() => parseCheckRequest('nothing')).toThrow("no algorithm is called 'nothing'");
  });

  test('are what the checker takes', () => {
    const { subject, space, options } = checkArguments(
      parseCheckRequest('lamport;n:2;losses:1;lemmas:on;reduction:off'),
    );
    expect(subject.name).toBe('lamport');
    expect(space).toEqual({ n: 2 });
    expect(options).toMatchObject({ losses: 1, lemmas: true, reduction: false, maxStates: 1_000_000 });
    expect(checkArguments(parseCheckRequest('dekker;entries:any')).space.entries).toBe(Infinity);
    expect(checkArguments(parseCheckRequest('bully;timing:off')).subject.assumes).toMatchObject({
      timing: 'asynchronous',
    });
    expect(() => checkArguments(parseCheckRequest('lamport;losses:x'))).toThrow(
      'losses must be a whole number',
    );
    expect(() => checkArguments(parseCheckRequest('lamport;start:0@3'))).toThrow('every moment is tried');
  });

  test('can be asked on the command line, and are told in words', () => {
    const question = parseCheckRequest('lamport;n:2;losses:1;lemmas:on;reduction:off;maxStates:5');
    expect(checkCommandLine(question)).toBe(
      'baton check lamport --n 2 --losses 1 --lemmas --no-reduction --max-states 5',
    );
    expect(checkCommandLine(parseCheckRequest('bully;timing:off'))).toBe(null);
    expect(coverageText(question, 2)).toBe(
      'Each of 2 processes asks once, at any moment, or never; channels that keep order, up to 1 lost message.',
    );
    expect(coverageText(parseCheckRequest('dekker;entries:any'), 2)).toBe(
      'Each of 2 processes asks again and again, at any moment, or never; every order of reads and writes.',
    );
  });
});

describe('the errata', () => {
  const errata = parseErrata(readFileSync('docs/errata.md', 'utf8'));
  const traceOf = (name: string) => parseTrace(readFileSync(`test/golden/${name}`, 'utf8'), name);

  test('are all there, with what shows them', () => {
    expect(errata.map(({ number }) => number)).toEqual(
      Array.from({ length: errata.length }, (_, k) => `ER-${`${k + 1}`.padStart(2, '0')}`),
    );
    expect(errata[6]).toEqual({
      number: 'ER-07',
      printed: 'Ricart-Agrawala token (3.4): the token is present before it is held',
      happens: 'two inside',
      shownBy: '`ricart-agrawala-token-gap`, `ricart-agrawala-token/er-07.trace`',
      mutants: ['ricart-agrawala-token-gap'],
      traces: ['ricart-agrawala-token/er-07.trace'],
    });
    for (const { printed } of errata) expect(printed).not.toMatch(/^same/);
  });

  test('name every mutant that names them', () => {
    for (const { name, lie } of mutants) {
      const [number] = /ER-\d+/.exec(lie) ?? [];
      if (number) expect(errata.find((erratum) => erratum.number === number)!.mutants).toContain(name);
    }
  });

  test('that have a mutant have a trace that the page has', () => {
    for (const { number, mutants: wrong, traces } of errata) {
      if (wrong.length > 0) expect(traces, number).not.toEqual([]);
      for (const name of traces) {
        expect(existsSync(`test/golden/${name}`), name).toBe(true);
        expect(name).toMatch(/\/er-|^(lamport|le-lann)\/unordered-channels/);
        expect(resolve(traceOf(name).scenario.algorithm!), name).toBeDefined();
      }
    }
  });

  const questions = errata.flatMap(({ traces }) =>
    traces.flatMap((name) => {
      const question = checkRequestFor(traceOf(name));
      return question ? [[name, question] as const] : [];
    }),
  );

  test.each(questions)('%s: the checker finds a run as short', (name, question) => {
    const { subject, space, options } = checkArguments(question);
    const { violation } = check(subject, space, options);
    expect(parseTrace(violation!.trace).events.length).toBeLessThanOrEqual(traceOf(name).events.length);
  });

  test('out of its reach are links that come and go, runs that do not end, and long ones', () => {
    const found = new Set(questions.map(([name]) => name));
    const others = errata
      .flatMap(({ traces }) => traces)
      .filter((name) => !found.has(name) && traceOf(name).verdict !== 'ok');
    expect(others).toEqual([
      'peterson/er-19-never-stops.trace',
      'helary-plouzeau-raynal-relinking/er-25.trace',
      'vitanyi/er-26.trace',
      'vitanyi/er-27.trace',
      'vitanyi/er-29.trace',
    ]);
  });
});

test('the checker is offered everything but clocks, and finds compositions by name', () => {
  expect(checkableAlgorithms.length).toBe(new Set(checkableAlgorithms.map(({ name }) => name)).size);
  for (const { name, problem } of listed)
    expect(checkableAlgorithms.some((subject) => subject.name === name)).toBe(problem !== 'clocks');
  expect(parseCheckRequest('raymond+chandy-lamport;n:2').algorithm).toBe('raymond+chandy-lamport');
  expect(parseCheckRequest('active-list-ring').algorithm).toBe('le-lann');
  const { subject, space, options } = checkArguments(parseCheckRequest('raymond+bully;n:2;maxStates:500'));
  expect(check(subject, space, options)).toMatchObject({ ok: true, states: 500 });
  for (const name of ['cristian', 'berkeley+bully'])
    expect(() => parseCheckRequest(name)).toThrow(`${name} reads clocks`);
});
