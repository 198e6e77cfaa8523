// Tests the theorem of Chandy and Lamport. The events of a run are reordered, those before the cut first. They are then a run of the
// underlying algorithm that passes through the recorded state and ends in the same state.
import type { AnyAlgorithm, Message, Pid, Snapshots, World } from '../../src/core/algorithm.ts';
import { InputError } from '../../src/core/assert.ts';
import { encode } from '../../src/core/plain-data.ts';
import {
  messageText,
  outputsText,
  type Trace,
  type TraceEvent,
  type TraceOutput,
} from '../../src/core/trace.ts';
import { addressing } from '../../src/machine/index.ts';
import { Replayer, stepText } from '../../src/sim/replay.ts';
import { parseScenario } from '../../src/sim/scenario/scenario-fields.ts';
import { prepare, type Setup } from '../../src/sim/scenario/setup.ts';

/** Why the recorded global state does not lie between the beginning and the end of the run; null if it does. */
export function whyNotBetween(algorithm: AnyAlgorithm, trace: Trace): string | null {
  const { snapshots } = algorithm;
  if (snapshots === undefined) throw new InputError(`${algorithm.name} takes no snapshots`);
  const { snapshot: _, ...scenario } = parseScenario(trace.scenario);
  const setup = prepare(algorithm, scenario);
  const whole = new Replayer(setup);
  for (const event of trace.events) whole.step(event);
  const recorded = snapshots.recorded({
    states: whole.states,
    inFlight: [],
    ...addressing(setup.algorithm, setup.topology),
  });
  if (recorded === null) return 'no snapshot was completed';

  const beneath = prepare(snapshots.of, scenario);
  const machine = new Replayer(beneath);
  const sides = permuted(trace.events, snapshots);
  const inTheMiddle = replayed(machine, sides.before) ?? difference(beneath, recorded, machine, sides.before);
  if (inTheMiddle !== null) return inTheMiddle;
  const atTheEnd = whole.states.map((state) => (state as { run: unknown }).run);
  return (
    replayed(machine, sides.after) ??
    (encode(machine.states) === encode(atTheEnd) ? null : 'it ends in another state')
  );
}

/** The events of the underlying algorithm before and after the cut, each side in order, with messages renumbered. */
export function permuted(
  events: readonly TraceEvent[],
  { marker }: Pick<Snapshots, 'marker'>,
): { readonly before: TraceEvent[]; readonly after: TraceEvent[] } {
  const sides = { before: [] as TraceEvent[], after: [] as TraceEvent[] };
  const recorded = new Set<Pid>();
  const markers = new Set<number>();
  for (const event of events) {
    const { input, outputs, process } = event;
    const isOurs =
      (input.kind === 'call' && input.name === 'snapshot') ||
      ('serial' in input && markers.has(input.serial));
    const isOwn = (output: TraceOutput) =>
      output.kind === 'send'
        ? output.message.type !== marker
        : output.kind !== 'emit' || !['recorded', 'complete'].includes(output.event.type);
    if (!isOurs)
      sides[recorded.has(process) ? 'after' : 'before'].push({ ...event, outputs: outputs.filter(isOwn) });
    for (const output of outputs) {
      if (output.kind === 'send' && !isOwn(output)) markers.add(output.serial);
      if (output.kind === 'emit' && output.event.type === 'recorded') recorded.add(process);
    }
  }
  const numbers = new Map<number, number>();
  return { before: renumbered(sides.before, numbers), after: renumbered(sides.after, numbers) };
}

function renumbered(events: readonly TraceEvent[], numbers: Map<number, number>): TraceEvent[] {
  return events.map((event) => {
    const { input } = event;
    const outputs = event.outputs.map((output) => {
      if (output.kind !== 'send') return output;
      numbers.set(output.serial, numbers.size);
      return { ...output, serial: numbers.get(output.serial)! };
    });
    if (!('serial' in input)) return { ...event, outputs };
    return { ...event, outputs, input: { ...input, serial: numbers.get(input.serial) ?? -1 } }; // -1 if not yet sent
  });
}

function replayed(machine: Replayer, events: readonly TraceEvent[]): string | null {
  for (const event of events) {
    const expected = outputsText(event.outputs);
    const actual = stepText(machine.step(event));
    if (actual !== expected)
      return `process ${event.process} at ${event.time}: '${actual}', not '${expected}'`;
  }
  return null;
}

function difference(
  { topology, n }: Setup,
  recorded: World<unknown, Message>,
  machine: Replayer,
  before: readonly TraceEvent[],
): string | null {
  const other = recorded.states.findIndex((state, i) => encode(state) !== encode(machine.states[i]));
  if (other >= 0) return `process ${other} was never in the state that it recorded`;
  const channels: string[][] = Array.from({ length: n * n }, () => []);
  const received = new Set(before.flatMap(({ input }) => ('serial' in input ? [input.serial] : [])));
  for (const { process, outputs } of before)
    for (const output of outputs)
      if (output.kind === 'send' && !received.has(output.serial))
        channels[process * n + output.to]!.push(messageText(output.message));
  for (let from = 0; from < n; from += 1) {
    for (let to = 0; to < n; to += 1) {
      const there = channels[from * n + to]!;
      const noted = recorded.inFlight
        .filter((one) => one.from === from && one.to === to)
        .map(({ message }) => messageText(message));
      // Two links between the same processes have separate orders.
      const [a, b] = topology.isMultiple(from) ? [there.sort(), noted.sort()] : [there, noted];
      if (encode(a) !== encode(b)) return `from ${from} to ${to} there was ${encode(a)}, not ${encode(b)}`;
    }
  }
  return null;
}
