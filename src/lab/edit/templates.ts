import { grouped, isMutant } from '../catalogue.ts';
import election from './templates/election.ts?raw';
import mutex from './templates/mutex.ts?raw';
import tieBreak from './templates/tie-break.ts?raw';

/** Something to begin with that is not in the catalogue. */
export interface Template {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly hint?: string;
  readonly text: string;
}

/** As one would import it elsewhere: the file is good for `baton check`, too. */
const asFile = (text: string): string => text.replace(/'[./]+\/core\/index\.ts'/, "'batonjs'");

export const templates: readonly Template[] = [
  {
    id: 'tie-break',
    title: 'Ricart–Agrawala without the tie-break: find out why',
    task: 'Press Check: something goes wrong when two processes ask at the same time; watch it happen. Then mend the one line of `on.request` that decides whose request is first, and check again.',
    hint: 'Both requests can carry the same number k. Of two equal ones exactly one must come first, and both sides must agree which: everybody knows `p.me` and `j`.',
    text: asFile(tieBreak),
  },
  {
    id: 'mutex',
    title: 'An empty lock',
    task: 'This is the least that an algorithm for mutual exclusion needs. It lets everybody in at once: have it checked, and mend it.',
    text: asFile(mutex),
  },
  {
    id: 'election',
    title: 'An empty election',
    task: 'This is the least that an election needs. Everybody who starts believes to have won: have it checked, and mend it.',
    text: asFile(election),
  },
];

/** All algorithms one can start from, as a list to choose from shows them. Compositions have no text of their own. */
export const startGroups = () =>
  grouped('')
    .filter(({ members }) => !isMutant(members[0]!))
    .map(({ title, members }) => ({ title, members: members.filter(({ name }) => !name.includes('+')) }));
