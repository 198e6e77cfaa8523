import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { resolve } from '../../src/catalogue/index.ts';
import type { AddressFields, AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { EitherAlgorithm } from '../../src/machine/index.ts';
import type { Scenario } from '../../src/sim/index.ts';
import { changesText, SimulatedTimeline, StateText } from '../../src/timeline/index.ts';

/** Runs a scenario and returns its states and changes as texts. */
function textsOf(algorithm: EitherAlgorithm, scenario: Scenario) {
  const timeline = new SimulatedTimeline(algorithm, scenario);
  timeline.advanceTo(10_000);
  const text = new StateText(timeline.setup);
  return {
    timeline,
    text,
    states: (position: number) =>
      Array.from({ length: timeline.setup.n }, (_, i) =>
        Object.fromEntries(text.fields(i, timeline.stateAt(i, position))),
      ),
    changes: timeline.events.map((_, k) => changesText(text.changesAt(timeline, k + 1))),
  };
}

describe('processes are shown in place of addresses', () => {
  test('where processes number their links', () => {
    const { states, changes } = textsOf(resolve('raymond'), {
      n: 3,
      topology: 'line',
      root: 1,
      start: [{ process: 2 }],
    });
    expect(states(0).map(({ holder }) => holder)).toEqual(['p1', 'self', 'p1']);
    expect(changes).toEqual([
      'requestQ: [] → [self], asked: false → true',
      'holder: self → p2',
      'holder: p1 → self, using: false → true, requestQ: [self] → [], asked: true → false',
      'using: true → false',
    ]);
  });

  test('where processes call each other by name, also in messages', () => {
    const { states, text, timeline } = textsOf(resolve('li-hudak'), { n: 3, start: [{ process: 2 }] });
    expect(states(0).map(({ probOwner }) => probOwner)).toEqual(['self', 'p0', 'p0']);
    const sent = timeline.events.flatMap(({ outputs }) =>
      outputs.flatMap((one) => ('message' in one ? [one.message] : [])),
    );
    expect(sent.map(text.message)).toEqual(['request(origin=p2)', 'page(queue=[])']);
  });

  test('where they are the keys of a table, or say who is in a set', () => {
    const { states, changes } = textsOf(resolve('carvalho-roucairol'), { n: 3, start: [{ process: 1 }] });
    expect(states(0).map(({ authorised }) => authorised)).toEqual(['{p1, p2}', '{p2}', '{}']);
    expect(changes[1]).toBe('highestSequenceNumber: 0 → 1, authorised: {p1, p2} → {p2}');
    const { states: clocks } = textsOf(resolve('lamport'), { n: 2, start: [{ process: 1 }] });
    expect(clocks(1)[1]).toMatchObject({ queue: '{self: 1}', latest: '{p0: -1, self: -1}' });
  });

  test('inside other fields, and of an algorithm inside another', () => {
    const { changes } = textsOf(resolve('suzuki-kasami'), { n: 3, start: [{ process: 1 }] });
    expect(changes).toContain('privilege.LN[self]: 0 → 1, requesting: true → false');
    const { states } = textsOf(resolve('raymond+chandy-lamport'), { n: 3, topology: 'line' });
    expect(states(0).map(({ holder }) => holder)).toEqual(['self', 'p0', 'p1']);
    const recovery = textsOf(resolve('central-coordinator+bully'), { n: 3, limit: 60 });
    const { members, root, lock } = recovery.states(3)[1]!;
    expect([members, root]).toEqual(['[p0, self, p2]', 'p0']);
    expect(lock).toContain('coordinator: p0');
  });

  test('of an algorithm that runs over the living processes only', () => {
    const faults = [{ type: 'crash', process: 1, at: 3 }] as const;
    const { states, timeline } = textsOf(resolve('raymond+bully'), { n: 4, faults, seed: 1 });
    const last = states(timeline.events.length);
    const living = [0, 2, 3].map((i) => last[i]!);
    expect(living.map(({ members }) => members)).toEqual([
      '[self, p2, p3]',
      '[p0, self, p3]',
      '[p0, p2, self]',
    ]);
    const holders = living.map(({ lock }) => /holder: (\w+)/.exec(lock!)![1]!);
    expect(holders.filter((holder) => holder === 'self')).toHaveLength(1);
    expect(holders).not.toContain('p1');
  });
});

describe('changes', () => {
  test('name the line that a program is at', () => {
    const { changes } = textsOf(resolve('dekker'), { n: 2, start: [{ process: 0 }] });
    expect(changes[0]).toMatch(/^at “.*”$/);
  });

  test('of long values begin where these differ', () => {
    const long = 'x'.repeat(60);
    expect(changesText([{ field: 'a', before: `${long}1`, after: `${long}2` }])).toBe(
      `a: …${'x'.repeat(18)}1 → …${'x'.repeat(18)}2`,
    );
    expect(changesText([{ field: 'a', before: 'null', after: long }])).toBe(`a: null → ${'x'.repeat(35)}…`);
    const many = Array.from({ length: 9 }, (_, k) => ({ field: `f${k}`, before: '0', after: '1' }));
    expect(changesText(many)).toMatch(/f5: 0 → 1, …$/);
  });
});

/** The text of the types and of the initial state of an algorithm, with types in place of their names. */
function declarationsIn(source: string): string {
  const code = source.replace(/\/\*[\s\S]*?\*\/| *\/\/.*/g, '');
  const types = [...code.matchAll(/^(?:export )?type (\w+) =([\s\S]*?);$/gm)];
  const states = [...code.matchAll(/^const \w+ = \([^\n]*\) => \(\{[\s\S]*?^\}\);/gm)];
  const text = [...types, ...states].map(([all]) => all).join('\n');
  return types.reduce(
    (replaced, [, name, type]) =>
      replaced.replaceAll(new RegExp(`(?<!type )\\b${name}\\b(?!: )`, 'g'), `(${type})`),
    text,
  );
}

/** The fields that are written with `Address` or `Pid`. */
function writtenWithAddresses(source: string): AddressFields {
  const text = declarationsIn(source);
  const [values, keys] = [new Set<string>(), new Set<string>()];
  for (const { 1: field, index, 0: head } of text.matchAll(/(?<![[\w])(\w+): /g)) {
    const rest = text.slice(index + head.length);
    const type = upToEnd(rest);
    if (/\{\s*(?:readonly )?\[\w+: (Address|Pid)\]/.test(type)) keys.add(field!);
    if (/\b(Address|Pid)\b/.test(withoutGroups(type))) values.add(field!);
  }
  return { values: [...values], keys: [...keys] };
}

/** The text up to the comma, semicolon or bracket that ends it. */
function upToEnd(text: string): string {
  let depth = 0;
  for (const [k, c] of [...text].entries()) {
    if ('{(['.includes(c)) depth += 1;
    if ('})]'.includes(c)) depth -= 1;
    if (depth < 0 || (depth === 0 && ',;\n'.includes(c))) return text.slice(0, k);
  }
  return text;
}

function withoutGroups(text: string): string {
  const shorter = text.replace(/\{[^{}]*\}/g, '');
  return shorter === text ? text : withoutGroups(shorter);
}

const sourceOf = ({ name }: { readonly name: string }): string => {
  for (const folder of ['mutex', 'election', 'clocks'])
    try {
      return readFileSync(`src/algorithms/${folder}/${name}.ts`, 'utf8');
    } catch {}
  return ''; // in the file of another algorithm
};

/** Every name and value of a field in plain data. */
function fieldsIn(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(fieldsIn);
  return Object.entries(value).flatMap(([field, item]) => [
    [field, item] as [string, unknown],
    ...fieldsIn(item),
  ]);
}

describe.each(algorithms.map((one) => [one.name, one as AnyAlgorithm] as const))('%s', (_, algorithm) => {
  const { values = [], keys = [] } = algorithm.addresses ?? {};

  test('declares the fields that it writes with Address or Pid', () => {
    const written = writtenWithAddresses(sourceOf(algorithm));
    expect(values).toEqual(expect.arrayContaining([...written.values!]));
    expect(keys).toEqual(expect.arrayContaining([...written.keys!]));
  });

  test('has addresses in the fields that it declares, in a run', () => {
    const timeline = new SimulatedTimeline(algorithm, { n: 4, seed: 1, limit: 2000 });
    timeline.advanceTo(2000);
    const { topology, n } = timeline.setup;
    const isNamed = algorithm.knows.includes('me');
    const seen = new Set<string>();
    const expectAddresses = (process: number, data: unknown) => {
      const isAddress = (one: unknown) =>
        one === null ||
        one === 'me' ||
        (Number.isInteger(one) &&
          (one as number) >= 0 &&
          (one as number) < (isNamed ? n : topology.degree(process)));
      for (const [field, value] of fieldsIn(data)) {
        seen.add(field);
        if (values.includes(field))
          expect([value].flat(), field).toSatisfy((all: unknown[]) => all.every(isAddress));
        if (keys.includes(field) && value !== null)
          expect(Object.keys(value as object).map(Number), field).toSatisfy((all: unknown[]) =>
            all.every(isAddress),
          );
      }
    };
    timeline.events.forEach(({ process, outputs }, k) => {
      expectAddresses(process, timeline.stateAt(process, k + 1));
      if (isNamed)
        expectAddresses(
          process,
          outputs.flatMap((one) => ('message' in one ? [one.message] : [])),
        );
    });
    for (let i = 0; i < n; i += 1) expectAddresses(i, timeline.stateAt(i, 0));
    expect([...seen]).toEqual(expect.arrayContaining([...values, ...keys]));
  });
});

test('the fields of the catalogue are found in its sources', () => {
  const found = (name: string) => writtenWithAddresses(sourceOf({ name }));
  expect(found('raymond').values).toEqual(expect.arrayContaining(['holder', 'requestQ']));
  expect(found('maekawa').values).toEqual(expect.arrayContaining(['votes', 'i']));
  expect(found('central-coordinator').values).toEqual(expect.arrayContaining(['holder', 'queue']));
  expect(found('helary-plouzeau-raynal')).toEqual({
    values: expect.arrayContaining(['origin', 'alreadySeen', 'elec', 'via']),
    keys: expect.arrayContaining(['lud', 'reqArray', 'youngest']),
  });
});
