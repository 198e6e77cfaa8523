import type { Message, Pid, World } from '../core/algorithm.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { DeclaredAlgorithm, InFlight } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import type { DeferredEvents } from './events/deferred-events.ts';
import type { EventCodes } from './events/event-codes.ts';
import type { TimingWheel } from './events/timing-wheel.ts';
import type { Application } from './processes/application.ts';

/** How closely to look. None of it changes the run. */
export interface WatchOptions {
  readonly trace?: (line: string) => void;
  readonly record?: (event: TraceEvent) => void; // what the trace has a line for
  readonly stamps?: LogicalClock<unknown>; // what is recorded has its stamps
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // evaluate the algorithm's own lemmas after every event
  readonly observe?: (process: Pid, state: object) => void; // after every event that has a handler, once it is recorded
}

/** Where messages are: in the wheel, or come and waiting. */
export interface PendingMessages {
  readonly wheel: TimingWheel;
  readonly waiting: DeferredEvents;
  readonly codes: EventCodes;
  readonly senderOf: (to: Pid, arrivesAs: number) => Pid;
  readonly messageIn: (content: unknown) => Message;
}

/** The messages on their way, those that have come and wait included. */
export function inFlightIn({ wheel, waiting, codes, senderOf, messageIn }: PendingMessages): InFlight[] {
  const inFlight: InFlight[] = [];
  const add = (to: Pid, code: number, detail: number, content: unknown) => {
    if (codes.isMessage(code)) inFlight.push({ from: senderOf(to, detail), to, message: messageIn(content) });
  };
  for (const [to, { code, detail, content }] of waiting.all()) add(to, code, detail, content);
  for (const slot of wheel.pending()) {
    add(wheel.process[slot]!, wheel.code[slot]!, wheel.detail[slot]!, wheel.content[slot]);
  }
  return inFlight;
}

/** What is wrong with the whole world, where somebody wants to know. */
export function globalStateViolations(
  algorithm: DeclaredAlgorithm,
  watch: WatchOptions,
  application: Application,
  world: () => object,
  now: number,
): Violation[] {
  const misrecorded = application.snapshotViolation(() =>
    algorithm.snapshots!.recorded(world() as World<unknown, Message>),
  );
  if (misrecorded !== null) return [misrecorded];
  if (!watch.invariants && !application.isDisturbed) return [];
  const seen = world();
  const broken = watch.invariants ? invariantViolations(algorithm, seen, now) : [];
  const isUnsettled = application.isDisturbed
    ? application.observeLegitimacy(algorithm.stabilises!.legitimate(seen))
    : null;
  return isUnsettled === null ? broken : [...broken, isUnsettled];
}

/** The algorithm's lemmas that do not hold in this world. */
function invariantViolations(
  { invariants = {} }: DeclaredAlgorithm,
  world: object,
  now: number,
): Violation[] {
  return Object.entries(invariants)
    .filter(([, holds]) => !holds(world as never))
    .map(([property]) => ({ property, why: `it fails at time ${now}` }));
}

/** What a handler threw, so that what a watcher throws is not taken for it. */
export class HandlerFailure extends Error {}
