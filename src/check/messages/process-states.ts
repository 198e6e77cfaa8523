import type { AnyAlgorithm, Pid } from '../../core/algorithm.ts';
import { type CheckConfig, isTimed } from '../config.ts';
import type {
  ClientId,
  EnvelopeId,
  InboxId,
  LocalStateId,
  ProcessStateId,
  TimersId,
  VariablesId,
} from '../ids.ts';
import { Discovery } from '../model/discovery.ts';
import { type Client, passedBy } from '../properties/client.ts';
import { ChainBounds } from '../properties/measured-bounds.ts';
import { Interner } from '../storage/interner.ts';
import { ListTable } from '../storage/list-table.ts';
import { PairMap } from '../storage/pair-map.ts';
import { TupleTable } from '../storage/tuple-table.ts';
import { ValueTable } from '../storage/value-table.ts';
import { deliverable, type Envelope, withEnvelope, withoutEnvelope } from './inbox.ts';
import { afterTick, type TimerState } from './timers.ts';

/** The parts of a local state. `process` is 0 for every process of a symmetric ring. */
export interface LocalState {
  readonly process: Pid;
  readonly variables: VariablesId;
  readonly client: ClientId;
  readonly timers: TimersId;
}

type Recount = (counts: readonly number[]) => readonly number[];

const widths = { local: 3, process: 2 }; // variables, client and timers; local state and inbox

/**
 * Every process state that occurs, by number: a local state and an inbox. And what events elsewhere make of it: a message is sent to the process,
 * another process enters, time passes.
 */
export class ProcessStateTable {
  readonly config: CheckConfig;
  readonly discovery = new Discovery();
  readonly symmetric: boolean; // processes share their states, and effects name processes by distance
  readonly timed: boolean;
  readonly causal: boolean;
  readonly chains: ChainBounds | null; // null unless a bound on chains is checked
  readonly variables = new ValueTable<unknown, VariablesId>();
  readonly clients = new Interner<Client, ClientId>();
  readonly envelopes = new ValueTable<Envelope, EnvelopeId>();
  readonly inboxes = new ListTable<InboxId, EnvelopeId>();
  readonly timerStates = new Interner<TimerState, TimersId>();
  readonly sends = new PairMap<ProcessStateId, EnvelopeId, ProcessStateId>(); // the state with the envelope in its inbox
  readonly #longer = new PairMap<InboxId, EnvelopeId, InboxId>();
  readonly #shorter = new PairMap<InboxId, EnvelopeId, InboxId>();
  readonly #deliverable: (readonly EnvelopeId[])[] = []; // by inbox
  readonly #afterArrival = new PairMap<ProcessStateId, number, ProcessStateId>(); // by the channel position of a message elsewhere
  readonly #afterCrash = new PairMap<ProcessStateId, Pid, ProcessStateId>(); // by the process that crashed
  readonly #afterEntry = new PairMap<ProcessStateId, number, ProcessStateId>(); // by the bounds that count an entry elsewhere
  readonly #afterTick: (ProcessStateId | -1)[] = [];
  readonly #processes: Pid[] = []; // by variables
  readonly #withoutChain: EnvelopeId[] = []; // by envelope
  readonly #locals = new TupleTable<LocalStateId>(widths.local);
  readonly #processStates = new TupleTable<ProcessStateId>(widths.process);
  readonly #tuple = new Int32Array(widths.local);

  constructor(config: CheckConfig) {
    this.config = config;
    this.symmetric = config.symmetric;
    this.timed = isTimed(config.setup);
    this.causal = config.setup.channels === 'causal';
    const { setup, measures } = config;
    this.chains = measures.chain && new ChainBounds(setup.algorithm as AnyAlgorithm, measures.chain);
  }

  get size(): number {
    return this.#processStates.size;
  }

  get bytes(): number {
    return this.#locals.bytes + this.#processStates.bytes + this.inboxes.bytes + this.sends.bytes;
  }

  /** An estimate of the bytes in objects and maps. */
  get objectBytes(): number {
    const memos = [this.#longer, this.#shorter, this.#afterArrival, this.#afterCrash, this.#afterEntry];
    const objects = [this.variables, this.envelopes, this.clients, this.timerStates];
    return [...memos, ...objects].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Says whether an envelope is the report of a crash, which the network neither loses nor repeats. */
  isNotice(envelope: EnvelopeId): boolean {
    const { crashNotice } = this.config.setup.algorithm;
    return crashNotice !== undefined && this.envelopes.of(envelope).message.type === crashNotice;
  }

  localOf(state: ProcessStateId): LocalStateId {
    return this.#processStates.data[widths.process * state]! as LocalStateId;
  }

  inboxOf(state: ProcessStateId): InboxId {
    return this.#processStates.data[widths.process * state + 1]! as InboxId;
  }

  local(local: LocalStateId): LocalState {
    const { data } = this.#locals;
    const at = widths.local * local;
    return {
      process: this.processOf(local),
      variables: data[at]! as VariablesId,
      client: data[at + 1]! as ClientId,
      timers: data[at + 2]! as TimersId,
    };
  }

  processOf(local: LocalStateId): Pid {
    return this.#processes[this.#variablesOf(local)]!;
  }

  #variablesOf(local: LocalStateId): VariablesId {
    return this.#locals.data[widths.local * local]! as VariablesId;
  }

  variablesAt(state: ProcessStateId): unknown {
    return this.variables.of(this.#variablesOf(this.localOf(state)));
  }

  clientOf(state: ProcessStateId): ClientId {
    return this.#locals.data[widths.local * this.localOf(state) + 1]! as ClientId;
  }

  clientAt(state: ProcessStateId): Client {
    return this.clients.of(this.clientOf(state));
  }

  timersAt(state: ProcessStateId): TimerState {
    return this.timerStates.of(this.#locals.data[widths.local * this.localOf(state) + 2]! as TimersId);
  }

  envelopesIn(state: ProcessStateId): readonly EnvelopeId[] {
    return this.inboxes.of(this.inboxOf(state));
  }

  /** Returns the state after a message was sent to the process. */
  afterSend(state: ProcessStateId, envelope: EnvelopeId): ProcessStateId {
    return this.sends.valueAt(this.sendCell(state, envelope));
  }

  /** Returns where that state is in `sends`. */
  sendCell(state: ProcessStateId, envelope: EnvelopeId): number {
    const at = this.sends.at(state, envelope);
    return at < 0 ? this.#send(state, envelope) : at;
  }

  #send(state: ProcessStateId, envelope: EnvelopeId): number {
    this.discovery.note();
    const isCrashed = this.clientAt(state).phase === 'crashed';
    const after = isCrashed
      ? state
      : this.addProcessState(this.localOf(state), this.withEnvelope(this.inboxOf(state), envelope));
    return this.sends.set(state, envelope, after);
  }

  /** Returns the inbox with one more envelope. */
  withEnvelope(inbox: InboxId, envelope: EnvelopeId): InboxId {
    const at = this.#longer.at(inbox, envelope);
    if (at >= 0) return this.#longer.valueAt(at);
    const { channels } = this.config.setup;
    const after = this.addInbox(
      withEnvelope(this.inboxes.of(inbox), envelope, channels, (one) => this.envelopes.of(one)),
    );
    this.#longer.set(inbox, envelope, after);
    return after;
  }

  /** Returns the inbox without one of its envelopes. */
  without(inbox: InboxId, envelope: EnvelopeId): InboxId {
    const at = this.#shorter.at(inbox, envelope);
    if (at >= 0) return this.#shorter.valueAt(at);
    const after = this.addInbox(withoutEnvelope(this.inboxes.of(inbox), envelope));
    this.#shorter.set(inbox, envelope, after);
    return after;
  }

  /** Returns the inbox after an envelope was received of which a copy is still in flight. On causal channels no message waits for the copy. */
  withCopy(inbox: InboxId, envelope: EnvelopeId): InboxId {
    if (!this.causal || this.envelopes.of(envelope).copy) return inbox;
    const envelopes = this.inboxes.of(inbox);
    return this.addInbox(
      envelopes.with(
        envelopes.indexOf(envelope),
        this.addEnvelope({ ...this.envelopes.of(envelope), copy: true }),
      ),
    );
  }

  /** Returns the envelopes of this inbox that the process may receive next. */
  deliverable(inbox: InboxId, process: Pid): readonly EnvelopeId[] {
    if (this.causal) return this.#findDeliverable(inbox, process);
    this.#deliverable[inbox] ??= this.#findDeliverable(inbox, process);
    return this.#deliverable[inbox];
  }

  #findDeliverable(inbox: InboxId, process: Pid): readonly EnvelopeId[] {
    const { channels, n } = this.config.setup;
    const isFree = ({ past }: Envelope) =>
      past === null || past.every((count, channel) => count === 0 || channel % n !== process);
    return deliverable(this.inboxes.of(inbox), channels, (envelope) => this.envelopes.of(envelope), isFree);
  }

  /** Returns the state after a message to another process was received or lost: messages sent after it need not wait for it any more. */
  afterArrivalElsewhere(state: ProcessStateId, position: number): ProcessStateId {
    const at = this.#afterArrival.at(state, position);
    if (at >= 0) return this.#afterArrival.valueAt(at);
    this.discovery.note();
    const after = this.#recounted(state, (counts) => this.oneLess(counts, position));
    this.#afterArrival.set(state, position, after);
    return after;
  }

  inboxAfterArrival(inbox: InboxId, position: number): InboxId {
    return this.#recountedInbox(inbox, (counts) => this.oneLess(counts, position));
  }

  /** Returns the state after another process crashed: messages to that process do not count any more. */
  afterCrashOf(state: ProcessStateId, process: Pid): ProcessStateId {
    const at = this.#afterCrash.at(state, process);
    if (at >= 0) return this.#afterCrash.valueAt(at);
    this.discovery.note();
    const { n } = this.config.setup;
    const after = this.#recounted(state, (counts) =>
      counts.map((count, k) => (k % n === process ? 0 : count)),
    );
    this.#afterCrash.set(state, process, after);
    return after;
  }

  #recounted(state: ProcessStateId, recount: Recount): ProcessStateId {
    const timers = this.timersAt(state);
    const here = this.local(this.localOf(state));
    const local = this.addLocal({
      ...here,
      timers: this.addTimers({ ...timers, known: recount(timers.known!) }),
    });
    return this.addProcessState(local, this.#recountedInbox(this.inboxOf(state), recount));
  }

  #recountedInbox(inbox: InboxId, recount: Recount): InboxId {
    const envelopes = this.inboxes.of(inbox).map((envelope) => this.envelopes.of(envelope));
    return this.addInbox(envelopes.map((one) => this.addEnvelope({ ...one, past: recount(one.past!) })));
  }

  /** Encodes the position of a message: its channel, and how many messages are ahead of it there. */
  channelPosition(channel: number, ahead: number): number {
    return ahead * this.config.setup.n ** 2 + channel;
  }

  /** Returns counts of the messages in flight, by channel, without the message at a channel position. Each counts the first ones of its channel. */
  oneLess(counts: readonly number[], position: number): number[] {
    const channels = this.config.setup.n ** 2;
    const [channel, ahead] = [position % channels, Math.floor(position / channels)];
    return counts.map((count, k) => (k === channel && count > ahead ? count - 1 : count));
  }

  /** Returns the state after another process entered. `counts` has a bit for each bypass bound that counts this entry. */
  afterEntryElsewhere(state: ProcessStateId, counts: number): ProcessStateId {
    const at = this.#afterEntry.at(state, counts);
    if (at >= 0) return this.#afterEntry.valueAt(at);
    this.discovery.note();
    const { bypass } = this.config;
    const which = bypass.map((_, k) => (counts & (1 << k)) !== 0);
    const client = this.addClient(passedBy(this.clientAt(state), which, bypass));
    const local = this.addLocal({ ...this.local(this.localOf(state)), client });
    const after = this.addProcessState(local, this.inboxOf(state));
    this.#afterEntry.set(state, counts, after);
    return after;
  }

  /** Returns the state one tick later; -1 if something must happen first. */
  afterTick(state: ProcessStateId): ProcessStateId | -1 {
    this.#afterTick[state] ??= this.#tick(state);
    return this.#afterTick[state];
  }

  #tick(state: ProcessStateId): ProcessStateId | -1 {
    this.discovery.note();
    const here = this.local(this.localOf(state));
    const inbox = this.envelopesIn(state).map((envelope) => this.envelopes.of(envelope));
    const timers = afterTick(this.timersAt(state), this.unit(here.process));
    if (timers === null || inbox.some(({ latest }) => latest === 0)) return -1;
    const later = inbox.map((one) =>
      this.addEnvelope({ ...one, earliest: Math.max(0, one.earliest - 1), latest: one.latest - 1 }),
    );
    const { channels } = this.config.setup;
    const sorted = channels === 'unordered' ? later.sort((a, b) => a - b) : later;
    return this.addProcessState(
      this.addLocal({ ...here, timers: this.addTimers(timers) }),
      this.addInbox(sorted),
    );
  }

  /** Says whether a message is in flight to the process, or a timer is armed. */
  awaitsTime(state: ProcessStateId): boolean {
    return this.envelopesIn(state).length > 0 || this.timersAt(state).armed.length > 0;
  }

  /** Returns how many messages are in flight on the channel of an envelope. */
  countOnChannelOf(state: ProcessStateId, envelope: EnvelopeId): number {
    const { from, arrivesAs } = this.envelopes.of(envelope);
    const inbox = this.envelopesIn(state).map((other) => this.envelopes.of(other));
    return inbox.filter((other) => other.from === from && other.arrivesAs === arrivesAs).length;
  }

  /** Returns the channel on which an envelope comes to a process. */
  channelOf(process: Pid, envelope: EnvelopeId): number {
    return this.envelopes.of(envelope).from * this.config.setup.n + process;
  }

  /** Returns how many ticks the local clock of a process takes for one of its own. */
  unit(process: Pid): number {
    return this.config.setup.clocks?.[process] ?? 1;
  }

  // Ids, new ones where the value is new.

  addLocal({ variables, client, timers }: Omit<LocalState, 'process'>): LocalStateId {
    const tuple = this.#tuple;
    tuple[0] = variables;
    tuple[1] = client;
    tuple[2] = timers;
    return this.#locals.add(tuple, 0);
  }

  addProcessState(local: LocalStateId, inbox: InboxId): ProcessStateId {
    const tuple = this.#tuple;
    tuple[0] = local;
    tuple[1] = inbox;
    return this.#processStates.add(tuple, 0);
  }

  /** Variables belong to a process, so that the result of an event depends on them and nothing else. */
  addVariables(process: Pid, variables: unknown): VariablesId {
    const id = this.variables.add(variables, variables, process);
    this.#processes[id] = process;
    return id;
  }

  addClient(client: Client): ClientId {
    return this.clients.add(JSON.stringify(client), client);
  }

  addEnvelope(envelope: Envelope): EnvelopeId {
    const { from, arrivesAs, earliest, latest, late, past, chain, copy, message } = envelope;
    const content = past === null ? message : [message, past];
    return this.envelopes.add(
      envelope,
      content,
      from,
      arrivesAs,
      earliest,
      latest,
      (late ? 1 : 0) | (copy ? 2 : 0) | (chain << 2),
    );
  }

  /** Returns the envelope without its chain, which no handler sees. */
  withoutChain(envelope: EnvelopeId): EnvelopeId {
    if (this.chains === null) return envelope;
    this.#withoutChain[envelope] ??= this.addEnvelope({ ...this.envelopes.of(envelope), chain: 0 });
    return this.#withoutChain[envelope];
  }

  addInbox(inbox: readonly EnvelopeId[]): InboxId {
    return this.inboxes.add(inbox);
  }

  addTimers(timers: TimerState): TimersId {
    return this.timerStates.add(JSON.stringify(timers), timers);
  }
}
