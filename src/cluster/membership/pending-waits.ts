import { BatonError } from '../errors.ts';
import type { LockRequest } from '../group/lock.ts';
import type { MemberHost } from './member-host.ts';

/** The parts of a membership that its waits use. */
export interface PendingWaitsContext {
  readonly group: string;
  readonly current: MemberHost;
  readonly engineError: unknown; // of the engine, since the last renewal of the lease
  checkLease(): void; // replaces a member whose lease is over
}

/**
 * Everything that callers of this process wait for. It belongs to no member, so no wait gets lost when a member ends and another one takes
 * its place. Requests that are granted at once never get here.
 */
export class PendingWaits {
  readonly #context: PendingWaitsContext;
  readonly #requests = new Set<LockRequest>();
  readonly #entries = new Set<{ resolve(): void; reject(error: BatonError): void }>();
  #failedAttempt: { readonly error: unknown } | null = null; // to rejoin, if that was the last one

  constructor(context: PendingWaitsContext) {
    this.#context = context;
  }

  /** Makes a request at the current member, which grants it at once or lets it wait. */
  request(request: LockRequest): void {
    if (request.isTry) this.#context.checkLease(); // else a lock that this process has lost by now would still count as held
    const host = this.#context.current;
    if (request.isTry && this.#failedAttempt !== null) {
      request.failed(this.#untriable(request));
      return;
    }
    host.request(request);
    if (!request.isPending) return;
    request.waitAmong(this.#requests);
    const { current } = this.#context;
    if (host !== current) current.request(request); // the member noticed only now that its lease is over
  }

  /** Fails a request, which then never gets the lock. */
  fail(request: LockRequest, error: BatonError): void {
    this.#context.current.member.cancel(request.name, request);
    request.failed(error);
  }

  failAll(error: () => BatonError): void {
    for (const request of [...this.#requests]) this.fail(request, error());
    this.#failEntries(error());
  }

  /** Makes the waiting requests again, at a new member. */
  repeatAll(): void {
    for (const request of [...this.#requests]) this.#context.current.request(request);
  }

  /** Resolves when this process is in a view. Rejects when its attempt to rejoin fails. */
  async untilInView(): Promise<void> {
    this.#context.checkLease();
    if (this.#context.current.member.view !== null) return;
    if (this.#failedAttempt !== null) throw this.#uninspectable();
    await new Promise<void>((resolve, reject) => this.#entries.add({ resolve, reject }));
  }

  joined(): void {
    this.#failedAttempt = null;
    for (const { resolve } of this.#entries) resolve();
    this.#entries.clear();
  }

  /** Answers the calls that do not wait for the next attempt to rejoin. */
  failedToRejoin(error: unknown): void {
    this.#failedAttempt = { error };
    for (const request of [...this.#requests])
      if (request.isTry) this.fail(request, this.#untriable(request));
    this.#failEntries(this.#uninspectable());
  }

  /** Creates the error of a call that ends while this process is outside the group. */
  outsideError(what: string, why = 'tries to rejoin'): BatonError {
    const { group, engineError } = this.#context;
    const message = `${what}: this process is not in group '${group}', and ${why}`;
    const cause = this.#failedAttempt?.error ?? engineError;
    return new BatonError('unavailable', message, cause === undefined ? {} : { cause });
  }

  #untriable({ name }: LockRequest): BatonError {
    return this.outsideError(`lock '${name}' cannot be tried`, rejoinFailed);
  }

  #uninspectable(): BatonError {
    return this.outsideError('the group cannot be inspected', rejoinFailed);
  }

  #failEntries(error: BatonError): void {
    for (const { reject } of this.#entries) reject(error);
    this.#entries.clear();
  }
}

const rejoinFailed = 'its attempt to rejoin failed';
