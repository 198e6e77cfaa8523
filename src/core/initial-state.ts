import type { Pid } from './algorithm.ts';
import { InputError } from './assert.ts';
import { encode, whyNotPlain } from './plain-data.ts';

const tried = 64; // processes whose state is asked for twice,
const lookedAt = 4096; // and whose state is looked at: those of more processes are made alike

/** What process i begins with. It must be plain data, and the same every time, or no run could be told from another. */
export function initialState<S>(name: string, i: Pid, init: (i: Pid) => S): S {
  const state = init(i);
  if (i >= lookedAt) return state;
  const flaw = whyNotPlain(state, `what init gives process ${i}`);
  if (flaw !== null)
    throw new InputError(`${name}: ${flaw}; use objects, lists, finite numbers, text, true, false and null`);
  if (i < tried && encode(init(i)) !== encode(state))
    throw new InputError(
      `${name}: what init gives process ${i} is another state each time; let it depend on nothing but its place`,
    );
  return state;
}
