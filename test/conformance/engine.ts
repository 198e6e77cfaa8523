// The suite for every engine.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { algorithm, engineTests, pause, peerNamed } from '../../src/engine-conformance/engine-tests.ts';
import type { Peer } from '../../src/member/index.ts';

export { algorithm, pause, peerNamed };

export const leaseMs = 300;

/** What an engine's test file provides. Each engine is isolated from the others. */
export interface Surroundings {
  /** The lease of the engines it opens, if not the default. A call that takes a third of it may be too slow. */
  readonly leaseMs?: number;
  /** Whether watching does not work here, because a proxy does not forward it. */
  readonly isDeaf?: boolean;
  /** Whether a missing lease is over only one lease after that was found. */
  readonly isPatient?: boolean;
  open(group: string): Promise<Engine>;
  /** A member that can be reached until the test ends. */
  living(group: string, id: string): Promise<Peer>;
  end(): Promise<void>;
}

export const soon = (condition: () => unknown) => expect.poll(condition, { timeout: 10_000, interval: 5 });

export function conformsToEngine(name: string, surround: () => Surroundings): void {
  describe(name, () => {
    let around: Surroundings;
    beforeEach(() => {
      around = surround();
    });
    afterEach(() => around.end());
    for (const { name, needsWatching = false, run } of engineTests)
      test(name, async ({ skip }) => {
        if (needsWatching && around.isDeaf) skip('members only ask here');
        await run({ leaseMs, ...around });
      });
  });
}
