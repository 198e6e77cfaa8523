import type { Meter } from '@opentelemetry/api';
import type { LockRequest } from './lock.ts';

/** Where all versions of OpenTelemetry's API keep what the application has registered. */
const registry = Symbol.for('opentelemetry.js.api.1');

/** Returns null if the application has registered no SDK. Then the API is not loaded either. */
export async function openMeter(): Promise<Meter | null> {
  const { metrics: provider } = (globalThis as { [registry]?: { metrics?: unknown } })[registry] ?? {};
  if (provider === undefined) return null;
  const { metrics } = await import('@opentelemetry/api');
  return metrics.getMeter('batonjs');
}

/** Metrics through the API of OpenTelemetry. Without a meter, nothing is recorded. */
export class Metrics {
  readonly #group: { readonly 'baton.group': string };
  readonly #wait;
  readonly #hold;
  readonly #renewal;
  readonly #handovers;
  readonly #timeouts;
  readonly #losses;
  readonly #views;
  readonly #refusals;
  readonly #skew;

  constructor(group: string, meter: Meter | null) {
    this.#group = { 'baton.group': group };
    const histogram = (name: string, description: string) =>
      meter?.createHistogram(name, { description, unit: 'ms' });
    const counter = (name: string, description: string) => meter?.createCounter(name, { description });
    this.#wait = histogram('baton.lock.wait', 'From asking for a lock to having it');
    this.#hold = histogram('baton.lock.hold', 'From having a lock to releasing or losing it');
    this.#renewal = histogram('baton.lease.renewal', 'From sending a renewal of the lease to its answer');
    this.#handovers = counter('baton.lock.handovers', 'Locks that came from another process');
    this.#timeouts = counter('baton.lock.timeouts', 'Waits for a lock that timed out');
    this.#losses = counter('baton.lock.losses', 'Locks and terms lost, by cause');
    this.#views = counter('baton.views', 'Views installed');
    this.#refusals = counter('baton.frames.refused', 'Frames not taken, by reason');
    this.#skew = meter?.createGauge('baton.clock.skew', {
      description: 'Part of the margin of leases that differing rates of clocks eat, at least',
      unit: '1',
    });
  }

  granted({ since, grantedAt, isHandover }: LockRequest): void {
    this.#wait?.record(grantedAt - since, this.#group);
    if (isHandover) this.#handovers?.add(1, this.#group);
  }

  ended({ grantedAt }: LockRequest): void {
    this.#hold?.record(performance.now() - grantedAt, this.#group);
  }

  timedOut(): void {
    this.#timeouts?.add(1, this.#group);
  }

  lost(cause: string): void {
    this.#losses?.add(1, { ...this.#group, 'baton.cause': cause });
  }

  viewInstalled(): void {
    this.#views?.add(1, this.#group);
  }

  refused(why: string): void {
    this.#refusals?.add(1, { ...this.#group, 'baton.reason': why });
  }

  renewed(lagMs: number): void {
    this.#renewal?.record(lagMs, this.#group);
  }

  skewed(eaten: number): void {
    this.#skew?.record(eaten, this.#group);
  }
}
