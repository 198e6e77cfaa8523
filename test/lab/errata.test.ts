import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { checkArguments } from '../../src/lab/check/check-request.ts';
import { checkRequestFor, parseErrata } from '../../src/lab/check/errata.ts';
import { mutants } from '../../src/mutants/index.ts';

describe('the errata', () => {
  const errata = parseErrata(readFileSync('docs/errata.md', 'utf8'));
  const traceOf = (name: string) => parseTrace(readFileSync(`test/golden/${name}`, 'utf8'), name);

  test('are complete, with the mutants and traces that show them', () => {
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

  test('with a mutant have a trace on the page', () => {
    for (const { number, mutants: wrong, traces } of errata) {
      if (wrong.length > 0) expect(traces, number).not.toEqual([]);
      for (const name of traces) {
        expect(existsSync(`test/golden/${name}`), name).toBe(true);
        expect(name).toMatch(/\/er-|^(lamport|le-lann)\/unordered-channels/);
        expect(resolve(traceOf(name).scenario.algorithm!), name).toBeDefined();
      }
    }
  });

  const requests = errata.flatMap(({ traces }) =>
    traces.flatMap((name) => {
      const request = checkRequestFor(traceOf(name));
      return request ? [[name, request] as const] : [];
    }),
  );

  test.each(requests)('%s: the checker finds a run that is no longer', (name, request) => {
    const { subject, space, options } = checkArguments(request);
    const { violation } = check(subject, space, options);
    expect(parseTrace(violation!.trace).events.length).toBeLessThanOrEqual(traceOf(name).events.length);
  });

  test('the checker cannot find restarts, link changes, endless runs, long runs and bounds on hops', () => {
    const found = new Set(requests.map(([name]) => name));
    const others = errata
      .flatMap(({ traces }) => traces)
      .filter((name) => !found.has(name) && traceOf(name).verdict !== 'ok');
    expect(others).toEqual([
      'token-ring/er-10.trace',
      'peterson/er-19-never-stops.trace',
      'helary-plouzeau-raynal-relinking/er-25.trace',
      'vitanyi/er-26.trace',
      'vitanyi/er-27.trace',
      'vitanyi/er-29.trace',
      'bully/er-40.trace',
    ]);
  });
});
