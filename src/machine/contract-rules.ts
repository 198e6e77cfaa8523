import type { AnyAlgorithm, Message, Problem } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { MessageChecker } from '../core/message-checker.ts';
import { isPlainObject, whyNotPlain } from '../core/plain-data.ts';

const problems = {
  mutex: 'mutual exclusion',
  election: 'an election',
  clocks: 'clock synchronisation',
} as const;

/** The events that an algorithm may emit for each problem: their types, their fields, and a check of their values. */
const events: { readonly [P in Problem]: { readonly [type: string]: EventRule } } = {
  mutex: { entered: { fields: ['type'], flaw: null }, suspects: { fields: ['type'], flaw: null } },
  election: {
    elected: {
      fields: ['type', 'leader', 'round'],
      flaw: ({ leader, round }) => {
        if (!Number.isFinite(leader) && leader !== 'me' && leader !== 'another')
          return "without a leader: it must be an id or a position, 'me' or 'another'";
        return round === undefined || isRound(round) ? null : wrongRound;
      },
    },
    electing: { fields: ['type', 'round'], flaw: ({ round }) => (isRound(round) ? null : wrongRound) },
  },
  clocks: {
    adjust: {
      fields: ['type', 'offset', 'within'],
      flaw: ({ offset, within }) =>
        Number.isFinite(offset) && Number.isFinite(within) ? null : 'without the numbers offset and within',
    },
  },
};

interface EventRule {
  readonly fields: readonly string[];
  readonly flaw: ((event: { readonly [field: string]: unknown }) => string | null) | null;
}

const isRound = (round: unknown): boolean => Number.isSafeInteger(round) && (round as number) >= 0;
const wrongRound = 'without the number of a round: a whole number from 0';

/**
 * The rules of the contract for the handlers of one algorithm. A violation throws an `AssertionError` with the same message in every host.
 * Every host checks that messages are plain data, except a long simulation, which cannot afford it.
 */
export class ContractRules {
  /** The types of messages, without timers. */
  readonly kinds: readonly string[];
  /** The types of timers. */
  readonly timers: readonly string[];
  /** The index of the kind that only a failure detector sends; -1 if there is none. */
  readonly notice: number;
  readonly #problem: Problem;
  readonly #events: { readonly [type: string]: EventRule };
  readonly #takesSnapshots: boolean;
  readonly #shapes: MessageChecker | null;

  /** The rules in a run of n processes. Null if another algorithm carries the messages: its rules also hold for their fields. */
  constructor(
    { problem, on, timers = [], crashNotice, snapshots, messages }: AnyAlgorithm,
    n: number | null,
  ) {
    this.timers = timers;
    this.kinds = Object.keys(on).filter((type) => !timers.includes(type));
    this.notice = crashNotice === undefined ? -1 : this.kinds.indexOf(crashNotice);
    this.#problem = problem;
    this.#events = events[problem];
    this.#takesSnapshots = snapshots !== undefined;
    this.#shapes = messages === undefined || n === null ? null : new MessageChecker(messages, n);
  }

  /** Returns the index of the message's kind. */
  kindOf(message: Message): number {
    const { kinds } = this;
    const type = message?.type;
    for (let kind = 0; kind < kinds.length; kind += 1)
      if (kinds[kind] === type && kind !== this.notice) return kind;
    return fail(
      `it sends '${type}', which ${this.notice >= 0 && type === kinds[this.notice] ? 'only a failure detector sends' : 'is not one of its messages'}`,
    );
  }

  /** Checks an event that a handler emits. */
  checkEvent(event: Message): void {
    const type = event?.type;
    const rule = Object.hasOwn(this.#events, type) ? this.#events[type] : undefined;
    if (rule !== undefined) {
      const wrong = rule.flaw === null ? null : rule.flaw(event as never);
      if (wrong !== null) fail(`it emits '${type}' ${wrong}`);
      for (const field in event) if (!rule.fields.includes(field)) this.checkPlain(event, 'event');
    } else if (!(this.#takesSnapshots && (type === 'recorded' || type === 'complete')))
      fail(`it emits '${type}', which is not an event of ${problems[this.#problem]}`);
  }

  /** Checks a timer and returns its index. Ticks are a whole number from 1, or Infinity. */
  timerSet(ticks: number, message: Message): number {
    const timer = this.timerOf(message?.type);
    if (!(ticks >= 1 && (Number.isInteger(ticks) || ticks === Infinity)))
      fail(`it sets a timer of ${ticks} ticks; they are whole, from 1`);
    this.checkMessage(message);
    return timer;
  }

  /** Returns the index of a timer. */
  timerOf(type: string): number {
    const timer = this.timers.indexOf(type);
    return timer >= 0 ? timer : fail(`'${type}' is not one of its timers`);
  }

  /** Checks the number of options of a choice. */
  checkOptions(options: number): void {
    if (!(Number.isInteger(options) && options >= 1)) fail(`it chooses among ${options} options`);
  }

  /** Checks that the algorithm may read a clock. */
  checkClock(): void {
    if (this.#problem !== 'clocks') fail(`it reads a clock, which only ${problems.clocks} has`);
  }

  /** Whether a message that arrives is one that the algorithm can send, as far as it declares its messages. */
  accepts(message: Message): boolean {
    if (!this.kinds.includes(message.type)) return false;
    return this.#shapes === null || this.#shapes.accepts(message);
  }

  /** Checks that a message is plain data, with the fields that the algorithm declares. */
  checkMessage(message: Message): void {
    if (this.#shapes !== null && isPlainObject(message) && this.#shapes.accepts(message)) return; // every declared shape is plain data
    this.checkPlain(message, 'message');
    if (this.#shapes !== null)
      fail(`its message '${message.type}' does not have the fields that it declares in \`messages\``);
  }

  /** Checks that a message or an event is plain data. */
  checkPlain(data: Message, what: string): void {
    if (whyNotPlain(data, '') !== null) fail(whyNotPlain(data, `its ${what} '${data.type}'`)!); // a text for every message would be slow
  }
}

/**
 * Checks that a state after a handler is plain data, like JSON.
 * @throws {AssertionError} if it is not.
 * @example
 * import { throws } from 'node:assert/strict';
 * import { checkState } from 'batonjs/machine';
 *
 * checkState({ queue: [2, 0], holder: null });
 * throws(() => checkState({ since: new Date() }), /not plain data/);
 */
export function checkState(state: unknown): void {
  const flaw = whyNotPlain(state, 'its state');
  if (flaw !== null) fail(flaw);
}
