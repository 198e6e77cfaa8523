import { describe, expect, test } from 'vitest';
import { raymond, ricartAgrawala, tokenRing } from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import { cutSegments, snapshotCutAt, svgDiagram, TraceIndex } from '../../src/diagram/index.ts';
import type { Scenario } from '../../src/sim/index.ts';
import { recordedSnapshotAt, SimulatedTimeline } from '../../src/timeline/index.ts';

function ran(algorithm: typeof raymond | typeof tokenRing | typeof ricartAgrawala, scenario: Scenario) {
  const stage = new SimulatedTimeline(withSnapshots(algorithm), scenario);
  stage.advanceTo(5000);
  const chronicle = new TraceIndex(stage.setup.n);
  for (const event of stage.events) chronicle.add(event);
  return { stage, chronicle };
}

const drawn = (chronicle: TraceIndex, position?: number) =>
  svgDiagram(chronicle, {
    title: 'a run',
    names: Array.from({ length: chronicle.n }, (_, i) => `p${i}`),
    kinds: [...chronicle.sendsOfKind.keys()],
    ...(position !== undefined && { position }),
  });

describe('the cut of a snapshot', () => {
  test.each([raymond, tokenRing, ricartAgrawala])('has what was recorded on its way: %#', (algorithm) => {
    for (let seed = 0; seed < 30; seed += 1) {
      const { stage, chronicle } = ran(algorithm, { n: 5, entries: 2, seed });
      const { at, inTransit, inconsistent } = snapshotCutAt(chronicle)!;
      const known = recordedSnapshotAt(stage, stage.events.length)!.inFlight;
      expect(at.every((event) => event >= 0)).toBe(true);
      expect(inconsistent).toEqual([]);
      const text = ({ from, to, kind }: { from: number; to: number; kind: string }) =>
        `${from} ${to} ${kind}`;
      expect(inTransit.map(text).sort()).toEqual(
        known.map(({ from, to, message }) => text({ from, to, kind: message.type })).sort(),
      );
    }
  });

  test('comes about process by process', () => {
    const { chronicle } = ran(tokenRing, { n: 4, seed: 2, snapshot: [{ process: 2, at: 5 }] });
    expect(snapshotCutAt(chronicle, chronicle.recorded[2]!)).toBeNull();
    const first = snapshotCutAt(chronicle, chronicle.recorded[2]! + 1)!;
    expect([first.at.filter((event) => event >= 0).length, cutSegments(first)]).toEqual([1, [[2]]]);
    expect(cutSegments(snapshotCutAt(chronicle)!)).toEqual([[0, 1, 2, 3]]);
    expect(cutSegments({ at: [3, -1, 4, 5], inTransit: [], inconsistent: [] })).toEqual([[0], [2, 3]]);
  });

  test('without order, what comes from the future is found, and drawn', () => {
    const found = Array.from({ length: 60 }, (_, seed) =>
      ran(tokenRing, { n: 3, entries: 2, seed, channels: 'unordered', latency: 'uniform:1:40' }),
    ).find(({ stage }) => stage.verdict!.startsWith('the cut is consistent'))!;
    const { inconsistent } = snapshotCutAt(found.chronicle)!;
    expect(inconsistent[0]).toMatchObject({ kind: 'token' });
    expect(drawn(found.chronicle)).toContain('from the future into the past');
  });

  test('is in the drawing, if there is one', () => {
    const { chronicle } = ran(raymond, { n: 3, seed: 1, snapshot: [{ process: 0, at: 10 }] });
    expect(drawn(chronicle)).toContain('the cut');
    expect(drawn(chronicle, 2)).not.toContain('the cut');
  });
});
