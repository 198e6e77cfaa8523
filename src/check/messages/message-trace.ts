import type { Message, Pid } from '../../core/algorithm.ts';
import { encode } from '../../core/plain-data.ts';
import type { Trace, TraceInput } from '../../core/trace.ts';
import { type CheckConfig, isTimed } from '../config.ts';
import { CounterexampleWriter, notDeterministic } from '../counterexample.ts';
import type { Step } from '../model/medium.ts';
import type { ProcessStateTable } from './process-states.ts';
import type { MessageAction } from './transitions.ts';

/** A message that was sent in the run being written. */
interface SentEnvelope {
  readonly serial: number;
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: number;
  readonly message: Message;
  readonly chain: number; // see `Envelope`
  isOver: boolean;
  isRepeated: boolean;
}

/** Returns the trace of a run, with the output of every handler. `loop` is the number of steps after which the run repeats without end. */
export function messageTrace(
  { setup }: CheckConfig,
  processStates: ProcessStateTable,
  steps: readonly Step<MessageAction>[],
  verdict: string,
  loop?: number,
): Trace {
  const { n, topology, algorithm, channels } = setup;
  const writer = new CounterexampleWriter(setup);
  const inFlight: SentEnvelope[] = [];
  const chains = Array<number>(n).fill(0); // the longest that ends at each process
  let time = 0;

  function execute(process: Pid, input: TraceInput, coins: readonly number[] = []): void {
    for (const output of writer.event(time, process, input, coins)) {
      if (output.kind !== 'send') continue;
      const { serial, to, message } = output;
      const link = output.link ?? topology.link(process, to);
      const arrivesAs = algorithm.knows.includes('me') ? process : topology.arrival(process, link);
      const chain = processStates.chains?.withMessage(chains[process]!, message) ?? 0;
      inFlight.push({
        serial,
        from: process,
        to,
        arrivesAs,
        message,
        chain,
        isOver: false,
        isRepeated: false,
      });
    }
  }

  function receiveOrLose(
    process: Pid,
    action: MessageAction & { kind: 'recv' | 'lose' },
    coins: readonly number[],
  ): void {
    const { from: named, arrivesAs, message, chain, copy } = processStates.envelopes.of(action.envelope);
    const from = processStates.symmetric ? (process + named) % n : named;
    const code = encode(message);
    const channel = inFlight.filter(
      (one) => !one.isOver && one.to === process && one.from === from && one.arrivesAs === arrivesAs,
    );
    const sent =
      action.kind === 'lose' && channels !== 'unordered'
        ? channel.filter(({ isRepeated }) => !processStates.causal || isRepeated === copy)[action.ahead]
        : channel.find((one) => one.chain === chain && encode(one.message) === code);
    if (sent === undefined) throw notDeterministic(setup);
    const { serial } = sent;
    if (sent.isRepeated) execute(process, { kind: 'repeat', serial });
    if (action.kind === 'recv' && action.again) sent.isRepeated = true;
    else sent.isOver = true;
    if (action.kind === 'lose') execute(process, { kind: 'lose', serial });
    else {
      chains[process] = Math.max(chains[process]!, chain);
      execute(process, { kind: 'recv', serial, message: sent.message, from }, coins);
    }
  }

  steps.forEach(({ process, action, coins }, k) => {
    if (k === loop) writer.markLoop();
    const isPrologue = action?.kind === 'begin' || action?.kind === 'corrupt';
    if (action === null || (!isTimed(setup) && !isPrologue)) time += 1;
    if (action?.kind === 'recv' || action?.kind === 'lose') receiveOrLose(process, action, coins);
    else if (action !== null) execute(process, action, coins);
  });
  return writer.finish(verdict);
}
