import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms, singhal, vectorClock } from '../../src/algorithms/index.ts';
import { happenedBefore } from '../../src/causality/index.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm, ChannelKind, Message, Pid, World } from '../../src/core/algorithm.ts';
import {
  causalOrder,
  deliver,
  mayDeliver,
  noneSent,
  type SentMatrix,
  send,
} from '../../src/core/causal-delivery.ts';
import { Random } from '../../src/core/random.ts';
import { parseTrace, type Trace, type TraceEvent } from '../../src/core/trace.ts';
import { CausalInbox, type CausalStamp } from '../../src/member/causal-inbox.ts';
import { parseScenario, replay, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import { expectGolden } from '../conformance/conformance.ts';
import { letters, sortedLetters } from './causal-order-algorithm.ts';

const starts = {
  one: [{ process: 0 }],
  two: [{ process: 0 }, { process: 1 }],
  all: 'all',
} as const;

describe('every interleaving of three processes', () => {
  test.each([
    ['one', 146],
    ['two', 2_489],
    ['all', 46_293],
  ] as const)('%s begins: no message is delivered before a causally earlier one', (who, states) => {
    const report = check(letters('causal'), { n: 3, start: starts[who] });
    expect(report).toMatchObject({ ok: true, complete: true, states });
  });

  test.each(['fifo', 'unordered'] as const)('over %s channels, one is', (channels) => {
    const algorithm = letters(channels);
    const { violation } = check(algorithm, { n: 3, start: starts.one });
    expect(violation).toMatchObject({ property: 'the contract is kept' });
    expect(violation!.why).toBe('at process 1: 2>1 1 comes before 0>1 0, which was written before it');
    const trace = parseTrace(violation!.trace);
    expect(replay(algorithm, trace).ok).toBe(true);
    expect(misordered(trace)).not.toBeNull();
  });

  test('over unordered channels, none is if stamps decide', () => {
    expect(check(sortedLetters(), { n: 3 })).toMatchObject({ ok: true, complete: true, states: 117_282 });
  });

  /** What each process delivered, in order, in every state without messages in flight. */
  function outcomes(algorithm: AnyAlgorithm, who: keyof typeof starts): Set<string> {
    const found = new Set<string>();
    const look = ({ states, inFlight }: World<{ had: string[] }, Message>) => {
      if (inFlight.length === 0) found.add(JSON.stringify(states.map(({ had }) => had)));
      return true;
    };
    const watched: AnyAlgorithm = { ...algorithm, invariants: { look } };
    const space = { n: 3, start: starts[who] };
    expect(check(watched, space, { lemmas: true, reduction: false }).complete).toBe(true);
    return found;
  }

  test.each(['one', 'two'] as const)(
    "the checker's own channels allow exactly what stamps allow; who begins is %s",
    (who) => {
      const allowed = outcomes(letters('causal'), who);
      expect(allowed.size).toBeGreaterThan(10);
      expect(outcomes(sortedLetters(), who)).toEqual(allowed);
    },
  );
});

/** Events as the paper counts them: a receipt is one, and each send is another. */
const apart = (events: readonly TraceEvent[]): TraceEvent[] =>
  events.flatMap((event) => [
    { ...event, outputs: [] },
    ...event.outputs.map((output): TraceEvent => ({ ...event, input: { kind: 'begin' }, outputs: [output] })),
  ]);

/** Two messages to one process: the second was sent causally after the first, but arrived before it. */
function misordered(trace: Pick<Trace, 'events'>): string | null {
  const events = apart(trace.events);
  const isBefore = happenedBefore({ events });
  const arrival = new Map<number, number>(); // the first, of each message
  const lost = new Set<number>(); // a copy of it
  const sent: { serial: number; to: Pid; by: number }[] = [];
  for (const [index, { input, outputs }] of events.entries()) {
    if (input.kind === 'recv' && !arrival.has(input.serial)) arrival.set(input.serial, index);
    if (input.kind === 'lose') lost.add(input.serial);
    for (const output of outputs)
      if (output.kind === 'send') sent.push({ serial: output.serial, to: output.to, by: index });
  }
  const at = ({ serial }: { serial: number }) => arrival.get(serial) ?? Infinity;
  for (const m of sent.filter(({ serial }) => !lost.has(serial))) {
    const late = sent.find((other) => other.to === m.to && at(other) < at(m) && isBefore(m.by, other.by));
    if (late) return `#${late.serial} before #${m.serial}`;
  }
  return null;
}

function eventsOf(algorithm: AnyAlgorithm, scenario: Scenario): TraceEvent[] {
  const events: TraceEvent[] = [];
  simulate(algorithm, { limit: 400, ...scenario }, { record: (event) => events.push(event) });
  return events;
}

function scenarioOf(random: Random, n: number, channels: ChannelKind): Scenario {
  const [process, at] = [random.below(n), random.below(40)];
  const faults = [
    [],
    [{ type: 'pause', process, at, until: at + 40 }],
    [{ type: 'crash', process, at }],
    [
      { type: 'crash', process, at },
      { type: 'restart', process, at: at + 20 },
    ],
    [{ type: 'lose', message: at }],
  ] as const;
  return {
    n,
    channels,
    latency: 'uniform:1:60',
    entries: 2,
    seed: random.below(1e6),
    faults: faults[random.below(faults.length)]!,
    duplication: random.below(4) === 0 ? 0.3 : 0,
  };
}

describe('simulated runs, checked against the event graph', () => {
  const complete = algorithms.filter(({ assumes }) => assumes.topology === 'complete');
  const runs = (channels: ChannelKind) =>
    complete.flatMap((algorithm) => {
      const random = new Random(7, algorithm.name);
      return Array.from({ length: 30 }, () => {
        const events = eventsOf(algorithm, scenarioOf(random, 2 + random.below(5), channels));
        return { name: algorithm.name, wrong: misordered({ events }) };
      });
    });

  test('causal channels keep causal order under all faults', () => {
    expect(runs('causal').filter(({ wrong }) => wrong !== null)).toEqual([]);
  });

  test('fifo channels do not', () => {
    expect(runs('fifo').some(({ wrong }) => wrong !== null)).toBe(true);
  });
});

test('golden: ER-09 over causal channels', () => {
  const lines: string[] = [
    '# ER-09 over causal channels: the token comes to 1 at 24, and is put aside until the request that 2 sent first has come, at 53. Everybody enters.',
  ];
  const fifo = parseTrace(readFileSync('test/golden/singhal/er-09.trace', 'utf8'));
  const scenario = parseScenario({ ...fifo.scenario, channels: 'causal' });
  expect(fifo.verdict).toContain('process 2 waits for ever');
  simulate(singhal, scenario, { trace: (line) => lines.push(line), stamps: vectorClock });
  const text = `${lines.join('\n')}\n`;
  expectGolden('causal-delivery/er-09', text);
  const trace = parseTrace(text);
  expect(trace.verdict).toBe('ok');
  expect(replay(singhal, trace).ok).toBe(true);
  const at53 = trace.events.filter(({ time }) => time === 53).map(({ input }) => input);
  expect(at53).toMatchObject([{ message: { type: 'request', sn: 1 }, from: 2 }, { from: 0 }]);
});

test('dropping a message releases the messages that wait for it', () => {
  const events: TraceEvent[] = [];
  const scenario = {
    n: 3,
    start: [{ process: 0, at: 0 }],
    latency: 'fixed:1',
    slow: [{ between: [0, 1] as const, ticks: 1000 }],
  };
  const run = new Simulation(letters('causal'), scenario, { record: (event) => events.push(event) });
  while (events.at(-1)?.time !== 3) run.advance(1);
  const had = () => events.filter(({ process, input }) => process === 1 && input.kind === 'recv').length;
  expect(had()).toBe(0); // the message of 2 has arrived, and waits for that of 0
  expect(run.intervene({ do: 'drop', message: 0 })).toBeNull();
  expect(had()).toBe(1);
});

const unlimited = { take: () => true, give: () => {} };

/** A run of members whose messages arrive in any order, except that each channel is FIFO. */
function memberRun(random: Random, n: number): TraceEvent[] {
  const inboxes = Array.from(
    { length: n },
    (_, me) => new CausalInbox<{ serial: number; from: Pid }>(n, me, unlimited),
  );
  let onTheWay: { to: Pid; from: Pid; serial: number; stamp: CausalStamp }[] = [];
  const events: TraceEvent[] = [];
  let serial = 0;
  const happens = (process: Pid, input: TraceEvent['input']) => {
    const outputs = Array.from({ length: serial < 60 ? random.below(3) : 0 }, () => {
      const to = (process + 1 + random.below(n - 1)) % n;
      onTheWay.push({ to, from: process, serial, stamp: inboxes[process]!.stampFor(to) });
      serial += 1;
      return { kind: 'send', serial: serial - 1, to, link: null, message: { type: 'm' } } as const;
    });
    events.push({ time: events.length, process, input, outputs });
  };
  while (serial === 0) for (let i = 0; i < n; i += 1) happens(i, { kind: 'begin' });
  while (onTheWay.length > 0) {
    const any = onTheWay[random.below(onTheWay.length)]!;
    const one = onTheWay.find(({ from, to }) => from === any.from && to === any.to)!;
    onTheWay = onTheWay.filter((other) => other !== one);
    expect(inboxes[one.to]!.arrive(one.from, one.stamp, one)).toBe(true);
    for (const { serial, from } of inboxes[one.to]!.due())
      happens(one.to, { kind: 'recv', serial, message: { type: 'm' }, from });
  }
  return events;
}

test('members deliver all messages in causal order, in whatever order they arrive', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = new Random(seed, 'members');
    const events = memberRun(random, 2 + random.below(4));
    const count = (kind: string) => events.filter(({ input }) => input.kind === kind).length;
    expect(count('recv')).toBe(events.flatMap(({ outputs }) => outputs).length);
    expect(misordered({ events }), `seed ${seed}`).toBeNull();
  }
});

test('between members a message does not count itself, as in the paper, so that versions can be mixed in a group', () => {
  const [sender, receiver] = [
    new CausalInbox<string>(2, 0, unlimited),
    new CausalInbox<string>(2, 1, unlimited),
  ];
  const [first, second] = [sender.stampFor(1), sender.stampFor(1)];
  expect([first, second]).toEqual([
    [0, 0, 0, 0],
    [0, 1, 0, 0],
  ]);
  expect(receiver.arrive(0, first, 'first')).toBe(true);
  expect(receiver.arrive(0, second, 'second')).toBe(true);
  expect([...receiver.due()]).toEqual(['first', 'second']);
  expect(receiver.stampFor(0)).toEqual([0, 2, 0, 0]);
});

test('a member refuses a stamp that no member can have sent', () => {
  const receiver = new CausalInbox<string>(2, 1, unlimited);
  const refused = [
    null,
    [0, 0, 0], // of another number of members
    [0, 1, 0, 0], // an earlier message of this channel is missing
    [0, 0, 1, 0], // it knows of a message that we have not sent
  ];
  for (const stamp of refused) expect(receiver.arrive(0, stamp, 'm')).toBe(false);
  expect(receiver.arrive(0, [0, 0, 0, 0], 'm')).toBe(true);
  expect(receiver.arrive(0, [0, 0, 0, 0], 'again')).toBe(false);
});

test('a member holds back only as much as its budget allows', () => {
  const taken: number[] = [];
  const receiver = new CausalInbox<string>(3, 0, {
    take: (_sender, bytes) => taken.push(bytes) < 2,
    give: () => {},
  });
  const early = (k: number) => [0, 0, 0, k, 0, 0, 1, 0, 0]; // of 1, after a message of 2 to us that has not arrived
  expect([0, 1].map((k) => receiver.arrive(1, early(k), 'a message'))).toEqual([true, false]);
  expect(taken[0]).toBeGreaterThan('a message'.length);
});

test('for broadcasts a vector is enough: W[j] = V[j] + 1 and W[k] <= V[k]', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const random = new Random(seed, 'broadcast');
    const n = 3 + random.below(2);
    const all = Array.from({ length: n }, (_, i) => i);
    const orders = all.map(() => causalOrder(noneSent(n)));
    const V = all.map(() => all.map(() => 0)); // broadcasts delivered, or made, by process
    let onTheWay: { from: Pid; to: Pid; ST: SentMatrix; W: readonly number[] }[] = [];
    const broadcast = (from: Pid) => {
      V[from]![from]! += 1;
      const others = all.filter((j) => j !== from);
      const ST = others.map((to) => send(orders[from]!, from, to)).at(-1)!; // all copies carry the last one
      for (const to of others) onTheWay.push({ from, to, ST, W: [...V[from]!] });
    };
    for (let turn = 0; turn < 60; turn += 1) {
      if (turn < 20) broadcast(random.below(n));
      for (const { from, to, ST, W } of onTheWay) {
        const isNext = W.every((count, k) => (k === from ? count === V[to]![k]! + 1 : count <= V[to]![k]!));
        expect(mayDeliver(orders[to]!, to, from, ST)).toBe(isNext);
      }
      const due = onTheWay.filter(({ from, to, ST }) => mayDeliver(orders[to]!, to, from, ST));
      const one = due[random.below(due.length)];
      if (one === undefined) continue;
      onTheWay = onTheWay.filter((other) => other !== one);
      deliver(orders[one.to]!, one.to, one.from, one.ST);
      V[one.to] = V[one.to]!.map((count, k) => Math.max(count, one.W[k]!));
    }
  }
});
