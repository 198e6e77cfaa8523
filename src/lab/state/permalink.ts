import { InputError } from '../../core/assert.ts';
import type { Spacing } from '../../diagram/index.ts';
import { interventionsText, parseInterventions, type ScheduledIntervention } from '../../timeline/index.ts';

/** The part of the page that a link restores. */
export interface PageState {
  readonly algorithm: string;
  readonly fields: Readonly<Record<string, string>>; // of the scenario, as on the command line
  readonly interventions: readonly ScheduledIntervention[];
  readonly position: number | null; // null: play from the beginning
  readonly spacing: Spacing;
  readonly view?: string; // defaults to the run
  readonly check?: string; // the request of the check view
  readonly measure?: string; // the sweep of the measure view
  readonly source?: string; // packed text of an algorithm that is not in the catalogue
  readonly trace?: string; // packed trace of a recorded run, which replaces the fields
  readonly version?: string; // of the text of an algorithm of the catalogue
  readonly unknownParameters?: string; // a sentence about the parameters that are not understood
}

/** The parameters that belong to the scenario. */
export const scenarioFields: ReadonlySet<string> = new Set(
  `n ids topology root channels latency slow loss duplication clocks start snapshot entries think hold offsets drifts drift slew
  rounds seed limit lose crash restart detector cut link corrupt lie pause partition`.split(/\s+/),
);
const pageParameters = new Set([
  'hand',
  'at',
  'spacing',
  'algorithm',
  'view',
  'check',
  'measure',
  'source',
  'trace',
  'version',
]);

/** `#run/raymond?n=7&seed=3&hand=12:drop:7&at=34&version=1a2b3c4d` */
export function permalinkOf(pageState: PageState): string {
  const { algorithm, fields, interventions, position, spacing, view = 'run', check, measure } = pageState;
  const parts = Object.entries(fields).filter(([key, value]) => value !== '' && scenarioFields.has(key));
  if (interventions.length > 0) parts.push(['hand', interventionsText(interventions)]);
  if (spacing !== 'even') parts.push(['spacing', spacing]);
  if (position !== null) parts.push(['at', `${position}`]);
  if (view !== 'run') parts.push(['view', view]);
  if (view === 'check' && check) parts.push(['check', check]);
  if (view === 'measure' && measure) parts.push(['measure', measure]);
  for (const text of ['version', 'source', 'trace'] as const)
    if (pageState[text]) parts.push([text, pageState[text]]);
  const query = parts.map(([key, value]) => `${key}=${readable(value)}`).join('&');
  return `#run/${algorithm}${query === '' ? '' : `?${query}`}`;
}

/** Leaves the characters readable that a fragment may contain. */
const readable = (value: string): string =>
  encodeURIComponent(value).replace(/%(3A|2C|40|3B|2B)/g, decodeURIComponent);

/** Returns the page state of a fragment, or null if it is not a permalink. */
export function parsePermalink(fragment: string): PageState | null {
  const match = /^#run\/([^?]+)(?:\?(.*))?$/.exec(fragment);
  if (!match) return null;
  const given = Object.fromEntries(new URLSearchParams((match[2] ?? '').replaceAll('+', '%2B')));
  const at = Number(given.at ?? Number.NaN);
  const position = Number.isSafeInteger(at) && at >= 0 ? at : null;
  const unknownParameters = unknownParametersIn(given, position);
  return {
    algorithm: decoded(match[1]!),
    fields: Object.fromEntries(Object.entries(given).filter(([key]) => scenarioFields.has(key))),
    interventions: parseInterventions(given.hand ?? ''),
    position,
    spacing: given.spacing === 'time' ? 'time' : 'even',
    ...(given.view && { view: given.view }),
    ...(given.check && { check: given.check }),
    ...(given.measure && { measure: given.measure }),
    ...(given.version && { version: given.version }),
    ...(given.source && { source: given.source }),
    ...(given.trace && { trace: given.trace }),
    ...(unknownParameters !== null && { unknownParameters }),
  };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new InputError(`the link is damaged: '${name}' names no algorithm`);
  }
}

function unknownParametersIn(
  given: Readonly<Record<string, string>>,
  position: number | null,
): string | null {
  const isUnknown = (key: string, value: string): boolean => {
    if (key === 'at') return position === null;
    if (key === 'spacing') return value !== 'time' && value !== 'even';
    return !pageParameters.has(key) && !scenarioFields.has(key);
  };
  const parts = Object.entries(given).filter(([key, value]) => isUnknown(key, value));
  if (parts.length === 0) return null;
  const list = parts.map(([key, value]) => `'${key}=${value}'`).join(', ');
  return `${list} in the address ${parts.length > 1 ? 'mean' : 'means'} nothing`;
}
