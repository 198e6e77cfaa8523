// No deterministic algorithm elects among identical processes (Angluin, 1980): in lock-step all processes of an anonymous ring stay in the
// same state. This runs random algorithms in lock-step, by rules that treat all processes alike: in every round a process handles the
// messages of the round before, those of its first link first, and then its timers.
import { expect, test } from 'vitest';
import { itaiRodeh } from '../../src/algorithms/election/itai-rodeh.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { buildTopology } from '../../src/core/network-shapes.ts';
import { encode } from '../../src/core/plain-data.ts';
import { itaiRodehSameCoin } from '../../src/mutants/itai-rodeh.ts';
import { Choices } from './choices.ts';
import { type Execution, executionsOf, factsOf, type Input, type Place } from './one-step.ts';
import { randomTable } from './random-tables.ts';

interface LocalProcess {
  readonly state: string;
  readonly timers: readonly string[]; // texts of those that fire next, in order
  readonly leaders: readonly unknown[]; // that it has named
}

interface Delivery {
  readonly from: number; // the link it comes in on
  readonly text: string;
}

/** Returns the processes after each round. A coin falls as `toss` says. */
function* lockStep(
  algorithm: AnyAlgorithm,
  n: number,
  toss: (executions: readonly Execution[], i: number) => Execution,
) {
  const shape = algorithm.assumes.topology as string;
  const topology = buildTopology(shape === 'two-way ring' ? 'ring' : shape, n, algorithm.assumes.topology, 0);
  const place: Place = { algorithm, topology, ids: [], root: 0 };
  let inboxes: Delivery[][] = Array.from({ length: n }, () => []);
  let processes: LocalProcess[] = Array.from({ length: n }, (_, i) => ({
    state: encode(algorithm.init(factsOf(place, i) as never)),
    timers: [],
    leaders: [],
  }));
  for (let round = 0; round < 20; round += 1) {
    const sent: Delivery[][] = Array.from({ length: n }, () => []);
    processes = processes.map((process, i) => {
      const deliveries = inboxes[i]!.toSorted((a, b) => a.from - b.from);
      const inputs: Input[] = [
        ...(round === 0 ? [{ kind: 'call', name: 'start' } as const] : []),
        ...deliveries.map(({ text, from }) => ({ kind: 'message', text, from }) as const),
        ...process.timers.map((text) => ({ kind: 'message', text, from: undefined }) as const),
      ];
      let { state } = process;
      const timers = new Map<string, string>();
      const leaders = [...process.leaders];
      for (const input of inputs) {
        const did = toss(executionsOf(place, i, state, input), i);
        if ('mistake' in did) continue;
        state = did.state;
        for (const output of did.outputs) {
          if (output.kind === 'send')
            sent[topology.to(i, output.link)]!.push({
              from: topology.arrival(i, output.link),
              text: output.text,
            });
          else if (output.kind === 'emit') leaders.push(output.event.leader);
          else if (output.kind === 'after') timers.set(output.type, output.text);
          else timers.delete(output.type);
        }
      }
      return { state, timers: [...timers.values()], leaders };
    });
    inboxes = sent;
    yield { processes, inboxes };
  }
}

/** Returns whether all processes are in the same state, have named the same leaders and are sent the same, after every round. */
function staysEqual(algorithm: AnyAlgorithm, n: number, toss: Parameters<typeof lockStep>[2]): boolean {
  for (const { processes, inboxes } of lockStep(algorithm, n, toss)) {
    const views = processes.map((process, i) =>
      JSON.stringify([process, inboxes[i]!.toSorted((a, b) => a.from - b.from)]),
    );
    if (new Set(views).size > 1) return false;
  }
  return true;
}

const onlyOne = (executions: readonly Execution[]): Execution => {
  if (executions.length > 1) throw new Error('it tosses a coin');
  return executions[0]!;
};
const tables = Array.from({ length: 4000 }, (_, seed) => randomTable(new Choices(seed))).filter(
  ({ problem, assumes }) => problem === 'election' && assumes.topology.includes('ring'),
);
/** A table without a coin asks for one of one option at most. */
const tossesCoins = (algorithm: AnyAlgorithm) => {
  let isTossed = false;
  const first = (executions: readonly Execution[]) => {
    isTossed ||= executions.length > 1;
    return executions[0]!;
  };
  for (const _ of lockStep(algorithm, 2, first));
  return isTossed;
};

test('without coins and names all processes stay equal, so nobody leads or everybody does', () => {
  const anonymous = tables.filter((one) => !one.knows.includes('root') && !tossesCoins(one));
  expect(anonymous.length).toBeGreaterThan(200);
  let leading = 0;
  for (const algorithm of anonymous) {
    for (const n of [2, 3, 5]) {
      expect(staysEqual(algorithm, n, onlyOne)).toBe(true);
      for (const { processes } of lockStep(algorithm, n, onlyOne)) {
        const leads = processes.filter(({ leaders }) => leaders.includes('me')).length;
        if (leads !== 0 && leads !== n) expect(leads, algorithm.name).toBe(0);
        leading += leads;
      }
    }
  }
  expect(leading).toBeGreaterThan(0); // some of them do name leaders
});

test('a process that knows it is the root, or a coin, breaks the symmetry', () => {
  const rooted = tables.filter((one) => one.knows.includes('root') && !tossesCoins(one));
  expect(rooted.some((one) => !staysEqual(one, 3, onlyOne))).toBe(true);
  const byPosition = (executions: readonly Execution[], i: number) => executions[i % executions.length]!;
  expect(staysEqual(itaiRodeh, 3, byPosition)).toBe(false);
  expect(staysEqual(itaiRodeh, 3, (executions) => executions[0]!)).toBe(true);
});

test('itai-rodeh with a coin that always shows the same stays equal on every ring up to n = 8, and nobody leads', () => {
  for (let n = 2; n <= 8; n += 1) {
    expect(staysEqual(itaiRodehSameCoin, n, onlyOne)).toBe(true);
    for (const { processes } of lockStep(itaiRodehSameCoin, n, onlyOne))
      expect(processes.flatMap(({ leaders }) => leaders)).toEqual([]);
  }
});
