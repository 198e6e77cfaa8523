// Random scenarios: watching does not change a run, the head of its trace reproduces it, and the trace replays and can be drawn.
import { expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { mermaidDiagram, shivizLog, textDiagram } from '../../src/diagram/index.ts';
import { mutants } from '../../src/mutants/index.ts';
import {
  type CommonFault,
  type Fault,
  parseScenario,
  replay,
  type Scenario,
  simulate,
} from '../../src/sim/index.ts';
import { seedsOf } from '../tiers.ts';

const count = seedsOf(3000);

const all = [...algorithms, ...mutants];

function faultsFor(random: Random, n: number): Fault[] {
  const faults: Fault[] = [];
  for (let k = random.below(4); k > 0; k -= 1) {
    const [process, at] = [random.below(n), random.below(60)];
    const until = at + 1 + random.below(90);
    const which = random.below(5);
    if (which === 0) faults.push({ type: 'pause', process, at, until });
    else if (which === 1)
      faults.push({
        type: 'partition',
        side: [process],
        at,
        until: random.below(5) === 0 ? Infinity : until,
      });
    else if (which === 4) faults.push({ type: 'lose', message: at });
    else faults.push({ type: 'crash', process, at });
    if (which === 3) faults.push({ type: 'restart', process, at: until });
  }
  return faults;
}

const corruptions = (random: Random, n: number) =>
  Array.from({ length: random.below(4) }, () => {
    const process = random.below(3) === 0 ? ('all' as const) : random.below(n);
    return { type: 'corrupt', process, at: random.below(60) } as Fault | CommonFault;
  });

function anything(random: Random): Scenario {
  const one = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const n = 1 + random.below(6);
  return {
    n,
    seed: random.below(1_000_000),
    entries: 1 + random.below(3),
    latency: one([
      'uniform:1:10',
      'fixed:0',
      'fixed:1',
      'uniform:0:3',
      'exponential:20',
      'uniform:1:3000000',
      'fixed:1500000',
    ]),
    channels: one(['unordered', 'fifo', 'causal']),
    loss: one([0, 0, 0.05, 0.3]),
    duplication: one([0, 0, 0.05, 0.3]),
    ...(random.below(3) === 0 ? { clocks: Array.from({ length: n }, () => 1 + random.below(5)) } : {}),
    ...(random.below(3) === 0 ? { start: [{ process: random.below(n), at: random.below(50) }] } : {}),
    faults: faultsFor(random, n),
    limit: 3000,
  };
}

test(`${count} random scenarios: watching changes nothing, traces replay and can be drawn`, () => {
  const random = new Random(2026, 'anything');
  for (let k = 0; k < count; k += 1) {
    const algorithm = all[random.below(all.length)]!;
    const drawn = anything(random);
    const scenario: Scenario = {
      ...drawn,
      ...(algorithm.perpetual && drawn.latency === 'fixed:0' ? { latency: 'fixed:1' } : {}),
      ...(algorithm.stabilises
        ? { faults: [...drawn.faults!, ...corruptions(random, drawn.n!)], limit: 300 }
        : {}),
    };
    const about = `${algorithm.name} ${JSON.stringify(scenario)}`;
    const lines: string[] = [];
    const run = simulate(algorithm, scenario, { trace: (line) => lines.push(`${line}\n`) });
    expect(simulate(algorithm, scenario), about).toEqual(run);
    const trace = parseTrace(lines.join(''));
    expect(trace.events.at(-1)?.time ?? 0, about).toBe(run.time);
    expect(replay(algorithm, trace), about).toEqual({
      ok: true,
      events: trace.events.length,
      firstDifference: null,
    });
    const again: string[] = [];
    simulate(algorithm, parseScenario(trace.scenario), { trace: (line) => again.push(`${line}\n`) });
    expect(again.join(''), about).toBe(lines.join(''));
    for (const draw of [textDiagram, mermaidDiagram, shivizLog])
      expect(draw(trace).length).toBeGreaterThan(0);
  }
});
