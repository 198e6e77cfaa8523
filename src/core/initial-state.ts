import type { Pid } from './algorithm.ts';
import { InputError } from './assert.ts';
import { encode, whyNotPlain } from './plain-data.ts';

const initTwice = 64; // init runs twice for the first processes, to find randomness
const checked = 4096; // and the states of these are checked to be plain data

/** The initial state of process i. It must be plain data, and the same every time, so that runs can be repeated. */
export function initialState<S>(name: string, i: Pid, init: (i: Pid) => S): S {
  const state = init(i);
  if (i >= checked) return state;
  const flaw = whyNotPlain(state, `what init gives process ${i}`);
  if (flaw !== null)
    throw new InputError(`${name}: ${flaw}; use objects, lists, finite numbers, text, true, false and null`);
  if (i < initTwice && encode(init(i)) !== encode(state))
    throw new InputError(
      `${name}: what init gives process ${i} is another state each time; let it depend on nothing but its place`,
    );
  return state;
}
