// A process that runs one simulation or check on the code of one commit, and reports the processor time.

import type { AnyAlgorithm } from 'batonjs/core';
import type { check } from 'batonjs-lab/check';
import type { simulate } from 'batonjs-lab/sim';
import { ordersOf } from '../locks/crew.js';
import { load, type Measured, type WorkOrders } from './works.js';

const warmUps = 4; // after these, most of the hot code is compiled

const { dist, work } = ordersOf<WorkOrders>();
const algorithm = await load<AnyAlgorithm>(dist, 'algorithms', work.algorithm);

/** Returns a function that does the work once and returns the number of messages or states. */
async function prepare(): Promise<(seed: number, isWarmUp: boolean) => number> {
  if ('scenario' in work) {
    const simulateThere = await load<typeof simulate>(dist, 'sim', 'simulate');
    const watch = work.isTraced ? { trace: () => {} } : {};
    return (seed, isWarmUp) => {
      const scenario = { ...work.scenario, ...(isWarmUp && work.warmUp), seed };
      return simulateThere(algorithm, scenario, watch).messages.total;
    };
  }
  const checkThere = await load<typeof check>(dist, 'check', 'check');
  return (_, isWarmUp) =>
    checkThere(algorithm, { ...work.space, ...(isWarmUp && work.warmUp) }, work.options).states;
}

const once = await prepare();
for (let seed = 0; seed < warmUps; seed += 1) once(seed, true);
globalThis.gc!();
const before = process.cpuUsage();
let amount = 0;
for (let seed = 1; seed <= work.times; seed += 1) amount += once(seed, false);
const { user, system } = process.cpuUsage(before);
process.send!({ seconds: (user + system) / 1e6, amount } satisfies Measured);
process.disconnect();
