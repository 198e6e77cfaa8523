import { describe, expect, test } from 'vitest';
import {
  algorithms,
  changRoberts,
  lamport,
  petersonLock,
  ricartAgrawala,
  sharedAlgorithms,
} from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { buildTopology } from '../../src/core/network-shapes.ts';
import { type AnySharedAlgorithm, isShared, registersOf } from '../../src/core/shared-algorithm.ts';
import { Topology } from '../../src/core/topology.ts';
import { parseTrace, type Trace } from '../../src/core/trace.ts';
import {
  networkLayout,
  SpaceTimeLayout,
  svgDiagram,
  TraceIndex,
  vectorClocks,
} from '../../src/diagram/index.ts';
import type { MemoryMachine } from '../../src/machine/index.ts';
import { prepare, Replayer, type Scenario, simulate } from '../../src/sim/index.ts';

function traceOf(algorithm: AnyAlgorithm | AnySharedAlgorithm, scenario: Scenario): Trace {
  const lines: string[] = [];
  simulate(algorithm, scenario, { trace: (line) => lines.push(line) });
  return parseTrace(`${lines.join('\n')}\n`);
}

function indexOf(trace: Trace): TraceIndex {
  const traceIndex = new TraceIndex(Number(trace.scenario.n), trace.scenario.ids?.split(',') ?? null);
  for (const event of trace.events) traceIndex.add(event);
  return traceIndex;
}

const lossy = traceOf(lamport, { n: 4, entries: 2, loss: 0.05, seed: 4 });

describe('the trace index', () => {
  test('phases of a lock', () => {
    const trace = traceOf(ricartAgrawala, { n: 2, start: [{ process: 1, at: 0 }] });
    const traceIndex = indexOf(trace);
    const phases = [0, ...traceIndex.eventsOfProcess[1]!.map((event) => event + 1)].map((at) =>
      traceIndex.phaseAt(1, at),
    );
    expect(phases).toEqual(['idle', 'waiting', 'inside', 'idle']);
  });

  test('phases of an election', () => {
    const traceIndex = indexOf(traceOf(changRoberts, { ids: [2, 3, 1] }));
    const end = traceIndex.events.length;
    expect([0, 1, 2].map((i) => traceIndex.phaseAt(i, end))).toEqual(['follower', 'leader', 'follower']);
  });

  test('crash, restart and pause', () => {
    const faults = [
      { type: 'crash', process: 0, at: 3 },
      { type: 'restart', process: 0, at: 30 },
      { type: 'pause', process: 1, at: 4, until: 20 },
    ] as const;
    const traceIndex = indexOf(traceOf(lamport, { n: 3, faults }));
    const behind = (kind: string) => traceIndex.events.findIndex(({ input }) => input.kind === kind) + 1;
    expect(traceIndex.phaseAt(0, behind('crash'))).toBe('crashed');
    expect(traceIndex.phaseAt(0, behind('restart'))).toBe('idle');
    expect(traceIndex.isPausedAt(1, behind('pause'))).toBe(true);
    expect(traceIndex.isPausedAt(1, behind('resume'))).toBe(false);
  });

  test('messages in flight and sent messages at every position', () => {
    const traceIndex = indexOf(lossy);
    const left = new Set<number>();
    let requests = 0;
    lossy.events.forEach(({ input, outputs }, index) => {
      for (const output of outputs) {
        if (output.kind === 'send') left.add(output.serial);
        if (output.kind === 'send' && output.message.type === 'request') requests += 1;
      }
      if (input.kind === 'recv' || input.kind === 'lose') left.delete(input.serial);
      expect(traceIndex.inFlightAt(index + 1).map(({ serial }) => serial)).toEqual([...left]);
      expect(traceIndex.sentBefore('request', index + 1)).toBe(requests);
    });
  });

  test.each([...algorithms, ...sharedAlgorithms].map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: the cone of an event agrees with vector clocks',
    (_, algorithm) => {
      const trace = traceOf(algorithm, { ...(!isShared(algorithm) && { n: 4 }), seed: 5 });
      const clocks = vectorClocks(trace);
      const traceIndex = indexOf(trace);
      const size = trace.events.length;
      const precedes = (a: number, b: number) =>
        (clocks[b]!.get(trace.events[a]!.process) ?? 0) >= clocks[a]!.get(trace.events[a]!.process)!;
      for (let index = 0; index < size; index += Math.ceil(size / 20)) {
        const cone = traceIndex.cone(index);
        expect(
          new Map([...cone.past].map((count, k) => [k, count] as const).filter(([, count]) => count > 0)),
        ).toEqual(new Map([...clocks[index]!].sort(([a], [b]) => a - b)));
        for (let other = 0; other < size; other += 1) {
          const wanted = precedes(other, index) ? 'past' : precedes(index, other) ? 'future' : 'beside';
          expect(traceIndex.relation(cone, other)).toBe(wanted);
        }
      }
    },
  );
});

describe.each(['time', 'even'] as const)('the layout, %s', (spacing) => {
  const traceIndex = indexOf(lossy);
  const space = new SpaceTimeLayout(traceIndex, spacing);
  const all = [...traceIndex.messages.values()];

  test('advances on every lane and along every message', () => {
    for (const events of traceIndex.eventsOfProcess)
      for (let k = 1; k < events.length; k += 1)
        expect(space.x(events[k]!)).toBeGreaterThan(space.x(events[k - 1]!));
    for (const { sent, ended } of all) if (ended >= 0) expect(space.x(ended)).toBeGreaterThan(space.x(sent));
    for (let k = 1; k <= traceIndex.events.length; k += 1)
      expect(space.present(k)).toBeGreaterThanOrEqual(space.present(k - 1));
  });

  test('finds the events and messages in a window, each once', () => {
    for (const [from, to] of [
      [0, 10],
      [30, 31],
      [50, 190],
      [-5, 1e6],
      [64, 128],
      [1e6, 2e6],
    ] as const) {
      const points = traceIndex.events.map((_, k) => k).filter((k) => space.x(k) >= from && space.x(k) <= to);
      expect(space.points(from, to).sort((a, b) => a - b)).toEqual(points);
      const arrows = all.filter(
        ({ sent, ended }) => ended >= 0 && space.x(sent) <= to && space.x(ended) >= from,
      );
      expect(space.arrows(from, to).sort((a, b) => a.serial - b.serial)).toEqual(arrows);
    }
  });

  test('grows with the trace index', () => {
    const growing = new TraceIndex(4);
    const layout = new SpaceTimeLayout(growing, spacing);
    for (const event of lossy.events) {
      growing.add(event);
      layout.extend();
    }
    expect(lossy.events.map((_, k) => layout.x(k))).toEqual(lossy.events.map((_, k) => space.x(k)));
    expect(layout.arrows(0, 1e6)).toHaveLength(space.arrows(0, 1e6).length);
  });

  test('finds the nearest event, and the position at a point', () => {
    expect(space.nearest(space.x(7) + 0.1, lossy.events[7]!.process, 0.3, 0.3)).toBe(7);
    expect(space.nearest(-50, 0, 1, 1)).toBe(null);
    const end = traceIndex.events.length;
    expect(space.positionAt(space.present(end))).toBe(end);
    expect(space.positionAt(-1)).toBe(0);
  });
});

test('a ring of 1000 and 10,000 events are laid out quickly', () => {
  const trace = traceOf(changRoberts, { n: 1000, seed: 1 });
  const traceIndex = indexOf(trace);
  const space = new SpaceTimeLayout(traceIndex, 'even');
  expect(traceIndex.events.length).toBeGreaterThan(8000);
  expect(space.points(4000, 4100)).toHaveLength(101);
});

test('the drawing of a small run', async () => {
  const trace = traceOf(changRoberts, { ids: [2, 3, 1], start: [{ process: 0 }], seed: 1 });
  const options = { title: 'Chang & Roberts', names: ['p0', 'p1', 'p2'], kinds: ['election', 'leader'] };
  const svg = svgDiagram(indexOf(trace), options);
  await expect(svg).toMatchFileSnapshot('../golden/diagram/chang-roberts.svg');
  const early = svgDiagram(indexOf(trace), { ...options, position: 2, spacing: 'time' });
  expect(early.match(/<circle/g)).toHaveLength(1); // the call is a diamond
  expect(svg).toContain('Chang &#38; Roberts');
});

describe('the network layout', () => {
  const apart = (points: readonly { x: number; y: number }[]) => {
    let least = Infinity;
    points.forEach((a, i) => {
      for (const b of points.slice(0, i)) least = Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
    });
    return least;
  };

  test.each(['complete', 'ring', 'line', 'star', 'tree', 'grid', 'wheel', 'random:3'])('%s', (shape) => {
    for (const n of [4, 5, 16, 40]) {
      const points = networkLayout(buildTopology(shape, n, shape === 'tree' ? 'tree' : 'connected', 1));
      expect(points).toHaveLength(n);
      for (const { x, y } of points) expect(x >= 0 && x <= 1 && y >= 0 && y <= 1).toBe(true);
      expect(apart(points)).toBeGreaterThan(0.35 / n);
      expect(networkLayout(buildTopology(shape, n, shape === 'tree' ? 'tree' : 'connected', 1))).toEqual(
        points,
      );
    }
  });

  test('a ring starts at the top and runs clockwise; a tree has its root at the top', () => {
    expect(networkLayout(Topology.oneWayRing(4))).toEqual([
      { x: 0.5, y: 0 },
      { x: 1, y: 0.5 },
      { x: 0.5, y: 1 },
      { x: 0, y: 0.5 },
    ]);
    const tree = networkLayout(buildTopology('tree', 7, 'tree', 0), 2);
    expect(tree[2]!.y).toBe(0);
    expect(networkLayout(Topology.complete(1))).toEqual([{ x: 0.5, y: 0.5 }]);
  });
});

test('registers have their own lanes, with their values at every position', () => {
  const trace = traceOf(petersonLock, { n: 2, seed: 1 });
  const traceIndex = new TraceIndex(2, null, registersOf(petersonLock.registers(2)));
  for (const event of trace.events) traceIndex.add(event);
  const { registers } = traceIndex;
  expect(registers.names).toEqual(['Q[0]', 'Q[1]', 'TURN']);
  const replayer = new Replayer(prepare(petersonLock, { n: 2 }));
  trace.events.forEach((event, k) => {
    const held = registersOf((replayer.machine as MemoryMachine).memory).map(({ value }) => value);
    expect(registers.names.map((_, lane) => registers.valueAt(lane, k))).toEqual(held);
    replayer.step(event);
  });
  const svg = svgDiagram(traceIndex, { names: ['p0', 'p1'], kinds: ['read', 'write'], delays: false });
  const accesses = trace.events.filter(({ input }) => input.kind === 'step').length;
  expect(svg.match(/V\d/g)).toHaveLength(accesses);
  expect(registers.madeBefore('read', Infinity) + registers.madeBefore('write', Infinity)).toBe(accesses);
});

test('accesses at the same time are drawn side by side, and found at the ends of their arrows', () => {
  const trace = traceOf(petersonLock, { n: 2, latency: 'fixed:1', think: 'fixed:0' });
  const traceIndex = new TraceIndex(2, null, registersOf(petersonLock.registers(2)));
  for (const event of trace.events) traceIndex.add(event);
  const space = new SpaceTimeLayout(traceIndex, 'time');
  for (let k = 1; k < trace.events.length; k += 1) expect(space.x(k)).toBeGreaterThan(space.x(k - 1));
  trace.events.forEach((event, k) => {
    for (const { kind, register } of traceIndex.registers.accessesOf(event)) {
      expect(space.nearest(space.x(k), 2 + register, 0.3, 0.4)).toBe(k);
      if (kind === 'write') expect(traceIndex.registers.changedBy(register, k + 1)).toBe(k);
    }
  });
});
