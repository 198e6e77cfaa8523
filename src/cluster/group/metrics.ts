import { createNoopMeter, metrics } from '@opentelemetry/api';
import type { LockRequest } from './lock.ts';

/** Metrics through the API of OpenTelemetry. Without its SDK in the application, nothing is recorded at almost no cost. */
export class Metrics {
  readonly #group: { readonly 'baton.group': string };
  readonly #meter = metrics.getMeter('batonjs');
  readonly #wait = this.#histogram('baton.lock.wait', 'From asking for a lock to having it');
  readonly #hold = this.#histogram('baton.lock.hold', 'From having a lock to releasing or losing it');
  readonly #renewal = this.#histogram(
    'baton.lease.renewal',
    'From sending a renewal of the lease to its answer',
  );
  readonly #handovers = this.#counter('baton.lock.handovers', 'Locks that came from another process');
  readonly #timeouts = this.#counter('baton.lock.timeouts', 'Waits for a lock that timed out');
  readonly #losses = this.#counter('baton.lock.losses', 'Locks and terms lost, by cause');
  readonly #views = this.#counter('baton.views', 'Views installed');
  readonly #refusals = this.#counter('baton.frames.refused', 'Frames not taken, by reason');

  readonly #skew = this.#meter.createGauge('baton.clock.skew', {
    description: 'Part of the margin of leases that differing rates of clocks eat, at least',
    unit: '1',
  });

  readonly #isRecording = this.#wait !== createNoopMeter().createHistogram('');

  constructor(group: string) {
    this.#group = { 'baton.group': group };
  }

  granted({ since, grantedAt, isHandover }: LockRequest): void {
    if (!this.#isRecording) return;
    this.#wait.record(grantedAt - since, this.#group);
    if (isHandover) this.#handovers.add(1, this.#group);
  }

  ended({ grantedAt }: LockRequest): void {
    if (this.#isRecording) this.#hold.record(performance.now() - grantedAt, this.#group);
  }

  timedOut(): void {
    this.#timeouts.add(1, this.#group);
  }

  lost(cause: string): void {
    this.#losses.add(1, { ...this.#group, 'baton.cause': cause });
  }

  viewInstalled(): void {
    this.#views.add(1, this.#group);
  }

  refused(why: string): void {
    this.#refusals.add(1, { ...this.#group, 'baton.reason': why });
  }

  renewed(lagMs: number): void {
    this.#renewal.record(lagMs, this.#group);
  }

  skewed(eaten: number): void {
    this.#skew.record(eaten, this.#group);
  }

  #histogram(name: string, description: string) {
    return this.#meter.createHistogram(name, { description, unit: 'ms' });
  }

  #counter(name: string, description: string) {
    return this.#meter.createCounter(name, { description });
  }
}
