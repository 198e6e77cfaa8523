import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { checkState, type Input, type MessageMachine, type Sink } from '../machine/index.ts';
import { CausalInbox } from './causal-inbox.ts';
import { failureReason, type LockNetwork, lockSink } from './lock-network.ts';
import type { AlgorithmMessage } from './member-messages.ts';

/** Who held the lock when the view was installed; the run begins with it inside. */
export interface InheritedHold {
  readonly position: Pid;
  readonly algorithm: string;
  hasReentered: boolean; // until then nobody else may ask
}

const checkedSteps = 1000; // steps after which the state of a run is no longer checked to be plain data

/** One lock in one view, as this member takes part in handing it on. */
export class LockRun {
  readonly layout: LockNetwork;
  readonly inherited: InheritedHold | null;
  readonly root: Pid;
  readonly pacedSends: { readonly to: Pid; readonly word: AlgorithmMessage }[] = []; // sent by the algorithm, and not said yet
  entry = 0; // the highest of this view that this member knows of
  phase: 'idle' | 'asking' | 'inside' = 'idle';
  awaitedAgreements: Set<Pid> | null = null; // who has yet to agree to the algorithm; null: they were not asked
  isReentering = false; // asks for what this member held before the view
  readonly causalInbox: CausalInbox<AlgorithmMessage> | null;
  readonly #position: Pid;
  readonly #machine: MessageMachine;
  #state: object = {};
  readonly #sink: Sink;
  readonly #contractBroken: (reason: string) => void;
  #stateChecksLeft = checkedSteps;
  #isBroken = false; // its algorithm does nothing more

  constructor(
    layout: LockNetwork,
    {
      position,
      root,
      seat,
    }: { readonly position: Pid; readonly root: Pid; readonly seat: InheritedHold | null },
    actions: (run: LockRun) => LockRunActions,
  ) {
    this.layout = layout;
    this.inherited = seat;
    this.root = root;
    this.causalInbox =
      layout.algorithm.assumes.channels === 'causal' ? new CausalInbox(layout.n, position) : null;
    this.#position = position;
    const { contractBroken, ...rest } = actions(this);
    this.#contractBroken = contractBroken;
    this.#sink = {
      ...lockSink,
      ...rest,
      emit: ({ type }) => {
        if (type !== 'entered') return; // how far a snapshot is
        this.phase = 'inside';
        this.entry += 1;
      },
    };
    this.#machine = layout.machine(root);
    try {
      this.#state = this.#machine.init(position);
    } catch (error) {
      this.#reportBreach(error);
    }
  }

  get algorithm(): AnyAlgorithm {
    return this.layout.algorithm;
  }

  get hasToken(): boolean {
    return !this.#isBroken && (this.algorithm.token?.isHeld(this.#state) ?? false);
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

  /** A handler that breaks the contract, or fails, ends the membership and never the process. */
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

/** What a run has its member carry out. */
export interface LockRunActions extends Pick<Sink, 'send' | 'after' | 'cancel'> {
  contractBroken(reason: string): void;
}
