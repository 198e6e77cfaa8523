import type { Address, AddressFields, AnyAlgorithm, InnerState, Message, Pid } from '../core/algorithm.ts';
import type { Topology } from '../core/topology.ts';
import { messageText } from '../core/trace.ts';
import { mediumOf, Overlay } from '../machine/index.ts';
import type { Setup } from '../sim/index.ts';
import type { StateFields } from './state-history.ts';
import type { Timeline } from './timeline.ts';

/** A field or a register that an event changed. */
export interface FieldChange {
  readonly field: string; // with its place inside other fields: `privilege.LN[p2]`
  readonly before: string | null; // null if only the new value matters
  readonly after: string;
}

/** Names the process that an address refers to; null if there is none. */
type AddressName = (address: Address) => string | null;

/** Returns the naming of the algorithm in an inner field. `siblings` are the fields beside it. */
type InnerNames = (inner: InnerState, siblings: StateFields) => AddressName;

/** Writes the states and messages of a run, with `p3` and `self` in place of addresses. */
export class StateText {
  readonly #setup: Pick<Setup, 'algorithm' | 'topology' | 'n'>;
  readonly #all: readonly Pid[];
  readonly #addresses: AddressFields;
  readonly #inMessages: ValueText;
  readonly #hasLines: boolean;

  constructor(setup: Pick<Setup, 'algorithm' | 'topology' | 'n'>) {
    const { algorithm, n } = setup;
    this.#setup = setup;
    this.#all = Array.from({ length: n }, (_, i) => i);
    this.#addresses = algorithm.addresses ?? {};
    // `self` would be either end, and a link number means nothing to the receiver.
    const isNamed = algorithm.knows.includes('me');
    const name: AddressName = (address) => (isNamed && isBelow(n, address) ? `p${address}` : null);
    this.#inMessages = new ValueText(this.#addresses, name, () => () => null);
    this.#hasLines = mediumOf(algorithm) === 'memory';
  }

  #statesOf(process: Pid): ValueText {
    const { algorithm, topology } = this.#setup;
    const innerNames: InnerNames = ({ of, members = '' }, siblings) => {
      const participants = (siblings[members] as readonly Pid[] | undefined) ?? this.#all;
      const overlay = () => new Overlay(of, () => 0).topology(participants.length);
      return addressNames(of, overlay, participants, process);
    };
    const names = addressNames(algorithm, () => topology, this.#all, process);
    return new ValueText(this.#addresses, names, innerNames);
  }

  /** Returns a message as a trace writes it, except for addresses. */
  readonly message = (message: Message): string => {
    const { values = [], keys = [] } = this.#addresses;
    const fields = Object.entries(message).filter(([field]) => field !== 'type');
    if (!fields.some(([field]) => values.includes(field) || keys.includes(field)))
      return messageText(message);
    const texts = fields.map(([field, value]) => `${field}=${this.#inMessages.field(field, value, {})}`);
    return `${message.type}(${texts.join(', ')})`;
  };

  /** Returns the fields of a state, as texts. */
  fields(process: Pid, state: StateFields): (readonly [field: string, text: string])[] {
    const values = this.#statesOf(process);
    const fields = withoutWrapper(state);
    return Object.entries(fields).map(([field, value]) => [field, values.field(field, value, fields)]);
  }

  /** Returns the fields that differ between two states of a process. */
  changes(process: Pid, before: StateFields, after: StateFields): FieldChange[] {
    if (before === after) return [];
    return this.#statesOf(process)
      .differences(withoutWrapper(before), withoutWrapper(after))
      .map((change) => (this.#hasLines && change.field === 'at' ? { ...change, before: null } : change));
  }

  /** Returns the fields that the last event before a position changed. */
  changesAt(run: Pick<Timeline, 'events' | 'stateAt'>, position: number): FieldChange[] {
    const event = run.events[position - 1];
    if (event === undefined) return [];
    const { process } = event;
    return this.changes(process, run.stateAt(process, position - 1), run.stateAt(process, position));
  }
}

const isBelow = (end: number, address: Address): boolean =>
  Number.isInteger(address) && address >= 0 && address < end;

/** Returns the naming of one of the participants of an algorithm, which has the network `topologyOf` returns. */
function addressNames(
  { knows }: Pick<AnyAlgorithm, 'knows'>,
  topologyOf: () => Topology,
  participants: readonly Pid[],
  process: Pid,
): AddressName {
  const me = participants.indexOf(process);
  const isNamed = knows.includes('me');
  const topology = isNamed || me < 0 ? null : topologyOf();
  return (address) => {
    if (!isBelow(topology?.degree(me) ?? (isNamed ? participants.length : 0), address)) return null;
    const meant = participants[topology?.to(me, address) ?? address]!;
    return meant === process ? 'self' : `p${meant}`;
  };
}

/** Unwraps a state with snapshots: the state of the algorithm inside, and its recorded copy. */
function withoutWrapper(state: StateFields): StateFields {
  if (!('run' in state && 'cut' in state)) return state;
  const { state: recorded, awaited } = state.cut as StateFields;
  return {
    ...(state.run as StateFields),
    ...(recorded !== null && { 'markers awaited': awaited, recorded }),
  };
}

const isObject = (value: unknown): value is StateFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a list has a truth value for each address, as sets have. */
const isSet = (value: unknown): value is readonly boolean[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'boolean');

/** Writes the values in a state or a message. */
class ValueText {
  readonly #addresses: AddressFields;
  readonly #name: AddressName;
  readonly #innerNames: InnerNames;

  constructor(addresses: AddressFields, name: AddressName, innerNames: InnerNames) {
    this.#addresses = addresses;
    this.#name = name;
    this.#innerNames = innerNames;
  }

  field(field: string, value: unknown, siblings: StateFields): string {
    const { values, keys } = this.#addresses;
    const inner = this.#inner(field, siblings);
    if (inner !== null) return inner.#text(value, false);
    const isAddress = values?.includes(field) === true;
    const hasKeys = keys?.includes(field) === true && typeof value === 'object' && value !== null;
    return hasKeys ? this.#keyedText(value, isAddress) : this.#text(value, isAddress);
  }

  /** The writer of the algorithm in an inner field; null if the field is not one. */
  #inner(field: string, siblings: StateFields): ValueText | null {
    const inner = this.#addresses.inner?.[field];
    if (inner === undefined) return null;
    return new ValueText(inner.of.addresses ?? {}, this.#innerNames(inner, siblings), this.#innerNames);
  }

  #text(value: unknown, isAddress: boolean): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#text(item, isAddress)).join(', ')}]`;
    if (isObject(value)) {
      const fields = Object.entries(value).map(
        ([field, item]) => `${field}: ${this.field(field, item, value)}`,
      );
      return `{${fields.join(', ')}}`;
    }
    if (typeof value === 'number' && isAddress) return this.#name(value) ?? `${value}`;
    if (typeof value === 'string') return isAddress && value === 'me' ? 'self' : `“${value}”`;
    return `${value ?? null}`;
  }

  #keyedText(value: object, isAddress: boolean): string {
    if (isSet(value))
      return `{${value.flatMap((isIn, k) => (isIn ? this.#keyName(`${k}`) : [])).join(', ')}}`;
    const items = Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => `${this.#keyName(key)}: ${this.#text(item, isAddress)}`);
    return `{${items.join(', ')}}`;
  }

  #keyName(key: string): string {
    return this.#name(Number(key)) ?? key;
  }

  /** The fields of two states that differ, inside other fields too. */
  differences(before: StateFields, after: StateFields, place = ''): FieldChange[] {
    return keysOf(before, after).flatMap((field) => {
      const [old, now] = [before[field], after[field]];
      if (old === now) return [];
      const where = `${place}${field}`;
      if (this.#addresses.keys?.includes(field) && isKeyed(old) && isKeyed(now))
        return this.#keyedDifferences(old, now, field, where);
      if (isObject(old) && isObject(now))
        return (this.#inner(field, after) ?? this).differences(old, now, `${where}.`);
      return change(where, this.field(field, old, before), this.field(field, now, after));
    });
  }

  #keyedDifferences(before: object, after: object, field: string, place: string): FieldChange[] {
    const isAddress = this.#addresses.values?.includes(field) === true;
    const [old, now] = [before as StateFields, after as StateFields];
    return keysOf(old, now).flatMap((key) =>
      change(
        `${place}[${this.#keyName(key)}]`,
        this.#text(old[key], isAddress),
        this.#text(now[key], isAddress),
      ),
    );
  }
}

/** Whether a value is a table whose entries are compared one by one. */
const isKeyed = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isSet(value);

const keysOf = (before: object, after: object): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const change = (field: string, before: string, after: string): FieldChange[] =>
  before === after ? [] : [{ field, before, after }];

const longest = 36; // characters of a value
const most = 6; // changes of one event

/** Returns changes as text: `holder: self → p3, requestQ: [] → [p1]`. Long values are cut. */
export function changesText(changes: readonly FieldChange[]): string {
  const texts = changes.slice(0, most).map(({ field, before, after }) => {
    if (before === null) return `${field} ${cut(after)}`;
    const [old, now] = fromDifference(before, after);
    return `${field}: ${cut(old)} → ${cut(now)}`;
  });
  return [...texts, ...(changes.length > most ? ['…'] : [])].join(', ');
}

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** Drops most of what two long texts begin with, so that they still differ when cut. */
function fromDifference(before: string, after: string): readonly [string, string] {
  if (before.length <= longest && after.length <= longest) return [before, after];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const dropped = same - Math.floor(longest / 2);
  return dropped <= 1 ? [before, after] : [`…${before.slice(dropped)}`, `…${after.slice(dropped)}`];
}
