import type { Pid } from '../../core/algorithm.ts';
import { beginsByItself } from '../../core/perpetual-election.ts';
import type { CheckConfig } from '../config.ts';
import type {
  ActionId,
  ClientId,
  EffectId,
  EffectListId,
  EnvelopeId,
  EventId,
  IdArray,
  InboxId,
  LocalStateId,
  ProcessStateId,
  TimersId,
  VariablesId,
} from '../ids.ts';
import type { Discovery } from '../model/discovery.ts';
import { EffectTable, effectFlag, listTrait, withChannelPosition } from '../model/effect-table.ts';
import type { ProcessStates } from '../model/medium.ts';
import { type Client, newClient } from '../properties/client.ts';
import type { Interner } from '../storage/interner.ts';
import { PairMap } from '../storage/pair-map.ts';
import { grown, growth } from '../storage/typed-arrays.ts';
import { aheadOf } from './inbox.ts';
import { MessageLemmas } from './message-lemmas.ts';
import { ProcessStateTable } from './process-states.ts';
import { firing } from './timers.ts';
import { type MessageAction, type Transition, Transitions } from './transitions.ts';

/** The actions of a process that need no message. */
interface OwnActions {
  readonly isCrashed: boolean;
  readonly calls: readonly ActionId[];
  readonly release: ActionId | -1; // the call that is not optional
  readonly timers: readonly ActionId[];
  readonly all: readonly ActionId[]; // calls and timers
}

/** The effects that are enabled in each process state: of calls, receipts, timers and faults. */
export class EnabledEffects implements ProcessStates<MessageAction> {
  readonly processStates: ProcessStateTable;
  readonly transitions: Transitions;
  readonly lemmas: MessageLemmas | null;
  readonly effects = new EffectTable();
  readonly clients: Interner<Client, ClientId>;
  readonly discovery: Discovery;
  #lists = new Int32Array(16) as IdArray<EffectListId | 0>; // by process state; 0 if it is not computed yet
  readonly #initialEffects = new PairMap<ProcessStateId, EventId, EffectId>();
  readonly #initial: VariablesId[] = []; // by process
  readonly #own: OwnActions[] = [];
  readonly #ownAt = new PairMap<number, TimersId>(); // client and process, and timers: the index in `#own`
  readonly #config: CheckConfig;

  constructor(config: CheckConfig) {
    this.#config = config;
    this.processStates = new ProcessStateTable(config);
    this.clients = this.processStates.clients;
    this.discovery = this.processStates.discovery;
    const { lemmaReads, setup } = config;
    this.lemmas =
      lemmaReads && new MessageLemmas(setup.algorithm.invariants!, lemmaReads, this.processStates);
    this.transitions = new Transitions(this.processStates, this.lemmas);
  }

  get bytes(): number {
    return (
      this.processStates.bytes + this.effects.bytes + Int32Array.BYTES_PER_ELEMENT * this.processStates.size
    );
  }

  get unused(): readonly string[] {
    return this.transitions.unused;
  }

  get executions(): number {
    return this.transitions.executions;
  }

  get objectBytes(): number {
    return this.processStates.objectBytes + this.transitions.bytes;
  }

  initial(i: Pid, left: number): ProcessStateId {
    const { processStates } = this;
    const { setup, bounds } = this.#config;
    const { n, algorithm } = setup;
    this.#initial[i] ??= processStates.addVariables(
      processStates.symmetric ? 0 : i,
      this.transitions.initial(i),
    );
    const local = processStates.addLocal({
      variables: this.#initial[i],
      client: processStates.addClient(
        newClient(left, {
          countsElections: bounds && algorithm.electsAgain === true,
          involved: beginsByItself(algorithm),
        }),
      ),
      timers: processStates.addTimers({
        armed: [],
        phase: 0,
        chain: 0,
        known: processStates.causal ? Array(n * n).fill(0) : null,
      }),
    });
    return processStates.addProcessState(local, processStates.addInbox([]));
  }

  initialEffectCount(state: ProcessStateId, action: MessageAction): number {
    return this.transitions.of(this.processStates.localOf(state), this.transitions.action(action)).length;
  }

  initialEffect(state: ProcessStateId, action: MessageAction, k: number): EffectId {
    const { processStates, transitions } = this;
    const transition = transitions.of(processStates.localOf(state), transitions.action(action))[k]!;
    const known = this.#initialEffects.at(state, transition.event);
    if (known >= 0) return this.#initialEffects.valueAt(known);
    const effect = this.effects.firstIn(this.effects.begin(0));
    this.#record(transition, processStates.inboxOf(state), 0);
    this.#initialEffects.set(state, transition.event, effect);
    return effect;
  }

  enabled(state: ProcessStateId): EffectListId {
    return this.#lists[state] || this.#compute(state);
  }

  #compute(state: ProcessStateId): EffectListId {
    const { processStates, effects } = this;
    processStates.discovery.note();
    const list = effects.begin(this.#isClosed(state) ? listTrait.closed : 0);
    const local = processStates.localOf(state);
    const own = this.#ownActionsOf(local);
    if (!own.isCrashed) this.#computeAll(local, processStates.inboxOf(state), own);
    if (state >= this.#lists.length)
      this.#lists = grown(this.#lists, Math.ceil(growth * Math.max(this.#lists.length, state + 1)));
    this.#lists[state] = list;
    return list;
  }

  #computeAll(local: LocalStateId, inbox: InboxId, own: OwnActions): void {
    const { processStates, transitions } = this;
    const { crashes, losses } = this.#config;
    for (const action of own.calls)
      this.#add(local, action, action === own.release ? 0 : effectFlag.optional, inbox);
    for (const envelope of processStates.deliverable(inbox, processStates.processOf(local)))
      this.#addReceipt(local, inbox, envelope);
    for (const action of own.timers) this.#add(local, action, effectFlag.timer, inbox);
    if (losses > 0) this.#addLosses(local, inbox);
    if (crashes > 0)
      this.#add(
        local,
        transitions.action({ kind: 'crash' }),
        effectFlag.optional | effectFlag.crash,
        processStates.addInbox([]),
      );
  }

  #addReceipt(local: LocalStateId, inbox: InboxId, envelope: EnvelopeId): void {
    const { processStates, transitions } = this;
    const position = this.#channelPositionOf(local, envelope, 0);
    const after = (inbox: InboxId) =>
      position < 0 ? inbox : processStates.inboxAfterArrival(inbox, position);
    this.#add(
      local,
      transitions.receipt(envelope),
      0,
      after(processStates.without(inbox, envelope)),
      position,
    );
    if (this.#config.repeats === 0 || processStates.isNotice(envelope)) return;
    const again = transitions.action({ kind: 'recv', envelope, again: true });
    this.#add(
      local,
      again,
      effectFlag.optional | effectFlag.repeat,
      after(processStates.withCopy(inbox, envelope)),
      position,
    );
  }

  /** Of messages with the same content, of which none is behind a different one, it makes no difference which is lost. */
  #addLosses(local: LocalStateId, inbox: InboxId): void {
    const { processStates, transitions } = this;
    const isOrdered = this.#config.setup.channels !== 'unordered';
    const envelopes = processStates.inboxes.of(inbox);
    for (let k = 0; k < envelopes.length; k += 1) {
      const envelope = envelopes[k]!;
      if (processStates.isNotice(envelope)) continue; // no failure of the network loses it
      if (isOrdered ? envelopes[k - 1] === envelope : envelopes.indexOf(envelope) < k) continue;
      const ahead = isOrdered ? aheadOf(envelopes, k, (one) => processStates.envelopes.of(one)) : 0;
      const position = this.#channelPositionOf(local, envelope, ahead);
      const left = processStates.addInbox(envelopes.toSpliced(k, 1));
      const action = transitions.action({ kind: 'lose', envelope, ahead });
      const after = position < 0 ? left : processStates.inboxAfterArrival(left, position);
      this.#add(local, action, effectFlag.optional | effectFlag.loss, after, position);
    }
  }

  /** Returns the channel position of a message for which no other will wait any more; -1 where none waits. */
  #channelPositionOf(local: LocalStateId, envelope: EnvelopeId, ahead: number): number {
    const { processStates } = this;
    if (!processStates.causal || processStates.envelopes.of(envelope).copy) return -1;
    return processStates.channelPosition(
      processStates.channelOf(processStates.processOf(local), envelope),
      ahead,
    );
  }

  /** Adds the effects of an action after which `inbox` is left. */
  #add(local: LocalStateId, action: ActionId, flags: number, inbox: InboxId, position = -1): void {
    const transitions = this.transitions.of(local, action);
    if ((flags & effectFlag.optional) === 0) this.effects.markMustContinue();
    for (let k = 0; k < transitions.length; k += 1)
      this.#record(transitions[k]!, inbox, withChannelPosition(flags, position));
  }

  /** In a corrupted system every event may make the world legitimate, so the properties must be checked after each. */
  #record(transition: Transition, inbox: InboxId, flags: number): void {
    const { event, local, sends, emits, enters, violation, coins } = transition;
    const more =
      (emits || this.#config.corrupted ? effectFlag.emits : 0) |
      (enters ? effectFlag.enters : 0) |
      (coins.length > 0 ? effectFlag.tosses : 0);
    if (transition.isVisible) this.effects.unmarkClosed();
    this.effects.add(event, this.processStates.addProcessState(local, inbox), flags | more, sends, violation);
  }

  /**
   * Says whether nothing that happens elsewhere adds to the enabled effects. On each channel to the process a message waits, and channels keep
   * the order, so what is sent next comes behind it. The process makes no call by itself. It is not inside: an early release would
   * hide that another process enters meanwhile. `#record` withdraws this if an effect is visible.
   */
  #isClosed(state: ProcessStateId): boolean {
    if (!this.#config.ampleSets) return false;
    const { processStates } = this;
    const process = processStates.processOf(processStates.localOf(state));
    const { phase, left, snapshot } = processStates.clientAt(state);
    if (left > 0 || phase === 'inside' || processStates.timersAt(state).armed.length > 0) return false;
    if (snapshot === 'none' && this.#mayBeginSnapshot(process)) return false;
    const channels = this.#config.setup.topology.degree(process); // as many lead to it as away from it
    return processStates.deliverable(processStates.inboxOf(state), process).length === channels;
  }

  #mayBeginSnapshot(process: Pid): boolean {
    return this.#config.setup.snapshots.some((begins) => begins.process === process);
  }

  /** Looks them up: they do not depend on the variables, and of the rest there are few combinations. */
  #ownActionsOf(local: LocalStateId): OwnActions {
    const { process, client, timers } = this.processStates.local(local);
    const clientAndProcess = client * this.#config.setup.n + process;
    const at = this.#ownAt.at(clientAndProcess, timers);
    if (at >= 0) return this.#own[this.#ownAt.valueAt(at)]!;
    const own = this.#findOwnActions(process, client, timers);
    this.#ownAt.set(clientAndProcess, timers, this.#own.push(own) - 1);
    return own;
  }

  #findOwnActions(process: Pid, client: ClientId, timersId: TimersId): OwnActions {
    const { processStates, transitions } = this;
    const { phase, left, snapshot } = processStates.clients.of(client);
    const asks = this.#config.setup.algorithm.problem === 'mutex' ? 'request' : 'start';
    const names = [
      ...(left > 0 && phase === 'idle' ? [asks] : []),
      ...(phase === 'inside' ? ['release'] : []),
      ...(snapshot === 'none' && this.#mayBeginSnapshot(process) ? ['snapshot'] : []),
    ];
    const calls = names.map((name) => transitions.action({ kind: 'call', name }));
    const timers = firing(processStates.timerStates.of(timersId), processStates.timed).map(({ message }) =>
      transitions.action({ kind: 'timer', message }),
    );
    const isCrashed = phase === 'crashed';
    return {
      isCrashed,
      calls,
      release: phase === 'inside' ? transitions.action({ kind: 'call', name: 'release' }) : -1,
      timers,
      all: isCrashed ? [] : [...calls, ...timers],
    };
  }

  /** Says whether one of the enabled effects is not optional, without computing them. */
  mustContinue(state: ProcessStateId): boolean {
    const { processStates } = this;
    const local = processStates.localOf(state);
    const { isCrashed, release, timers } = this.#ownActionsOf(local);
    if (isCrashed) return false;
    const arrivals = processStates.deliverable(processStates.inboxOf(state), processStates.processOf(local));
    return release >= 0 || timers.length > 0 || arrivals.length > 0;
  }

  /** Returns the actions of a process that need no message. */
  ownActionsAt(local: LocalStateId): readonly ActionId[] {
    return this.#ownActionsOf(local).all;
  }

  clientOf(state: ProcessStateId): ClientId {
    return this.processStates.clientOf(state);
  }

  actionOf(effect: EffectId): number {
    return this.transitions.events.of(this.effects.eventOf(effect))[0]!;
  }

  eventAt(effect: EffectId): { readonly action: MessageAction; readonly coins: readonly number[] } {
    const [action, ...coins] = this.transitions.events.of(this.effects.eventOf(effect));
    return { action: this.transitions.actions.of(action as ActionId), coins };
  }
}
