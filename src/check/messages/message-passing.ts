import type { Message, Pid, World } from '../../core/algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { CheckConfig } from '../config.ts';
import { allFlags, channelPositionIn, effectField, effectFlag } from '../model/effect-table.ts';
import type { Medium, Step } from '../model/medium.ts';
import { type Successors, stepMark } from '../model/successors.ts';
import { messageTrace } from '../path.ts';
import { MessageCounts } from '../properties/message-counts.ts';
import { clientsIn } from '../properties/property-cache.ts';
import { EarlyDelivery } from '../reduction/early-delivery.ts';
import { SleepSets } from '../reduction/sleep-sets.ts';
import { EnabledEffects } from './enabled.ts';
import { MessageLiveness } from './message-liveness.ts';
import type { MessageAction } from './transitions.ts';
import { requestsInFlight, worldAt } from './world-view.ts';

/** Channels between processes that send messages. The state of a process is its site; the variables count messages, by groups. */
export class MessagePassing implements Medium<MessageAction> {
  readonly config: CheckConfig;
  readonly states: EnabledEffects;
  readonly liveness: MessageLiveness;
  readonly sleepSets: SleepSets | null;
  readonly hasAmpleSets: boolean;
  readonly earlyDelivery: EarlyDelivery | null;
  readonly prologue: readonly MessageAction[];
  readonly request: MessageAction;
  readonly variables: readonly number[];
  readonly lemmas: Medium['lemmas'];
  readonly help = 'message';
  readonly #n: number;
  readonly #visible: number; // flags of effects that others feel at once
  readonly #forgetsCrashed: boolean; // causal channels do not wait for who has crashed
  readonly #messageCounts: MessageCounts;
  readonly #counts: boolean; // messages
  readonly #groups: number[] = []; // of items

  constructor(config: CheckConfig) {
    const { symmetric, bypass, capacity, crashes, corrupted, setup } = config;
    const { algorithm, n } = setup;
    this.config = config;
    this.#n = n;
    this.states = new EnabledEffects(config);
    this.liveness = new MessageLiveness(config, this);
    // Not where a channel that gets free lets a timer of another process end, nor where processes change places.
    this.sleepSets = capacity === Infinity && !symmetric ? new SleepSets(this.states) : null;
    this.hasAmpleSets = config.ampleSets;
    this.earlyDelivery = config.earlyDelivery ? new EarlyDelivery(this.states) : null;
    this.prologue = [
      ...(algorithm.begin ? [{ kind: 'begin' } as const] : []),
      ...(corrupted ? [{ kind: 'corrupt' } as const] : []),
    ];
    this.request = { kind: 'call', name: algorithm.problem === 'mutex' ? 'request' : 'start' };
    this.#messageCounts = new MessageCounts(config);
    this.variables = this.#messageCounts.groups.map(() => 0);
    this.#counts = this.variables.length > 0;
    this.lemmas = (config.lemmas && algorithm.invariants) || {};
    this.#visible = ~allFlags | (bypass.length > 0 ? effectFlag.enters : 0);
    this.#forgetsCrashed = this.states.processStates.causal && crashes > 0;
  }

  /** There is room on every channel on which it would send. */
  mayFire(worlds: Int32Array, offset: number, i: Pid, at: number): boolean {
    const { capacity } = this.config;
    const { table } = this.states.effects;
    const end = capacity < Infinity ? this.states.effects.after(at) : at;
    for (let send = at + effectField.size; send < end; send += 2) {
      const state = worlds[offset + this.#position(i, table[send]!)]!;
      if (this.states.processStates.countOnChannelOf(state, table[send + 1]!) >= capacity) return false;
    }
    return true;
  }

  /** Where something is that process i names. */
  #position(i: Pid, named: number): Pid {
    return this.states.processStates.symmetric ? (i + named) % this.#n : named;
  }

  /** Its changes are messages: the receiver and the item of each. */
  apply(expansion: Successors, base: number, i: Pid, at: number, before: number, asleep: number): number {
    const { next } = expansion;
    const { table } = this.states.effects;
    const { processStates } = this.states;
    const flags = table[at + effectField.flags]!;
    const isFelt = (flags & this.#visible) !== 0;
    if (isFelt) this.#affectOthers(next, base, i, flags);
    let still = isFelt || asleep === 0 ? 0 : this.sleepSets!.after(before, i, at, asleep);
    const end = at + effectField.size + 2 * table[at + effectField.changes]!;
    for (let send = at + effectField.size; send < end; send += 2) {
      const to = this.#position(i, table[send]!);
      const cell = processStates.sendCell(next[base + to]!, table[send + 1]!);
      const after = processStates.sends.valueAt(cell);
      if (still !== 0) still = this.sleepSets!.afterSend(next[base + to]!, to, cell, still);
      next[base + to] = after;
      if (this.#counts) this.#count(next, base, table[send + 1]!);
    }
    return this.#forgetsCrashed && this.#forget(next, base, i, at) ? 0 : still;
  }

  #count(worlds: Int32Array, base: number, envelope: number): void {
    this.#groups[envelope] ??= this.#messageCounts.groupOf(
      this.states.processStates.envelopes.of(envelope).message,
    );
    if (this.#groups[envelope] >= 0) worlds[base + this.#n + this.#groups[envelope]]! += 1;
  }

  /** Others feel an effect at process i at once: they no longer wait for a message that arrived or was lost, or they were passed by. */
  #affectOthers(next: Int32Array, base: number, i: Pid, flags: number): void {
    const place = channelPositionIn(flags);
    for (let j = 0; j < this.#n && place >= 0; j += 1)
      if (j !== i) next[base + j] = this.states.processStates.afterArrivalElsewhere(next[base + j]!, place);
    if ((flags & this.#visible & effectFlag.enters) !== 0) this.#pass(next, base, i);
  }

  /** What was sent to who has crashed, or just crashes, is waited for by nobody; true if there is such a thing. */
  #forget(next: Int32Array, base: number, i: Pid, at: number): boolean {
    const { table } = this.states.effects;
    const { processStates } = this.states;
    const crashed = (table[at + effectField.flags]! & effectFlag.crash) !== 0 ? [i] : [];
    for (let send = at + effectField.size; send < this.states.effects.after(at); send += 2) {
      const to = table[send]!;
      if (processStates.clientAt(next[base + to]!).phase === 'crashed') crashed.push(to);
    }
    for (const process of crashed)
      for (let j = 0; j < this.#n; j += 1)
        next[base + j] = processStates.afterCrashOf(next[base + j]!, process);
    return crashed.length > 0;
  }

  /** Process i has entered: who waits has been passed by once more. */
  #pass(worlds: Int32Array, base: number, i: Pid): void {
    const { bypass } = this.config;
    const { processStates } = this.states;
    const asking = requestsInFlight(this.view(worlds, base));
    const anybody = asking.some((requests) => requests > 0);
    for (let j = 0; j < this.#n; j += 1) {
      if (j === i || processStates.clientAt(worlds[base + j]!).phase !== 'waiting') continue;
      const doesCount = { request: true, heard: asking[j] === 0, quiet: !anybody };
      const counts = bypass.reduce((bits, { from }, k) => bits | (doesCount[from] ? 1 << k : 0), 0);
      worlds[base + j] = processStates.afterEntryElsewhere(worlds[base + j]!, counts);
    }
  }

  /** Time passes if nothing must happen before, and if there is something to wait for. */
  complete(expansion: Successors, worlds: Int32Array, offset: number): void {
    const { processStates } = this.states;
    if (!processStates.timed) return;
    let isAwaited = false;
    let mayStart = false;
    for (let i = 0; i < this.#n; i += 1) {
      const state = worlds[offset + i]!;
      if (processStates.afterTick(state) < 0) return;
      if (processStates.awaitsTime(state)) isAwaited = true;
      if (processStates.clientAt(state).left > 0) mayStart = true;
    }
    if (!isAwaited && !(mayStart && this.config.setup.clocks !== null)) return;
    if (isAwaited) expansion.mustContinue = true;
    const base = expansion.append(worlds, offset, -1, 0, stepMark.none);
    for (let i = 0; i < this.#n; i += 1)
      expansion.next[base + i] = processStates.afterTick(worlds[offset + i]!);
  }

  isQuiescent(worlds: Int32Array, offset: number): boolean {
    const { states } = this;
    for (let i = 0; i < this.#n; i += 1) {
      const state = worlds[offset + i]!;
      if (
        states.mustContinue(state) ||
        (states.processStates.timed && states.processStates.awaitsTime(state))
      )
        return false;
    }
    return true;
  }

  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return this.#overBound('broken', worlds, offset) ?? this.liveness.brokenWhenQuiescent(worlds, offset);
  }

  exceeded(worlds: Int32Array, offset: number): Violation | null {
    return this.#overBound('exceeded', worlds, offset);
  }

  #overBound(how: 'broken' | 'exceeded', worlds: Int32Array, offset: number): Violation | null {
    if (!this.#counts) return null;
    const counts = worlds.subarray(offset + this.#n, offset + this.#n + this.variables.length);
    return this.#messageCounts[how](clientsIn(this, worlds, offset), counts);
  }

  view(worlds: Int32Array, offset: number): World<unknown, Message> {
    return worldAt(this.config, this.states.processStates, worlds, offset);
  }

  traceOf(steps: readonly Step<MessageAction>[], verdict: string, loop?: number): Trace {
    return messageTrace(this, steps, verdict, loop);
  }
}
