import { describe, expect, test } from 'vitest';
import {
  algorithms,
  berkeley,
  changRoberts,
  cristian,
  lamport,
  peterson,
  raymond,
  ricartAgrawala,
  tokenRing,
} from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { eventLine, parseTrace, traceText } from '../../src/core/trace.ts';
import { type Intervention, replay, type Scenario, Simulation, simulate } from '../../src/sim/index.ts';
import {
  assumptionsDropped,
  ClockHistory,
  interventionsText,
  openTrace,
  parseInterventions,
  ReplayedTimeline,
  recordedSnapshotAt,
  SimulatedTimeline,
  type Timeline,
  traceOfTimeline,
} from '../../src/timeline/index.ts';

const much = 5000; // events

function simulated(algorithm: AnyAlgorithm, scenario: Scenario): string {
  const lines: string[] = [];
  simulate(algorithm, scenario, { trace: (line) => lines.push(line) });
  return `${lines.join('\n')}\n`;
}

function fullTimeline(
  algorithm: AnyAlgorithm,
  scenario: Scenario,
  ...interventions: ConstructorParameters<typeof SimulatedTimeline>[2][]
) {
  const timeline = new SimulatedTimeline(algorithm, scenario, interventions.flat() as never);
  timeline.advanceTo(much);
  return timeline;
}

const intervened = (timeline: SimulatedTimeline | string): SimulatedTimeline => {
  if (typeof timeline === 'string') throw new Error(timeline);
  return timeline;
};

const replays = (algorithm: AnyAlgorithm, timeline: SimulatedTimeline) =>
  expect(replay(algorithm, parseTrace(traceText(traceOfTimeline(timeline))))).toMatchObject({
    ok: true,
    firstDifference: null,
  });

describe('without interventions', () => {
  const scenarios: Scenario[] = [
    { n: 4, entries: 2, seed: 3 },
    { n: 5, latency: 'exponential:20', seed: 8 },
  ];
  test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s gives the trace of simulate',
    (_, algorithm) => {
      for (const scenario of scenarios)
        expect(traceText(traceOfTimeline(fullTimeline(algorithm, scenario)))).toBe(
          simulated(algorithm, scenario),
        );
    },
  );

  test('it is simulated only as far as it is viewed', () => {
    const timeline = new SimulatedTimeline(lamport, { n: 3 });
    expect(timeline.advanceTo(5)).toBe(true);
    expect(timeline.events).toHaveLength(5);
    expect(timeline.isOver).toBe(false);
    expect(timeline.verdict).toBe(null);
    expect(traceText(traceOfTimeline(timeline))).toContain(': it goes on');
    expect(timeline.advanceTo(much)).toBe(false);
    expect(timeline.verdict).toBe('ok');
  });

  test('states at every position are those of a replay', () => {
    const timeline = fullTimeline(ricartAgrawala, { n: 4, entries: 2 });
    const recorded = new ReplayedTimeline(ricartAgrawala, parseTrace(traceText(traceOfTimeline(timeline))));
    for (let position = timeline.events.length; position >= 0; position -= 1)
      for (let i = 0; i < 4; i += 1)
        expect(timeline.stateAt(i, position)).toEqual(recorded.stateAt(i, position));
    expect(timeline.stateAt(0, 0)).toMatchObject({ requestingCriticalSection: false });
  });

  test('unchanged parts of states are stored once', () => {
    const timeline = fullTimeline(ricartAgrawala, { n: 4 });
    const before = timeline.stateAt(0, 0);
    expect(timeline.stateAt(0, 1) === before).toBe(timeline.events[0]!.process !== 0);
  });
});

const inFlight = (timeline: SimulatedTimeline, position: number): number[] => {
  const left = new Set<number>();
  for (const { input, outputs } of timeline.events.slice(0, position)) {
    for (const output of outputs) if (output.kind === 'send') left.add(output.serial);
    if (input.kind === 'recv' || input.kind === 'lose') left.delete(input.serial);
  }
  return [...left];
};

describe('interventions', () => {
  const timeline = fullTimeline(ricartAgrawala, { n: 3, start: [{ process: 0, at: 0 }] });

  test('a message is delivered at once', () => {
    const other = intervened(timeline.intervene(1, { do: 'deliver', message: 1 }));
    other.advanceTo(much);
    expect(eventLine(other.events[1]!)).toMatch(/^0 2 recv #1 request\(k=1\) from 0/);
    expect(other.events.slice(0, 1)).toEqual(timeline.events.slice(0, 1));
    expect(other.verdict).toBe('ok');
    replays(ricartAgrawala, other);
  });

  test('a message is dropped, and no process enters', () => {
    const other = intervened(timeline.intervene(1, { do: 'drop', message: 0 }));
    other.advanceTo(much);
    expect(eventLine(other.events[1]!)).toBe('0 1 lose #0');
    expect(other.verdict).toMatch(/every request enters is violated/);
    expect(other.head.hand).toBe('1:drop:0');
    expect(assumptionsDropped(ricartAgrawala, other.interventions)).toEqual(['no message is lost']);
    replays(ricartAgrawala, other);
  });

  test('a message is delayed, which is no event', () => {
    const at = timeline.events.find(({ input }) => input.kind === 'recv' && input.serial === 0)!.time;
    const other = intervened(timeline.intervene(1, { do: 'delay', message: 0, ticks: 100 }));
    other.advanceTo(much);
    expect(other.events.find(({ input }) => input.kind === 'recv' && input.serial === 0)!.time).toBe(
      at + 100,
    );
    expect(other.events).toHaveLength(timeline.events.length);
    const twice = intervened(other.intervene(1, { do: 'drop', message: 1 }));
    expect(interventionsText(twice.interventions)).toBe('1:delay:0:100,1:drop:1');
  });

  test('on a FIFO channel nothing overtakes', () => {
    const fifo = fullTimeline(lamport, { n: 2, entries: 3, seed: 1 });
    const position = fifo.events.findIndex((_, k) => {
      const texts = inFlight(fifo, k).map((serial) => senderOf(fifo, serial));
      return new Set(texts).size < texts.length;
    });
    const [first, second] = inFlight(fifo, position);
    expect(senderOf(fifo, first!)).toBe(senderOf(fifo, second!));
    expect(fifo.intervene(position, { do: 'deliver', message: second! })).toBe(
      `channels are fifo: message #${first} comes first`,
    );
    const late = intervened(fifo.intervene(position, { do: 'delay', message: first!, ticks: 500 }));
    late.advanceTo(much);
    const order = late.events.flatMap(({ input }) =>
      input.kind === 'recv' && [first, second].includes(input.serial) ? [input.serial] : [],
    );
    expect(order).toEqual([first, second]);
    expect(late.verdict).toBe('ok');
  });

  test('processes crash, restart, pause and resume', () => {
    const crashed = intervened(timeline.intervene(2, { do: 'crash', process: 1 }));
    crashed.advanceTo(much);
    expect(eventLine(crashed.events[2]!)).toMatch(/1 crash$/);
    replays(ricartAgrawala, crashed);
    expect(crashed.intervene(3, { do: 'crash', process: 1 })).toBe('process 1 is crashed');
    expect(crashed.intervene(3, { do: 'resume', process: 1 })).toBe('process 1 is crashed');
    replays(ricartAgrawala, intervened(crashed.intervene(3, { do: 'restart', process: 1 })));
    const paused = intervened(timeline.intervene(2, { do: 'pause', process: 1 }));
    paused.advanceTo(much);
    expect(paused.verdict).toMatch(/every request enters/);
    const early = intervened(timeline.intervene(1, { do: 'pause', process: 1 }));
    const longer = intervened(early.intervene(2, { do: 'delay', message: 1, ticks: 500 }));
    longer.advanceTo(much);
    const why = 'message #0 has come, and waits at process 1';
    expect(longer.intervene(longer.events.length, { do: 'drop', message: 0 })).toBe(why);
    const again = intervened(paused.intervene(paused.events.length, { do: 'resume', process: 1 }));
    again.advanceTo(much);
    expect(again.verdict).toBe('ok');
    replays(ricartAgrawala, again);
    expect(timeline.intervene(2, { do: 'restart', process: 1 })).toBe('process 1 is not crashed');
    expect(timeline.intervene(2, { do: 'pause', process: 9 })).toBe('there is no process 9');
  });

  test('links are cut and mended', () => {
    const cut = intervened(timeline.intervene(1, { do: 'cut', between: [0, 1] }));
    cut.advanceTo(much);
    expect(cut.verdict).toMatch(/every request enters/);
    expect(cut.intervene(3, { do: 'cut', between: [1, 0] })).toBe('the link between 1 and 0 is cut already');
    replays(ricartAgrawala, intervened(cut.intervene(cut.events.length, { do: 'mend', between: [0, 1] })));
    expect(timeline.intervene(1, { do: 'mend', between: [0, 1] })).toBe('the link between 0 and 1 is there');
    const ring = fullTimeline(changRoberts, { n: 4 });
    expect(ring.intervene(1, { do: 'cut', between: [0, 2] })).toBe('there is no link between 0 and 2');
    replays(changRoberts, intervened(ring.intervene(1, { do: 'cut', between: [1, 0] })));
  });

  test('a process requests, even after the end of the run', () => {
    const position = timeline.events.length;
    const other = intervened(timeline.intervene(position, { do: 'ask', process: 2 }));
    other.advanceTo(much);
    expect(
      other.events.filter(({ input }) => input.kind === 'call' && input.name === 'request'),
    ).toHaveLength(2);
    expect(other.verdict).toBe('ok');
    expect(timeline.intervene(1, { do: 'ask', process: 0 })).toBe('it is waiting');
    const perpetual = fullTimeline(tokenRing, { n: 3, start: [], entries: 1 });
    const more = intervened(perpetual.intervene(perpetual.events.length, { do: 'ask', process: 1 }));
    more.advanceTo(much);
    expect(more.verdict).toBe('ok');
    expect(more.events.some(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'))).toBe(true);
    const election = fullTimeline(peterson, { n: 4, start: [{ process: 0 }] });
    expect(election.intervene(1, { do: 'ask', process: 0 })).toBe('it has started already');
    const two = intervened(election.intervene(1, { do: 'ask', process: 2 }));
    two.advanceTo(much);
    expect(two.verdict).toBe('ok');
  });

  test('a process that knows the leader starts again, if the election allows it', () => {
    const election = fullTimeline(changRoberts, { n: 4, start: [{ process: 0 }] });
    const again = intervened(election.intervene(election.events.length, { do: 'ask', process: 0 }));
    again.advanceTo(much);
    expect(again.verdict).toBe('ok');
    expect(again.events).toHaveLength(2 * election.events.length);
  });

  test('a planned request is made now, not twice', () => {
    const planned = fullTimeline(raymond, { n: 3, start: [{ process: 1, at: 50 }] });
    const other = intervened(planned.intervene(0, { do: 'ask', process: 1 }));
    other.advanceTo(much);
    expect(
      other.events.filter(({ input }) => input.kind === 'call' && input.name === 'request'),
    ).toHaveLength(1);
    expect(other.events[0]!.time).toBe(0);
  });

  test('an intervention replaces those at the same or a later position', () => {
    const dropped = intervened(timeline.intervene(1, { do: 'drop', message: 0 }));
    const crashed = intervened(dropped.intervene(1, { do: 'crash', process: 2 }));
    expect(interventionsText(crashed.interventions)).toBe('1:crash:2');
    const [only] = crashed.interventions;
    const none = crashed.withoutIntervention(only!);
    none.advanceTo(much);
    expect(none.events).toEqual(timeline.events);
  });

  test('survive writing and parsing', () => {
    const text = '1:drop:0,2:delay:1:30,3:cut:0-1,4:ask:2';
    expect(interventionsText(parseInterventions(text))).toBe(text);
    for (const wrong of ['x', '1:drop', '1:eat:2', '1:cut:3', '-1:drop:2', '1:drop:1.5'])
      expect(() => parseInterventions(wrong)).toThrow('is not something one can do');
  });

  test('its trace opens as the same run, and a foreign trace as a replayed one', () => {
    const dropped = intervened(timeline.intervene(1, { do: 'drop', message: 0 }));
    dropped.advanceTo(much);
    const again = openTrace(ricartAgrawala, parseTrace(traceText(traceOfTimeline(dropped))));
    expect(again).toBeInstanceOf(SimulatedTimeline);
    expect(traceText(traceOfTimeline(again))).toBe(
      traceText(traceOfTimeline(dropped)).replace(/end .*/, (end) =>
        again.isOver ? end : end.replace(/: .*/, ': it goes on'),
      ),
    );
    const foreign = parseTrace(traceText(traceOfTimeline(dropped)).replace('hand 1:drop:0\n', ''));
    expect(openTrace(ricartAgrawala, foreign)).toBeInstanceOf(ReplayedTimeline);
    const wrong = parseTrace(
      traceText(traceOfTimeline(timeline)).replace('k=1', 'k=2').replace('k=1', 'k=2'),
    );
    expect(() => openTrace(ricartAgrawala, wrong)).toThrow('but ricart-agrawala does');
  });
});

function senderOf(timeline: SimulatedTimeline, serial: number): string {
  for (const { process, outputs } of timeline.events)
    for (const output of outputs)
      if (output.kind === 'send' && output.serial === serial) return `${process}-${output.to}`;
  return '';
}

/** A random intervention, often impossible. */
function anything(random: Random, n: number): Intervention {
  const verbs = [
    'deliver',
    'delay',
    'drop',
    'crash',
    'restart',
    'pause',
    'resume',
    'cut',
    'mend',
    'ask',
  ] as const;
  const verb = verbs[random.below(verbs.length)]!;
  const message = random.below(60);
  if (verb === 'delay') return { do: verb, message, ticks: 1 + random.below(2000) };
  if (verb === 'deliver' || verb === 'drop') return { do: verb, message };
  if (verb === 'cut' || verb === 'mend') return { do: verb, between: [random.below(n), random.below(n)] };
  return { do: verb, process: random.below(n) };
}

test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s, with random interventions: deterministic, and replays',
  (_, algorithm) => {
    const random = new Random(2026, algorithm.name);
    const channels = [undefined, 'fifo', 'causal'] as const;
    for (let run = 0; run < 12; run += 1) {
      const kind = channels[run % 3];
      const scenario: Scenario = {
        n: 2 + random.below(4),
        seed: run,
        entries: 2,
        limit: 600,
        ...(kind && { channels: kind }),
        ...(run % 4 === 0 && { duplication: 0.2 }),
      };
      let timeline = new SimulatedTimeline(algorithm, scenario);
      for (let k = 0; k < 8; k += 1) {
        const result = timeline.intervene(random.below(60), anything(random, timeline.setup.n));
        if (typeof result !== 'string') timeline = result;
      }
      timeline.advanceTo(much);
      expect(timeline.isOver).toBe(true);
      expect(timeline.verdict).toMatch(/^ok$|is violated/);
      replays(algorithm, timeline);
      const again = new SimulatedTimeline(algorithm, scenario, parseInterventions(timeline.head.hand ?? ''));
      again.advanceTo(much);
      expect(traceText(traceOfTimeline(again))).toBe(traceText(traceOfTimeline(timeline)));
    }
  },
);

describe('clocks', () => {
  const told = (show: Pick<Timeline, 'setup' | 'events'>) => {
    const history = new ClockHistory(show.setup);
    for (const event of show.events) history.add(event);
    return history;
  };

  test('at every position of a run and of its trace: hardware, shown time, last correction', () => {
    const timeline = new SimulatedTimeline(cristian, { n: 3, seed: 4, rounds: 2, think: 'fixed:500' });
    timeline.advanceTo(Infinity);
    const history = told(timeline);
    const recorded = told(new ReplayedTimeline(cristian, parseTrace(traceText(traceOfTimeline(timeline)))));
    let before = history.readings(0);
    expect(before.map(({ last }) => last)).toEqual([null, null, null]);
    for (let position = 0.5; position <= timeline.events.length; position += 0.5) {
      const faces = history.readings(position);
      expect(recorded.readings(position)).toEqual(faces);
      faces.forEach((face, i) => {
        expect(face.shown).toBeGreaterThanOrEqual(before[i]!.shown);
      });
      before = faces;
    }
    expect(before[1]).toMatchObject({ isSettled: false, last: { at: expect.any(Number) } });
  });

  test.each([
    [cristian, {}],
    [berkeley, {}],
    [cristian, { faults: [{ type: 'lie', process: 2, at: 0, by: 50 }] }],
  ] as const)('at the end they are as the run reports: %#', (algorithm, faults) => {
    for (let seed = 0; seed < 20; seed += 1) {
      const scenario: Scenario = { n: 4, seed, rounds: 3, think: 'fixed:5000', drift: 5000, ...faults };
      const timeline = new SimulatedTimeline(algorithm, scenario);
      timeline.advanceTo(Infinity);
      const simulation = new Simulation(algorithm, scenario);
      while (simulation.advance(1000));
      const report = told(timeline).report(timeline.events.length, simulation.now);
      expect(report).toEqual(simulation.result().clocks);
    }
  });

  test('between two offset points a clock is linear', () => {
    const timeline = new SimulatedTimeline(berkeley, {
      n: 3,
      seed: 2,
      rounds: 3,
      think: 'fixed:900',
      drift: 5000,
    });
    timeline.advanceTo(Infinity);
    const history = told(timeline);
    for (let i = 0; i < 3; i += 1) {
      const bends = history.offsetPoints(i);
      for (let position = 0; position <= timeline.events.length; position += 0.25) {
        const time = history.timeAt(position);
        const k = bends.findIndex((bend) => bend.time > time);
        if (k < 1) continue;
        const [a, b] = [bends[k - 1]!, bends[k]!];
        const between = a.ahead + ((b.ahead - a.ahead) * (time - a.time)) / (b.time - a.time);
        const { shown } = history.readings(position)[i]!;
        expect(Math.abs(between - (shown - time * 1_000_000))).toBeLessThan(2_000_000);
      }
    }
  });
});

describe('snapshots', () => {
  test('the recorded snapshot is known once all processes are complete, and has one token', () => {
    const timeline = new SimulatedTimeline(withSnapshots(raymond), {
      n: 5,
      seed: 3,
      snapshot: [{ process: 2, at: 15 }],
    });
    timeline.advanceTo(Infinity);
    const last = timeline.events.findLastIndex(({ outputs }) =>
      outputs.some((output) => output.kind === 'emit' && output.event.type === 'complete'),
    );
    expect(recordedSnapshotAt(timeline, last)).toBeNull();
    expect(recordedSnapshotAt(timeline, last + 1)!.tokens).toHaveLength(1);
    expect(recordedSnapshotAt(new SimulatedTimeline(raymond), 0)).toBeNull();
  });
});
