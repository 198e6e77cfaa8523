import type { Pid } from '../../core/algorithm.ts';
import { type CheckConfig, isTimed } from '../config.ts';
import { Discovery } from '../parallel/discovery.ts';
import { type Client, passedBy } from '../properties/client.ts';
import { Interner } from '../storage/interner.ts';
import { ListTable } from '../storage/list-table.ts';
import { PairMap } from '../storage/pair-map.ts';
import { TupleTable } from '../storage/tuple-table.ts';
import { ValueTable } from '../storage/value-table.ts';
import { deliverable, type Envelope, withEnvelope, withoutEnvelope } from './inbox.ts';
import { afterTick, type TimerState } from './timers.ts';

/** What one process has by itself: state, user and clock, by their numbers. `kind` is the process, or 0 where all are alike. */
export interface LocalState {
  readonly process: number;
  readonly state: number;
  readonly client: number;
  readonly timers: number;
}

type Recount = (counts: readonly number[]) => readonly number[];

const widths = { local: 3, site: 2 }; // the kind of a local is that of its state; a site is a local and an inbox

/**
 * Every site that occurs, by number: what a process has by itself, and what is on its way to it. And what events elsewhere make of it: a message is
 * sent to it, somebody enters, time passes.
 */
export class ProcessStateTable {
  readonly config: CheckConfig;
  readonly discovery = new Discovery();
  readonly symmetric: boolean; // nothing tells one process from another: sites serve all, and positions are relative
  readonly timed: boolean;
  readonly causal: boolean;
  readonly states = new ValueTable<unknown>();
  readonly clients = new Interner<Client>();
  readonly envelopes = new ValueTable<Envelope>();
  readonly inboxes = new ListTable();
  readonly timerStates = new Interner<TimerState>();
  readonly sends = new PairMap(); // site and item: the site with the item on its way
  readonly #longer = new PairMap(); // inbox and item
  readonly #shorter = new PairMap();
  readonly #deliverable: (readonly number[])[] = []; // of each inbox
  readonly #shifts = new PairMap(); // site and, by its place, a message that arrived or was lost elsewhere
  readonly #forgets = new PairMap(); // site and a process that has crashed
  readonly #passes = new PairMap(); // site and which bounds count an entry elsewhere
  readonly #ticked: number[] = [];
  readonly #processes: number[] = []; // of states
  readonly #locals = new TupleTable(widths.local);
  readonly #processStates = new TupleTable(widths.site);
  readonly #tuple = new Int32Array(widths.local);

  constructor(config: CheckConfig) {
    this.config = config;
    this.symmetric = config.symmetric;
    this.timed = isTimed(config.setup);
    this.causal = config.setup.channels === 'causal';
  }

  get size(): number {
    return this.#processStates.size;
  }

  get bytes(): number {
    return this.#locals.bytes + this.#processStates.bytes + this.inboxes.bytes + this.sends.bytes;
  }

  /** Of what has a number as an object, and of what is remembered of it, about. */
  get objectBytes(): number {
    const memos = [this.#longer, this.#shorter, this.#shifts, this.#forgets, this.#passes];
    const objects = [this.states, this.envelopes, this.clients, this.timerStates];
    return [...memos, ...objects].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  localOf(state: number): number {
    return this.#processStates.data[widths.site * state]!;
  }

  inboxOf(state: number): number {
    return this.#processStates.data[widths.site * state + 1]!;
  }

  local(local: number): LocalState {
    const { data } = this.#locals;
    const at = widths.local * local;
    return { process: this.processOf(local), state: data[at]!, client: data[at + 1]!, timers: data[at + 2]! };
  }

  processOf(local: number): number {
    return this.#processes[this.#locals.data[widths.local * local]!]!;
  }

  variablesAt(state: number): unknown {
    return this.states.of(this.#locals.data[widths.local * this.localOf(state)]!);
  }

  clientAt(state: number): Client {
    return this.clients.values[this.clientOf(state)]!;
  }

  clientOf(state: number): number {
    return this.#locals.data[widths.local * this.localOf(state) + 1]!;
  }

  envelopesIn(state: number): readonly number[] {
    return this.inboxes.of(this.inboxOf(state));
  }

  timersAt(state: number): TimerState {
    return this.timerStates.values[this.#locals.data[widths.local * this.localOf(state) + 2]!]!;
  }

  /** The site when a message is sent to it. */
  afterSend(state: number, envelope: number): number {
    return this.sends.valueAt(this.sendCell(state, envelope));
  }

  /** Where that is in `arrivals`. */
  sendCell(state: number, envelope: number): number {
    const at = this.sends.at(state, envelope);
    return at < 0 ? this.#send(state, envelope) : at;
  }

  #send(state: number, envelope: number): number {
    this.discovery.note();
    const isCrashed = this.clientAt(state).phase === 'crashed';
    const after = isCrashed
      ? state
      : this.addProcessState(this.localOf(state), this.#with(this.inboxOf(state), envelope));
    return this.sends.set(state, envelope, after);
  }

  #with(inbox: number, envelope: number): number {
    const at = this.#longer.at(inbox, envelope);
    if (at >= 0) return this.#longer.valueAt(at);
    const { channels } = this.config.setup;
    const after = this.addInbox(
      withEnvelope(this.inboxes.of(inbox), envelope, channels, (one) => this.envelopes.of(one)),
    );
    this.#longer.set(inbox, envelope, after);
    return after;
  }

  /** The inbox when one of its items is gone; as it is if there is nothing in it. */
  without(inbox: number, envelope: number): number {
    const at = this.#shorter.at(inbox, envelope);
    if (at >= 0) return this.#shorter.valueAt(at);
    const after = this.addInbox(withoutEnvelope(this.inboxes.of(inbox), envelope));
    this.#shorter.set(inbox, envelope, after);
    return after;
  }

  /** The inbox when an item has arrived of which a copy is still to come. On causal channels nobody waits for that. */
  withCopy(inbox: number, envelope: number): number {
    if (!this.causal || this.envelopes.of(envelope).copy) return inbox;
    const envelopes = this.inboxes.of(inbox);
    return this.addInbox(
      envelopes.with(
        envelopes.indexOf(envelope),
        this.addEnvelope({ ...this.envelopes.of(envelope), copy: true }),
      ),
    );
  }

  /** What may arrive next at a process that has this inbox. */
  deliverable(inbox: number, process: Pid): readonly number[] {
    if (this.causal) return this.#findDeliverable(inbox, process);
    this.#deliverable[inbox] ??= this.#findDeliverable(inbox, process);
    return this.#deliverable[inbox];
  }

  #findDeliverable(inbox: number, process: Pid): readonly number[] {
    const { channels, n } = this.config.setup;
    const isFree = ({ past }: Envelope) =>
      past === null || past.every((count, channel) => count === 0 || channel % n !== process);
    return deliverable(this.inboxes.of(inbox), channels, (envelope) => this.envelopes.of(envelope), isFree);
  }

  /** The site when a message at another place has arrived, or was lost: what was sent after it need not wait for it any more. */
  afterArrivalElsewhere(state: number, place: number): number {
    const at = this.#shifts.at(state, place);
    if (at >= 0) return this.#shifts.valueAt(at);
    this.discovery.note();
    const after = this.#recounted(state, (counts) => this.oneLess(counts, place));
    this.#shifts.set(state, place, after);
    return after;
  }

  inboxAfterArrival(inbox: number, place: number): number {
    return this.#recountedInbox(inbox, (counts) => this.oneLess(counts, place));
  }

  /** The site when a process has crashed: nothing that was sent there counts any more. */
  afterCrashOf(state: number, process: Pid): number {
    const at = this.#forgets.at(state, process);
    if (at >= 0) return this.#forgets.valueAt(at);
    this.discovery.note();
    const { n } = this.config.setup;
    const after = this.#recounted(state, (counts) =>
      counts.map((count, k) => (k % n === process ? 0 : count)),
    );
    this.#forgets.set(state, process, after);
    return after;
  }

  #recounted(state: number, recount: Recount): number {
    const clock = this.timersAt(state);
    const here = this.local(this.localOf(state));
    const local = this.addLocal({
      ...here,
      timers: this.addTimers({ ...clock, known: recount(clock.known!) }),
    });
    return this.addProcessState(local, this.#recountedInbox(this.inboxOf(state), recount));
  }

  #recountedInbox(inbox: number, recount: Recount): number {
    const envelopes = this.inboxes.of(inbox).map((envelope) => this.envelopes.of(envelope));
    return this.addInbox(envelopes.map((one) => this.addEnvelope({ ...one, past: recount(one.past!) })));
  }

  /** Of a message on a channel: which channel, and how many are before it there. */
  channelPosition(channel: number, ahead: number): number {
    return ahead * this.config.setup.n ** 2 + channel;
  }

  /** Counts of messages on their way, by channel, each of the first so many, when the one at a place is not any more. */
  oneLess(counts: readonly number[], place: number): number[] {
    const channels = this.config.setup.n ** 2;
    const [channel, ahead] = [place % channels, Math.floor(place / channels)];
    return counts.map((count, k) => (k === channel && count > ahead ? count - 1 : count));
  }

  /** The site when somebody else has entered; `counts` has a bit for each bypass bound for which that entry counts. */
  afterEntryElsewhere(state: number, counts: number): number {
    const at = this.#passes.at(state, counts);
    if (at >= 0) return this.#passes.valueAt(at);
    this.discovery.note();
    const { bypass } = this.config;
    const which = bypass.map((_, k) => (counts & (1 << k)) !== 0);
    const client = this.addClient(passedBy(this.clientAt(state), which, bypass));
    const local = this.addLocal({ ...this.local(this.localOf(state)), client });
    const after = this.addProcessState(local, this.inboxOf(state));
    this.#passes.set(state, counts, after);
    return after;
  }

  /** The site one tick later; -1 if something must happen before. */
  afterTick(state: number): number {
    this.#ticked[state] ??= this.#tick(state);
    return this.#ticked[state];
  }

  #tick(state: number): number {
    this.discovery.note();
    const here = this.local(this.localOf(state));
    const inbox = this.envelopesIn(state).map((envelope) => this.envelopes.of(envelope));
    const clock = afterTick(this.timersAt(state), this.unit(here.process));
    if (clock === null || inbox.some(({ latest }) => latest === 0)) return -1;
    const later = inbox.map((one) =>
      this.addEnvelope({ ...one, earliest: Math.max(0, one.earliest - 1), latest: one.latest - 1 }),
    );
    const { channels } = this.config.setup;
    const sorted = channels === 'unordered' ? later.sort((a, b) => a - b) : later;
    return this.addProcessState(
      this.addLocal({ ...here, timers: this.addTimers(clock) }),
      this.addInbox(sorted),
    );
  }

  /** Something is on its way to it, or a timer is set: time will bring it about. */
  awaitsTime(state: number): boolean {
    return this.envelopesIn(state).length > 0 || this.timersAt(state).armed.length > 0;
  }

  /** How many messages are on their way on the channel of an item. */
  countOnChannelOf(state: number, envelope: number): number {
    const { from, arrivesAs } = this.envelopes.of(envelope);
    const inbox = this.envelopesIn(state).map((other) => this.envelopes.of(other));
    return inbox.filter((other) => other.from === from && other.arrivesAs === arrivesAs).length;
  }

  /** On which an item arrives at a process. */
  channelOf(process: Pid, envelope: number): number {
    return this.envelopes.of(envelope).from * this.config.setup.n + process;
  }

  /** Of the clock of a process. */
  unit(process: Pid): number {
    return this.config.setup.clocks?.[process] ?? 1;
  }

  // The number of each thing.

  addLocal({ state, client, timers }: Omit<LocalState, 'process'>): number {
    const tuple = this.#tuple;
    tuple[0] = state;
    tuple[1] = client;
    tuple[2] = timers;
    return this.#locals.add(tuple, 0);
  }

  addProcessState(local: number, inbox: number): number {
    const tuple = this.#tuple;
    tuple[0] = local;
    tuple[1] = inbox;
    return this.#processStates.add(tuple, 0);
  }

  /** A state belongs to a process, so that what an event does depends on nothing else. */
  addVariables(kind: number, state: unknown): number {
    const number = this.states.add(state, state, kind);
    this.#processes[number] = kind;
    return number;
  }

  addClient(client: Client): number {
    return this.clients.add(JSON.stringify(client), client);
  }

  addEnvelope(envelope: Envelope): number {
    const { from, arrivesAs, earliest, latest, late, past, copy, message } = envelope;
    const also = past === null ? message : [message, past];
    return this.envelopes.add(
      envelope,
      also,
      from,
      arrivesAs,
      earliest,
      latest,
      (late ? 1 : 0) | (copy ? 2 : 0),
    );
  }

  addInbox(inbox: readonly number[]): number {
    return this.inboxes.add(inbox);
  }

  addTimers(clock: TimerState): number {
    return this.timerStates.add(JSON.stringify(clock), clock);
  }
}
