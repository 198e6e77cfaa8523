// The measures of a run, compared with figures computed from its trace by other means.
import { describe, expect, test } from 'vitest';
import {
  algorithms,
  changRoberts,
  lamport,
  maekawa,
  petersonLock,
  ricartAgrawala,
  sharedAlgorithms,
} from '../../src/algorithms/index.ts';
import type { Bound } from '../../src/core/algorithm.ts';
import type { Trace, TraceEvent } from '../../src/core/trace.ts';
import type { EitherAlgorithm } from '../../src/machine/index.ts';
import { type Scenario, Simulation, type Spread, simulate } from '../../src/sim/index.ts';

/** Returns null for an empty list, as a measure that does not apply. */
const spread = (figures: readonly number[]): Spread | null =>
  figures.length === 0
    ? null
    : {
        least: Math.min(...figures),
        mean: figures.reduce((sum, one) => sum + one, 0) / figures.length,
        most: Math.max(...figures),
      };

const isEntry = ({ outputs }: TraceEvent) =>
  outputs.some((output) => output.kind === 'emit' && output.event.type === 'entered');
const isCall = (name: string) => (event: TraceEvent) =>
  event.input.kind === 'call' && event.input.name === name;

/** Returns, for each event, the number of messages in the longest causal chain that ends with it. */
function chainsIn(events: readonly TraceEvent[], counts: (kind: string) => boolean = () => true): number[] {
  const ofMessage = new Map<number, number>();
  const ofProcess = new Map<number, number>();
  return events.map(({ process, input, outputs }) => {
    const before = ofProcess.get(process) ?? 0;
    const length = input.kind === 'recv' ? Math.max(before, ofMessage.get(input.serial)!) : before;
    ofProcess.set(process, length);
    for (const output of outputs)
      if (output.kind === 'send')
        ofMessage.set(output.serial, length + (counts(output.message.type) ? 1 : 0));
    return length;
  });
}

/** Returns from each release, while another process waits, to the next entry, unless the releaser enters again. */
function delaysIn(events: readonly TraceEvent[]): number[] {
  return events.flatMap((event, k) => {
    if (!isCall('release')(event)) return [];
    const earlier = events.slice(0, k);
    const waits = (process: number) => {
      const last = earlier.findLast(
        (one) =>
          one.process === process && (isCall('request')(one) || isEntry(one) || one.input.kind === 'crash'),
      );
      return last !== undefined && isCall('request')(last) && !isEntry(last);
    };
    const others = new Set(earlier.map(({ process }) => process));
    others.delete(event.process);
    if (![...others].some(waits)) return [];
    const next = events.slice(k).find(isEntry);
    return next === undefined || next.process === event.process ? [] : [next.time - event.time];
  });
}

function timesIn(events: readonly TraceEvent[], ends: (event: TraceEvent) => boolean): number[] {
  return events.flatMap((event, k) => {
    if (!ends(event)) return [];
    const request = events
      .slice(0, k + 1)
      .findLast((one) => one.process === event.process && isCall('request')(one));
    return [event.time - request!.time];
  });
}

/** Counts the messages with the token that arrive from a request to its entry. */
function hopsIn(events: readonly TraceEvent[], isHop: (kind: string) => boolean): number[] {
  return events.flatMap((event, k) => {
    if (!isEntry(event)) return [];
    const request = events.findLastIndex(
      (one, i) => i <= k && one.process === event.process && isCall('request')(one),
    );
    const since = events.slice(request, k + 1);
    return [since.filter(({ input }) => input.kind === 'recv' && isHop(input.message.type)).length];
  });
}

/** Of elections that happen again, the first is measured; of rounds, the latest. */
function learningTimesIn(events: readonly TraceEvent[], electsAgain: boolean): number[] {
  const emitted = events.flatMap(({ time, process, outputs }) =>
    outputs.flatMap((output) =>
      output.kind === 'emit'
        ? [{ time, process, ...(output.event as { type: string; round?: number }) }]
        : [],
    ),
  );
  const latest = Math.max(...emitted.map(({ round = -1 }) => round)); // round
  const start = events.find(isCall('start')) ?? events[0]!; // an election may begin by itself
  const { time: begun } = emitted.find(({ type, round }) => type === 'electing' && round === latest) ?? start;
  const learned = new Set<number>();
  return emitted.flatMap(({ time, process, type, round = -1 }) => {
    if (type !== 'elected' || round !== latest) return [];
    const isFirst = learned.size < learned.add(process).size;
    return isFirst || !electsAgain ? [time - begun] : [];
  });
}

function loadsIn(events: readonly TraceEvent[], n: number): number[] {
  const loads = Array<number>(n).fill(0);
  for (const { process, input, outputs } of events)
    loads[process]! += outputs.filter(({ kind }) => kind === 'send').length + (input.kind === 'recv' ? 1 : 0);
  return loads;
}

/** Computes what a trace shows of each measure. */
function measuresIn({ events }: Trace, n: number, algorithm: EitherAlgorithm): object {
  const { problem } = algorithm;
  const bounds: readonly Bound[] = algorithm.bounds;
  const electsAgain = 'electsAgain' in algorithm && algorithm.electsAgain === true;
  const hops = bounds.find(({ measures }) => measures === 'tokenHops')?.counts;
  const counted = bounds.find(({ measures }) => measures === 'chain')?.counts;
  const chains = chainsIn(events, (kind) => counted?.includes(kind) ?? true);
  const chainOf = (process: number) =>
    Math.max(0, ...chains.filter((_, k) => events[k]!.process === process));
  const isMutex = problem === 'mutex';
  return {
    synchronisationDelay: isMutex ? spread(delaysIn(events)) : null,
    waitingTime: isMutex ? spread(timesIn(events, isEntry)) : null,
    tokenHops: hops ? spread(hopsIn(events, (kind) => hops.includes(kind))) : null,
    responseTime: isMutex ? spread(timesIn(events, isCall('release'))) : null,
    electionTime: problem === 'election' ? spread(learningTimesIn(events, electsAgain)) : null,
    chain: spread(Array.from({ length: n }, (_, i) => chainOf(i))),
    load: { ...spread(loadsIn(events, n))!, busiestShare: expect.any(Number) },
  };
}

function expectMeasured(algorithm: EitherAlgorithm, scenario: Scenario): void {
  const run = simulate(algorithm, scenario);
  const { trace } = simulate(algorithm, { ...scenario, events: true });
  const expected = measuresIn(trace, run.n, algorithm);
  const isShared = !('on' in algorithm);
  expect(run.measures, JSON.stringify(scenario)).toMatchObject(
    isShared ? { ...expected, chain: null, load: null, bits: null, elements: null } : expected,
  );
}

describe('the measures are those of the trace', () => {
  test.each([...algorithms, ...sharedAlgorithms].map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s',
    (_, algorithm) => {
      for (let seed = 1; seed <= 6; seed += 1) {
        const isMutex = algorithm.problem === 'mutex';
        expectMeasured(algorithm, {
          seed,
          latency: ['fixed:1', 'uniform:1:9', 'fixed:40'][seed % 3]!,
          ...(isMutex && { entries: 3, hold: 'uniform:0:6', think: seed % 2 ? 'fixed:0' : 'uniform:0:60' }),
        });
      }
    },
  );

  test('of a paused process and of causal channels, whose messages wait', () => {
    const pause = { type: 'pause', process: 1, at: 5, until: 300 } as const;
    expectMeasured(ricartAgrawala, { n: 4, entries: 3, faults: [pause] });
    expectMeasured(ricartAgrawala, { n: 4, entries: 3, channels: 'causal', latency: 'uniform:1:50' });
  });

  test('of a run with lost and repeated messages, and a crash', () => {
    const crash = { type: 'crash', process: 2, at: 30 } as const;
    for (let seed = 1; seed <= 10; seed += 1)
      expectMeasured(changRoberts, { n: 6, seed, loss: 0.1, duplication: 0.3, faults: [crash] });
  });

  test('of a message that was delayed or delivered by hand', () => {
    const events: TraceEvent[] = [];
    const simulation = new Simulation(
      changRoberts,
      { n: 5, seed: 2 },
      { record: (event) => events.push(event) },
    );
    while (simulation.messages < 3) simulation.advance(1);
    expect(simulation.intervene({ do: 'delay', message: 0, ticks: 100 })).toBe(null);
    expect(simulation.intervene({ do: 'deliver', message: 1 })).toBe(null);
    while (simulation.advance(1000));
    const chains = chainsIn(events);
    expect(simulation.result().measures!.chain!.most).toBe(Math.max(...chains));
  });
});

describe('what the sources say', () => {
  const heavy = { n: 5, entries: 4, latency: 'fixed:10', hold: 'fixed:3', think: 'fixed:0' };

  test.each([
    [ricartAgrawala, 5, 10],
    [lamport, 5, 10],
    [maekawa, 9, 20],
  ] as const)('$0.name: the synchronisation delay is $2', (algorithm, n, delay) => {
    const { synchronisationDelay } = simulate(algorithm, { ...heavy, n }).measures!;
    expect(synchronisationDelay).toMatchObject({ least: delay, mean: delay, most: delay });
  });

  test('a single request waits for two messages', () => {
    const { measures } = simulate(ricartAgrawala, { ...heavy, entries: 1, start: [{ process: 0 }] });
    expect(measures!.waitingTime).toMatchObject({ least: 20, mean: 20, most: 20 });
    expect(measures!.synchronisationDelay).toBe(null);
  });

  test('under heavy load the throughput tends to 1 / (delay + hold)', () => {
    const { measures } = simulate(ricartAgrawala, { ...heavy, entries: 200 });
    expect(measures!.throughput! * 13).toBeCloseTo(1, 1);
  });
});

describe('sizes', () => {
  test('a number takes its binary length, a list the sum of its entries', () => {
    const { bits, elements } = simulate(changRoberts, { ids: [1, 2, 7, 8] }).measures!;
    expect(bits!.election).toMatchObject({ least: 1, most: 4 }); // 1 and 8
    expect(elements!.election).toMatchObject({ least: 2, mean: 2, most: 2 }); // type and id
  });

  test('on shared memory nothing is sent', () => {
    expect(simulate(petersonLock).measures).toMatchObject({ bits: null, elements: null, load: null });
  });
});

test('without measures the run is the same', () => {
  const { measures, ...rest } = simulate(lamport, { n: 4, entries: 2 });
  expect(measures).not.toBe(null);
  expect(simulate(lamport, { n: 4, entries: 2, measures: false })).toEqual({ ...rest, measures: null });
  expect(simulate(lamport, { n: 4, entries: 2 }, { measures: false })).toEqual({ ...rest, measures: null });
});
