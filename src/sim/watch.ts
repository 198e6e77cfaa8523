import type { Address, AnyAlgorithm, Message, Pid, World } from '../core/algorithm.ts';
import { AssertionError, InputError } from '../core/assert.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import { unplain } from '../core/plain.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Application } from './application.ts';
import type { Codes } from './codes.ts';
import type { Setup } from './scenario.ts';
import type { Waiting } from './waiting.ts';
import type { Wheel } from './wheel.ts';

/** How closely to look. None of it changes the run. */
export interface Watch {
  readonly trace?: (line: string) => void;
  readonly record?: (event: TraceEvent) => void; // what the trace has a line for
  readonly stamps?: LogicalClock<unknown>; // what is recorded has its stamps
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // evaluate the algorithm's own lemmas after every event
  readonly observe?: (process: Pid, state: unknown) => void; // after every event that has a handler, once it is recorded
}

/** Where messages are: in the wheel, or come and waiting. */
export interface Whereabouts {
  readonly wheel: Wheel;
  readonly waiting: Waiting;
  readonly codes: Codes;
  readonly senderOf: (to: Pid, arrivesAs: number) => Pid;
  readonly messageIn: (content: unknown) => Message;
}

/** What can be seen of a run at this moment. */
export function worldOf(
  { algorithm, topology }: Setup,
  states: readonly unknown[],
  where: Whereabouts,
): World<unknown, Message> {
  const { wheel, waiting, codes, senderOf, messageIn } = where;
  const meant = (i: Pid, address: Address) =>
    algorithm.knows.includes('me') ? address : topology.to(i, address);
  const inFlight: World<unknown, Message>['inFlight'][number][] = [];
  const add = (to: Pid, code: number, detail: number, content: unknown) => {
    if (codes.isMessage(code)) inFlight.push({ from: senderOf(to, detail), to, message: messageIn(content) });
  };
  for (const [to, { code, detail, content }] of waiting.all()) add(to, code, detail, content);
  for (const slot of wheel.pending()) {
    add(wheel.process[slot]!, wheel.code[slot]!, wheel.detail[slot]!, wheel.content[slot]);
  }
  return { states, inFlight, meant, sender: senderOf };
}

/** What is wrong with the whole world, where somebody wants to know. */
export function judge(
  algorithm: AnyAlgorithm,
  watch: Watch,
  application: Application,
  world: () => World<unknown, Message>,
  now: number,
): Violation[] {
  const misrecorded = application.misrecorded(() => algorithm.snapshots!.recorded(world()));
  if (misrecorded !== null) return [misrecorded];
  if (!watch.invariants && !application.isDisturbed) return [];
  const seen = world();
  const broken = watch.invariants ? brokenLemmas(algorithm, seen, now) : [];
  const isUnsettled = application.isDisturbed
    ? application.sees(algorithm.stabilises!.legitimate(seen))
    : null;
  return isUnsettled === null ? broken : [...broken, isUnsettled];
}

/** The algorithm's lemmas that do not hold in this world. */
function brokenLemmas(
  { invariants = {} }: AnyAlgorithm,
  world: World<unknown, Message>,
  now: number,
): Violation[] {
  return Object.entries(invariants)
    .filter(([, holds]) => !holds(world))
    .map(([property]) => ({ property, why: `it fails at time ${now}` }));
}

/** What a handler threw, so that what a watcher throws is not taken for it. */
export class HandlerFailure extends Error {}

/** What to say of an error during a run. Where somebody watches, only a HandlerFailure is the algorithm's; others go on up. */
export function blame(error: unknown, isWatched: boolean, process: Pid): Violation {
  const thrown = error instanceof HandlerFailure ? error.cause : error;
  if (thrown instanceof InputError || (isWatched && !(error instanceof HandlerFailure))) throw thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof AssertionError) return breach(process, why);
  return { property: 'the handlers do not fail', why: `at process ${process}: ${why}` };
}

const breach = (process: Pid, why: string): Violation => ({
  property: 'the contract is kept',
  why: `at process ${process}: ${why}`,
});

/** What a handler made of a state is none any more. */
export function spoilt(process: Pid, state: unknown): Violation | null {
  const flaw = unplain(state, 'its state');
  return flaw === null ? null : breach(process, flaw);
}
