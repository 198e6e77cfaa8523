// An algorithm that runs inside another one, over some of its processes and in the network that its paper assumes. The outer algorithm
// carries its messages and timers.
import type { Address, AnyAlgorithm, Message, Pid, Plain } from '../core/algorithm.ts';
import { type Input, type MessageMachine, noSink, Overlay } from '../machine/index.ts';

export type PlainMessage = Message & Plain;

/** The participating processes, in ring order, and what they know of each other. */
export interface InnerGroup {
  readonly members: readonly Pid[];
  readonly root: Pid;
  readonly maxDelay: number;
  readonly minDelay?: number;
  readonly drift?: number;
}

/** The name of an inner timer in the outer algorithm: `election-T`. */
export type PrefixedTimer<Name extends string> = `${Name}-${string}`;

/** What an inner algorithm needs of the outer process. */
interface OuterProcess<Name extends string> {
  readonly me: Pid;
  after(ticks: number, message: { type: PrefixedTimer<NoInfer<Name>>; message: PlainMessage }): void;
  cancel(type: PrefixedTimer<NoInfer<Name>>): void;
  choose(options: number): number;
  clock?(): number;
}

interface InnerSink {
  /** `as` is the address at which the message arrives. */
  send(to: Pid, message: PlainMessage, as: Address): void;
  emit(event: Message): void;
}

export class InnerAlgorithm<Name extends string> {
  readonly algorithm: AnyAlgorithm;
  readonly timers: readonly PrefixedTimer<Name>[];
  readonly #name: Name;
  readonly #overlay: Overlay;

  constructor(name: Name, algorithm: AnyAlgorithm) {
    this.algorithm = algorithm;
    this.timers = (algorithm.timers ?? []).map((type): PrefixedTimer<Name> => `${name}-${type}`);
    this.#name = name;
    this.#overlay = new Overlay(algorithm, () => 0);
  }

  /** The initial state of process `me`. Its id is its outer Pid. */
  init(group: InnerGroup, me: Pid): Plain {
    return this.#machine(group).init(group.members.indexOf(me)) as Plain;
  }

  step(
    state: Plain,
    group: InnerGroup,
    p: OuterProcess<Name>,
    input: Input,
    { send, emit }: InnerSink,
  ): void {
    const { members } = group;
    this.#machine(group).step(members.indexOf(p.me), state as object, input, {
      ...noSink,
      send: (to, arrivesAs, message) => send(members[to]!, message as PlainMessage, arrivesAs),
      emit,
      after: (ticks, message) =>
        p.after(ticks, { type: `${this.#name}-${message.type}`, message: message as PlainMessage }),
      cancel: (type) => p.cancel(`${this.#name}-${type}`),
      choose: (options) => p.choose(options),
      clock: () => p.clock!(),
    });
  }

  /** One handler for each of its timers. */
  onTimers<S, P>(
    fire: (s: S, p: P, input: Input) => void,
  ): { [type in PrefixedTimer<Name>]: (s: S, p: P, m: { message: PlainMessage }) => void } {
    const handler = (s: S, p: P, { message }: { message: PlainMessage }) =>
      fire(s, p, { kind: 'timer', message });
    return Object.fromEntries(this.timers.map((type) => [type, handler])) as ReturnType<
      typeof this.onTimers<S, P>
    >;
  }

  #machine({ members, root, ...rest }: InnerGroup): MessageMachine {
    return this.#overlay.machine({ ids: members, root: members.indexOf(root), ...rest });
  }
}

export const callInput = (name: string): Input => ({ kind: 'call', name });

export const messageInput = (message: PlainMessage, as: Address): Input => ({
  kind: 'message',
  message,
  from: as,
});

/** The input after a crash: the algorithm's own recovery, or else a new start. */
export const recoveryInput = ({ recover }: AnyAlgorithm): Input =>
  recover === undefined ? callInput('start') : { kind: 'recover' };

export const allProcesses = (n: number): Pid[] => Array.from({ length: n }, (_, i) => i);

/** The declarations of a composition with an election. Its channels satisfy both parts. */
export const compositionDeclarations = (first: AnyAlgorithm, election: AnyAlgorithm) =>
  ({
    name: `${first.name}+${election.name}`,
    paper: first.paper,
    assumes: {
      topology: 'complete',
      channels: first.assumes.channels === 'unordered' ? election.assumes.channels : first.assumes.channels,
      failures: 'crash',
      timing: 'bounded',
    },
    bounds: [],
  }) as const;
