// Executes the loop of a trace twice, and returns the world before it, after it, and after the second round.
import type { AnyAlgorithm, Message } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import { type AnySharedAlgorithm, isShared } from '../../src/core/shared-algorithm.ts';
import { messageText, outputsText, type Trace, type TraceEvent } from '../../src/core/trace.ts';
import type { MemoryMachine } from '../../src/machine/index.ts';
import { Replayer, stepText } from '../../src/sim/replay.ts';
import { parseScenario } from '../../src/sim/scenario/scenario-fields.ts';
import { prepare } from '../../src/sim/scenario/setup.ts';

interface Run {
  step(event: TraceEvent): void;
  world(): string;
}

export function round(algorithm: AnyAlgorithm | AnySharedAlgorithm, trace: Trace, loop: number) {
  const run = isShared(algorithm) ? onMemory(algorithm, trace) : byMessages(algorithm, trace);
  const go = (events: readonly TraceEvent[]) => {
    for (const event of events) run.step(event);
    return run.world();
  };
  const before = go(trace.events.slice(0, loop));
  const after = go(trace.events.slice(loop));
  return { before, after, again: go(trace.events.slice(loop)) };
}

function onMemory(algorithm: AnySharedAlgorithm, { scenario }: Trace): Run {
  const replayer = new Replayer(prepare(algorithm, parseScenario(scenario)));
  return {
    step(event) {
      const did = stepText(replayer.step(event));
      if (did !== outputsText(event.outputs)) throw new Error(`it did ${did}`);
    },
    world: () => JSON.stringify([(replayer.machine as MemoryMachine).memory, replayer.states]),
  };
}

/** Messages have other serial numbers in the second round, so their content identifies them. The same holds for armed timers. */
function byMessages(algorithm: AnyAlgorithm, { scenario }: Trace): Run {
  const replayer = new Replayer(prepare(algorithm, parseScenario(scenario)));
  const timers = new Map<string, string>();
  let inFlight: { readonly serial: number; readonly text: string }[] = [];
  const take = (process: number, { from, message }: { from: number; message: Message }) => {
    const sent = inFlight.find(({ text }) => text === `${from} to ${process}: ${messageText(message)}`)!;
    inFlight = inFlight.filter((one) => one !== sent);
    return sent.serial;
  };
  return {
    step(event) {
      const { process } = event;
      let { input } = event;
      if (input.kind === 'recv') input = { ...input, serial: take(process, input) };
      if (input.kind === 'timer') timers.delete(`${process} ${input.message.type}`);
      const did = replayer.step({ ...event, input });
      if (typeof did === 'string' || nameless(outputsText(did)) !== nameless(outputsText(event.outputs)))
        throw new Error(`it did ${stepText(did)}`);
      for (const output of did) {
        if (output.kind === 'send')
          inFlight.push({
            serial: output.serial,
            text: `${process} to ${output.to}: ${messageText(output.message)}`,
          });
        if (output.kind === 'after')
          timers.set(`${process} ${output.message.type}`, messageText(output.message));
        if (output.kind === 'cancel') timers.delete(`${process} ${output.type}`);
      }
    },
    // Sorts the messages by channel. Those of one channel keep their order.
    world: () => {
      const channelOf = (text: string) => text.slice(0, text.indexOf(':'));
      const texts = inFlight.map(({ text }) => text);
      const sorted = texts.sort((a, b) =>
        channelOf(a) < channelOf(b) ? -1 : channelOf(a) > channelOf(b) ? 1 : 0,
      );
      return encode({ states: replayer.states as never, inFlight: sorted, timers: [...timers].sort() });
    },
  };
}

const nameless = (outputs: string): string => outputs.replace(/#\d+ /g, '');
