import { describe, expect, test } from 'vitest';
import { raymond, ricartAgrawala, tokenRing } from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import { cutSegments, snapshotCutAt, svgDiagram, TraceIndex } from '../../src/diagram/index.ts';
import type { Scenario } from '../../src/sim/index.ts';
import { recordedSnapshotAt, SimulatedTimeline } from '../../src/timeline/index.ts';

function simulated(algorithm: typeof raymond | typeof tokenRing | typeof ricartAgrawala, scenario: Scenario) {
  const timeline = new SimulatedTimeline(withSnapshots(algorithm), scenario);
  timeline.advanceTo(5000);
  const traceIndex = new TraceIndex(timeline.setup.n);
  for (const event of timeline.events) traceIndex.add(event);
  return { timeline, traceIndex };
}

const drawn = (traceIndex: TraceIndex, position?: number) =>
  svgDiagram(traceIndex, {
    title: 'a run',
    names: Array.from({ length: traceIndex.n }, (_, i) => `p${i}`),
    kinds: [...traceIndex.sendsOfKind.keys()],
    ...(position !== undefined && { position }),
  });

describe('the cut of a snapshot', () => {
  test.each([raymond, tokenRing, ricartAgrawala])('has the recorded messages in transit: %#', (algorithm) => {
    for (let seed = 0; seed < 30; seed += 1) {
      const { timeline, traceIndex } = simulated(algorithm, { n: 5, entries: 2, seed });
      const { at, inTransit, inconsistent } = snapshotCutAt(traceIndex)!;
      const known = recordedSnapshotAt(timeline, timeline.events.length)!.inFlight;
      expect(at.every((event) => event >= 0)).toBe(true);
      expect(inconsistent).toEqual([]);
      const text = ({ from, to, kind }: { from: number; to: number; kind: string }) =>
        `${from} ${to} ${kind}`;
      expect(inTransit.map(text).sort()).toEqual(
        known.map(({ from, to, message }) => text({ from, to, kind: message.type })).sort(),
      );
    }
  });

  test('grows process by process', () => {
    const { traceIndex } = simulated(tokenRing, { n: 4, seed: 2, snapshot: [{ process: 2, at: 5 }] });
    expect(snapshotCutAt(traceIndex, traceIndex.recorded[2]!)).toBeNull();
    const first = snapshotCutAt(traceIndex, traceIndex.recorded[2]! + 1)!;
    expect([first.at.filter((event) => event >= 0).length, cutSegments(first)]).toEqual([1, [[2]]]);
    expect(cutSegments(snapshotCutAt(traceIndex)!)).toEqual([[0, 1, 2, 3]]);
    expect(cutSegments({ at: [3, -1, 4, 5], inTransit: [], inconsistent: [] })).toEqual([[0], [2, 3]]);
  });

  test('over unordered channels, inconsistent messages are found and drawn', () => {
    const found = Array.from({ length: 60 }, (_, seed) =>
      simulated(tokenRing, { n: 3, entries: 2, seed, channels: 'unordered', latency: 'uniform:1:40' }),
    ).find(({ timeline }) => timeline.verdict!.startsWith('the cut is consistent'))!;
    const { inconsistent } = snapshotCutAt(found.traceIndex)!;
    expect(inconsistent[0]).toMatchObject({ kind: 'token' });
    expect(drawn(found.traceIndex)).toContain('from the future into the past');
  });

  test('is drawn if there is one', () => {
    const { traceIndex } = simulated(raymond, { n: 3, seed: 1, snapshot: [{ process: 0, at: 10 }] });
    expect(drawn(traceIndex)).toContain('the cut');
    expect(drawn(traceIndex, 2)).not.toContain('the cut');
  });
});
