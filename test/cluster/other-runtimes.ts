// What tests need to know of Bun and Deno.
import { beforeEach, type TestContext } from 'vitest';
import { otherRuntime } from '../../src/cluster/runtime.ts';

/** Why members here cannot authenticate each other by a secret or by the key of the group; null if they can. */
export const lacksKeys =
  otherRuntime === null ? null : `${otherRuntime} does not support pre-shared keys in TLS`;

/** Why an answer that arrived while the process was busy counts as late; null if it does not. */
export const readsLate =
  otherRuntime === 'Deno' ? 'in Deno a timer may run before an answer that has arrived is read' : null;

/** Skips the tests of a file or of a block for this reason, unless it is null. */
export function skipAll(reason: string | null): void {
  beforeEach(({ skip }) => {
    if (reason !== null) skip(reason);
  });
}

/** Returns a function that skips the running test for the given reason, unless it is null. For the top of a file. */
export function skipper(): (reason: string | null) => void {
  let context: TestContext;
  beforeEach((current) => {
    context = current;
  });
  return (reason) => {
    if (reason !== null) context.skip(reason);
  };
}
