import { performance } from 'node:perf_hooks';
import type { BatonError } from '../errors.ts';
import { Lock, type LockHolder } from './lock.ts';

/** The member that granted a request. */
export interface GrantingMember {
  readonly isLeaseOver: boolean;
  readonly isDoubtful: boolean;
  release(request: LockRequest): void;
}

/** One call of `lock`, from the request to the end of the lock. The member identifies calls by it. */
export class LockRequest implements LockHolder {
  readonly name: string;
  readonly algorithm: string;
  readonly isTry: boolean;
  readonly since: number; // by performance.now
  grantedAt = 0;
  isHandover = false; // the lock came from another process
  lock: Lock | null = null;
  #grantedBy: GrantingMember | null = null;
  #outcome: { resolve: (lock: Lock | null) => void; reject: (error: BatonError) => void } | null = null;
  #failure: 'busy' | BatonError | null = null;

  constructor(name: string, algorithm: string, isTry: boolean, since: number) {
    this.since = since;
    this.name = name;
    this.algorithm = algorithm;
    this.isTry = isTry;
  }

  get isPending(): boolean {
    return this.lock === null && this.#failure === null;
  }

  /** Resolves with the lock, or with null if a try found it held. Call it once. */
  outcome(): Promise<Lock | null> {
    if (this.lock !== null) return Promise.resolve(this.lock);
    if (this.#failure !== null)
      return this.#failure === 'busy' ? Promise.resolve(null) : Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
    });
  }

  granted(granter: GrantingMember, fence: number): void {
    this.#grantedBy = granter;
    this.grantedAt = this.#outcome === null ? this.since : performance.now();
    this.lock = new Lock(this.name, fence, this);
    this.#outcome?.resolve(this.lock);
  }

  busy(): void {
    this.#failure = 'busy';
    this.#outcome?.resolve(null);
  }

  failed(error: BatonError): void {
    if (!this.isPending) return;
    this.#failure = error;
    this.#outcome?.reject(error);
  }

  // LockHolder.

  get isLeaseOver(): boolean {
    return this.#grantedBy!.isLeaseOver;
  }

  get isDoubtful(): boolean {
    return this.#grantedBy!.isDoubtful;
  }

  release(): void {
    this.#grantedBy!.release(this);
  }
}
