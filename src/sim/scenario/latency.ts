import type { Message, Pid, Transmission } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import { messageSize } from '../../core/message-measures.ts';
import type { Random } from '../../core/random.ts';

/** A distribution of durations in ticks of virtual time: of a message, of thinking, of the critical section. */
export interface Latency {
  /** As a scenario writes it. */
  readonly text: string;
  /** The shortest duration. */
  readonly min: number;
  /** The longest duration; Infinity if unbounded, or if it depends on the length of messages. */
  readonly max: number;
  /** The longest duration that processes assume. */
  readonly usualMax: number;
  /** How a duration depends on the length of a message. Absent if it does not. */
  readonly transmission?: Transmission;
  /** Draws a duration. Without a message, one of a single bit is meant. */
  sample(random: Random, from: Pid, to: Pid, message?: Message): number;
}

class Fixed implements Latency {
  readonly text: string;
  readonly min: number;
  readonly max: number;
  readonly usualMax: number;

  constructor(ticks: number) {
    this.text = `fixed:${ticks}`;
    this.min = ticks;
    this.max = ticks;
    this.usualMax = ticks;
  }

  sample(): number {
    return this.max;
  }
}

class Uniform implements Latency {
  readonly text: string;
  readonly min: number;
  readonly max: number;
  readonly usualMax: number;
  readonly #span: number;

  constructor(min: number, max: number) {
    this.text = `uniform:${min}:${max}`;
    this.max = max;
    this.usualMax = max;
    this.min = min;
    this.#span = max - min + 1;
  }

  sample(random: Random): number {
    return this.min + random.below(this.#span);
  }
}

class Exponential implements Latency {
  readonly text: string;
  readonly min = 1;
  readonly max = Infinity;
  readonly usualMax: number;
  readonly #mean: number;

  constructor(mean: number) {
    this.text = `exponential:${mean}`;
    this.usualMax = mean;
    this.#mean = mean;
  }

  sample(random: Random): number {
    return 1 + Math.floor(this.#mean * Math.max(0, minusLog(random)));
  }
}

const usualBits = 64; // of the longest message that processes assume: one number

/** A message takes longer the longer it is. One without fields has a single bit, which tells its type. */
class PerBit implements Latency {
  readonly text: string;
  readonly min: number;
  readonly max = Infinity;
  readonly usualMax: number;
  readonly transmission: Transmission;

  constructor(switching: number, perBit: number) {
    this.text = `bits:${switching}:${perBit}`;
    this.min = switching + perBit;
    this.usualMax = switching + usualBits * perBit;
    this.transmission = { switching, perBit };
  }

  sample(_random: Random, _from: Pid, _to: Pid, message?: Message): number {
    return transmissionTime(this.transmission, message === undefined ? 1 : messageSize(message).bits);
  }
}

/** Returns how long a message of so many bits takes. */
export const transmissionTime = ({ switching, perBit }: Transmission, bits: number): number =>
  switching + perBit * Math.max(1, bits);

/**
 * -ln(u) for a uniform u in (0, 1]. It uses only +, * and /, because Math.log may differ in the last bit between engines and a run
 * must be the same everywhere: u = 2^-k f with f in [1/2, 1), ln f = -2 artanh((1-f)/(1+f)).
 */
function minusLog(random: Random): number {
  const word = (random.next32() >>> 0) + 1; // 1 .. 2^32
  const k = word > 0xffffffff ? -1 : Math.clz32(word);
  const f = word / 2 ** (32 - k);
  const z = (1 - f) / (1 + f);
  const square = z * z;
  let sum = 0;
  for (let i = 25; i >= 1; i -= 2) sum = sum * square + 1 / i;
  return k * Math.LN2 + 2 * z * sum;
}

const forms = 'fixed:D, uniform:A:B or exponential:MEAN, in whole ticks';
const formsOfMessages = 'fixed:D, uniform:A:B, exponential:MEAN or bits:A:B, in whole ticks';
const longest = 999_999_999_999; // ticks

interface LatencyForm {
  readonly isOfMessages?: true; // only messages have such a duration
  readonly numbers: readonly string[]; // named as in `forms`
  readonly make: (...ticks: number[]) => Latency;
  readonly against?: (...ticks: number[]) => string | null; // why these numbers are invalid
}

const latencyForms: { readonly [kind: string]: LatencyForm } = {
  fixed: { numbers: ['D'], make: (ticks) => new Fixed(ticks!) },
  uniform: {
    numbers: ['A', 'B'],
    make: (min, max) => new Uniform(min!, max!),
    against: (min, max) => (min! <= max! ? null : `its least, ${min}, is more than its most, ${max}`),
  },
  exponential: {
    numbers: ['MEAN'],
    make: (mean) => new Exponential(mean!),
    against: (mean) => (mean! > 0 ? null : 'its mean must be positive'),
  },
  bits: {
    numbers: ['A', 'B'],
    isOfMessages: true,
    make: (switching, perBit) => new PerBit(switching!, perBit!),
  },
};

/**
 * Reads a duration.
 * @param isOfMessages whether it is the delay of messages, which may depend on their length
 * @throws {InputError} if the text is not a duration.
 */
export function parseLatency(text: string, option = '--latency', isOfMessages = false): Latency {
  const [name = '', ...parts] = text.split(':');
  const names = Object.keys(latencyForms).filter((one) => isOfMessages || !latencyForms[one]!.isOfMessages);
  const write = isOfMessages ? formsOfMessages : forms;
  if (!names.includes(name))
    throw new InputError(`${option} '${text}' is not a duration${suggest(name, names)}: write ${write}`);
  const kind = latencyForms[name]!;
  const ticks = parts.map(Number);
  const why = misread(parts, kind) ?? kind.against?.(...ticks) ?? null;
  if (why !== null) throw new InputError(`${option} '${text}': ${why}; write ${write}`);
  return kind.make(...ticks);
}

function misread(parts: readonly string[], { numbers }: LatencyForm): string | null {
  if (parts.length !== numbers.length)
    return `it needs ${numbers.length === 1 ? 'one number' : 'two numbers'}, not ${parts.length}`;
  const strange = parts.find((part) => !/^\d+$/.test(part));
  if (strange !== undefined) return `'${strange}' is not a whole number from 0`;
  const large = parts.find((part) => Number(part) > longest);
  return large === undefined ? null : `${large} ticks are too many, at most ${longest} are possible`;
}
