import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import type { Random } from '../../core/random.ts';

/** A distribution of durations in ticks of virtual time: of a message, of thinking, of the critical section. */
export interface Latency {
  /** As a scenario writes it. */
  readonly text: string;
  /** The shortest duration. */
  readonly min: number;
  /** The longest duration; Infinity if unbounded. */
  readonly max: number;
  /** The longest duration that processes assume. */
  readonly usualMax: number;
  /** Draws a duration. */
  sample(random: Random, from: Pid, to: Pid): number;
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
const longest = 999_999_999_999; // ticks

interface LatencyForm {
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
};

export function parseLatency(text: string, option = '--latency'): Latency {
  const [name = '', ...parts] = text.split(':');
  if (!Object.hasOwn(latencyForms, name)) {
    const hint = suggest(name, Object.keys(latencyForms));
    throw new InputError(`${option} '${text}' is not a duration${hint}: write ${forms}`);
  }
  const kind = latencyForms[name]!;
  const ticks = parts.map(Number);
  const why = misread(parts, kind) ?? kind.against?.(...ticks) ?? null;
  if (why !== null) throw new InputError(`${option} '${text}': ${why}; write ${forms}`);
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
