// The states of a system of processes that send messages, and their steps, written from docs/reference/contract.md and docs/check.md alone.
import type { AnyAlgorithm, ChannelKind, Pid } from '../../src/core/algorithm.ts';
import { encode } from '../../src/core/plain-data.ts';
import type { Figures } from './figures.ts';
import { type Execution, executionsOf, factsOf, type Input, type Output, type Place } from './one-step.ts';
import type { Outcome, Step, WorldModel } from './state-graph.ts';

/** The runs to look at. */
export interface MessageSpace extends Place {
  readonly channels: ChannelKind;
  readonly entries: number;
  readonly together: boolean;
  readonly crashes: number;
  readonly losses: number;
  readonly repeats: number;
  readonly capacity: number; // a timer waits while a channel that it would send on holds this many messages
  readonly figures?: Figures; // to measure; none unless given
}

/**
 * A message in flight. `past` is for causal channels only: past[c] counts the messages of channel c, from its head, that causally precede this
 * one. The causal past contains with a message every earlier one of the same channel, so a count describes it.
 */
interface Packet {
  readonly text: string;
  readonly chain: number; // messages of the longest causal chain that it ends
  readonly past: readonly number[];
}

interface ProcessState {
  readonly state: string; // JSON
  readonly timers: Readonly<Record<string, string>>; // armed, by type
  readonly phase: 'idle' | 'waiting' | 'inside' | 'crashed';
  readonly calls: number; // requests, or starts
  readonly leader: Pid | null;
  readonly round: number; // the latest round that it took part in; -1 before the first
  readonly involved: boolean; // it started, or received a message
  readonly past: readonly number[]; // as that of a packet
  readonly chain: number; // of the messages received
}

export interface MessageWorld {
  readonly processes: readonly ProcessState[];
  readonly channels: readonly (readonly Packet[])[];
  readonly left: { readonly crashes: number; readonly losses: number; readonly repeats: number };
  readonly won: Readonly<Record<number, Pid>>; // the leader of each round that somebody won
}

interface Channel {
  readonly from: Pid;
  readonly to: Pid;
  readonly address: number; // of the sender, as the receiver names it
}

export class MessageModel implements WorldModel<MessageWorld> {
  readonly #space: MessageSpace;
  readonly #algorithm: AnyAlgorithm;
  readonly #n: number;
  readonly #channels: Channel[] = [];
  readonly #first: number[] = []; // the number of the first channel of each sender

  constructor(space: MessageSpace) {
    const { algorithm, topology } = space;
    this.#space = space;
    this.#algorithm = algorithm;
    this.#n = topology.n;
    for (let from = 0; from < topology.n; from += 1) {
      this.#first.push(this.#channels.length);
      for (let link = 0; link < topology.degree(from); link += 1) {
        const address = algorithm.knows.includes('me') ? from : topology.arrival(from, link);
        this.#channels.push({ from, to: topology.to(from, link), address });
      }
    }
  }

  initial(): Outcome<MessageWorld>[] {
    const { crashes, losses, repeats } = this.#space;
    const past = this.#space.channels === 'causal' ? this.#channels.map(() => 0) : [];
    const processes = Array.from({ length: this.#n }, (_, i): ProcessState => {
      const state = encode(this.#algorithm.init(factsOf(this.#space, i) as never));
      return {
        state,
        timers: {},
        phase: 'idle',
        calls: 0,
        leader: null,
        round: -1,
        involved: false,
        past,
        chain: 0,
      };
    });
    const empty: MessageWorld = {
      processes,
      channels: this.#channels.map(() => []),
      left: { crashes, losses, repeats },
      won: {},
    };
    let outcomes: Outcome<MessageWorld>[] = [{ world: empty }];
    const forEachProcess = (step: (world: MessageWorld, i: Pid) => Outcome<MessageWorld>[]) => {
      for (let i = 0; i < this.#n; i += 1)
        outcomes = outcomes.flatMap((outcome) => ('world' in outcome ? step(outcome.world, i) : [outcome]));
    };
    if (this.#algorithm.begin) forEachProcess((world, i) => this.#run(world, i, { kind: 'begin' }));
    if (this.#space.together) forEachProcess((world, i) => this.#ask(world, i));
    return outcomes;
  }

  steps(world: MessageWorld): Step<MessageWorld>[] {
    this.#space.figures?.reached(chainsOf(world));
    return [
      ...world.processes.flatMap((_, i) => this.#stepsOf(world, i)),
      ...world.channels.flatMap((_, c) => this.#deliveries(world, c)),
      ...this.#faults(world),
    ];
  }

  #stepsOf(world: MessageWorld, i: Pid): Step<MessageWorld>[] {
    const { phase, calls, timers } = world.processes[i]!;
    if (phase === 'crashed') return [];
    const steps: Step<MessageWorld>[] = [];
    const most = this.#algorithm.problem === 'mutex' ? this.#space.entries : 1;
    if (phase === 'idle' && calls < most) steps.push({ fair: null, outcomes: this.#ask(world, i) });
    if (phase === 'inside') {
      const left = withProcess(world, i, { phase: 'idle' });
      steps.push({ fair: `release ${i}`, outcomes: this.#run(left, i, { kind: 'call', name: 'release' }) });
    }
    for (const [type, text] of Object.entries(timers)) {
      const input: Input = { kind: 'message', text, from: undefined };
      const { [type]: _, ...others } = timers;
      const fired = withProcess(world, i, { timers: others });
      if (!this.#isBlocked(fired, i, input))
        steps.push({ fair: `timer ${type} ${i}`, outcomes: this.#run(fired, i, input) });
    }
    return steps;
  }

  #isBlocked(world: MessageWorld, i: Pid, input: Input): boolean {
    const { capacity } = this.#space;
    if (capacity === Infinity) return false;
    return executionsOf(this.#space, i, world.processes[i]!.state, input).some(
      (execution) =>
        'outputs' in execution &&
        execution.outputs.some(
          (output) =>
            output.kind === 'send' && world.channels[this.#first[i]! + output.link]!.length >= capacity,
        ),
    );
  }

  #ask(world: MessageWorld, i: Pid): Outcome<MessageWorld>[] {
    const isLock = this.#algorithm.problem === 'mutex';
    const calls = world.processes[i]!.calls + 1;
    const asked = withProcess(world, i, isLock ? { calls, phase: 'waiting' } : { calls, involved: true });
    return this.#run(asked, i, { kind: 'call', name: isLock ? 'request' : 'start' });
  }

  #deliveries(world: MessageWorld, c: number): Step<MessageWorld>[] {
    return this.#deliverable(world, c).map((k) => {
      const { to, address } = this.#channels[c]!;
      const packet = world.channels[c]![k]!;
      const rest = removed(world, c, k);
      const past = merged(rest.processes[to]!.past, lowered(packet.past, c, k));
      const chain = Math.max(rest.processes[to]!.chain, packet.chain);
      const involved = rest.processes[to]!.involved || !this.#isNotice(packet);
      const received = withProcess(rest, to, { involved, past, chain });
      const outcomes = this.#run(received, to, { kind: 'message', text: packet.text, from: address });
      const content = this.#space.channels === 'unordered' ? ` ${packet.text}` : '';
      return { fair: `channel ${c}${content}`, outcomes };
    });
  }

  /** The positions in a channel of the messages that may arrive next. */
  #deliverable(world: MessageWorld, c: number): number[] {
    const packets = world.channels[c]!;
    if (packets.length === 0) return [];
    if (this.#space.channels === 'unordered') return distinct(packets);
    const { to } = this.#channels[c]!;
    const waitsFor = (d: number) => this.#channels[d]!.to === to && packets[0]!.past[d]! > 0;
    return this.#space.channels === 'causal' && this.#channels.some((_, d) => waitsFor(d)) ? [] : [0];
  }

  #faults(world: MessageWorld): Step<MessageWorld>[] {
    const { crashes, losses, repeats } = world.left;
    const outcomes: MessageWorld[] = [];
    if (crashes > 0)
      world.processes.forEach(({ phase }, i) => {
        if (phase !== 'crashed') outcomes.push(spent(this.#crashed(world, i), 'crashes'));
      });
    world.channels.forEach((packets, c) => {
      const isOrdered = this.#space.channels !== 'unordered';
      for (const k of isOrdered ? packets.keys() : distinct(packets)) {
        if (this.#isNotice(packets[k]!)) continue;
        if (losses > 0) outcomes.push(spent(removed(world, c, k), 'losses'));
        if (repeats > 0) outcomes.push(spent(repeated(world, c, k), 'repeats'));
      }
    });
    return outcomes.map((after) => ({ fair: null, outcomes: [{ world: this.#normal(after) }] }));
  }

  #isNotice({ text }: Packet): boolean {
    const { crashNotice } = this.#algorithm;
    return crashNotice !== undefined && text === noticeText(crashNotice);
  }

  /**
   * A crashed process takes no more steps, and its messages in flight still arrive. Those to it never do. A notice of the crash, if the
   * algorithm asks for one, is the last message on each of its channels.
   */
  #crashed(before: MessageWorld, i: Pid): MessageWorld {
    const { crashNotice } = this.#algorithm;
    const ownChannels = [...this.#channels.keys()].filter((c) => this.#channels[c]!.from === i);
    const world =
      crashNotice === undefined
        ? before
        : ownChannels.reduce((after, c) => this.#sent(after, i, c, noticeText(crashNotice)), before);
    const crashed = withProcess(world, i, { state: 'null', timers: {}, phase: 'crashed' });
    const channels = crashed.channels.map((packets, c) => (this.#channels[c]!.to === i ? [] : packets));
    const clear = (past: readonly number[]) => past.map((k, c) => (this.#channels[c]!.to === i ? 0 : k));
    return mapPasts({ ...crashed, channels }, clear);
  }

  /** Runs a handler of process i, with every outcome of its coins. */
  #run(world: MessageWorld, i: Pid, input: Input): Outcome<MessageWorld>[] {
    return executionsOf(this.#space, i, world.processes[i]!.state, input).map((execution) =>
      this.#carryOut(world, i, execution),
    );
  }

  #carryOut(world: MessageWorld, i: Pid, execution: Execution): Outcome<MessageWorld> {
    if ('mistake' in execution) return { broken: `the contract: ${execution.mistake}` };
    let after = withProcess(world, i, { state: execution.state });
    for (const output of execution.outputs) {
      const outcome = this.#output(after, i, output);
      if ('broken' in outcome) return outcome;
      after = outcome.world;
    }
    return { world: this.#normal(after) };
  }

  #output(world: MessageWorld, i: Pid, output: Output): Outcome<MessageWorld> {
    const { timers } = world.processes[i]!;
    switch (output.kind) {
      case 'after':
        return { world: withProcess(world, i, { timers: { ...timers, [output.type]: output.text } }) };
      case 'cancel': {
        const { [output.type]: _, ...others } = timers;
        return { world: withProcess(world, i, { timers: others }) };
      }
      case 'send':
        return { world: this.#sent(world, i, this.#first[i]! + output.link, output.text) };
      case 'emit':
        if (output.event.type === 'suspects') return { world };
        if (output.event.type === 'electing') return this.#electing(world, i, output.event.round as number);
        return this.#algorithm.problem === 'mutex'
          ? this.#entered(world, i)
          : output.event.round === undefined
            ? this.#elected(world, i, output.event.leader)
            : this.#electedIn(world, i, output.event.leader, output.event.round as number);
    }
  }

  #electing(world: MessageWorld, i: Pid, round: number): Outcome<MessageWorld> {
    if (round < world.processes[i]!.round) return { broken: 'rounds only rise' };
    return { world: withProcess(world, i, { round, leader: null, involved: true }) };
  }

  /** In each round there is one leader, and it took part. */
  #electedIn(world: MessageWorld, i: Pid, named: unknown, round: number): Outcome<MessageWorld> {
    const winner = world.won[round];
    if (named === 'another' && winner === undefined) return { broken: followsNobody };
    const leader = named === 'me' ? i : named === 'another' ? winner! : this.#positionOf(named as number);
    if (winner !== undefined && winner !== leader) return { broken: `at most one leader in round ${round}` };
    if (!((world.processes[leader]?.round ?? -1) >= round)) return { broken: 'the leader took part' };
    const followed = withProcess(world, i, { leader, involved: true });
    return { world: { ...followed, won: { ...world.won, [round]: leader } } };
  }

  #positionOf(id: number): Pid {
    return this.#algorithm.knows.includes('id') ? this.#space.ids.indexOf(id) : id;
  }

  #sent(world: MessageWorld, i: Pid, c: number, text: string): MessageWorld {
    if (world.processes[this.#channels[c]!.to]!.phase === 'crashed') return world;
    const { past, chain: before } = world.processes[i]!;
    const chain = this.#space.figures?.sent(text, before) ?? 0;
    const channels = world.channels.with(c, [...world.channels[c]!, { text, past, chain }]);
    const length = channels[c]!.length;
    return withProcess({ ...world, channels }, i, {
      past: past.map((k, d) => (d === c ? length : k)),
    });
  }

  #entered(world: MessageWorld, i: Pid): Outcome<MessageWorld> {
    if (world.processes[i]!.phase !== 'waiting') return { broken: 'only a waiting process enters' };
    if (world.processes.some(({ phase }) => phase === 'inside')) return { broken: 'at most one inside' };
    return { world: withProcess(world, i, { phase: 'inside' }) };
  }

  #elected(world: MessageWorld, i: Pid, named: unknown): Outcome<MessageWorld> {
    const leaders = world.processes.map(({ leader }) => leader);
    const claimant = leaders.findIndex((leader, k) => leader === k && k !== i);
    const isClaimed = claimant >= 0 && world.processes[claimant]!.phase !== 'crashed';
    if (named === 'another' && !isClaimed) return { broken: followsNobody };
    let leader: Pid;
    if (named === 'me') leader = i;
    else if (named === 'another') leader = claimant;
    else if (typeof named !== 'number' || !Number.isFinite(named))
      return { broken: 'the contract: no leader' };
    else leader = this.#positionOf(named);
    if (!(leader >= 0 && leader < this.#n)) return { broken: 'at most one leader: it does not exist' };
    if (this.#algorithm.perpetual) return { world: withProcess(world, i, { leader }) };
    if (this.#algorithm.assumes.failures === 'crash') {
      if (leader === i && isClaimed) return { broken: 'at most one leader: two claim it' };
    } else if (leaders.some((other) => other !== null && other !== leader))
      return { broken: 'at most one leader: beliefs differ' };
    return { world: withProcess(world, i, { leader }) };
  }

  /** Equal states get equal texts: timers by name, and packets of unordered channels by content. */
  #normal(world: MessageWorld): MessageWorld {
    const processes = world.processes.map((process) => ({
      ...process,
      timers: Object.fromEntries(Object.entries(process.timers).sort(([a], [b]) => (a < b ? -1 : 1))),
    }));
    if (this.#space.channels !== 'unordered') return { ...world, processes };
    const channels = world.channels.map((packets) =>
      packets.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.chain - b.chain)),
    );
    return { ...world, processes, channels };
  }

  falseLemmas({ processes, channels }: MessageWorld): string[] {
    const { algorithm, topology } = this.#space;
    if (processes.some(({ phase }) => phase === 'crashed')) return [];
    const { invariants = {}, knows } = algorithm;
    const inFlight = channels.flatMap((packets, c) =>
      packets.map(({ text }) => {
        const { from, to } = this.#channels[c]!;
        return { from, to, message: JSON.parse(text) };
      }),
    );
    const states = processes.map(({ state }) => JSON.parse(state));
    const isNamed = knows.includes('me');
    const meant = (i: Pid, address: number) => (isNamed ? address : topology.to(i, address));
    const sender = (i: Pid, address: number) => (isNamed ? address : topology.sender(i, address));
    const world = { states, inFlight, meant, sender };
    return Object.keys(invariants).filter((lemma) => !invariants[lemma]!(world));
  }

  brokenAtRest(world: MessageWorld): string | null {
    const { processes } = world;
    if (processes.some(({ calls }) => calls > 0)) this.#space.figures?.ended(chainsOf(world));
    const living = processes.filter(({ phase }) => phase !== 'crashed');
    if (living.some(({ phase }) => phase === 'waiting')) return 'every request enters';
    if (this.#algorithm.problem === 'mutex' || !living.some(({ involved }) => involved)) return null;
    if (this.#algorithm.perpetual) return this.#isLed(processes) ? null : 'eventually one leader';
    const [first] = living;
    if (living.some(({ leader }) => leader === null || leader !== first!.leader))
      return 'everybody learns the leader';
    const { elects, crashNotice } = this.#algorithm;
    if (crashNotice !== undefined && processes[first!.leader!]!.phase === 'crashed')
      return 'a living process leads';
    const best = this.#bestOf(processes);
    const isBest = !(elects === 'largest' || elects === 'smallest') || this.#beats(first!.leader!, best);
    return isBest ? null : `the ${elects} wins`;
  }

  /** All living processes follow the same living one, which is the one that should win. */
  #isLed(processes: readonly ProcessState[]): boolean {
    const { elects = 'any' } = this.#algorithm;
    const living = processes.filter(({ phase }) => phase !== 'crashed');
    const leader = living[0]!.leader;
    if (leader === null || processes[leader]!.phase === 'crashed') return false;
    const isCommon = living.every((one) => one.leader === leader);
    return isCommon && (elects === 'any' || leader === this.#bestOf(processes));
  }

  /** The living process that should win. */
  #bestOf(processes: readonly ProcessState[]): Pid {
    const living = processes.flatMap(({ phase }, i) => (phase === 'crashed' ? [] : [i]));
    return living.reduce((a, b) => (this.#beats(a, b) ? a : b));
  }

  #beats(a: Pid, b: Pid): boolean {
    const rank = (i: Pid) => (this.#algorithm.knows.includes('id') ? this.#space.ids[i]! : i);
    return this.#algorithm.elects === 'smallest' ? rank(a) <= rank(b) : rank(a) >= rank(b);
  }

  due({ processes }: MessageWorld): string[] {
    if (this.#algorithm.problem === 'mutex')
      return processes.flatMap(({ phase }, i) => (phase === 'waiting' ? [`${i} enters`] : []));
    const isUnderWay = processes.some(({ phase, involved }) => phase !== 'crashed' && involved);
    if (!isUnderWay) return [];
    if (this.#algorithm.perpetual) return this.#isLed(processes) ? [] : ['one leader'];
    return processes.flatMap(({ phase, leader }, i) =>
      phase !== 'crashed' && leader === null ? [`${i} learns`] : [],
    );
  }

  isReached({ processes }: MessageWorld): boolean {
    return processes.some(({ phase, leader }, i) => phase === 'inside' || leader === i);
  }
}

/** The property that a process breaks when it hears of another leader while nobody claims to lead. */
export const followsNobody = 'at most one leader: another leads, but nobody claims it';

const noticeText = (crashNotice: string): string => encode({ type: crashNotice });

const withProcess = (world: MessageWorld, i: Pid, change: Partial<ProcessState>): MessageWorld => ({
  ...world,
  processes: world.processes.with(i, { ...world.processes[i]!, ...change }),
});

const spent = (world: MessageWorld, fault: keyof MessageWorld['left']): MessageWorld => ({
  ...world,
  left: { ...world.left, [fault]: world.left[fault] - 1 },
});

const mapPasts = (
  world: MessageWorld,
  change: (past: readonly number[]) => readonly number[],
): MessageWorld => ({
  ...world,
  processes: world.processes.map((process) => ({ ...process, past: change(process.past) })),
  channels: world.channels.map((packets) =>
    packets.map((packet) => ({ ...packet, past: change(packet.past) })),
  ),
});

/** Counts without the k-th message of channel c. */
const lowered = (past: readonly number[], c: number, k: number): readonly number[] =>
  past.length > 0 && past[c]! > k ? past.with(c, past[c]! - 1) : past;

const merged = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((k, c) => Math.max(k, b[c]!));

const removed = (world: MessageWorld, c: number, k: number): MessageWorld =>
  mapPasts({ ...world, channels: world.channels.with(c, world.channels[c]!.toSpliced(k, 1)) }, (past) =>
    lowered(past, c, k),
  );

/** The copy follows the original at once. Where messages keep their order, it is before all later ones. */
const repeated = (world: MessageWorld, c: number, k: number): MessageWorld => {
  const raised = mapPasts(world, (past) =>
    past.length > 0 && past[c]! > k ? past.with(c, past[c]! + 1) : past,
  );
  const original = raised.channels[c]![k]!;
  return { ...raised, channels: raised.channels.with(c, raised.channels[c]!.toSpliced(k, 0, original)) };
};

/** The positions of messages with different contents or chains. */
const distinct = (packets: readonly Packet[]): number[] =>
  packets.flatMap(({ text, chain }, k) =>
    packets.findIndex((other) => other.text === text && other.chain === chain) === k ? [k] : [],
  );

const chainsOf = ({ processes }: MessageWorld): number[] => processes.map(({ chain }) => chain);
