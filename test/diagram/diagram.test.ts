import { expect, test } from 'vitest';
import {
  bully,
  helaryPlouzeauRaynal,
  hirschbergSinclair,
  lamport,
  petersonLock,
} from '../../src/algorithms/index.ts';
import { logicalClockNamed } from '../../src/causality/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { mermaidDiagram, shivizLog, svgDiagram, textDiagram, vectorClocks } from '../../src/diagram/index.ts';
import { type Run, type Scenario, simulate } from '../../src/sim/index.ts';
import { traceOf } from '../conformance/conformance.ts';

const trace = (algorithm: AnyAlgorithm, scenario: Scenario) => parseTrace(traceOf(algorithm, scenario));
const two = trace(lamport, { n: 2, think: 'fixed:0' });
const lasso = { ...two, scenario: { ...two.scenario, loop: '2' } };

test('text: lanes thicken inside, end at a crash, and arrows show where messages arrive', () => {
  expect(textDiagram(two)).toMatchInlineSnapshot(`
    "  time  0     1
         0  ◆     │    request
         0  ┆     ◆    request
         2  ◀─────●    request(t=1)  * entered
         4  ◆     ┆    release
        10  ●─────▶    request(t=1)
        10  ●─────▶    acknowledge(t=3)
        10  ●─────▶    release(t=4)  * entered
        14  │     ◆    release
        18  ◀─────●    acknowledge(t=3)
        21  ◀─────●    release(t=6)
    "
  `);
  const faults = [
    { type: 'crash', process: 2, at: 3 },
    { type: 'restart', process: 2, at: 90 },
  ] as const;
  expect(textDiagram(trace(bully, { n: 3, faults, start: [{ process: 0 }] }))).toMatchInlineSnapshot(`
    "  time  0     1     2
         0  ◆     │     │    start
         2  ●───────────▶    election
         3  │     │     ✕    crash
         9  ◀───────────●    answer
        10  ●─────▶          election
        14  ◀─────●          answer
        18  │     ●─────╳    lost: election
        22  ◀───────────●    crashed
        29  │     ◀─────●    crashed
        32  │     ◷          timer T  * elected(leader=1)
        33  ◷     │          timer D
        39  ◀─────●          coordinator  * elected(leader=1)
        39  │     ●─────╳    lost: coordinator
        40  │     ◷          timer D
        90  │     │     ○    restart
       112  │     │     ◷    timer T  * elected(leader=2)
       115  ◀───────────●    coordinator  * elected(leader=2)
       120  │     ◀─────●    coordinator  * elected(leader=2)
    "
  `);
});

test('text: long or wide diagrams are cut off', () => {
  expect(textDiagram(two, { events: 3 })).toContain('.. and 7 more events');
  expect(textDiagram(two, { events: 1, below: (k) => `after event ${k}` })).toMatch(
    /^ {8}[│┆ ]+ {6}after event 0$/m,
  );
  expect(textDiagram(lasso)).toMatch(/◆ {4}request\n {8}loop: from here it goes round for ever\n {5}2 /);
  expect(textDiagram(trace(hirschbergSinclair, { n: 30 }))).toBe(
    '30 processes are too many lanes for a terminal; 24 fit.\n',
  );
});

test('mermaid frames a loop', () => {
  const lines = mermaidDiagram(lasso).trimEnd().split('\n');
  expect(lines.filter((line) => /^ {2}(loop|end)\b/.test(line))).toEqual(['  loop for ever', '  end']);
  expect(lines.indexOf('  loop for ever')).toBeGreaterThan(
    lines.findIndex((line) => line.includes('request')),
  );
  expect(lines.at(-1)).toBe('  end');
  expect(mermaidDiagram(two)).not.toContain('loop');
});

test('mermaid', () =>
  expect(mermaidDiagram(two)).toMatchInlineSnapshot(`
  "sequenceDiagram
    participant p0 as 0
    participant p1 as 1
    Note over p0: request
    Note over p1: request
    p1->>p0: request(t=1)
    Note over p0: entered
    Note over p0: release
    p0->>p1: request(t=1)
    p0->>p1: acknowledge(t=3)
    p0->>p1: release(t=4)
    Note over p1: entered
    Note over p1: release
    p1->>p0: acknowledge(t=3)
    p1->>p0: release(t=6)
  "
`));

test('shiviz: two lines per event, the second with the clock', () => {
  expect(shivizLog(two)).toMatchInlineSnapshot(`
    "call request => #0 to 1 request(t=1)
    p0 {"p0":1}
    call request => #1 to 0 request(t=1)
    p1 {"p1":1}
    recv #1 request(t=1) from 1 => #2 to 1 acknowledge(t=3); emit entered
    p0 {"p0":2,"p1":1}
    call release => #3 to 1 release(t=4)
    p0 {"p0":3,"p1":1}
    recv #0 request(t=1) from 0 => #4 to 0 acknowledge(t=3)
    p1 {"p0":1,"p1":2}
    recv #2 acknowledge(t=3) from 0
    p1 {"p0":2,"p1":3}
    recv #3 release(t=4) from 0 => emit entered
    p1 {"p0":3,"p1":4}
    call release => #5 to 0 release(t=6)
    p1 {"p0":3,"p1":5}
    recv #4 acknowledge(t=3) from 1
    p0 {"p0":4,"p1":2}
    recv #5 release(t=6) from 1
    p0 {"p0":5,"p1":5}
    "
  `);
  const event = /^(?<event>.*)\n(?<host>\S*) (?<clock>\{.*\})$/gm;
  for (const some of [two, trace(helaryPlouzeauRaynal, { n: 6, entries: 2, seed: 4 })]) {
    expect([...shivizLog(some).matchAll(event)]).toHaveLength(some.events.length);
  }
});

test('vector clocks order events as messages do', () => {
  const run = trace(helaryPlouzeauRaynal, { n: 5, entries: 2, seed: 1 });
  const clocks = vectorClocks(run);
  const sentAt = new Map(
    run.events.flatMap(({ outputs }, index) =>
      outputs.map((output) => [output.kind === 'send' ? output.serial : -1, index]),
    ),
  );
  run.events.forEach(({ process, input }, index) => {
    if (input.kind !== 'recv') return;
    const before = clocks[sentAt.get(input.serial)!]!;
    for (const [k, count] of before) expect(clocks[index]!.get(k)).toBeGreaterThanOrEqual(count);
    expect(clocks[index]!.get(process)).toBeGreaterThan(before.get(process) ?? 0);
  });
});

test('a run with events is drawn like its trace', () => {
  for (const algorithm of [lamport, bully, petersonLock]) {
    const lines: string[] = [];
    const stamps = logicalClockNamed('lamport-clock');
    const watch = { stamps, trace: (line: string) => lines.push(line) };
    const run = simulate(algorithm, { n: 2, events: true }, watch);
    const read = parseTrace(`${lines.join('\n')}\n`);
    expect(run.trace).toEqual(read);
    for (const draw of [textDiagram, svgDiagram, mermaidDiagram, shivizLog])
      expect(draw(run)).toBe(draw(read));
  }
});

test('the error for a run without events says how to get them', () => {
  const run = simulate(lamport, { n: 2 });
  expect(run).not.toHaveProperty('trace');
  for (const draw of [textDiagram, svgDiagram, mermaidDiagram, shivizLog])
    expect(() => draw(run as Run & { trace: never })).toThrow(
      'this run has no events to draw; ask for them: simulate(algorithm, { …, events: true })',
    );
});

test('svg: names, kinds and registers default to those of the trace', () => {
  const svg = svgDiagram(simulate(hirschbergSinclair, { ids: [7, 5], events: true }));
  for (const shown of ['hirschberg-sinclair, n = 2', 'p0 (7)', 'p1 (5)', '>candidature<'])
    expect(svg).toContain(shown);
  const memory = svgDiagram(simulate(petersonLock, { n: 2, events: true }));
  for (const shown of ['peterson-lock, n = 2', '>Q[0]<', '>Q[1]<', '>TURN<', '>read<', '>write<'])
    expect(memory).toContain(shown);
});
