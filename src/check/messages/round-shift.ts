import type { Message } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import { type ProcessStateId, stateAt } from '../ids.ts';
import type { Client } from '../properties/client.ts';
import { PairMap } from '../storage/pair-map.ts';
import type { ProcessStateTable } from './process-states.ts';

const none = Infinity; // the round of this state does not matter
const over = -1; // a round before all that matter

type Fields = Readonly<Record<string, unknown>>;

/**
 * Counts the rounds of an algorithm from the lowest one that matters to a process, so that runs without end can have finitely many states. Rounds before
 * that one are all the same.
 *
 * Why that is sound. The algorithm declares that its handlers do the same if all rounds are greater by the same number, that a process whose round does
 * not matter never looks at it again, and that messages of rounds before all that matter are not told apart. So a world and the one with shifted rounds take the
 * same steps, to worlds that are shifted alike. A lemma may compare rounds: their order stays, except among those that are over. So may the properties of an
 * election that numbers its rounds: the round that a living process is in counts as one that matters. The leader of a crashed process is forgotten once
 * its round is over: no living process can learn the leader of that round any more.
 *
 * Lengths of chains and sizes of messages stay: a shift changes no length, and messages are measured when they are sent.
 *
 * Nor does it hide that a message is never received. In a loop in which rounds are shifted, each message of a round that matters is of an earlier round the next time.
 */
export class RoundShift {
  readonly #processStates: ProcessStateTable;
  readonly #field: string; // of states
  readonly #inMessages: string;
  readonly #matters: (s: never) => boolean;
  readonly #lowest: number[] = []; // by process state
  readonly #shifted = new PairMap<ProcessStateId, number, ProcessStateId>();
  readonly #n: number;

  constructor(processStates: ProcessStateTable) {
    const { algorithm, n } = processStates.config.setup;
    this.#processStates = processStates;
    this.#field = algorithm.rounds!.field;
    this.#inMessages = algorithm.rounds!.inMessages ?? this.#field;
    this.#matters = algorithm.rounds!.matters;
    this.#n = n;
  }

  /** Replaces the process states of a world by those with the lowest rounds. */
  normalise(worlds: Int32Array, offset: number): void {
    let lowest = none;
    for (let i = 0; i < this.#n; i += 1)
      lowest = Math.min(lowest, this.#lowestIn(stateAt(worlds, offset, i)));
    if (lowest === none || lowest === 0) return;
    for (let i = 0; i < this.#n; i += 1) worlds[offset + i] = this.#shift(stateAt(worlds, offset, i), lowest);
  }

  #lowestIn(state: ProcessStateId): number {
    this.#lowest[state] ??= this.#findLowest(state);
    return this.#lowest[state];
  }

  #findLowest(state: ProcessStateId): number {
    const variables = this.#processStates.variablesAt(state) as Fields | null; // null after a crash
    const { round, phase } = this.#processStates.clientAt(state);
    const ofClient = round < 0 || phase === 'crashed' ? none : round;
    const isLooked = variables !== null && this.#matters(variables as never);
    return Math.min(ofClient, isLooked ? this.#roundIn(variables, this.#field) : none);
  }

  #roundIn(record: Fields, field: string): number {
    const round = record[field];
    assert(Number.isInteger(round), `${field} is declared to be a round, so it is a whole number`);
    return round as number;
  }

  #shift(state: ProcessStateId, by: number): ProcessStateId {
    const at = this.#shifted.at(state, by);
    if (at >= 0) return this.#shifted.valueAt(at);
    const processStates = this.#processStates;
    processStates.discovery.note();
    const here = processStates.local(processStates.localOf(state));
    const variables = processStates.addVariables(
      here.process,
      this.#lowered(processStates.variables.of(here.variables) as Fields | null, by),
    );
    const inbox = processStates.envelopesIn(state).reduce((shorter, envelope) => {
      const one = processStates.envelopes.of(envelope);
      const message = (
        this.#inMessages in one.message
          ? this.#lower(one.message as Fields, this.#inMessages, by)
          : one.message
      ) as Message;
      return processStates.withEnvelope(shorter, processStates.addEnvelope({ ...one, message }));
    }, processStates.addInbox([]));
    const client = processStates.addClient(loweredClient(processStates.clients.of(here.client), by));
    const after = processStates.addProcessState(
      processStates.addLocal({ ...here, variables, client }),
      inbox,
    );
    this.#shifted.set(state, by, after);
    return after;
  }

  #lowered(variables: Fields | null, by: number): Fields | null {
    return variables && this.#lower(variables, this.#field, by);
  }

  #lower(record: Fields, field: string, by: number): Fields {
    return { ...record, [field]: Math.max(over, this.#roundIn(record, field) - by) };
  }
}

function loweredClient(client: Client, by: number): Client {
  if (client.round < 0) return client;
  return client.round < by
    ? { ...client, round: over, leader: null }
    : { ...client, round: client.round - by };
}
