import type { Address, AnyAlgorithm, Message, Pid, World } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { initialState } from '../core/initial-state.ts';
import type { Topology } from '../core/topology.ts';
import { ContractRules } from './contract-rules.ts';
import { addressing, type FactWriter, factsOf, factWriter, type Setting } from './facts.ts';
import { type InFlight, type Input, type Machine, noSink, type Sink } from './machine.ts';

/**
 * Processes that send messages over the links of a network. {@link Machine} describes the members that both machines have.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { MessageMachine } from 'batonjs/machine';
 * import { prepare } from 'batonjs-lab/sim';
 *
 * const machine = new MessageMachine(raymond, prepare(raymond, { n: 3, topology: 'line' }));
 * const states = [0, 1, 2].map((i) => machine.init(i));
 * machine.step(1, states[1]!, { kind: 'call', name: 'request' });
 * machine.receive(0, states[0]!, machine.kinds.indexOf('request'), { type: 'request' }, 0);
 * machine.senderOf(0, 0); // → 1
 * machine.world(states, []).states.map((state) => machine.fieldsOf(state as object));
 */
export class MessageMachine implements Machine {
  /** The process of the current or last step. */
  turn: Pid = 0;
  /** The sink of `receive`, and of `step` unless another is given. */
  sink: Sink;
  /** Whether to check that messages are plain data. */
  checksPlainData = true;
  /** Processes have no lines of a program. */
  readonly hasLines = false;
  /** The algorithm that runs. */
  readonly algorithm: AnyAlgorithm;
  /** The rules of the contract, which every step is held to. */
  readonly rules: ContractRules;
  /** The network. */
  readonly topology: Topology;
  /** Whether addresses are positions: the algorithm knows `me`. */
  readonly named: boolean;
  readonly #write: FactWriter;
  readonly #process = new MessageProcess(this); // shared by all processes; facts are written before each step
  readonly #init = (i: Pid): object => this.algorithm.init(factsOf(this.#write, i));
  readonly #calls: ReadonlyMap<string, AnyAlgorithm['calls'][string]>;
  readonly #on: ReadonlyMap<string, AnyAlgorithm['on'][string]>;
  readonly #handlers: readonly AnyAlgorithm['on'][string][]; // by kind

  constructor(algorithm: AnyAlgorithm, setting: Setting, sink: Sink = noSink) {
    this.algorithm = algorithm;
    this.sink = sink;
    this.rules = new ContractRules(algorithm, setting.topology.n);
    this.topology = setting.topology;
    this.named = algorithm.knows.includes('me');
    this.#write = factWriter(algorithm, setting);
    this.#calls = new Map(Object.entries(algorithm.calls));
    this.#on = new Map(Object.entries(algorithm.on));
    this.#handlers = this.kinds.map((kind) => algorithm.on[kind]!);
    this.#write(this.#process, 0);
    Object.preventExtensions(this.#process);
  }

  /** The names of the calls that the application may make. */
  get calls(): readonly string[] {
    return [...this.#calls.keys()];
  }

  /** The types of messages, without timers. */
  get kinds(): readonly string[] {
    return this.rules.kinds;
  }

  /** The types of messages, which a run counts. */
  get counted(): readonly string[] {
    return this.rules.kinds;
  }

  /** The types of timers. */
  get timers(): readonly string[] {
    return this.rules.timers;
  }

  /** Returns the initial state of process i. */
  init(i: Pid): object {
    return initialState(this.algorithm.name, i, this.#init);
  }

  /** Takes the step for a message without an input object. `kind` is an index of `kinds`. */
  receive(i: Pid, state: object, kind: number, message: Message, from: Address): void {
    this.#handlers[kind]!(state, this.#at(i), message, from);
  }

  /**
   * Takes a step, which changes the state.
   * @throws {AssertionError} if the handler breaks the contract. What a handler throws passes through.
   */
  step(i: Pid, state: object, input: Input, sink: Sink = this.sink): void {
    const before = this.sink;
    this.sink = sink;
    const p = this.#at(i);
    if (input.kind === 'call') this.#callOf(input.name)(state, p);
    else if (input.kind === 'message') this.#handlerOf(input.message)(state, p, input.message, input.from);
    else this.#handle(state, p, input);
    this.sink = before;
  }

  #callOf(name: string): AnyAlgorithm['calls'][string] {
    return this.#calls.get(name) ?? fail(`there is no call '${name}'`);
  }

  #handlerOf({ type }: Message): AnyAlgorithm['on'][string] {
    return this.#on.get(type) ?? fail(`it receives '${type}', which is not one of its messages`);
  }

  #handle(state: object, p: object, input: Input): void {
    const { begin, recover, links, stabilises } = this.algorithm;
    switch (input.kind) {
      case 'timer':
        this.#handlerOf(input.message)(state, p, input.message, 0);
        break;
      case 'begin':
        begin?.(state, p);
        break;
      case 'recover':
        recover?.(state, p);
        break;
      case 'corrupt':
        stabilises?.scramble(state, p);
        break;
      case 'appears':
      case 'goes':
        links?.[input.kind](state, p, input.neighbour);
        break;
      case 'crash':
        this.#notify();
        break;
      case 'step':
        fail('its processes send messages: there are no lines to step through');
    }
  }

  /** The crash of a process is reported on all its links, if the algorithm asks for it. When the reports arrive is up to the sink. */
  #notify(): void {
    const { rules, topology, named, turn, sink } = this;
    if (rules.notice < 0) return;
    const message = { type: rules.kinds[rules.notice]! };
    for (let link = 0; link < topology.degree(turn); link += 1)
      sink.send(
        topology.to(turn, link),
        named ? turn : topology.arrival(turn, link),
        message,
        rules.notice,
        link,
      );
  }

  #at(i: Pid): MessageProcess {
    if (this.turn === i) return this.#process;
    this.turn = i;
    this.#write(this.#process, i);
    return this.#process;
  }

  /** Returns the global state as the algorithm's invariants see it. */
  world(states: readonly object[], inFlight: readonly InFlight[]): World<unknown, Message> {
    const world = { states, inFlight, ...addressing(this.algorithm, this.topology) };
    return this.topology.members === this.topology.n ? world : worldOfMembers(world, this.topology);
  }

  /** Returns the fields of a state, for readers: the state itself. */
  fieldsOf(state: object): object {
    return state;
  }

  /** Returns the sender of a message that arrived at process i from this address. */
  senderOf(i: Pid, arrivesAs: Address): Pid {
    return this.named ? arrivesAs : this.topology.sender(i, arrivesAs);
  }
}

/** The world as invariants see it where processes were left out of the network: it has only the others, numbered anew. */
function worldOfMembers(world: World<unknown, Message>, topology: Topology): World<unknown, Message> {
  const members = world.states.flatMap((_, i) => (topology.includes(i) ? [i] : []));
  const numberOf = new Map(members.map((i, k) => [i, k]));
  return {
    states: members.map((i) => world.states[i]),
    inFlight: world.inFlight.map(({ from, to, message }) => ({
      from: numberOf.get(from)!,
      to: numberOf.get(to)!,
      message,
    })),
    meant: (k, address) => numberOf.get(world.meant(members[k]!, address))!,
    sender: (k, address) => numberOf.get(world.sender(members[k]!, address))!,
  };
}

/** The object `p` of a handler: the facts, as own fields that the machine writes, and the actions, checked and resolved. */
class MessageProcess {
  readonly #machine: MessageMachine;

  constructor(machine: MessageMachine) {
    this.#machine = machine;
  }

  send(address: Address, message: Message): void {
    const { rules, topology, named, turn, checksPlainData, sink } = this.#machine;
    const kind = rules.kindOf(message);
    if (checksPlainData) rules.checkMessage(message);
    const link = named ? topology.link(turn, address) : address;
    if (!(Number.isInteger(link) && link >= 0 && link < topology.degree(turn)))
      fail(`it sends to ${address}, which is not a neighbour`);
    sink.send(topology.to(turn, link), named ? turn : topology.arrival(turn, link), message, kind, link);
  }

  emit(event: Message): void {
    this.#machine.rules.checkEvent(event);
    this.#machine.sink.emit(event);
  }

  after(ticks: number, message: Message): void {
    const { rules, sink } = this.#machine;
    sink.after(ticks, message, rules.timerSet(ticks, message));
  }

  cancel(type: string): void {
    this.#machine.sink.cancel(type, this.#machine.rules.timerOf(type));
  }

  choose(options: number): number {
    this.#machine.rules.checkOptions(options);
    return this.#machine.sink.choose(options);
  }

  clock(): number {
    this.#machine.rules.checkClock();
    return this.#machine.sink.clock();
  }
}
