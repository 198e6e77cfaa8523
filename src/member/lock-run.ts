import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { checkState, type Input, type MessageMachine, type Sink } from '../machine/index.ts';
import { type CausalBudget, CausalInbox } from './causal-inbox.ts';
import { failureReason, type LockNetwork, lockSink } from './lock-network.ts';
import type { AlgorithmMessage, StepMessage } from './member-messages.ts';
import { epochOf, fenceOf, type MemberId } from './view.ts';

/** The lock was held when its run started. The holder is the root, and enters first. */
export interface InheritedHold {
  readonly position: Pid; // of the holder
  readonly algorithm: string;
  hasReentered: boolean; // until then, no other member may request the lock
}

/** A run as its members know it. */
export interface LockRunStart {
  readonly number: number; // rises from run to run of a lock. In the flush protocol: the first fence of the view
  readonly members: readonly MemberId[]; // in the order of the positions
  readonly position: Pid; // of this member
  readonly root: Pid;
  readonly inherited: InheritedHold | null;
  readonly last: number; // the highest fence so far
  readonly budget: CausalBudget;
  /** Makes the message that carries a message of the algorithm. */
  readonly envelope: StepEnvelope;
}

export type StepEnvelope = (
  run: LockRun,
  to: Pid,
  as: Address,
  message: Message,
) => StepMessage | AlgorithmMessage;

const fewMembers = 8; // a list of this length is searched as fast as a map
const checkedSteps = 1000; // of a run: its state is checked to be plain data for this many steps

/** This member's part in one run of a lock algorithm: one lock, from its start by the home to the next start. */
export class LockRun {
  readonly network: LockNetwork;
  readonly number: number;
  readonly members: readonly MemberId[];
  readonly inherited: InheritedHold | null;
  readonly root: Pid;
  readonly pacedSends: { readonly to: Pid; readonly envelope: StepMessage | AlgorithmMessage }[] = []; // sent by the algorithm, still delayed
  last: number; // the highest fence that this member knows
  checkedEpoch = -1; // the view in which all members were last found
  phase: 'idle' | 'asking' | 'inside' = 'idle';
  awaitedAgreements: Set<Pid> | null = null; // members that have not agreed to the algorithm yet; null: not asked
  isReentering = false; // requests a lock that this member held before the run
  readonly causalInbox: CausalInbox<StepMessage | AlgorithmMessage> | null;
  readonly position: Pid;
  readonly envelope: StepEnvelope;
  #positions: Map<MemberId, Pid> | null = null;
  readonly #machine: MessageMachine;
  #state: object = {};
  readonly #sink: Sink;
  readonly #contractBroken: (reason: string) => void;
  #stateChecksLeft = checkedSteps;
  #isBroken = false; // the algorithm takes no more steps

  constructor(network: LockNetwork, start: LockRunStart, actions: (run: LockRun) => LockRunActions) {
    this.network = network;
    this.number = start.number;
    this.members = start.members;
    this.inherited = start.inherited;
    this.root = start.root;
    this.position = start.position;
    this.last = start.last;
    this.envelope = start.envelope;
    this.causalInbox = network.isCausal ? new CausalInbox(network.n, start.position, start.budget) : null;
    const { contractBroken, ...rest } = actions(this);
    this.#contractBroken = contractBroken;
    this.#sink = {
      ...lockSink,
      ...rest,
      emit: ({ type }) => {
        if (type !== 'entered') return; // other events report progress of a snapshot, or a suspicion
        this.phase = 'inside';
        this.last += 1;
      },
    };
    this.#machine = network.machine(start.root);
    try {
      this.#state = this.#machine.init(start.position);
    } catch (error) {
      this.#reportBreach(error);
    }
  }

  get algorithm(): AnyAlgorithm {
    return this.network.algorithm;
  }

  get hasToken(): boolean {
    if (this.#isBroken || this.algorithm.token === undefined) return false;
    try {
      return this.algorithm.token.isHeld(this.#state);
    } catch (error) {
      this.#reportBreach(error);
      return false;
    }
  }

  /**
   * Whether nobody makes the token again while it is away, so that it proves that nobody else can enter. Until the holder has re-entered,
   * another member may have the token.
   */
  get isTokenUnique(): boolean {
    return this.algorithm.assumes.failures === 'none' && this.inherited?.hasReentered !== false;
  }

  get canClaimToken(): boolean {
    return this.isTokenUnique && this.hasToken;
  }

  /** @internal */
  inspectState() {
    const { number, members, root, last, phase, isReentering, inherited, pacedSends } = this;
    const awaited = this.awaitedAgreements && [...this.awaitedAgreements].sort();
    const causal = this.causalInbox?.inspectState() ?? null;
    const state = this.#state;
    return {
      number,
      members,
      root,
      last,
      phase,
      isReentering,
      inherited,
      pacedSends,
      awaited,
      causal,
      state,
    };
  }

  /** Returns the position of a member in this run; -1 if it does not take part. */
  positionOf(id: MemberId): Pid {
    if (this.members.length <= fewMembers) return this.members.indexOf(id);
    this.#positions ??= new Map(this.members.map((member, position) => [member, position]));
    return this.#positions.get(id) ?? -1;
  }

  begin(): void {
    if (this.algorithm.begin !== undefined) this.#step({ kind: 'begin' });
  }

  request(): void {
    this.phase = 'asking';
    this.#step(request);
  }

  release(): void {
    this.phase = 'idle';
    this.#step(release);
  }

  receive(message: Message, from: Address): void {
    this.#step({ kind: 'message', message, from });
  }

  fire(message: Message): void {
    this.#step({ kind: 'timer', message });
  }

  /** A handler that throws or breaks the contract ends the membership, never the process. */
  #step(input: Input): void {
    if (this.#isBroken) return;
    try {
      this.#machine.step(this.position, this.#state, input, this.#sink);
      if (this.#stateChecksLeft > 0) this.#checkStateIsPlain();
    } catch (error) {
      this.#reportBreach(error);
    }
  }

  #checkStateIsPlain(): void {
    this.#stateChecksLeft -= 1;
    checkState(this.#state);
  }

  #reportBreach(error: unknown): void {
    this.#isBroken = true;
    this.phase = 'idle';
    this.#contractBroken(failureReason(this.algorithm, error, this.position));
  }
}

const request: Input = { kind: 'call', name: 'request' };
const release: Input = { kind: 'call', name: 'release' };

/** The effects of a run, carried out by its member. */
export interface LockRunActions extends Pick<Sink, 'send' | 'after' | 'cancel'> {
  contractBroken(reason: string): void;
}

/** Makes the messages of a run that a home started. */
export function stepEnvelope(lock: string, number: number): StepEnvelope {
  const first = fenceOf(epochOf(number), 0);
  return (run, to, as, message) => ({
    type: 'step',
    run: number,
    lock,
    entry: run.last - first,
    as,
    stamp: run.causalInbox?.stampFor(to) ?? null,
    message: message as StepMessage['message'],
  });
}
