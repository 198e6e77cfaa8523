import type { AnyAlgorithm } from '../core/algorithm.ts';
import { bully } from './election/bully.ts';
import { changRoberts } from './election/chang-roberts.ts';
import { hirschbergSinclair } from './election/hirschberg-sinclair.ts';
import { itaiRodeh } from './election/itai-rodeh.ts';
import { vitanyi } from './election/vitanyi.ts';
import { helaryPlouzeauRaynal } from './mutex/helary-plouzeau-raynal.ts';
import { lamport } from './mutex/lamport.ts';
import { ricartAgrawala } from './mutex/ricart-agrawala.ts';

export {
  bully,
  changRoberts,
  helaryPlouzeauRaynal,
  hirschbergSinclair,
  itaiRodeh,
  lamport,
  ricartAgrawala,
  vitanyi,
};

/** Every algorithm, by problem and then by name. */
export const algorithms: readonly AnyAlgorithm[] = [
  helaryPlouzeauRaynal,
  lamport,
  ricartAgrawala,
  bully,
  changRoberts,
  hirschbergSinclair,
  itaiRodeh,
  vitanyi,
];
