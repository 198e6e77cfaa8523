// Checks at run time what the compiler checks in an algorithm file, for algorithms loaded from a user's module.
import type {
  AnyAlgorithm,
  Assumptions,
  ChannelKind,
  Fact,
  Network,
  Problem,
  Problems,
  Synchronisation,
  Winner,
} from './algorithm.ts';
import { InputError } from './assert.ts';
import { suggest } from './did-you-mean.ts';
import { shapeNames } from './message-checker.ts';
import type { AnySharedAlgorithm, SharedAlgorithm } from './shared-algorithm.ts';

/** What the value of a field must be. */
interface FieldSpec {
  readonly description: string;
  readonly accepts: (value: unknown) => boolean;
  readonly of?: FieldSpec; // for each element of a list or table
  readonly isList?: boolean;
  readonly choices?: readonly string[]; // the allowed values, if they are a fixed set
}

type FieldSpecs = { readonly [path: string]: FieldSpec };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const line: FieldSpec = {
  description: 'a line of text',
  accepts: (value) => typeof value === 'string' && /^.+$/.test(value),
};
const code: FieldSpec = { description: 'a function', accepts: (value) => typeof value === 'function' };
const oneOf = <C extends string>(...choices: C[]): FieldSpec => ({
  description: choices.length === 1 ? `'${choices[0]}'` : `one of ${choices.join(', ')}`,
  accepts: (value) => choices.some((choice) => choice === value),
  choices,
});
const listOf = (spec: FieldSpec): FieldSpec => ({
  description: `a list, each ${spec.description}`,
  accepts: (value) => Array.isArray(value) && value.every(spec.accepts),
  of: spec,
  isList: true,
});
const tableOf = (spec: FieldSpec): FieldSpec => ({
  description: `an object, each of its fields ${spec.description}`,
  accepts: (value) => isObject(value) && !Array.isArray(value) && Object.values(value).every(spec.accepts),
  of: spec,
});
const orNull = ({ description, accepts }: FieldSpec): FieldSpec => ({
  description: `null, or ${description}`,
  accepts: (value) => value === null || accepts(value),
});
const bound: FieldSpec = {
  description: 'made by exactly, atLeast, atMost or onAverage',
  accepts: (value) =>
    isObject(value) && 'value' in value && code.accepts(value.value) && 'counts' in value && 'case' in value,
};
const object: FieldSpec = { description: 'an object', accepts: isObject };
const number: FieldSpec = { description: 'a number', accepts: (value) => typeof value === 'number' };
const messageShape: FieldSpec = {
  description: `one of ${shapeNames.join(', ')}, { below }, { perProcess } or a list of these`,
  accepts: isShape,
  choices: shapeNames,
};
const isTrue: FieldSpec = { description: 'true', accepts: (value) => value === true };
const fact = oneOf<Fact>('me', 'id', 'n', 'neighbours', 'root', 'parent', 'maxDelay', 'minDelay', 'drift');

const always: FieldSpecs = { name: line, paper: line, bounds: listOf(bound), init: code };

const messaging: FieldSpecs = {
  ...always,
  problem: oneOf<Problem>('mutex', 'election', 'clocks'),
  'assumes.topology': oneOf<Network>('complete', 'ring', 'two-way ring', 'tree', 'connected'),
  'assumes.channels': oneOf<ChannelKind>('unordered', 'fifo', 'causal'),
  'assumes.failures': oneOf<Assumptions['failures']>(
    'none',
    'crash',
    'token loss',
    'corruption',
    'link changes',
    'lies',
  ),
  'assumes.timing': oneOf<Assumptions['timing']>('asynchronous', 'bounded', 'synchronous', 'archimedean'),
  knows: listOf(fact),
  on: tableOf(code),
};

const calls: { readonly [P in Problem]: { readonly [path in `calls.${Problems[P]['call']}`]: FieldSpec } } = {
  mutex: { 'calls.request': code, 'calls.release': code },
  election: { 'calls.start': code },
  clocks: { 'calls.synchronise': code },
};

const shared: FieldSpecs = {
  ...always,
  problem: oneOf<'mutex'>('mutex'),
  'assumes.failures': oneOf<SharedAlgorithm<never, never, never>['assumes']['failures']>(
    'none',
    'crash',
    'corruption',
  ),
  registers: code,
  request: line,
  release: line,
  program: code,
};

/** The fields of a mutant, in either contract. */
const ofMutants: FieldSpecs = { of: line, lie: line, failingRun: orNull(tableOf(line)) };

function isShape(value: unknown): boolean {
  if (typeof value === 'string') return shapeNames.includes(value);
  if (Array.isArray(value)) return value.every(isShape);
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  if ('below' in value) return Number.isSafeInteger(value.below);
  return 'perProcess' in value && listOf(line).accepts(value.perProcess);
}

const optionalMessaging: FieldSpecs = {
  elects: oneOf<Winner>('largest', 'smallest', 'any'),
  electsAgain: isTrue,
  'assumes.quorum': oneOf<NonNullable<Assumptions['quorum']>>('majority'),
  'synchronises.to': oneOf<Synchronisation['to']>('root', 'each other'),
  'synchronises.begins': oneOf<Synchronisation['begins']>('root', 'others', 'all'),
  bypass: listOf(object),
  timers: listOf(line),
  crashNotice: line,
  messages: tableOf(tableOf(messageShape)),
  perpetual: isTrue,
  'rounds.field': line,
  'rounds.inMessages': line,
  'rounds.matters': code,
  'addresses.values': listOf(line),
  'addresses.keys': listOf(line),
  'addresses.inner': tableOf(object),
  finds: tableOf(code),
  begin: code,
  recover: code,
  'links.appears': code,
  'links.goes': code,
  'token.isHeld': code,
  'token.isIn': code,
  'token.next': code,
  invariants: tableOf(code),
  'stabilises.scramble': code,
  'stabilises.legitimate': code,
  snapshots: object,
  'calls.snapshot': code,
  ...ofMutants,
};

const optionalShared: FieldSpecs = {
  'processes.min': number,
  'processes.max': number,
  owned: listOf(line),
  'assumes.accesses': oneOf<'composite'>('composite'),
  perpetual: isTrue,
  invariants: tableOf(code),
  'stabilises.scramble': code,
  'stabilises.legitimate': code,
  ...ofMutants,
};

/** Why a value is not an algorithm of either contract; empty if it is one. */
export function flawsOf(candidate: unknown): string[] {
  if (!isObject(candidate)) return [`it is ${shown(candidate)}, not an object`];
  const isShared = 'program' in candidate;
  const required = isShared ? shared : { ...messaging, ...callsOf(candidate) };
  const optional = isShared ? optionalShared : optionalMessaging;
  return [
    ...Object.entries(required).flatMap(([path, spec]) => flaw(candidate, path, spec)),
    ...Object.entries(optional).flatMap(([path, spec]) =>
      valueAt(candidate, path) === undefined ? [] : flaw(candidate, path, spec),
    ),
    ...unknownFields(candidate, [...Object.keys(required), ...Object.keys(optional)]),
    ...timersWithoutHandler(candidate),
    ...noticeWithoutHandler(candidate),
    ...messagesWithoutHandler(candidate),
    ...boundsOnUnknownKinds(candidate),
  ];
}

/** Unknown fields, most likely misspelt. */
function unknownFields(candidate: object, paths: readonly string[]): string[] {
  const parts = new Set(paths.flatMap((path) => (path.includes('.') ? [path.replace(/\..*/, '')] : [])));
  const known = [...new Set([...paths, ...parts])];
  const given = Object.entries(candidate).flatMap(([field, value]) => {
    const isWhole = !parts.has(field) || !isObject(value);
    return isWhole ? [field] : Object.keys(value).map((part) => `${field}.${part}`);
  });
  return given
    .filter((path) => !known.includes(path) && valueAt(candidate, path) !== undefined)
    .map((path) => `${path} is not a field of an algorithm${suggest(path, known)}`);
}

/** Timers without a handler. */
function timersWithoutHandler(candidate: object): string[] {
  const [on, timers] = [valueAt(candidate, 'on'), valueAt(candidate, 'timers')];
  if (!isObject(on) || !listOf(line).accepts(timers)) return [];
  return flaw(candidate, 'timers', listOf(oneOf(...Object.keys(on))));
}

/** A crash notice without a handler, or one that is a timer. */
function noticeWithoutHandler(candidate: object): string[] {
  const [on, timers, notice] = ['on', 'timers', 'crashNotice'].map((path) => valueAt(candidate, path));
  if (!isObject(on) || typeof notice !== 'string') return [];
  if (Array.isArray(timers) && timers.includes(notice)) return [`crashNotice is ${shown(notice)}, a timer`];
  return flaw(candidate, 'crashNotice', oneOf(...Object.keys(on)));
}

/** Declared messages without a handler, and handlers whose messages are not declared. */
function messagesWithoutHandler(candidate: object): string[] {
  const [on, messages] = [valueAt(candidate, 'on'), valueAt(candidate, 'messages')];
  if (!isObject(on) || !tableOf(object).accepts(messages)) return [];
  const [handled, declared] = [Object.keys(on), Object.keys(messages as object)];
  return [
    ...handled
      .filter((type) => !declared.includes(type))
      .map((type) => `messages.${type} is missing: declare the messages of all handlers, or of none`),
    ...declared
      .filter((type) => !handled.includes(type))
      .map((type) => `messages.${type} has no handler${suggest(type, handled)}`),
  ];
}

/** Bounds on unknown kinds of messages or accesses. */
function boundsOnUnknownKinds(candidate: object): string[] {
  const on = valueAt(candidate, 'on');
  const kinds = 'program' in candidate ? ['read', 'write'] : isObject(on) ? Object.keys(on) : [];
  const bounds = valueAt(candidate, 'bounds');
  if (!listOf(bound).accepts(bounds) || kinds.length === 0) return [];
  const known = listOf(oneOf(...kinds));
  const flaws = Object.keys(bounds as object).flatMap((k) => flaw(candidate, `bounds.${k}.counts`, known));
  return flaws.map((text) => text.replace(/^bounds\.(\d+)/, 'bounds[$1]'));
}

/** Whether a value is meant to be an algorithm. */
export const looksLikeAlgorithm = (candidate: unknown): boolean =>
  isObject(candidate) && ['problem', 'calls', 'on', 'program'].some((field) => field in candidate);

/** The algorithm of a module: its default export, the only candidate, or of several the one named `called`. */
export function algorithmIn(
  module: string,
  exported: Readonly<Record<string, unknown>>,
  called: string | null = null,
): AnyAlgorithm | AnySharedAlgorithm {
  const named = Object.entries(exported).filter(([, value]) => looksLikeAlgorithm(value));
  const isDefault = named.filter(([name]) => name === 'default');
  const isCalled = named.filter(([, value]) => valueAt(value as object, 'name') === called);
  const [first, ...more] = isDefault.length > 0 ? isDefault : isCalled.length === 1 ? isCalled : named;
  if (first === undefined)
    throw new InputError(`${module} exports no algorithm: make it the default export, or the only one`);
  if (more.length > 0) {
    const names = named.map(([name]) => name).join(', ');
    throw new InputError(
      `${module} exports several algorithms, ${names}: make one of them the default export`,
    );
  }
  const [name, algorithm] = first;
  const flaws = flawsOf(algorithm);
  if (flaws.length === 0) return algorithm as AnyAlgorithm | AnySharedAlgorithm;
  throw new InputError(`${module}: its export '${name}' is not an algorithm: ${flaws.join('; ')}`);
}

const callsOf = (candidate: object): FieldSpecs => {
  const problem = valueAt(candidate, 'problem');
  return Object.entries(calls).find(([name]) => name === problem)?.[1] ?? {};
};

function flaw(candidate: object, path: string, spec: FieldSpec): string[] {
  const value = valueAt(candidate, path);
  if (spec.accepts(value)) return [];
  if (value === undefined) return [`${path} is missing`];
  const part = wrongPart(value, spec);
  return [part === null ? wrong(path, value, spec) : wrong(`${path}${part.at}`, part.value, spec.of!)];
}

function wrong(path: string, value: unknown, { description, choices = [] }: FieldSpec): string {
  const hint = typeof value === 'string' ? suggest(value, choices) : '';
  return `${path} is ${shown(value)}, not ${description}${hint}`;
}

/** The first invalid element of a list or table; null if the value is neither. */
function wrongPart(value: unknown, { of, isList = false }: FieldSpec): { at: string; value: unknown } | null {
  if (of === undefined || !isObject(value) || Array.isArray(value) !== isList) return null;
  const [key, part] = Object.entries(value).find(([, one]) => !of.accepts(one))!;
  return { at: isList ? `[${key}]` : `.${key}`, value: part };
}

function valueAt(candidate: object, path: string): unknown {
  let value: unknown = candidate;
  for (const key of path.split('.')) value = isObject(value) ? Reflect.get(value, key) : undefined;
  return value;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'another list';
  return isObject(value) ? 'another object' : typeof value === 'function' ? 'a function' : String(value);
}
