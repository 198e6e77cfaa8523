import type { Pid } from '../../core/algorithm.ts';
import type { CheckConfig } from '../config.ts';
import {
  EffectTable,
  effectField,
  effectFlag,
  listHeader,
  listTrait,
  withChannelPosition,
} from '../model/effect-table.ts';
import type { ProcessStates } from '../model/medium.ts';
import type { Discovery } from '../parallel/discovery.ts';
import { type Client, newClient } from '../properties/client.ts';
import type { Interner } from '../storage/interner.ts';
import { PairMap } from '../storage/pair-map.ts';
import { grown, growth } from '../storage/tuple-table.ts';
import { aheadOf } from './inbox.ts';
import { ProcessStateTable } from './process-states.ts';
import { firing } from './timers.ts';
import { type MessageAction, type Transition, Transitions } from './transitions.ts';

/** Moves that need no message, by number. */
interface OwnActions {
  readonly isCrashed: boolean;
  readonly calls: readonly number[];
  readonly release: number; // the one of them that is bound to be made, or -1
  readonly timers: readonly number[];
  readonly all: readonly number[]; // calls and timers
}

/** What can happen at each site, and what comes of it. */
export class EnabledEffects implements ProcessStates<MessageAction> {
  readonly processStates: ProcessStateTable;
  readonly transitions: Transitions;
  readonly effects = new EffectTable();
  readonly clients: Interner<Client>;
  readonly discovery: Discovery;
  #lists: Int32Array = new Int32Array(16); // of each site: the list of its effects; 0 if it is not worked out yet
  readonly #initialEffects = new PairMap(); // site and event: the effect
  readonly #initial: number[] = []; // states, by process
  readonly #own: OwnActions[] = [];
  readonly #numbers = new PairMap(); // user and process, and clock: what is in `#own`
  readonly #question: CheckConfig;

  constructor(config: CheckConfig) {
    this.#question = config;
    this.processStates = new ProcessStateTable(config);
    this.clients = this.processStates.clients;
    this.discovery = this.processStates.discovery;
    this.transitions = new Transitions(this.processStates);
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

  initial(i: Pid, left: number): number {
    const { processStates } = this;
    const { n } = this.#question.setup;
    this.#initial[i] ??= processStates.addVariables(
      processStates.symmetric ? 0 : i,
      this.transitions.initial(i),
    );
    const local = processStates.addLocal({
      state: this.#initial[i],
      client: processStates.addClient(newClient(left)),
      timers: processStates.addTimers({
        armed: [],
        phase: 0,
        known: processStates.causal ? Array(n * n).fill(0) : null,
      }),
    });
    return processStates.addProcessState(local, processStates.addInbox([]));
  }

  initialEffectCount(state: number, action: MessageAction): number {
    return this.transitions.of(this.processStates.localOf(state), this.transitions.action(action)).length;
  }

  initialEffect(state: number, action: MessageAction, k: number): number {
    const { processStates, transitions } = this;
    const transition = transitions.of(processStates.localOf(state), transitions.action(action))[k]!;
    const known = this.#initialEffects.at(state, transition.event);
    if (known >= 0) return this.#initialEffects.valueAt(known);
    const at = this.effects.begin(0) + listHeader;
    this.#record(transition, processStates.inboxOf(state), 0);
    this.#initialEffects.set(state, transition.event, at);
    return at;
  }

  enabled(state: number): number {
    return this.#lists[state] || this.#compute(state);
  }

  #compute(state: number): number {
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

  #computeAll(local: number, inbox: number, own: OwnActions): void {
    const { processStates, transitions } = this;
    const { crashes, losses } = this.#question;
    for (const action of own.calls)
      this.#add(local, action, action === own.release ? 0 : effectFlag.optional, inbox);
    for (const envelope of processStates.deliverable(inbox, processStates.processOf(local)))
      this.#addArrival(local, inbox, envelope);
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

  #addArrival(local: number, inbox: number, envelope: number): void {
    const { processStates, transitions } = this;
    const place = this.#channelPositionOf(local, envelope, 0);
    const heard = (left: number) => (place < 0 ? left : processStates.inboxAfterArrival(left, place));
    this.#add(local, transitions.receipt(envelope), 0, heard(processStates.without(inbox, envelope)), place);
    if (this.#question.repeats === 0) return;
    const again = transitions.action({ kind: 'recv', item: envelope, again: true });
    this.#add(
      local,
      again,
      effectFlag.optional | effectFlag.repeat,
      heard(processStates.withCopy(inbox, envelope)),
      place,
    );
  }

  /** It makes no difference which of those is lost that say the same and of which none is behind another one. */
  #addLosses(local: number, inbox: number): void {
    const { processStates, transitions } = this;
    const isOrdered = this.#question.setup.channels !== 'unordered';
    const envelopes = processStates.inboxes.of(inbox);
    for (let k = 0; k < envelopes.length; k += 1) {
      const envelope = envelopes[k]!;
      if (isOrdered ? envelopes[k - 1] === envelope : envelopes.indexOf(envelope) < k) continue;
      const ahead = isOrdered ? aheadOf(envelopes, k, (one) => processStates.envelopes.of(one)) : 0;
      const place = this.#channelPositionOf(local, envelope, ahead);
      const left = processStates.addInbox(envelopes.toSpliced(k, 1));
      const action = transitions.action({ kind: 'lose', item: envelope, ahead });
      const heard = place < 0 ? left : processStates.inboxAfterArrival(left, place);
      this.#add(local, action, effectFlag.optional | effectFlag.loss, heard, place);
    }
  }

  /** Of a message that nobody will wait for any more; -1 if nobody does. */
  #channelPositionOf(local: number, envelope: number, ahead: number): number {
    const { processStates } = this;
    if (!processStates.causal || processStates.envelopes.of(envelope).copy) return -1;
    return processStates.channelPosition(
      processStates.channelOf(processStates.processOf(local), envelope),
      ahead,
    );
  }

  /** What comes of a move, when `inbox` is left on its way. */
  #add(local: number, action: number, flags: number, inbox: number, place = -1): void {
    const transitions = this.transitions.of(local, action);
    if ((flags & effectFlag.optional) === 0) this.effects.markMustContinue();
    for (let k = 0; k < transitions.length; k += 1)
      this.#record(transitions[k]!, inbox, withChannelPosition(flags, place));
  }

  /** Where variables had any values, every event may make the world legitimate, so that the properties must be looked at. */
  #record({ event, local, sends, emits, enters, violation }: Transition, inbox: number, flags: number): void {
    const news =
      (emits || this.#question.corrupted ? effectFlag.emits : 0) | (enters ? effectFlag.enters : 0);
    this.effects.add(event, this.processStates.addProcessState(local, inbox), flags | news, sends, violation);
  }

  /**
   * On each channel to it something waits to arrive, in order, so that what is sent next comes behind; and it will not ask by itself. It is not
   * inside: leaving early would hide who enters meanwhile.
   */
  #isClosed(state: number): boolean {
    if (!this.#question.ampleSets) return false;
    const { processStates } = this;
    const kind = processStates.processOf(processStates.localOf(state));
    const { phase, left, snapshot } = processStates.clientAt(state);
    if (left > 0 || phase === 'inside' || processStates.timersAt(state).armed.length > 0) return false;
    if (snapshot === 'none' && this.#mayBeginSnapshot(kind)) return false;
    const channels = this.#question.setup.topology.degree(kind); // as many lead to it as away from it
    return processStates.deliverable(processStates.inboxOf(state), kind).length === channels;
  }

  #mayBeginSnapshot(process: Pid): boolean {
    return this.#question.setup.snapshots.some((begins) => begins.process === process);
  }

  /** The state has no part in it, and of the rest there is little. */
  #ownActionsOf(local: number): OwnActions {
    const { process, client, timers } = this.processStates.local(local);
    const who = client * this.#question.setup.n + process;
    const at = this.#numbers.at(who, timers);
    if (at >= 0) return this.#own[this.#numbers.valueAt(at)]!;
    const own = this.#findOwnActions(process, client, timers);
    this.#numbers.set(who, timers, this.#own.push(own) - 1);
    return own;
  }

  #findOwnActions(kind: number, client: number, clock: number): OwnActions {
    const { processStates, transitions } = this;
    const { phase, left, snapshot } = processStates.clients.of(client);
    const asks = this.#question.setup.algorithm.problem === 'mutex' ? 'request' : 'start';
    const names = [
      ...(left > 0 && phase === 'idle' ? [asks] : []),
      ...(phase === 'inside' ? ['release'] : []),
      ...(snapshot === 'none' && this.#mayBeginSnapshot(kind) ? ['snapshot'] : []),
    ];
    const calls = names.map((name) => transitions.action({ kind: 'call', name }));
    const timers = firing(processStates.timerStates.of(clock), processStates.timed).map(({ message }) =>
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

  /** Something is bound to happen, whatever comes of it. */
  mustContinue(state: number): boolean {
    const { processStates } = this;
    const local = processStates.localOf(state);
    const { isCrashed, release, timers } = this.#ownActionsOf(local);
    if (isCrashed) return false;
    const arrivals = processStates.deliverable(processStates.inboxOf(state), processStates.processOf(local));
    return release >= 0 || timers.length > 0 || arrivals.length > 0;
  }

  /** What can happen at a process though nothing is on its way to it. */
  ownActionsAt(local: number): readonly number[] {
    return this.#ownActionsOf(local).all;
  }

  clientOf(state: number): number {
    return this.processStates.clientOf(state);
  }

  eventAt(at: number): { readonly action: MessageAction; readonly coins: readonly number[] } {
    const [action, ...coins] = this.transitions.events.of(this.effects.table[at + effectField.event]!);
    return { action: this.transitions.actions.of(action!), coins };
  }
}
