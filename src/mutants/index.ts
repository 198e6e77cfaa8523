import { bullyAnswersSuperiors, bullyShortCut } from './bully.ts';
import { changRobertsLostNegation } from './chang-roberts.ts';
import { helaryPlouzeauRaynalForgets } from './helary-plouzeau-raynal.ts';
import { hirschbergSinclairLostNegation } from './hirschberg-sinclair.ts';
import { itaiRodehNotUnique } from './itai-rodeh.ts';
import { lamportOneAcknowledgement } from './lamport.ts';
import type { Mutant } from './mutant.ts';
import { ricartAgrawalaNoClockUpdate, ricartAgrawalaNoTieBreak } from './ricart-agrawala.ts';
import { vitanyiKeepsTimer } from './vitanyi.ts';

export type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  helaryPlouzeauRaynalForgets,
  lamportOneAcknowledgement,
  ricartAgrawalaNoClockUpdate,
  ricartAgrawalaNoTieBreak,
  bullyAnswersSuperiors,
  bullyShortCut,
  changRobertsLostNegation,
  hirschbergSinclairLostNegation,
  itaiRodehNotUnique,
  vitanyiKeepsTimer,
];
