import type { Message, Pid, World } from '../../core/algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { CheckConfig } from '../config.ts';
import { type EffectId, type EnvelopeId, type ProcessStateId, stateAt } from '../ids.ts';
import { allFlags, channelPositionIn, effectField, effectFlag } from '../model/effect-table.ts';
import type { Medium, Step } from '../model/medium.ts';
import { type Successors, stepMark } from '../model/successors.ts';
import { SizeBounds } from '../properties/measured-bounds.ts';
import { initiatorsAmong, MessageCounts } from '../properties/message-counts.ts';
import { clientsIn } from '../properties/properties.ts';
import { EarlyDelivery } from '../reduction/early-delivery.ts';
import { SleepSets } from '../reduction/sleep-sets.ts';
import { EnabledEffects } from './enabled.ts';
import { MessageLiveness } from './message-liveness.ts';
import { messageTrace } from './message-trace.ts';
import { RoundShift } from './round-shift.ts';
import type { MessageAction } from './transitions.ts';
import { requestsInFlight, worldAt } from './world-view.ts';

/** Processes that send messages over channels. The state of a process includes its inbox; the variables count messages, by groups, and keep sizes. */
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
  readonly normalise: Medium['normalise'];
  readonly help = 'message';
  readonly #n: number;
  readonly #visible: number; // flags of effects that change other processes at once
  readonly #forgetsCrashed: boolean; // causal channels do not wait for messages to a crashed process
  readonly #messageCounts: MessageCounts;
  readonly #countsMessages: boolean;
  readonly #groups: number[] = []; // by envelope: the group it is counted in, or -1
  readonly #sizes: SizeBounds;
  readonly #keepsSizes: boolean;

  constructor(config: CheckConfig) {
    const { symmetric, bypass, capacity, crashes, corrupted, setup } = config;
    const { algorithm, n } = setup;
    this.config = config;
    this.#n = n;
    this.states = new EnabledEffects(config);
    this.liveness = new MessageLiveness(config, this.states);
    // Events do not commute where room on a channel lets a timer of another process fire, nor where worlds are rotated or rounds shifted.
    const rounds = algorithm.rounds ? new RoundShift(this.states.processStates) : null;
    this.normalise = rounds?.normalise.bind(rounds) ?? null;
    this.sleepSets = capacity === Infinity && !symmetric && !rounds ? new SleepSets(this.states) : null;
    this.hasAmpleSets = config.ampleSets;
    this.earlyDelivery = config.earlyDelivery ? new EarlyDelivery(this.states) : null;
    this.prologue = [
      ...(algorithm.begin ? [{ kind: 'begin' } as const] : []),
      ...(corrupted ? [{ kind: 'corrupt' } as const] : []),
    ];
    this.request = { kind: 'call', name: algorithm.problem === 'mutex' ? 'request' : 'start' };
    this.#messageCounts = new MessageCounts(config);
    this.#sizes = new SizeBounds(config);
    this.#countsMessages = this.#messageCounts.groups.length > 0;
    this.#keepsSizes = this.#sizes.width > 0;
    this.variables = Array<number>(this.#messageCounts.groups.length + this.#sizes.width).fill(0);
    this.#visible = ~allFlags | (bypass.length > 0 ? effectFlag.enters : 0);
    this.#forgetsCrashed = this.states.processStates.causal && crashes > 0;
  }

  /** A timer waits while a channel it would send on is full. */
  mayFire(worlds: Int32Array, offset: number, i: Pid, effect: EffectId): boolean {
    const { capacity } = this.config;
    const { table } = this.states.effects;
    const end = capacity < Infinity ? this.states.effects.after(effect) : effect;
    for (let send = effect + effectField.size; send < end; send += 2) {
      const state = stateAt(worlds, offset, this.#position(i, table[send]!));
      const envelope = table[send + 1]! as EnvelopeId;
      if (this.states.processStates.countOnChannelOf(state, envelope) >= capacity) return false;
    }
    return true;
  }

  /** Returns the process that an effect at process i names. On a symmetric ring it names distances. */
  #position(i: Pid, named: number): Pid {
    return this.states.processStates.symmetric ? (i + named) % this.#n : named;
  }

  /** The changes of an effect are messages: the receiver and the envelope of each. */
  apply(
    successors: Successors,
    base: number,
    i: Pid,
    effect: EffectId,
    before: ProcessStateId,
    asleep: number,
  ): number {
    const { next } = successors;
    const { table } = this.states.effects;
    const { processStates } = this.states;
    const flags = table[effect + effectField.flags]!;
    const isVisible = (flags & this.#visible) !== 0;
    if (isVisible) this.#affectOthers(next, base, i, flags);
    let still = isVisible || asleep === 0 ? 0 : this.sleepSets!.after(before, i, effect, asleep);
    const end = effect + effectField.size + 2 * table[effect + effectField.changes]!;
    for (let send = effect + effectField.size; send < end; send += 2) {
      const to = this.#position(i, table[send]!);
      const envelope = table[send + 1]! as EnvelopeId;
      const state = stateAt(next, base, to);
      const cell = processStates.sendCell(state, envelope);
      const after = processStates.sends.valueAt(cell);
      if (still !== 0) still = this.sleepSets!.afterSend(state, to, cell, still);
      next[base + to] = after;
      if (this.#countsMessages) this.#count(next, base, envelope);
      if (this.#keepsSizes)
        this.#sizes.note(next, this.#sizesAt(base), processStates.envelopes.of(envelope).message);
    }
    return this.#forgetsCrashed && this.#forget(next, base, i, effect) ? 0 : still;
  }

  #count(worlds: Int32Array, base: number, envelope: EnvelopeId): void {
    this.#groups[envelope] ??= this.#messageCounts.groupOf(
      this.states.processStates.envelopes.of(envelope).message,
    );
    if (this.#groups[envelope] >= 0) worlds[base + this.#n + this.#groups[envelope]]! += 1;
  }

  /** Some effects change other processes at once: a message they wait for was received or lost, or another process entered first. */
  #affectOthers(next: Int32Array, base: number, i: Pid, flags: number): void {
    const { processStates } = this.states;
    const position = channelPositionIn(flags);
    for (let j = 0; j < this.#n && position >= 0; j += 1)
      if (j !== i) next[base + j] = processStates.afterArrivalElsewhere(stateAt(next, base, j), position);
    if ((flags & this.#visible & effectFlag.enters) !== 0) this.#pass(next, base, i);
  }

  /** Drops messages to crashed processes from what causal channels wait for. Returns whether there are any. */
  #forget(next: Int32Array, base: number, i: Pid, effect: EffectId): boolean {
    const { table } = this.states.effects;
    const { processStates } = this.states;
    const crashed = (table[effect + effectField.flags]! & effectFlag.crash) !== 0 ? [i] : [];
    for (let send = effect + effectField.size; send < this.states.effects.after(effect); send += 2) {
      const to = table[send]!;
      if (processStates.clientAt(stateAt(next, base, to)).phase === 'crashed') crashed.push(to);
    }
    for (const process of crashed)
      for (let j = 0; j < this.#n; j += 1)
        next[base + j] = processStates.afterCrashOf(stateAt(next, base, j), process);
    return crashed.length > 0;
  }

  /** Process i has entered: every waiting process was bypassed once more. */
  #pass(worlds: Int32Array, base: number, i: Pid): void {
    const { bypass } = this.config;
    const { processStates } = this.states;
    const requests = requestsInFlight(this.view(worlds, base));
    const isAnyInFlight = requests.some((count) => count > 0);
    for (let j = 0; j < this.#n; j += 1) {
      if (j === i || processStates.clientAt(stateAt(worlds, base, j)).phase !== 'waiting') continue;
      const doesCount = { request: true, heard: requests[j] === 0, quiet: !isAnyInFlight };
      const counts = bypass.reduce((bits, { from }, k) => bits | (doesCount[from] ? 1 << k : 0), 0);
      worlds[base + j] = processStates.afterEntryElsewhere(stateAt(worlds, base, j), counts);
    }
  }

  /** Time passes if nothing must happen first, and if some process waits for it. */
  complete(successors: Successors, worlds: Int32Array, offset: number): void {
    const { processStates } = this.states;
    if (!processStates.timed) return;
    let isAwaited = false;
    let mayStart = false;
    for (let i = 0; i < this.#n; i += 1) {
      const state = stateAt(worlds, offset, i);
      if (processStates.afterTick(state) < 0) return;
      if (processStates.awaitsTime(state)) isAwaited = true;
      if (processStates.clientAt(state).left > 0) mayStart = true;
    }
    if (!isAwaited && !(mayStart && this.config.setup.clocks !== null)) return;
    if (isAwaited) successors.mustContinue = true;
    const base = successors.append(worlds, offset, -1, 0, stepMark.none);
    for (let i = 0; i < this.#n; i += 1)
      successors.next[base + i] = processStates.afterTick(stateAt(worlds, offset, i));
  }

  isQuiescent(worlds: Int32Array, offset: number): boolean {
    const { states } = this;
    for (let i = 0; i < this.#n; i += 1) {
      const state = stateAt(worlds, offset, i);
      if (
        states.mustContinue(state) ||
        (states.processStates.timed && states.processStates.awaitsTime(state))
      )
        return false;
    }
    return true;
  }

  brokenWhenQuiescent(worlds: Int32Array, offset: number): Violation | null {
    return (
      this.#overBound('broken', worlds, offset) ??
      this.#measuredTooMuch(worlds, offset, true) ??
      this.liveness.brokenWhenQuiescent(worlds, offset)
    );
  }

  brokenLemma(worlds: Int32Array, offset: number): Violation | null {
    return this.states.lemmas?.broken(worlds, offset) ?? null;
  }

  exceeded(worlds: Int32Array, offset: number): Violation | null {
    return this.#overBound('exceeded', worlds, offset) ?? this.#measuredTooMuch(worlds, offset, false);
  }

  #overBound(how: 'broken' | 'exceeded', worlds: Int32Array, offset: number): Violation | null {
    if (!this.#countsMessages) return null;
    const counts = worlds.subarray(offset + this.#n, this.#sizesAt(offset));
    return this.#messageCounts[how](clientsIn(this, worlds, offset), counts);
  }

  /** Returns where the numbers that `SizeBounds` keeps begin in a world. */
  #sizesAt(offset: number): number {
    return offset + this.#n + this.#messageCounts.groups.length;
  }

  /** Returns a bound on the longest chain or on sizes that is broken, given who has started so far. No process has to start later. */
  #measuredTooMuch(worlds: Int32Array, offset: number, isOver: boolean): Violation | null {
    const { chains } = this.states.processStates;
    if (chains === null && !this.#keepsSizes) return null;
    const initiators = initiatorsAmong(clientsIn(this, worlds, offset), this.config.setup);
    const tooLong = chains?.broken(this.#longestChain(worlds, offset), initiators, isOver);
    return tooLong ?? this.#sizes.broken(worlds, this.#sizesAt(offset), initiators);
  }

  #longestChain(worlds: Int32Array, offset: number): number {
    const { processStates } = this.states;
    let longest = 0;
    for (let i = 0; i < this.#n; i += 1)
      longest = Math.max(longest, processStates.timersAt(stateAt(worlds, offset, i)).chain);
    return longest;
  }

  view(worlds: Int32Array, offset: number): World<unknown, Message> {
    return worldAt(this.states.processStates, worlds, offset);
  }

  traceOf(steps: readonly Step<MessageAction>[], verdict: string, loop?: number): Trace {
    return messageTrace(this.config, this.states.processStates, steps, verdict, loop);
  }
}
