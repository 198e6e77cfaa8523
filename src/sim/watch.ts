import type { Message, Pid, World } from '../core/algorithm.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Declared, InFlight } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Application } from './application.ts';
import type { Codes } from './codes.ts';
import type { Waiting } from './waiting.ts';
import type { Wheel } from './wheel.ts';

/** How closely to look. None of it changes the run. */
export interface Watch {
  readonly trace?: (line: string) => void;
  readonly record?: (event: TraceEvent) => void; // what the trace has a line for
  readonly stamps?: LogicalClock<unknown>; // what is recorded has its stamps
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // evaluate the algorithm's own lemmas after every event
  readonly observe?: (process: Pid, state: object) => void; // after every event that has a handler, once it is recorded
}

/** Where messages are: in the wheel, or come and waiting. */
export interface Whereabouts {
  readonly wheel: Wheel;
  readonly waiting: Waiting;
  readonly codes: Codes;
  readonly senderOf: (to: Pid, arrivesAs: number) => Pid;
  readonly messageIn: (content: unknown) => Message;
}

/** The messages on their way, those that have come and wait included. */
export function inFlightIn({ wheel, waiting, codes, senderOf, messageIn }: Whereabouts): InFlight[] {
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
export function judge(
  algorithm: Declared,
  watch: Watch,
  application: Application,
  world: () => object,
  now: number,
): Violation[] {
  const misrecorded = application.misrecorded(() =>
    algorithm.snapshots!.recorded(world() as World<unknown, Message>),
  );
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
function brokenLemmas({ invariants = {} }: Declared, world: object, now: number): Violation[] {
  return Object.entries(invariants)
    .filter(([, holds]) => !holds(world as never))
    .map(([property]) => ({ property, why: `it fails at time ${now}` }));
}

/** What a handler threw, so that what a watcher throws is not taken for it. */
export class HandlerFailure extends Error {}
