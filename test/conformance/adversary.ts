// A host without time: any step that the channels and the application allow may happen next.
import type {
  Address,
  AnyAlgorithm,
  ChannelKind,
  Circumstances,
  Message,
  Pid,
} from '../../src/core/algorithm.ts';
import { bypassLimits } from '../../src/core/bounds.ts';
import { buildTopology, defaultShape } from '../../src/core/network-shapes.ts';
import type { Random } from '../../src/core/random.ts';
import type { Topology } from '../../src/core/topology.ts';
import { factsOf, factWriter } from '../../src/machine/facts.ts';
import { MutexMonitor } from '../../src/problems/mutex-monitor.ts';
import { CausalChannels, type StampedMessage } from '../../src/sim/network/causal-channels.ts';

interface Sent {
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: Address;
  readonly message: Message;
  readonly requester: Pid | null; // the requesting process, if this is a request
  readonly stamped: StampedMessage;
}

/** A possible next step. Its name is `ask 1`, `leave 1`, `0>1 request` for a message that arrives, or `1 repeat` for a timer. */
interface Step {
  readonly name: string;
  readonly sent: Sent | null;
  readonly take: () => void;
}

export class Adversary {
  readonly monitor: MutexMonitor;
  readonly broken: string[] = []; // of properties and invariants
  readonly entered: Pid[] = []; // processes, in order
  readonly delivered: Record<string, number> = {}; // messages, by kind
  readonly #algorithm: AnyAlgorithm;
  readonly #channels: ChannelKind;
  readonly #named: boolean;
  readonly #topology: Topology;
  readonly #place: (place: object, i: Pid) => void;
  readonly #states: unknown[];
  readonly #causal: CausalChannels;
  readonly #timers = new Map<string, { process: Pid; message: Message }>();
  #inFlight: Sent[] = [];

  constructor(algorithm: AnyAlgorithm, n: number, root: Pid, channels = algorithm.assumes.channels) {
    const assumed = algorithm.assumes.topology;
    const ids = Array.from({ length: n }, (_, i) => i + 1);
    this.#algorithm = algorithm;
    this.#channels = channels;
    this.#named = algorithm.knows.includes('me');
    this.#topology = buildTopology(defaultShape(assumed), n, assumed, n);
    this.#place = factWriter(algorithm, { topology: this.#topology, ids, root, maxDelay: () => 1 });
    this.#states = Array.from({ length: n }, (_, i) => algorithm.init(factsOf(this.#place, i)));
    this.#causal = new CausalChannels(n);
    const circumstances = { n, initiators: n, channels, lost: 0 } as Circumstances;
    this.monitor = new MutexMonitor(n, bypassLimits(algorithm, circumstances));
    for (let i = 0; algorithm.begin && i < n; i += 1) this.#run(i, algorithm.begin);
  }

  steps(): Step[] {
    const seen = new Set<string>();
    const isFirst = (sent: Sent) => seen.size < seen.add(`${sent.from}>${sent.to}`).size;
    const mayArrive = (sent: Sent) => {
      if (this.#channels === 'causal') return this.#causal.mayDeliver(sent.stamped, sent.to);
      return this.#channels === 'unordered' || isFirst(sent);
    };
    const arrivals = this.#inFlight.filter(mayArrive).map((sent) => ({
      name: `${sent.from}>${sent.to} ${sent.message.type}`,
      sent,
      take: () => this.#deliver(sent),
    }));
    // With a bound on delays, a timer that waits for an answer does not fire before the answer arrives.
    const mayFire = this.#algorithm.assumes.timing !== 'bounded' || this.#inFlight.length === 0;
    const timers = Array.from(mayFire ? this.#timers : [], ([name, timer]) => ({
      name,
      sent: null,
      take: () => this.#ring(name, timer.process, timer.message),
    }));
    const calls = this.#states.flatMap((_, i): Step[] => {
      const phase = this.monitor.phase(i);
      if (phase === 'idle') return [{ name: `ask ${i}`, sent: null, take: () => this.#call(i, 'request') }];
      if (phase === 'inside')
        return [{ name: `leave ${i}`, sent: null, take: () => this.#call(i, 'release') }];
      return [];
    });
    return [...arrivals, ...timers, ...calls];
  }

  /** Prefers some steps, and changes the preference now and then; or takes requests first. */
  walk(random: Random, length: number, may: (step: Step) => boolean = () => true): void {
    const weights = new Map<string, number>();
    const isFickle = random.below(2) === 0;
    const isPrompt = random.below(2) === 0;
    const weightOf = ({ name, sent }: Step) => {
      const isFirst = isPrompt && sent !== null && sent.requester !== null;
      if (!weights.has(name)) weights.set(name, 2 ** (isFirst ? 24 : random.below(20)));
      return weights.get(name)!;
    };
    for (let k = 0; k < length && this.broken.length === 0; k += 1) {
      if (isFickle && random.below(50) === 0) weights.clear();
      const steps = this.steps().filter(may);
      if (steps.length === 0) return;
      let drawn = random.below(steps.reduce((sum, step) => sum + weightOf(step), 0));
      const chosen = steps.find((step) => {
        drawn -= weightOf(step);
        return drawn < 0;
      });
      chosen!.take();
    }
  }

  /** Takes the steps with these names, in order. */
  follow(names: readonly string[]): void {
    for (const name of names) {
      const step = this.steps().find((one) => one.name === name);
      if (step === undefined) throw new Error(`${name} cannot happen now`);
      step.take();
    }
  }

  #call(process: Pid, name: string): void {
    this.monitor.called(process, name);
    this.#run(process, this.#algorithm.calls[name]!);
  }

  #deliver(sent: Sent): void {
    const { to, arrivesAs, message, requester, stamped } = sent;
    this.#inFlight = this.#inFlight.filter((one) => one !== sent);
    this.#causal.delivered(stamped, to);
    this.delivered[message.type] = (this.delivered[message.type] ?? 0) + 1;
    if (requester !== null) this.monitor.requestReceived(requester);
    this.#run(to, (s, p) => this.#algorithm.on[message.type]!(s, p, message, arrivesAs));
  }

  #ring(name: string, process: Pid, message: Message): void {
    this.#timers.delete(name);
    this.#run(process, (s, p) => this.#algorithm.on[message.type]!(s, p, message, 0));
  }

  #run(process: Pid, handler: (s: unknown, p: object) => void): void {
    const topology = this.#topology;
    const actions = {
      send: (address: Address, message: Message & { readonly origin?: Pid }) => {
        const link = this.#named ? topology.link(process, address) : address;
        const to = topology.to(process, link);
        const arrivesAs = this.#named ? process : topology.arrival(process, link);
        const requester = message.type === 'request' ? (message.origin ?? process) : null;
        if (requester !== null) this.monitor.requestSent(requester);
        const stamped = this.#causal.sent(process, to, message);
        this.#inFlight.push({ from: process, to, arrivesAs, message, requester, stamped });
      },
      after: (_ticks: number, message: Message) =>
        this.#timers.set(`${process} ${message.type}`, { process, message }),
      cancel: (type: string) => this.#timers.delete(`${process} ${type}`),
      emit: ({ type }: Message) => {
        if (type !== 'entered') return;
        this.entered.push(process);
        const violation = this.monitor.emitted(process);
        if (violation !== null) this.broken.push(violation.property);
      },
    };
    handler(this.#states[process], Object.assign(actions, factsOf(this.#place, process)));
    const meant = (i: Pid, address: Address) => (this.#named ? address : topology.to(i, address));
    const sender = (i: Pid, address: Address) => (this.#named ? address : topology.sender(i, address));
    const world = { states: this.#states, inFlight: this.#inFlight, meant, sender };
    for (const [lemma, holds] of Object.entries(this.#algorithm.invariants ?? {})) {
      if (!holds(world)) this.broken.push(lemma);
    }
  }
}
