import type { Message, Pid } from '../../core/algorithm.ts';
import { checkState, type Input, stepFailure } from '../../machine/index.ts';
import type { Violation } from '../../problems/monitor.ts';
import { inconsistentCut } from '../../problems/snapshot-monitor.ts';
import { afterCall, afterEvent, newClient } from '../properties/client.ts';
import { Interner } from '../storage/interner.ts';
import { ListTable } from '../storage/list-table.ts';
import { PairMap } from '../storage/pair-map.ts';
import { type Execution, Executor, type SentMessage } from './execute.ts';
import type { LocalState, ProcessStateTable } from './process-states.ts';
import { setTimers, type TimerState } from './timers.ts';

/** What can happen at a process. The last two only before everything else. */
export type MessageAction =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'recv'; readonly item: number; readonly again: boolean } // again: a copy of it is still to come
  | { readonly kind: 'lose'; readonly item: number; readonly ahead: number } // so many are before it, where channels keep an order
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'crash' }
  | { readonly kind: 'begin' | 'corrupt' };

export interface Transition {
  readonly event: number; // the move, and how the coins fell
  readonly coins: readonly number[];
  readonly local: number; // that the process has then
  readonly sends: readonly number[]; // receiver and item, receiver and item, ..
  readonly emits: boolean;
  readonly enters: boolean;
  readonly violation: Violation | null;
}

/** What a handler did, by numbers. */
interface NumberedExecution extends Pick<Execution, 'coins' | 'emits' | 'timers' | 'failure'> {
  readonly state: number;
  sent: readonly SentMessage[];
  sends: readonly number[] | null; // receivers and items, where they depend on nothing else: then `sent` is no longer needed
}

const weight = { outcome: 250, send: 8 }; // bytes, as measured

const noEffect = { coins: [], sends: [], emits: false, enters: false, violation: null };

/** What is wrong with a state that has no number; if nothing is, the error was another. */
function flawOf(process: Pid, state: unknown, error: unknown): Violation {
  try {
    checkState(state);
  } catch (breach) {
    return stepFailure(breach, process);
  }
  throw error;
}

const keyOf = (action: MessageAction): string =>
  'item' in action
    ? `${action.kind} ${action.item} ${action.kind === 'lose' ? action.ahead : action.again}`
    : JSON.stringify(action);

/**
 * What an event makes of what a process has by itself, whatever else is on its way to it. A handler is executed once for a state and an event;
 * what it did is kept.
 */
export class Transitions {
  readonly actions = new Interner<MessageAction>();
  readonly events = new ListTable(); // a move, and how the coins fell
  readonly #processStates: ProcessStateTable;
  readonly #executor: Executor;
  readonly #numbers = new PairMap(); // local and move: what comes of it, in
  readonly #known: (readonly Transition[])[] = [];
  readonly #done = new PairMap(); // state and move: what its handler did, in
  readonly #executions: (readonly NumberedExecution[])[] = [];
  readonly #calls = new Map<string, number>(); // by name
  readonly #receipts: number[] = []; // of each item: the move that receives it
  #sends = 0; // receivers and items, of all outcomes
  readonly #plain: number[] = []; // of each move: the event, where no coin is tossed

  constructor(processStates: ProcessStateTable) {
    this.#processStates = processStates;
    this.#executor = new Executor(processStates.config.setup);
  }

  /** The state in which process i begins. */
  initial(i: Pid): unknown {
    return this.#executor.initial(i);
  }

  /** How often a handler was really run. */
  get executions(): number {
    return this.#executor.executions;
  }

  /** That objects take, about. */
  get bytes(): number {
    const memos = this.#numbers.bytes + this.#done.bytes + this.events.bytes + this.actions.bytes;
    return memos + weight.outcome * this.#known.length + weight.send * this.#sends;
  }

  /** Kinds of messages that never arrived. */
  get unused(): readonly string[] {
    const { on = {}, timers = [] } = this.#processStates.config.setup.algorithm;
    const envelopes = this.actions.values.flatMap((action) => (action.kind === 'recv' ? [action.item] : []));
    const used = new Set(
      envelopes.map((envelope) => this.#processStates.envelopes.of(envelope).message.type),
    );
    return Object.keys(on).filter((type) => !timers.includes(type) && !used.has(type));
  }

  /** What a move leads to, for each way the coins can fall. */
  of(local: number, action: number): readonly Transition[] {
    return this.#known[this.numberOf(local, action)]!;
  }

  /** The number of that. */
  numberOf(local: number, action: number): number {
    const at = this.#numbers.at(local, action);
    if (at >= 0) return this.#numbers.valueAt(at);
    const number = this.#known.push(this.#compute(local, action)) - 1;
    this.#numbers.set(local, action, number);
    return number;
  }

  numbered(number: number): readonly Transition[] {
    return this.#known[number]!;
  }

  /** The number of a move. */
  action(action: MessageAction): number {
    if (action.kind === 'recv' && !action.again) return this.receipt(action.item);
    if (action.kind !== 'call') return this.actions.add(keyOf(action), action);
    const known = this.#calls.get(action.name) ?? this.actions.add(keyOf(action), action);
    this.#calls.set(action.name, known);
    return known;
  }

  /** The number of the arrival of an item. */
  receipt(envelope: number): number {
    this.#receipts[envelope] ??= this.#newReceipt({ kind: 'recv', item: envelope, again: false });
    return this.#receipts[envelope];
  }

  #newReceipt(action: MessageAction): number {
    return this.actions.add(keyOf(action), action);
  }

  #compute(local: number, number: number): Transition[] {
    const action = this.actions.of(number);
    const here = this.#processStates.local(local);
    if (action.kind === 'lose')
      return [{ ...noEffect, event: this.#eventOf(number), local: this.#without(local, here, action) }];
    if (action.kind === 'crash') {
      const crashed = this.#processStates.addLocal(this.#crashed(here));
      return [{ ...noEffect, event: this.#eventOf(number), local: crashed }];
    }
    return this.#executionsOf(here, action).map((done) => this.#transition(here, number, action, done));
  }

  /** On causal channels its receiver may know, from others, that the message that is lost is on its way. */
  #without(
    local: number,
    here: LocalState,
    { item: envelope, ahead }: MessageAction & { kind: 'lose' },
  ): number {
    const processStates = this.#processStates;
    if (!processStates.causal || processStates.envelopes.of(envelope).copy) return local;
    const clock = processStates.timerStates.of(here.timers);
    const known = processStates.oneLess(
      clock.known!,
      processStates.channelPosition(processStates.channelOf(here.process, envelope), ahead),
    );
    return processStates.addLocal({ ...here, timers: processStates.addTimers({ ...clock, known }) });
  }

  /** What the handler does, executed once for each local state and event. */
  #executionsOf(
    here: LocalState,
    action: Exclude<MessageAction, { kind: 'lose' | 'crash' }>,
  ): readonly NumberedExecution[] {
    const event = action.kind === 'recv' ? this.receipt(action.item) : this.action(action);
    const at = this.#done.at(here.state, event);
    if (at >= 0) return this.#executions[this.#done.valueAt(at)]!;
    const done = this.#executor.run(
      here.process,
      this.#processStates.states.of(here.state),
      this.#inputOf(action),
    );
    const executions = done.map(({ state, sends, emits, coins, timers, failure }): NumberedExecution => {
      const spelt = this.#number(here, state);
      const wrong = failure ?? spelt.violation;
      return { state: spelt.number, sent: sends, sends: null, emits, coins, timers, failure: wrong };
    });
    this.#done.set(here.state, event, this.#executions.push(executions) - 1);
    return executions;
  }

  #inputOf(action: Exclude<MessageAction, { kind: 'lose' | 'crash' }>): Input {
    if (action.kind !== 'recv') return action;
    const { message, arrivesAs } = this.#processStates.envelopes.of(action.item);
    return { kind: 'message', message, from: arrivesAs };
  }

  /** The number of a state that a handler left, or what is wrong with it: then it is not looked at any further. */
  #number(
    here: LocalState,
    state: unknown,
  ): { readonly number: number; readonly violation: Violation | null } {
    try {
      return { number: this.#processStates.addVariables(here.process, state), violation: null };
    } catch (error) {
      return { number: here.state, violation: flawOf(here.process, state, error) };
    }
  }

  #crashed({ process, timers }: LocalState): LocalState {
    const processStates = this.#processStates;
    const { phase, known } = processStates.timerStates.of(timers);
    return {
      process,
      state: processStates.addVariables(process, null),
      client: processStates.addClient({ ...newClient(0), phase: 'crashed' }),
      timers: processStates.addTimers({ armed: [], phase, known: known?.map(() => 0) ?? null }),
    };
  }

  #transition(here: LocalState, number: number, action: MessageAction, done: NumberedExecution): Transition {
    const { coins, emits } = done;
    const { user: client, violation } = this.#clientAfter(here, action, done);
    const { sends, clock } = this.#send(here, done, this.#timersAfter(here, action, done));
    return {
      event: coins.length === 0 ? this.#eventOf(number) : this.events.add([number, ...coins]),
      coins,
      local: this.#processStates.addLocal({ state: done.state, client, timers: clock }),
      sends,
      emits: emits.length > 0,
      enters: emits.some(({ type }) => type === 'entered'),
      violation,
    };
  }

  #eventOf(action: number): number {
    this.#plain[action] ??= this.events.add([action]);
    return this.#plain[action];
  }

  #clientAfter(
    here: LocalState,
    action: MessageAction,
    { emits, failure }: NumberedExecution,
  ): { user: number; violation: Violation | null } {
    const { setup, bypass, crashes } = this.#processStates.config;
    const { problem, assumes } = setup.algorithm;
    const hears = action.kind === 'recv' && crashes > 0 && problem === 'election';
    const crossing = action.kind === 'recv' ? this.#crossesCut(here, action.item) : null;
    if (action.kind !== 'call' && !hears && emits.length === 0)
      return { user: here.client, violation: failure ?? crossing };
    let client = this.#processStates.clients.of(here.client);
    let violation = failure ?? crossing;
    if (action.kind === 'call') client = afterCall(client, action.name, bypass);
    if (hears) client = { ...client, involved: true };
    for (const event of emits) {
      const said = afterEvent(client, here.process, event, bypass, assumes.failures === 'crash');
      client = said.user;
      violation ??= said.violation;
    }
    return { user: this.#processStates.addClient(client), violation };
  }

  /** A message comes from behind the cut to before it. */
  #crossesCut({ client, process }: LocalState, envelope: number): Violation | null {
    const { late, from } = this.#processStates.envelopes.of(envelope);
    return late && this.#processStates.clients.of(client).snapshot === 'none'
      ? inconsistentCut(process, from)
      : null;
  }

  #timersAfter(here: LocalState, action: MessageAction, { timers }: NumberedExecution): TimerState {
    const processStates = this.#processStates;
    const { timers: types = [] } = processStates.config.setup.algorithm;
    let clock = processStates.timerStates.of(here.timers);
    if (action.kind === 'timer')
      clock = { ...clock, armed: clock.armed.filter(({ message }) => message.type !== action.message.type) };
    if (action.kind === 'recv' && processStates.causal && !processStates.envelopes.of(action.item).copy) {
      const { past } = processStates.envelopes.of(action.item);
      const known = clock.known!.map((count, k) => Math.max(count, past![k]!));
      clock = {
        ...clock,
        known: processStates.oneLess(known, processStates.channelOf(here.process, action.item)),
      };
    }
    return setTimers(clock, timers, {
      timed: processStates.timed,
      unit: processStates.unit(here.process),
      types,
    });
  }

  /** The items of the messages that were sent, each after its receiver, and what the sender then knows of. */
  #send(
    here: LocalState,
    done: NumberedExecution,
    clock: TimerState,
  ): { sends: readonly number[]; clock: number } {
    const processStates = this.#processStates;
    const number =
      clock === processStates.timerStates.of(here.timers) ? here.timers : processStates.addTimers(clock);
    if (done.sends !== null) return { sends: done.sends, clock: number };
    const sent = this.#envelopes(here, done.sent, clock);
    this.#sends += sent.sends.length;
    if (!processStates.causal && processStates.config.setup.snapshots.length === 0) {
      done.sends = sent.sends;
      done.sent = [];
    }
    return { sends: sent.sends, clock: processStates.causal ? processStates.addTimers(sent.clock) : number };
  }

  #envelopes(
    { process: i, client }: LocalState,
    sent: readonly SentMessage[],
    clock: TimerState,
  ): { sends: readonly number[]; clock: TimerState } {
    const processStates = this.#processStates;
    const { n, latency, algorithm } = processStates.config.setup;
    const isRecorded = processStates.clients.of(client).snapshot !== 'none';
    const result: number[] = [];
    let { known } = clock;
    for (const { to, arrivesAs, message } of sent) {
      const from = processStates.symmetric ? (i - to + n) % n : i;
      const earliest = processStates.timed ? latency.min : 0;
      const latest = processStates.timed ? latency.max : 0;
      const late = isRecorded && message.type !== algorithm.snapshots!.marker;
      const envelope = processStates.addEnvelope({
        from,
        arrivesAs,
        message,
        earliest,
        latest,
        late,
        past: known,
        copy: false,
      });
      result.push(processStates.symmetric ? (to - i + n) % n : to, envelope);
      if (known !== null) known = known.map((count, channel) => (channel === i * n + to ? count + 1 : count));
    }
    return { sends: result, clock: { ...clock, known } };
  }
}
