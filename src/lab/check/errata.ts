import { algorithmInfo, allMutants, type EitherAlgorithm } from '../../catalogue/index.ts';
import type { Trace } from '../../core/trace.ts';
import { type CheckRequest, checkableAlgorithms } from './check-request.ts';

/** A row of docs/errata.md. */
export interface Erratum {
  readonly number: string;
  readonly printed: string;
  readonly happens: string;
  readonly shownBy: string;
  readonly mutants: readonly string[];
  readonly traces: readonly string[]; // paths in test/golden
}

export function parseErrata(markdown: string): Erratum[] {
  const rows = markdown.split('\n').filter((line) => /^\| ER-\d+ /.test(line));
  let source = '';
  return rows.map((row) => {
    const [number = '', text = '', happens = '', shownBy = ''] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (!text.startsWith('same')) source = text.replace(/ *[(:].*/s, '');
    const printed = text.replace(/^same/, source); // as in the row before
    const quoted = [...shownBy.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    const mutants = quoted.filter((name) => allMutants.some((one) => one.name === name));
    return {
      number,
      printed,
      happens,
      shownBy,
      mutants,
      traces: quoted.filter((name) => name.endsWith('.trace')),
    };
  });
}

const maxEvents = 60; // a search for longer runs takes too long
const uncheckableFields = ['restart', 'cut', 'link', 'corrupt', 'limit']; // not supported by the checker
const simulatedBounds = 'the bounds of the measures'; // of times, hops and totals: the checker does not judge them
const copiedFields = ['n', 'ids', 'topology', 'root', 'channels', 'entries'];

/** Returns a request for the shortest run that violates the same property; null if the checker cannot find it. */
export function checkRequestFor({ scenario, events, verdict }: Trace): CheckRequest | null {
  const property = / is violated/.test(verdict) ? verdict.replace(/ is violated.*/s, '') : null;
  const subject = checkableAlgorithms.find(({ name }) => name === scenario.algorithm);
  if (property === null || property === simulatedBounds || !subject || events.length > maxEvents) return null;
  if (uncheckableFields.some((field) => scenario[field] !== undefined)) return null;
  const isFixed =
    algorithmInfo(subject).assumes.timing !== 'asynchronous' && scenario.latency?.startsWith('fixed');
  const fields = [...copiedFields, ...(isFixed ? ['latency'] : [])].filter(
    (field) => scenario[field] !== undefined,
  );
  return {
    algorithm: subject.name,
    fields: {
      ...Object.fromEntries(fields.map((field) => [field, scenario[field]!])),
      ...(scenario.crash !== undefined && { crashes: '1' }),
      ...(scenario.duplication !== undefined && { repeats: '1' }),
      ...propertyFields(property, subject),
    },
  };
}

const figureBounds = ['the message bound', 'the chain bound', 'the size bound'];

/** A lemma may fail in a shorter run than the property, and is not checked by default where an assumption does not hold. */
function propertyFields(property: string, { invariants = {} }: EitherAlgorithm): Record<string, string> {
  const hasLemmas = Object.keys(invariants).length > 0;
  return {
    ...(hasLemmas && { lemmas: property in invariants ? 'on' : 'off' }),
    ...(figureBounds.includes(property) && { bounds: 'on' }),
    ...(property === 'the bypass bound' && { bypass: 'on' }),
  };
}
