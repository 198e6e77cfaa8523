import { InputError } from '../core/assert.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Intervention } from '../sim/index.ts';

/** An intervention in a run after `at` events. */
export type ScheduledIntervention = Intervention & { readonly at: number };

/** Writes interventions as in `12:drop:7,20:cut:0-1`, for URLs and the head of a trace. */
export const interventionsText = (interventions: readonly ScheduledIntervention[]): string =>
  interventions.map((one) => [one.at, one.do, ...argumentsOf(one)].join(':')).join(',');

function argumentsOf(action: Intervention): (number | string)[] {
  if ('between' in action) return [action.between.join('-')];
  if ('process' in action) return [action.process];
  return action.do === 'delay' ? [action.message, action.ticks] : [action.message];
}

export function parseInterventions(text: string): ScheduledIntervention[] {
  return text === '' ? [] : text.split(',').map(parseIntervention);
}

function parseIntervention(item: string): ScheduledIntervention {
  const [at, verb, ...rest] = item.split(':');
  const numbers = rest.flatMap((part) => part.split('-')).map(Number);
  const [a = Number.NaN, b = Number.NaN] = numbers;
  const wanted = { delay: 2, cut: 2, mend: 2 }[verb ?? ''] ?? 1;
  const isWhole = [Number(at), ...numbers].every((number) => Number.isSafeInteger(number) && number >= 0);
  const wrong = new InputError(
    `'${item}' is not something one can do to a run: write 12:drop:7 or 20:cut:0-1`,
  );
  if (!isWhole || numbers.length !== wanted) throw wrong;
  const when = { at: Number(at) };
  switch (verb) {
    case 'deliver':
    case 'drop':
      return { ...when, do: verb, message: a };
    case 'delay':
      return { ...when, do: verb, message: a, ticks: b };
    case 'cut':
    case 'mend':
      return { ...when, do: verb, between: [a, b] };
    case 'crash':
    case 'restart':
    case 'pause':
    case 'resume':
    case 'ask':
    case 'step':
      return { ...when, do: verb, process: a };
    default:
      throw wrong;
  }
}

/** The assumptions of the algorithm that these interventions drop, as sentences. Its properties need not hold then. */
export function assumptionsDropped(
  { assumes }: Pick<EitherAlgorithm, 'assumes'>,
  actions: readonly Intervention[],
): string[] {
  const did = (...verbs: Intervention['do'][]) => actions.some((action) => verbs.includes(action.do));
  const broken: string[] = [];
  if (did('drop') && assumes.failures !== 'token loss') broken.push('no message is lost');
  if (did('crash') && assumes.failures !== 'crash') broken.push('nobody crashes');
  if (did('cut') && assumes.failures !== 'link changes') broken.push('every link stays');
  if (did('delay', 'pause') && 'timing' in assumes && assumes.timing !== 'asynchronous')
    broken.push('messages and processes are fast enough');
  return broken;
}
