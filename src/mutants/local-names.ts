// Names that differ only among neighbours: RR-0496, section 2.2, assumes no more for the text of a process. On a ring or a line, every third
// process has the same name.
import { helaryPlouzeauRaynal } from '../algorithms/mutex/helary-plouzeau-raynal.ts';
import { helaryPlouzeauRaynalFlooding } from '../algorithms/mutex/helary-plouzeau-raynal-flooding.ts';
import type { Address, AnyAlgorithm, Message } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

const localName = (position: Address): Address => position % 3;

interface Named {
  readonly me: Address;
  readonly neighbours: readonly Address[];
  readonly root: boolean;
  send(to: Address, message: Message): void;
  emit(event: Message): void;
}

/** Returns the process as it sees itself: it and its neighbours go by their local names. */
const locallyNamed = (p: Named): Named => ({
  me: localName(p.me),
  neighbours: p.neighbours.map(localName),
  root: p.root,
  send: (to, message) => p.send(p.neighbours.find((j) => localName(j) === to)!, message),
  emit: (event) => p.emit(event),
});

/** Returns the handlers of an algorithm with local names. Lemma 2 and the bypass bound go: they take names for positions. */
const withLocalNames = ({ calls, on, invariants }: AnyAlgorithm) => ({
  calls: Object.fromEntries(
    Object.entries(calls).map(([call, handle]) => [
      call,
      (s: unknown, p: Named) => handle(s, locallyNamed(p)),
    ]),
  ),
  on: Object.fromEntries(
    Object.entries(on).map(([type, handle]) => [
      type,
      (s: unknown, p: Named, m: Message, j: Address) => handle(s, locallyNamed(p), m, localName(j)),
    ]),
  ),
  invariants: Object.fromEntries(
    Object.entries(invariants ?? {}).filter(([lemma]) => lemma.startsWith('ME')),
  ),
  bypass: [],
});

export const helaryPlouzeauRaynalLocalNames: Mutant = {
  ...helaryPlouzeauRaynal,
  name: 'helary-plouzeau-raynal-local-names',
  of: 'helary-plouzeau-raynal',
  lie: 'only a process and its neighbours have distinct names: on a ring or a line, every third process has the same one (RR-0496, 2.2)',
  failingRun: { n: '6', topology: 'ring', start: '3@0', latency: 'fixed:1' },
  ...withLocalNames(helaryPlouzeauRaynal),
};

export const helaryPlouzeauRaynalFloodingLocalNames: Mutant = {
  ...helaryPlouzeauRaynalFlooding,
  name: 'helary-plouzeau-raynal-flooding-local-names',
  of: 'helary-plouzeau-raynal-flooding',
  lie: 'only a process and its neighbours have distinct names: on a ring or a line, every third process has the same one (RR-0496, 2.2)',
  failingRun: { n: '5', topology: 'line', root: '4', start: '0@0', latency: 'fixed:1' },
  ...withLocalNames(helaryPlouzeauRaynalFlooding),
};
