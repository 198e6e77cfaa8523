import { InputError } from '../../core/assert.ts';
import type { Spacing } from '../../diagram/index.ts';
import { interventionsText, parseInterventions, type ScheduledIntervention } from '../../timeline/index.ts';

/** The whole of what is on the page: from it the same picture comes about elsewhere. */
export interface PageState {
  readonly algorithm: string;
  readonly fields: Readonly<Record<string, string>>; // of the scenario, as on the command line
  readonly interventions: readonly ScheduledIntervention[];
  readonly position: number | null; // null: from the beginning, and playing
  readonly spacing: Spacing;
  readonly view?: string; // the run if not said
  readonly check?: string; // what the check view asks
  readonly measure?: string; // what the measure view measures
  readonly source?: string; // of an algorithm that is not in the catalogue, packed
  readonly trace?: string; // of a recorded run, packed: it says what the fields would
  readonly unknownParameters?: string; // what of its address means nothing, in a sentence
}

/** What a scenario is made of. */
export const scenarioFields: ReadonlySet<string> = new Set(
  `n ids topology root channels latency slow loss duplication clocks start snapshot entries think hold offsets drifts drift slew
  rounds seed limit lose crash restart cut link corrupt lie pause partition`.split(/\s+/),
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
]);

/** `#run/raymond?n=7&seed=3&hand=12:drop:7&at=34` */
export function permalinkOf(scene: PageState): string {
  const { algorithm, fields, interventions, position, spacing, view = 'run', check, measure } = scene;
  const parts = Object.entries(fields).filter(([key, value]) => value !== '' && scenarioFields.has(key));
  if (interventions.length > 0) parts.push(['hand', interventionsText(interventions)]);
  if (spacing !== 'even') parts.push(['spacing', spacing]);
  if (position !== null) parts.push(['at', `${position}`]);
  if (view !== 'run') parts.push(['view', view]);
  if (view === 'check' && check) parts.push(['check', check]);
  if (view === 'measure' && measure) parts.push(['measure', measure]);
  for (const text of ['source', 'trace'] as const) if (scene[text]) parts.push([text, scene[text]]);
  const query = parts.map(([key, value]) => `${key}=${readable(value)}`).join('&');
  return `#run/${algorithm}${query === '' ? '' : `?${query}`}`;
}

/** What a fragment may have stays as it is. */
const readable = (value: string): string =>
  encodeURIComponent(value).replace(/%(3A|2C|40|3B|2B)/g, decodeURIComponent);

/** The scene of an address; null if it is none. */
export function parsePermalink(fragment: string): PageState | null {
  const match = /^#run\/([^?]+)(?:\?(.*))?$/.exec(fragment);
  if (!match) return null;
  const given = Object.fromEntries(new URLSearchParams((match[2] ?? '').replaceAll('+', '%2B')));
  const at = Number(given.at ?? Number.NaN);
  const position = Number.isSafeInteger(at) && at >= 0 ? at : null;
  const unread = unknownParametersIn(given, position);
  return {
    algorithm: decoded(match[1]!),
    fields: Object.fromEntries(Object.entries(given).filter(([key]) => scenarioFields.has(key))),
    interventions: parseInterventions(given.hand ?? ''),
    position,
    spacing: given.spacing === 'time' ? 'time' : 'even',
    ...(given.view && { view: given.view }),
    ...(given.check && { check: given.check }),
    ...(given.measure && { measure: given.measure }),
    ...(given.source && { source: given.source }),
    ...(given.trace && { trace: given.trace }),
    ...(unread !== null && { unknownParameters: unread }),
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
  const isUnread = (key: string, value: string): boolean => {
    if (key === 'at') return position === null;
    if (key === 'spacing') return value !== 'time' && value !== 'even';
    return !pageParameters.has(key) && !scenarioFields.has(key);
  };
  const parts = Object.entries(given).filter(([key, value]) => isUnread(key, value));
  if (parts.length === 0) return null;
  const list = parts.map(([key, value]) => `'${key}=${value}'`).join(', ');
  return `${list} in the address ${parts.length > 1 ? 'mean' : 'means'} nothing`;
}
