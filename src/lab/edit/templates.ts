import { families, isMutant, listed, titleOf } from '../../catalogue/index.ts';
import election from './templates/empty-election.ts?raw';
import mutex from './templates/empty-mutex.ts?raw';
import tieBreak from './templates/missing-tie-break.ts?raw';

/** A text to start from that is not in the catalogue. */
export interface Template {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly hint?: string;
  readonly text: string;
}

/** Imports from the package, so that `baton check` accepts a saved copy of the text. */
const withPublicImport = (text: string): string => text.replace(/'[./]+\/core\/index\.ts'/, "'batonjs/core'");

export const templates: readonly Template[] = [
  {
    id: 'tie-break',
    title: 'Ricart–Agrawala without the tie-break: find out why',
    task: 'Press Check: something goes wrong when two processes ask at the same time; watch it happen. Then mend the one line of `on.request` that decides whose request is first, and check again.',
    hint: 'Both requests can carry the same number k. Of two equal ones exactly one must come first, and both sides must agree which: everybody knows `p.me` and `j`.',
    text: withPublicImport(tieBreak),
  },
  {
    id: 'mutex',
    title: 'An empty lock',
    task: 'This is the least that an algorithm for mutual exclusion needs. It lets everybody in at once: have it checked, and mend it.',
    text: withPublicImport(mutex),
  },
  {
    id: 'election',
    title: 'An empty election',
    task: 'This is the least that an election needs. Everybody who starts believes to have won: have it checked, and mend it.',
    text: withPublicImport(election),
  },
];

/** Returns the note beside the text of a composition. */
export const compositionTemplate = (id: string): Template => ({
  ...{ id, title: titleOf({ name: id }), text: '' },
  task: 'A composition has no text of its own. This is the text of its first part, which runs alone here.',
});

const single = listed.filter((algorithm) => !isMutant(algorithm) && !algorithm.name.includes('+'));

/** Returns the algorithms to start from, by family. */
export const startingPoints = () => families('', single);
