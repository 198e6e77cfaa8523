import { algorithmInfo, type EitherAlgorithm, listed, resolve } from '../../catalogue/index.ts';
import { type CheckOptions, type Space, timerCapacity } from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import { parseScenario } from '../../sim/index.ts';
import type { CustomAlgorithm } from '../state/run-spec.ts';

/** The algorithms that the check view offers. */
export const checkableAlgorithms: readonly EitherAlgorithm[] = listed.filter(
  ({ problem }) => problem !== 'clocks',
);

/** @throws {InputError} if the checker cannot check it. */
export const checkableAlgorithm = (name: string): EitherAlgorithm => checkable(resolve(name));

function checkable(subject: EitherAlgorithm): EitherAlgorithm {
  if (subject.problem !== 'clocks') return subject;
  throw new InputError(
    `${subject.name} reads clocks, and every reading is another state: choose another algorithm`,
  );
}

/** A check to run. Its fields are the options of `baton check`. */
export interface CheckRequest {
  readonly algorithm: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly custom?: CustomAlgorithm; // if the algorithm is from the editor
}

/** Returns the algorithm of a request; for one from the editor, a stub. */
export const subjectOf = ({ algorithm, custom }: CheckRequest): EitherAlgorithm =>
  custom?.algorithm ?? checkableAlgorithm(algorithm);

const flags = ['together', 'lemmas', 'bounds', 'bypass', 'progress', 'reduction']; // on or off
const counts = ['crashes', 'losses', 'repeats', 'maxStates'] as const;
const scenarioFieldNames = 'n ids topology root channels latency clocks start entries seed'.split(' ');
const knownFields: readonly string[] = [...scenarioFieldNames, ...flags, ...counts, 'timing'];

export const checkDefaults = { maxStates: 1_000_000, megabytes: 1024 };

/** `lamport;n:2;channels:unordered` */
export const checkRequestText = ({ algorithm, fields }: CheckRequest): string =>
  [algorithm, ...Object.entries(fields).map(([field, value]) => `${field}:${value}`)].join(';');

/** @param custom the algorithm from the editor, if one runs. Its name means this one, not one of the catalogue. */
export function parseCheckRequest(text: string, custom: CustomAlgorithm | null = null): CheckRequest {
  const [algorithm = '', ...items] = text.split(';');
  const fields: Record<string, string> = {};
  for (const item of items) {
    const [, field = '', value = ''] = /^(\w+):(.+)$/.exec(item) ?? [];
    if (!knownFields.includes(field))
      throw new InputError(`'${item}' is nothing that the checker could be asked`);
    fields[field] = value;
  }
  if (custom?.algorithm.name === algorithm)
    return { algorithm: checkable(custom.algorithm).name, fields, custom };
  return { algorithm: checkableAlgorithm(algorithm).name, fields };
}

/** Removes the timing assumption: timers may then end at any moment. */
const asynchronous = (subject: EitherAlgorithm): EitherAlgorithm =>
  ({ ...subject, assumes: { ...subject.assumes, timing: 'asynchronous' } }) as EitherAlgorithm;

/** Returns the arguments for `Check`. */
export function checkArguments(
  { algorithm, fields }: CheckRequest,
  named: EitherAlgorithm = checkableAlgorithm(algorithm),
): {
  readonly subject: EitherAlgorithm;
  readonly space: Space;
  readonly options: CheckOptions;
} {
  const subject = fields.timing === 'off' ? asynchronous(named) : named;
  const isAny = fields.entries === 'any' && algorithmInfo(subject).mayAskForever;
  const given = Object.fromEntries(scenarioFieldNames.map((field) => [field, fields[field]]));
  const space = parseScenario(isAny ? { ...given, entries: undefined } : given);
  const options: Record<string, number | boolean> = { maxBytes: checkDefaults.megabytes * 2 ** 20 };
  for (const flag of flags) if (fields[flag] !== undefined) options[flag] = fields[flag] === 'on';
  for (const count of counts) if (fields[count] !== undefined) options[count] = whole(fields[count], count);
  options.maxStates ??= checkDefaults.maxStates;
  if (space.start !== undefined && /@/.test(fields.start ?? ''))
    throw new InputError('every moment is tried: name positions only, like 0,2');
  return {
    subject,
    space: isAny ? { ...space, entries: Infinity } : space,
    options: { ...timerCapacity(named), ...options },
  };
}

function whole(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InputError(`${names[what] ?? what} must be a whole number from 0, not '${text}'`);
}

const names: Readonly<Record<string, string>> = { maxStates: 'the most states' };

/** Returns the equivalent command line, or null if the command lacks an option for it. */
export function checkCommandLine({ algorithm, fields, custom }: CheckRequest): string | null {
  if (fields.timing === 'off') return null;
  const options = Object.entries(fields).map(([field, value]) => {
    if (value === 'off') return `--no-${field}`;
    const option = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === 'on' ? option : `${option} ${value}`;
  });
  return ['baton check', custom ? `./${algorithm}.ts` : algorithm, ...options].join(' ');
}

/** Describes in a sentence what a search covers. */
export function coverageText(request: CheckRequest, n: number): string {
  const { fields } = request;
  const subject = subjectOf(request);
  const { assumes, starts } = algorithmInfo(subject);
  const { channels } = assumes;
  const { entries = '1', start = starts, crashes = '0', losses = '0', repeats = '0' } = fields;
  const who =
    start === 'all' ? (n === 1 ? 'the process' : `each of ${n} processes`) : `process ${start} of ${n}`;
  const times = entries === 'any' ? 'again and again' : entries === '1' ? 'once' : `up to ${entries} times`;
  const does = subject.problem === 'mutex' ? `asks ${times}` : 'starts';
  const when = fields.together ? 'at the beginning' : 'at any moment, or never';
  const begins = start === 'none' ? 'no process starts' : `${who} ${does}, ${when}`;
  const counted = [
    [
      crashes,
      channels === null ? 'crash' : 'process that crashes',
      channels === null ? 'crashes' : 'processes that crash',
    ],
    [losses, 'lost message', 'lost messages'],
    [repeats, 'message that comes twice', 'messages that come twice'],
  ].filter(([count]) => Number(count) > 0);
  const late = fields.timing === 'off' ? ['timers that end at any moment'] : [];
  const faults = counted.map(([count, one, many]) => `up to ${count} ${count === '1' ? one : many}`);
  const orders: Readonly<Record<string, string>> = {
    unordered: 'messages in any order',
    fifo: 'channels that keep order',
    causal: 'causal order',
  };
  const order = channels === null ? 'every order of reads and writes' : orders[fields.channels ?? channels]!;
  return `${capitalised(begins)}; ${[order, ...late, ...faults].join(', ')}.`;
}

export const capitalised = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());
