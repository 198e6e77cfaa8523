import type { Message, Pid } from '../../core/algorithm.ts';
import { checkState, type Input, stepFailure } from '../../machine/index.ts';
import type { Violation } from '../../problems/monitor.ts';
import { inconsistentCut } from '../../problems/snapshot-monitor.ts';
import type {
  ActionId,
  ClientId,
  EnvelopeId,
  EventId,
  LocalStateId,
  TimersId,
  TransitionsId,
  VariablesId,
} from '../ids.ts';
import { afterCall, afterEvent, newClient } from '../properties/client.ts';
import { SizeBounds } from '../properties/measured-bounds.ts';
import { isVisible } from '../reduction/visibility.ts';
import { Interner } from '../storage/interner.ts';
import { ListTable } from '../storage/list-table.ts';
import { PairMap } from '../storage/pair-map.ts';
import { type Execution, Executor, type SentMessage } from './execute.ts';
import type { MessageLemmas } from './message-lemmas.ts';
import type { LocalState, ProcessStateTable } from './process-states.ts';
import { setTimers, type TimerState } from './timers.ts';

/** What can happen at a process. The last two happen only before everything else. */
export type MessageAction =
  | { readonly kind: 'call'; readonly name: string }
  | { readonly kind: 'recv'; readonly envelope: EnvelopeId; readonly again: boolean } // again: a copy stays in flight
  | { readonly kind: 'lose'; readonly envelope: EnvelopeId; readonly ahead: number } // messages ahead of it, where channels keep the order
  | { readonly kind: 'timer'; readonly message: Message }
  | { readonly kind: 'crash' }
  | { readonly kind: 'begin' | 'corrupt' };

/** What one event does to a process that is in one local state. */
export interface Transition {
  readonly event: EventId;
  readonly coins: readonly number[]; // as they fell
  readonly local: LocalStateId; // afterwards
  readonly sends: readonly number[]; // receiver and envelope, receiver and envelope, …
  readonly emits: boolean; // an event for the application
  readonly enters: boolean;
  readonly isVisible: boolean; // a property notices if it comes earlier: see `reduction/visibility.ts`
  readonly violation: Violation | null;
}

/** One execution of a handler, with ids in place of values. */
interface NumberedExecution extends Pick<Execution, 'coins' | 'emits' | 'timers' | 'failure'> {
  readonly variables: VariablesId;
  sent: readonly SentMessage[];
  sends: readonly number[] | null; // receivers and envelopes, once known to depend on nothing else; `sent` is empty then
}

const weight = { transition: 250, execution: 400, send: 8 }; // bytes, as measured

const noEffect = { coins: [], sends: [], emits: false, enters: false, isVisible: false, violation: null };

/** Returns what is wrong with variables that got no id. If nothing is, the error had another cause. */
function flawOf(process: Pid, state: unknown, error: unknown): Violation {
  try {
    checkState(state);
  } catch (breach) {
    return stepFailure(breach, process);
  }
  throw error;
}

const keyOf = (action: MessageAction): string =>
  'envelope' in action
    ? `${action.kind} ${action.envelope} ${action.kind === 'lose' ? action.ahead : action.again}`
    : JSON.stringify(action);

/**
 * The transitions of every local state, whatever else is in flight to the process. A handler is executed once for the same variables and the same
 * action, and its executions are kept.
 */
export class Transitions {
  readonly actions = new Interner<MessageAction, ActionId>();
  readonly events = new ListTable<EventId>(); // an action, and how the coins fell
  readonly #processStates: ProcessStateTable;
  readonly #executor: Executor;
  readonly #sizes: SizeBounds;
  readonly #lemmas: MessageLemmas | null; // null if no reduction depends on what they read
  readonly #ids = new PairMap<LocalStateId, ActionId, TransitionsId>();
  readonly #known: (readonly Transition[])[] = []; // by id
  readonly #executionsAt = new PairMap<VariablesId, ActionId>(); // the index in
  readonly #executions: (readonly NumberedExecution[])[] = [];
  readonly #calls = new Map<string, ActionId>(); // by name
  readonly #receipts: ActionId[] = []; // by envelope
  #sends = 0; // the length of all `sends`
  readonly #plain: EventId[] = []; // by action: the event without coin tosses

  constructor(processStates: ProcessStateTable, lemmas: MessageLemmas | null) {
    const { earlyDelivery, ampleSets } = processStates.config;
    this.#processStates = processStates;
    this.#lemmas = earlyDelivery || ampleSets ? lemmas : null;
    this.#executor = new Executor(processStates.config.setup);
    this.#sizes = new SizeBounds(processStates.config);
  }

  /** Returns the initial variables of process i. */
  initial(i: Pid): unknown {
    return this.#executor.initial(i);
  }

  /** How often a handler was executed. */
  get executions(): number {
    return this.#executor.executions;
  }

  /** An estimate of the bytes in objects. */
  get bytes(): number {
    const maps = this.#ids.bytes + this.#executionsAt.bytes + this.events.bytes + this.actions.bytes;
    const objects = weight.transition * this.#known.length + weight.execution * this.#executions.length;
    return maps + objects + weight.send * this.#sends;
  }

  /** Types of messages that were never received. */
  get unused(): readonly string[] {
    const { on = {}, timers = [] } = this.#processStates.config.setup.algorithm;
    const envelopes = this.actions.values.flatMap((action) =>
      action.kind === 'recv' ? [action.envelope] : [],
    );
    const used = new Set(
      envelopes.map((envelope) => this.#processStates.envelopes.of(envelope).message.type),
    );
    return Object.keys(on).filter((type) => !timers.includes(type) && !used.has(type));
  }

  /** Returns the transitions of an action, one for each way the coins can fall. */
  of(local: LocalStateId, action: ActionId): readonly Transition[] {
    return this.#known[this.idOf(local, action)]!;
  }

  /** Returns the id of these transitions. */
  idOf(local: LocalStateId, action: ActionId): TransitionsId {
    const at = this.#ids.at(local, action);
    if (at >= 0) return this.#ids.valueAt(at);
    const id = (this.#known.push(this.#compute(local, action)) - 1) as TransitionsId;
    this.#ids.set(local, action, id);
    return id;
  }

  withId(id: TransitionsId): readonly Transition[] {
    return this.#known[id]!;
  }

  /** Returns the id of an action. */
  action(action: MessageAction): ActionId {
    if (action.kind === 'recv' && !action.again) return this.receipt(action.envelope);
    if (action.kind !== 'call') return this.#addAction(action);
    const known = this.#calls.get(action.name) ?? this.#addAction(action);
    this.#calls.set(action.name, known);
    return known;
  }

  /** Returns the id of the receipt of an envelope. */
  receipt(envelope: EnvelopeId): ActionId {
    this.#receipts[envelope] ??= this.#addAction({ kind: 'recv', envelope, again: false });
    return this.#receipts[envelope];
  }

  #addAction(action: MessageAction): ActionId {
    return this.actions.add(keyOf(action), action);
  }

  #compute(local: LocalStateId, id: ActionId): Transition[] {
    const action = this.actions.of(id);
    const here = this.#processStates.local(local);
    if (action.kind === 'lose')
      return [{ ...noEffect, event: this.#eventOf(id), local: this.#withoutLost(local, here, action) }];
    if (action.kind === 'crash') {
      const local = this.#processStates.addLocal(this.#crashed(here));
      return [{ ...noEffect, event: this.#eventOf(id), local, sends: this.#notices(here) }];
    }
    return this.#executionsOf(here, action).map((done) => this.#transition(here, id, action, done));
  }

  /** On causal channels the receiver may have learnt from others that the lost message was in flight. */
  #withoutLost(
    local: LocalStateId,
    here: LocalState,
    { envelope, ahead }: MessageAction & { kind: 'lose' },
  ): LocalStateId {
    const processStates = this.#processStates;
    if (!processStates.causal || processStates.envelopes.of(envelope).copy) return local;
    const timers = processStates.timerStates.of(here.timers);
    const known = processStates.oneLess(
      timers.known!,
      processStates.channelPosition(processStates.channelOf(here.process, envelope), ahead),
    );
    return processStates.addLocal({ ...here, timers: processStates.addTimers({ ...timers, known }) });
  }

  /** Returns the executions of the handler, which runs only the first time. */
  #executionsOf(
    here: LocalState,
    action: Exclude<MessageAction, { kind: 'lose' | 'crash' }>,
  ): readonly NumberedExecution[] {
    const id =
      action.kind === 'recv'
        ? this.receipt(this.#processStates.withoutChain(action.envelope))
        : this.action(action);
    const at = this.#executionsAt.at(here.variables, id);
    if (at >= 0) return this.#executions[this.#executionsAt.valueAt(at)]!;
    const done = this.#executor.run(
      here.process,
      this.#processStates.variables.of(here.variables),
      this.#inputOf(action),
    );
    const executions = done.map(({ state, sends, emits, coins, timers, failure }): NumberedExecution => {
      const { variables, violation } = this.#addVariables(here, state);
      const flaw = failure ?? violation ?? this.#sizes.brokenBy(sends);
      return { variables, sent: sends, sends: null, emits, coins, timers, failure: flaw };
    });
    this.#executionsAt.set(here.variables, id, this.#executions.push(executions) - 1);
    return executions;
  }

  #inputOf(action: Exclude<MessageAction, { kind: 'lose' | 'crash' }>): Input {
    if (action.kind !== 'recv') return action;
    const { message, arrivesAs } = this.#processStates.envelopes.of(action.envelope);
    return { kind: 'message', message, from: arrivesAs };
  }

  /** Returns the id of the variables that a handler left, or what is wrong with them. The search does not go on from a violation. */
  #addVariables(
    here: LocalState,
    state: unknown,
  ): { readonly variables: VariablesId; readonly violation: Violation | null } {
    try {
      return { variables: this.#processStates.addVariables(here.process, state), violation: null };
    } catch (error) {
      return { variables: here.variables, violation: flawOf(here.process, state, error) };
    }
  }

  #crashed({ process, timers, client }: LocalState): LocalState {
    const processStates = this.#processStates;
    const { phase, known } = processStates.timerStates.of(timers);
    const { leader: followed, round } = processStates.clients.of(client);
    const leader = followed === 'me' || round >= 0 ? followed : null; // others may follow it
    return {
      process,
      variables: processStates.addVariables(process, null),
      client: processStates.addClient({ ...newClient(0), phase: 'crashed', leader, round }),
      timers: processStates.addTimers({ armed: [], phase, chain: 0, known: known?.map(() => 0) ?? null }),
    };
  }

  /** The reports of a crash: each arrives like a message, at any time. */
  #notices(here: LocalState): readonly number[] {
    const processStates = this.#processStates;
    if (processStates.config.setup.algorithm.crashNotice === undefined) return [];
    const variables = processStates.variables.of(here.variables);
    const [{ sends }] = this.#executor.run(here.process, variables, { kind: 'crash' }) as [Execution];
    return this.#envelopes(here, sends, processStates.timerStates.of(here.timers)).sends;
  }

  #transition(here: LocalState, id: ActionId, action: MessageAction, done: NumberedExecution): Transition {
    const { coins, emits } = done;
    const { client, violation } = this.#clientAfter(here, action, done);
    const { sends, timers } = this.#send(here, done, this.#timersAfter(here, action, done));
    return {
      event: coins.length === 0 ? this.#eventOf(id) : this.events.add([id, ...coins]),
      coins,
      local: this.#processStates.addLocal({ variables: done.variables, client, timers }),
      sends,
      emits: emits.length > 0,
      enters: emits.some(({ type }) => type === 'entered'),
      isVisible: isVisible(emits, this.#mayRepairLemma(here, action, done, sends)),
      violation,
    };
  }

  #mayRepairLemma(
    { variables }: LocalState,
    action: MessageAction,
    done: NumberedExecution,
    sends: readonly number[],
  ): boolean {
    if (this.#lemmas === null) return false;
    const received = action.kind === 'recv' ? [action.envelope] : [];
    const sent = sends.filter((_, k) => k % 2 === 1) as EnvelopeId[];
    return this.#lemmas.mayRepair(variables, done.variables, [...received, ...sent]);
  }

  #eventOf(action: ActionId): EventId {
    this.#plain[action] ??= this.events.add([action]);
    return this.#plain[action];
  }

  #clientAfter(
    here: LocalState,
    action: MessageAction,
    { emits, failure }: NumberedExecution,
  ): { client: ClientId; violation: Violation | null } {
    const { setup, bypass, crashes } = this.#processStates.config;
    const { problem, assumes, perpetual = false } = setup.algorithm;
    const involves =
      action.kind === 'recv' &&
      crashes > 0 &&
      problem === 'election' &&
      !this.#processStates.isNotice(action.envelope);
    const crossing = action.kind === 'recv' ? this.#crossesCut(here, action.envelope) : null;
    if (action.kind !== 'call' && !involves && emits.length === 0)
      return { client: here.client, violation: failure ?? crossing };
    let client = this.#processStates.clients.of(here.client);
    let violation = failure ?? crossing;
    if (action.kind === 'call') client = afterCall(client, action.name, bypass);
    if (involves) client = { ...client, involved: true };
    for (const event of emits) {
      const mayChange = perpetual || assumes.failures === 'crash';
      const after = afterEvent(client, here.process, event, bypass, mayChange);
      client = after.client;
      violation ??= after.violation;
    }
    return { client: this.#processStates.addClient(client), violation };
  }

  /** A message that was sent after the cut is received before it. */
  #crossesCut({ client, process }: LocalState, envelope: EnvelopeId): Violation | null {
    const { late, from } = this.#processStates.envelopes.of(envelope);
    return late && this.#processStates.clients.of(client).snapshot === 'none'
      ? inconsistentCut(process, from)
      : null;
  }

  #timersAfter(here: LocalState, action: MessageAction, { timers }: NumberedExecution): TimerState {
    const processStates = this.#processStates;
    const { timers: types = [] } = processStates.config.setup.algorithm;
    let state = processStates.timerStates.of(here.timers);
    if (action.kind === 'timer')
      state = { ...state, armed: state.armed.filter(({ message }) => message.type !== action.message.type) };
    if (action.kind === 'recv' && processStates.causal && !processStates.envelopes.of(action.envelope).copy) {
      const { past } = processStates.envelopes.of(action.envelope);
      const known = state.known!.map((count, k) => Math.max(count, past![k]!));
      state = {
        ...state,
        known: processStates.oneLess(known, processStates.channelOf(here.process, action.envelope)),
      };
    }
    if (action.kind === 'recv') {
      const { chain } = processStates.envelopes.of(action.envelope);
      if (chain > state.chain) state = { ...state, chain };
    }
    return setTimers(state, timers, {
      timed: processStates.timed,
      unit: processStates.unit(here.process),
      types,
    });
  }

  /** Returns the envelopes of the messages sent, each after its receiver, and the timers with what the sender knows of then. */
  #send(
    here: LocalState,
    done: NumberedExecution,
    state: TimerState,
  ): { sends: readonly number[]; timers: TimersId } {
    const processStates = this.#processStates;
    const timers =
      state === processStates.timerStates.of(here.timers) ? here.timers : processStates.addTimers(state);
    if (done.sends !== null) return { sends: done.sends, timers };
    const sent = this.#envelopes(here, done.sent, state);
    this.#sends += sent.sends.length;
    const { causal, chains, config } = processStates;
    if (!causal && chains === null && config.setup.snapshots.length === 0) {
      done.sends = sent.sends;
      done.sent = [];
    }
    return { sends: sent.sends, timers: processStates.causal ? processStates.addTimers(sent.state) : timers };
  }

  #envelopes(
    { process: i, client }: LocalState,
    sent: readonly SentMessage[],
    state: TimerState,
  ): { sends: readonly number[]; state: TimerState } {
    const processStates = this.#processStates;
    const { n, latency, algorithm } = processStates.config.setup;
    const isRecorded = processStates.clients.of(client).snapshot !== 'none';
    const result: number[] = [];
    let { known } = state;
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
        chain: processStates.chains?.withMessage(state.chain, message) ?? 0,
        copy: false,
      });
      result.push(processStates.symmetric ? (to - i + n) % n : to, envelope);
      if (known !== null) known = known.map((count, channel) => (channel === i * n + to ? count + 1 : count));
    }
    return { sends: result, state: { ...state, known } };
  }
}
