import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { checkState, type Input, type MessageMachine, type Sink } from '../machine/index.ts';
import { type CausalBudget, CausalInbox } from './causal-inbox.ts';
import { failureReason, type LockNetwork, lockSink } from './lock-network.ts';
import type { AlgorithmMessage } from './member-messages.ts';

/** A lock that was held when the view was installed. Its run starts with the holder inside. */
export interface InheritedHold {
  readonly position: Pid; // of the holder
  readonly algorithm: string;
  hasReentered: boolean; // until then, no other member may request the lock
}

const checkedSteps = 1000; // of a run: its state is checked to be plain data for this many steps

/** This member's part in one run of a lock algorithm: one lock in one view. */
export class LockRun {
  readonly network: LockNetwork;
  readonly inherited: InheritedHold | null;
  readonly root: Pid;
  readonly pacedSends: { readonly to: Pid; readonly envelope: AlgorithmMessage }[] = []; // sent by the algorithm, still delayed
  entry = 0; // highest entry number of this view that this member knows
  phase: 'idle' | 'asking' | 'inside' = 'idle';
  awaitedAgreements: Set<Pid> | null = null; // members that have not agreed to the algorithm yet; null: not asked
  isReentering = false; // requests a lock that this member held before the view
  readonly causalInbox: CausalInbox<AlgorithmMessage> | null;
  readonly #position: Pid;
  readonly #machine: MessageMachine;
  #state: object = {};
  readonly #sink: Sink;
  readonly #contractBroken: (reason: string) => void;
  #stateChecksLeft = checkedSteps;
  #isBroken = false; // the algorithm takes no more steps

  constructor(
    network: LockNetwork,
    {
      position,
      root,
      inherited,
      budget,
    }: {
      readonly position: Pid;
      readonly root: Pid;
      readonly inherited: InheritedHold | null;
      readonly budget: CausalBudget;
    },
    actions: (run: LockRun) => LockRunActions,
  ) {
    this.network = network;
    this.inherited = inherited;
    this.root = root;
    this.causalInbox = network.isCausal ? new CausalInbox(network.n, position, budget) : null;
    this.#position = position;
    const { contractBroken, ...rest } = actions(this);
    this.#contractBroken = contractBroken;
    this.#sink = {
      ...lockSink,
      ...rest,
      emit: ({ type }) => {
        if (type !== 'entered') return; // other events report progress of a snapshot, or a suspicion
        this.phase = 'inside';
        this.entry += 1;
      },
    };
    this.#machine = network.machine(root);
    try {
      this.#state = this.#machine.init(position);
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

  /** @internal */
  inspectState() {
    const { root, entry, phase, isReentering, inherited, pacedSends } = this;
    const awaited = this.awaitedAgreements && [...this.awaitedAgreements].sort();
    const causal = this.causalInbox?.inspectState() ?? null;
    return { root, entry, phase, isReentering, inherited, pacedSends, awaited, causal, state: this.#state };
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
      this.#machine.step(this.#position, this.#state, input, this.#sink);
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
    this.#contractBroken(failureReason(this.algorithm, error, this.#position));
  }
}

const request: Input = { kind: 'call', name: 'request' };
const release: Input = { kind: 'call', name: 'release' };

/** The effects of a run, carried out by its member. */
export interface LockRunActions extends Pick<Sink, 'send' | 'after' | 'cancel'> {
  contractBroken(reason: string): void;
}
