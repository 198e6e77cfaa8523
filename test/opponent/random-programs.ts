// Random programs on shared memory: known protocols for two processes in which lines are changed or swapped, and programs that are random
// altogether.
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import type { Choices } from './choices.ts';

type Value = number | 'me' | 'other';

/** A line: a read that compares, or a write. Its targets are lines, or a section. */
type Instruction =
  | { reads: Register; is: Value; goto: Target; else: Target }
  | { writes: Register; value: Value; goto: Target };
type Register = 'flag[me]' | 'flag[other]' | 'turn';
type Target = number | 'in' | 'out';

interface Program {
  readonly enter: Instruction[];
  readonly leave: Instruction[];
}

const peterson: Program = {
  enter: [
    { writes: 'flag[me]', value: 1, goto: 1 },
    { writes: 'turn', value: 'me', goto: 2 },
    { reads: 'flag[other]', is: 0, goto: 'in', else: 3 },
    { reads: 'turn', is: 'other', goto: 'in', else: 2 },
  ],
  leave: [{ writes: 'flag[me]', value: 0, goto: 'out' }],
};

const dekker: Program = {
  enter: [
    { writes: 'flag[me]', value: 1, goto: 1 },
    { reads: 'flag[other]', is: 0, goto: 'in', else: 2 },
    { reads: 'turn', is: 'me', goto: 1, else: 3 },
    { writes: 'flag[me]', value: 0, goto: 4 },
    { reads: 'turn', is: 'me', goto: 0, else: 4 },
  ],
  leave: [
    { writes: 'turn', value: 'other', goto: 1 },
    { writes: 'flag[me]', value: 0, goto: 'out' },
  ],
};

const flagsOnly: Program = {
  enter: [
    { writes: 'flag[me]', value: 1, goto: 1 },
    { reads: 'flag[other]', is: 0, goto: 'in', else: 2 },
    { writes: 'flag[me]', value: 0, goto: 0 },
  ],
  leave: [{ writes: 'flag[me]', value: 0, goto: 'out' }],
};

const turnOnly: Program = {
  enter: [{ reads: 'turn', is: 'me', goto: 'in', else: 0 }],
  leave: [{ writes: 'turn', value: 'other', goto: 'out' }],
};

const value = (c: Choices): Value => c.one<Value>(0, 1, 'me', 'other');
const register = (c: Choices): Register => c.one<Register>('flag[me]', 'flag[other]', 'turn');

function randomInstruction(c: Choices, lines: number, end: 'in' | 'out'): Instruction {
  const target = (): Target => (c.chance(0.3) ? end : c.below(lines));
  return c.chance(0.5)
    ? { reads: register(c), is: value(c), goto: target(), else: target() }
    : { writes: c.mostly('flag[me]', 'turn', 'flag[other]'), value: value(c), goto: target() };
}

function mutate(c: Choices, program: Program): Program {
  const { enter, leave } = structuredClone(program);
  const list = c.chance(0.8) ? enter : leave;
  const at = c.below(list.length);
  const line = list[at]!;
  const end = list === enter ? 'in' : 'out';
  switch (c.below(5)) {
    case 0:
      list[at] = randomInstruction(c, list.length, end);
      break;
    case 1:
      line.goto = c.below(list.length);
      break;
    case 2:
      if ('reads' in line) [line.goto, line.else] = [line.else, line.goto];
      else line.value = value(c);
      break;
    case 3:
      if ('reads' in line) line.reads = register(c);
      else line.writes = register(c);
      break;
    default: {
      const other = c.below(list.length); // the accesses change places, the targets do not
      const [a, b] = [list[at]!, list[other]!];
      if ('writes' in a && 'writes' in b) {
        [a.writes, b.writes] = [b.writes, a.writes];
        [a.value, b.value] = [b.value, a.value];
      }
    }
  }
  return { enter, leave };
}

export function randomProgram(c: Choices): AnySharedAlgorithm {
  let program = c.one(peterson, dekker, flagsOnly, turnOnly);
  if (c.chance(0.2)) {
    const lines = 2 + c.below(3);
    const enter = Array.from({ length: lines }, () => randomInstruction(c, lines, 'in'));
    program = { enter, leave: [{ writes: 'flag[me]', value: value(c), goto: 'out' }] };
  }
  for (let k = c.below(4); k > 0; k -= 1) program = mutate(c, program);
  return {
    name: 'random-program',
    problem: 'mutex',
    paper: JSON.stringify(program),
    processes: { min: 2, max: 2 },
    assumes: { failures: c.one('none', 'crash') },
    bounds: [],
    registers: () => ({ flag: [0, 0], turn: 0 }),
    ...(c.chance(0.5) && { owned: ['flag'] }),
    init: () => ({}),
    request: 'enter 0',
    release: 'leave 0',
    program: ({ me }) => ({ ...lines('enter', program.enter, me), ...lines('leave', program.leave, me) }),
  };
}

function lines(part: string, list: readonly Instruction[], me: number): Record<string, object> {
  const other = 1 - me;
  const numberOf = (held: Value) => (held === 'me' ? me : held === 'other' ? other : held);
  const lineOf = (target: Target) => {
    if (target === 'in') return 'critical section';
    return target === 'out' ? 'noncritical section' : `${part} ${target}`;
  };
  const access = (held: Register) =>
    held === 'turn' ? ['turn', {}] : ['flag', { at: held === 'flag[me]' ? me : other }];
  return Object.fromEntries(
    list.map((line, k) => {
      const [name, at] = access('reads' in line ? line.reads : line.writes);
      const goto =
        'reads' in line
          ? (held: number) => lineOf(held === numberOf(line.is) ? line.goto : line.else)
          : lineOf(line.goto);
      const does = 'reads' in line ? { read: name } : { write: name, value: numberOf(line.value) };
      return [`${part} ${k}`, { ...does, ...(at as object), goto }];
    }),
  );
}
