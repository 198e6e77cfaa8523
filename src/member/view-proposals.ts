import type { ExitCause, Host } from './host.ts';
import type { MemberMessage } from './member-messages.ts';
import { type MemberId, membersExcept, positionIn, type View } from './view.ts';

// Milliseconds.
const removalDelay = 5; // per live member that comes first in the view
const proposeAgain = 1000;

/** The parts of a member that its proposals use. */
export interface ViewProposalsContext {
  readonly host: Pick<Host<never>, 'after' | 'proposeView'>;
  readonly id: MemberId;
  out(): ExitCause | null;
  sendTo(to: MemberId, message: MemberMessage): void;
  requestNewEpoch(): void; // again
}

/** What a member asks of the engine: views without the dead, and new epochs of the same members. */
export class ViewProposals {
  readonly #context: ViewProposalsContext;
  #view: View | null = null;
  #dead = new Set<MemberId>();
  #awaitsNewEpoch = false;

  constructor(context: ViewProposalsContext) {
    this.#context = context;
  }

  /** The number of retained items. */
  get size(): number {
    return this.#dead.size;
  }

  /** @internal See `Member.inspectState`. */
  inspectState() {
    return { awaitsNewEpoch: this.#awaitsNewEpoch, dead: [...this.#dead].sort() };
  }

  viewChanged(view: View): void {
    this.#view = view;
    this.#awaitsNewEpoch = false;
    this.#dead = new Set(view.members.flatMap(({ id }) => (this.#dead.has(id) ? [id] : [])));
  }

  peerDied(id: MemberId): void {
    if (this.#dead.has(id) || this.#view === null || positionIn(this.#view, id) < 0) return;
    this.#dead.add(id);
    this.removeDead();
  }

  /** Asks for a new epoch of the same members. The first member that is not silent proposes it. */
  requestNewEpoch(): void {
    const view = this.#view;
    const { host, id } = this.#context;
    if (this.#context.out() !== null || view === null || this.#awaitsNewEpoch) return;
    this.#awaitsNewEpoch = true;
    const first = view.members.find(({ isSilent }) => isSilent !== true) ?? view.members[0]!;
    if (id === first.id) host.proposeView(view, membersExcept(view, this.#dead));
    else this.#context.sendTo(first.id, { type: 'refresh', epoch: view.epoch });
    host.after(proposeAgain, () => {
      if (this.#view !== view) return;
      this.#awaitsNewEpoch = false;
      this.#context.requestNewEpoch();
    });
  }

  /** The first live member of the view proposes the new view. The others follow after a delay, in case it does not. */
  removeDead(): void {
    const view = this.#view!;
    if (this.#dead.size === 0) return;
    const rank = positionIn({ ...view, members: membersExcept(view, this.#dead) }, this.#context.id);
    if (rank === 0) this.#proposeWithoutDead(view);
    else this.#context.host.after(rank * removalDelay, () => this.#proposeWithoutDead(view));
  }

  /** Repeats the proposal until the view changes, because the engine may be unreachable. */
  #proposeWithoutDead(view: View): void {
    const { host, out } = this.#context;
    if (this.#view !== view || out() !== null) return;
    host.proposeView(view, membersExcept(view, this.#dead));
    host.after(proposeAgain, () => this.#proposeWithoutDead(view));
  }
}
