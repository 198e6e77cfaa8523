// The search covers everything that the simulator can do: every run is a path in its state graph.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { type CheckConfig, configOf, type Space } from '../../src/check/config.ts';
import { MessagePassing } from '../../src/check/messages/message-passing.ts';
import type { MessageAction } from '../../src/check/messages/transitions.ts';
import { Model } from '../../src/check/model/model.ts';
import type { AnyAlgorithm, ChannelKind, Message, World } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import { parseTrace, type TraceEvent } from '../../src/core/trace.ts';
import { simulate } from '../../src/sim/index.ts';
import type { Setup } from '../../src/sim/scenario/setup.ts';

const limit = 2000; // events, for a run that does not end by itself

interface Moment {
  readonly event: TraceEvent;
  readonly world: string; // the world after the event
}

/** Returns the visible part of a world as text. If two links join the same two processes, it does not show which link carries a message. */
function textOf({ states, inFlight }: World<unknown, Message>, { n, channels, topology }: Setup): string {
  const held: string[][] = Array.from({ length: n * n }, () => []);
  for (const { from, to, message } of inFlight) held[from * n + to]!.push(encode(message));
  if (channels === 'unordered' || topology.isMultiple(0)) for (const messages of held) messages.sort();
  return encode({ states, held });
}

/** Returns the events of a run, each with the world after it, as the simulator shows it to lemmas. */
function run(scenario: Space, setup: Setup): Moment[] {
  const worlds: string[] = [];
  const lines: string[] = [];
  const look = (world: World<unknown, Message>) => worlds.push(textOf(world, setup)) > 0;
  const trace = (line: string) => lines.push(line);
  simulate(
    { ...(setup.algorithm as AnyAlgorithm), invariants: { look } },
    { ...scenario, limit },
    { invariants: true, trace },
  );
  const { events } = parseTrace(`${lines.join('\n')}\n`);
  return worlds.map((world, k) => ({ event: events[k]!, world }));
}

/** Returns the first event of a run that the graph does not have. Several of its worlds may look alike: clients and timers are not visible. */
function missing(config: CheckConfig, moments: readonly Moment[]): Moment | undefined {
  const medium = new MessagePassing(config);
  const model = new Model(medium);
  const looksLike = (world: Int32Array, { world: text }: Moment) =>
    textOf(medium.view(world, 0), config.setup) === text;
  const prologue = moments.filter(({ event }) => event.input.kind === 'begin').length;
  let here = [...model.initial()].map(({ world }) => world);
  if (prologue > 0) here = here.filter((world) => looksLike(world, moments[prologue - 1]!));
  return moments.slice(prologue).find((moment) => {
    const after = here.flatMap((world) => successors(model, world, moment.event));
    const alike = after.filter((world) => looksLike(world, moment));
    here = [...new Map(alike.map((world) => [world.join(), world])).values()];
    return here.length === 0;
  });
}

/** Returns the worlds to which an event of this kind at this process can lead. */
function successors(
  model: Model<MessageAction>,
  world: Int32Array,
  { process, input }: TraceEvent,
): Int32Array[] {
  const { successors, width } = model;
  model.expand(world, 0, 0);
  return Array.from({ length: successors.count }, (_, k) => k)
    .filter((k) => {
      const { process: i, action } = model.stepOf(successors.processAt(k), successors.effectAt(k));
      return i === process && action?.kind === input.kind;
    })
    .map((k) => successors.next.slice(k * width, (k + 1) * width));
}

const spaces = fc.record({
  n: fc.integer({ min: 2, max: 4 }),
  seed: fc.nat(),
  root: fc.nat({ max: 1 }),
  entries: fc.integer({ min: 1, max: 2 }),
  channels: fc.constantFrom<ChannelKind>('unordered', 'fifo', 'causal'), // also channels weaker than the algorithm assumes
  start: fc.constantFrom<NonNullable<Space['start']>>('all', [{ process: 0 }]),
});

const untimed = algorithms.filter(({ assumes }) => assumes.timing === 'asynchronous');

describe('every run of the simulator is a path in the graph', () => {
  test.each(untimed.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s',
    (_, { rounds, ...algorithm }) => {
      fc.assert(
        fc.property(spaces, (space) => {
          const config = configOf(algorithm, space, { reduction: false }); // without `rounds`, which the graph would count otherwise
          const moments = run(space, config.setup);
          expect(moments.length).toBeGreaterThan(0);
          expect(missing(config, moments)).toBeUndefined();
        }),
        { numRuns: 40 },
      );
    },
  );
});
