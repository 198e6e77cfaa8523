// One round of an election at one candidate: the part of this member in a run of an election algorithm over the candidates of the round.
import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { type Input, type MessageMachine, noSink, Overlay, type Sink } from '../machine/index.ts';
import { failureReason, isLinkFrom } from './lock-network.ts';
import type { View } from './view.ts';

/** The candidates of a round as the algorithm sees them. */
interface Lineup {
  readonly order: readonly Pid[]; // members of the view, by their position in the run
  readonly ids: readonly number[]; // by position in the run
}

/**
 * Ids are the ranks 1 to n by priority; of equal priorities, the older member has the higher rank. Where the smallest id wins, the ranks are
 * reversed. The candidates stand in the order of the view. Where positions are the ids, as in `bully`, they stand in the order of the ranks.
 */
export function lineupOf({ knows, elects }: AnyAlgorithm, view: View, candidates: readonly Pid[]): Lineup {
  const priority = (position: Pid) => view.members[position]!.priority;
  const weakestFirst = [...candidates].sort((a, b) => priority(a) - priority(b) || b - a);
  const ranked = elects === 'smallest' ? weakestFirst.reverse() : weakestFirst;
  const order = knows.includes('me') ? ranked : [...candidates].sort((a, b) => a - b);
  return { order, ids: order.map((position) => ranked.indexOf(position) + 1) };
}

/** The effects of a round, carried out by its member. `to` is a member of the view. */
export interface ElectionRunActions extends Pick<Sink, 'after' | 'cancel' | 'choose'> {
  send(to: Pid, as: Address, message: Message): void;
  contractBroken(reason: string): void;
  roundFailed(): void; // a handler failed after messages of other members arrived
}

// The most messages that a candidate receives in one round, far above the bounds of all algorithms. A message that no candidate sent, like
// an id that nobody has, could go round forever.
const mostMessages = 1000;
const mostPerCandidate = 100;

const start: Input = { kind: 'call', name: 'start' };

export class ElectionRun {
  readonly round: number;
  isElected = false; // this member
  readonly #algorithm: AnyAlgorithm;
  readonly #lineup: Lineup;
  readonly #position: Pid; // in the run
  readonly #machine: MessageMachine;
  readonly #state: object;
  readonly #sink: Sink;
  readonly #actions: Pick<ElectionRunActions, 'contractBroken' | 'roundFailed'>;
  #isBroken = false; // takes no more steps
  #received = 0; // messages

  constructor(
    algorithm: AnyAlgorithm,
    {
      round,
      lineup,
      me,
      maxDelay,
    }: { readonly round: number; readonly lineup: Lineup; readonly me: Pid; readonly maxDelay: number },
    { contractBroken, roundFailed, send, ...rest }: ElectionRunActions,
  ) {
    const n = lineup.order.length;
    this.round = round;
    this.#algorithm = algorithm;
    this.#lineup = lineup;
    this.#position = lineup.order.indexOf(me);
    this.#machine = new Overlay(algorithm, () => n).machine({ ids: lineup.ids, root: 0, maxDelay });
    this.#state = this.#machine.init(this.#position);
    this.#actions = { contractBroken, roundFailed };
    this.#sink = {
      ...noSink,
      ...rest,
      send: (to, as, message) => send(lineup.order[to]!, as, message),
      emit: (event) => {
        if (event.type === 'elected' && this.#isMe((event as Message & { leader: unknown }).leader))
          this.isElected = true;
      },
    };
  }

  /** @internal */
  inspectState() {
    return { round: this.round, isElected: this.isElected, state: this.#state };
  }

  /** A candidate without opponents is elected without a message. */
  start(): void {
    if (this.#lineup.order.length === 1) this.isElected = true;
    else this.#stepAlone({ kind: 'begin' }, start);
  }

  fire(message: Message): void {
    this.#stepAlone({ kind: 'timer', message });
  }

  /** Returns false if no working member can have sent the message. A handler that fails on it has met such a message. */
  receive(message: Message, as: Address, sender: Pid): boolean {
    if (this.#isBroken) return true;
    const from = this.#lineup.order.indexOf(sender);
    const { topology, rules } = this.#machine;
    if (from < 0 || !isLinkFrom(this.#algorithm, topology, this.#position, as, from)) return false;
    this.#received += 1;
    const most = mostMessages + mostPerCandidate * this.#lineup.order.length;
    if (!rules.accepts(message) || this.#received > most) return false;
    return this.#step({ kind: 'message', message, from: as }) === null;
  }

  /** A handler that fails before any message has arrived breaks the contract. Later, an earlier message may be the cause. */
  #stepAlone(...inputs: readonly Input[]): void {
    for (const input of inputs) {
      const error = this.#step(input);
      if (error === null) continue;
      if (this.#received > 0) this.#actions.roundFailed();
      else this.#actions.contractBroken(failureReason(this.#algorithm, error, this.#position));
    }
  }

  /** Returns the error, or null. */
  #step(input: Input): unknown {
    if (this.#isBroken) return null;
    try {
      this.#machine.step(this.#position, this.#state, input, this.#sink);
      return null;
    } catch (error) {
      this.#isBroken = true;
      return error ?? 'nothing';
    }
  }

  /** A process names the leader by its id, or by its position if it knows no ids. */
  #isMe(leader: unknown): boolean {
    const own = this.#algorithm.knows.includes('id') ? this.#lineup.ids[this.#position] : this.#position;
    return leader === 'me' || leader === own;
  }
}
