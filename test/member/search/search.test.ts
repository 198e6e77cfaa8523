// Every interleaving of small groups of real members. `group-events.ts` says what can happen, `group.ts` what must hold.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encode } from '../../../src/core/plain-data.ts';
import { homesOf, slotOf } from '../../../src/member/slots.ts';
import { long } from '../../tiers.ts';
import { search } from './explore.ts';
import { Model } from './group.ts';
import { Violation } from './instance.ts';
import { homes, largeInstances, quickInstances } from './instances.ts';
import { type PastInput, textOf } from './member-automaton.ts';
import { plantedMistakes } from './planted-mistakes.ts';
import { peerOf } from './world.ts';

interface Counts {
  readonly states: number;
  readonly transitions: number;
}

const countsFile = 'test/member/search/counts.json';
const page = 'docs/locks.md';
const isRewriting = process.env.BATON_REWRITE === '1';
const pinned: Record<string, Counts> = JSON.parse(readFileSync(countsFile, 'utf8'));
const instances = { ...quickInstances, ...largeInstances };

function searchAll(name: string): void {
  const instance = instances[name]!;
  const { violation, states, transitions, faults, done } = search(instance);
  expect(violation).toBe(null);
  expect(done).toBeGreaterThan(0);
  expect(faults, 'every fault happens').toEqual([...instance.faults].sort());
  if (isRewriting) {
    pinned[name] = { states, transitions };
    writeFileSync(countsFile, `${JSON.stringify(pinned, null, 2)}\n`);
  } else expect({ states, transitions }).toEqual(pinned[name]);
}

describe('one holder, rising fences and no lost request in every interleaving', () => {
  test.each(Object.keys(quickInstances))('%s', searchAll);
  for (const name of Object.keys(largeInstances)) long(name, () => searchAll(name));
});

test.each(Object.entries(homes))('the home of %s is as the instances assume', (lock, expected) => {
  const homeIn = (ids: string) => {
    const members = ids.match(/../g)!.map(peerOf);
    return homesOf({ epoch: 1, algorithm: '', members })[slotOf(lock)];
  };
  expect(Object.fromEntries(Object.keys(expected).map((ids) => [ids, homeIn(ids)]))).toEqual(expected);
});

describe('a planted mistake is found', () => {
  test.each(Object.entries(plantedMistakes))('%s', (_, [instance, expected]) => {
    expect(search(instance).violation?.split('\n').at(-1)).toMatch(expected);
  });
});

test('a counterexample is a readable run', () => {
  const [instance] = plantedMistakes['a run starts without an answer and without a claim']!;
  expect(search(instance).violation).toMatchInlineSnapshot(`
    "a requests x
    a hangs
    b requests x
    timer of b1 fires: tick 
    the engine replaces view 1 by a1~,b1
    b1 learns of view 2: a1~,b1
    a1 and b1 hold "x""
  `);
});

test('histories that lead to one state of a member have the same steps', () => {
  const instance = quickInstances['li-hudak, two locks, a new epoch']!;
  const single = ['leave', 'death', 'lease ends', 'broken', 'unreachable', 'new epoch'] as const;
  const double = ['hang', 'impatient', 'speak again', 'sweep', 'new epoch'] as const;
  for (const [faults, atMost] of [[single, 1], [double, 2]] as const) // biome-ignore format: one line
    for (const first of ['x', 'x?']) {
      const asks = [[first], ['x']];
      const model = new Model({ ...instance, asks, faults, atMost });
      const merged: (readonly [state: number, history: readonly PastInput[]])[] = [];
      model.members.merged = (state, history) => merged.push([state, history]);
      expect(stepsOfSomeStates(model)).toBeGreaterThan(500);
      expect(merged.length).toBeGreaterThan(100);
      for (const [state, history] of merged) expectSameSteps(model, state, history);
    }
});

/** Searches until the states suffice for the test. */
function stepsOfSomeStates(model: Model): number {
  const { members } = model;
  const most = 250;
  try {
    const { merged } = members;
    members.merged = (state, history) => {
      merged?.(state, history);
      if (members.states.length > most) throw new Violation('enough');
    };
    search(model.instance, model);
  } finally {
    members.merged = null;
  }
  return members.states.reduce((sum, { steps }) => sum + steps.size, 0);
}

function expectSameSteps({ members }: Model, state: number, history: readonly PastInput[]): void {
  const { id, steps } = members.states[state]!;
  for (const { input, circumstances, to, effects } of steps.values()) {
    const host = members.replay(id, history);
    const again = host.apply(input, circumstances);
    if (encode(again) !== encode(effects) || (to === null) !== host.isOut)
      expect({ history, input, effects: again }).toEqual({ history, input, effects });
    if (to !== null && textOf(host, members.slots) !== members.states[to]!.text)
      expect({ history, input, state: textOf(host, members.slots) }).toEqual({
        history,
        input,
        state: members.states[to]!.text,
      });
  }
}

describe(`the section "What was searched" of ${page}`, () => {
  const title = '| group | states | transitions |';
  const table = () =>
    Object.keys(pinned).map(
      (name) =>
        `| ${name}${name in largeInstances ? ' *' : ''} | ${pinned[name]!.states.toLocaleString('en')} | ${pinned[name]!.transitions.toLocaleString('en')} |`,
    );

  test('has the counts', () => {
    const lines = readFileSync(page, 'utf8').split('\n');
    const first = lines.indexOf(title) + 2;
    const rows = lines.slice(first, lines.indexOf('', first));
    if (!isRewriting) expect(rows).toEqual(table());
    else writeFileSync(page, lines.toSpliced(first, rows.length, ...table()).join('\n'));
  });
});
