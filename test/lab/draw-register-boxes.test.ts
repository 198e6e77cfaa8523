import { expect, test } from 'vitest';
import { registerLabels } from '../../src/lab/canvas/draw-register-boxes.ts';

test('registers have their names below them; without room, an array is named once', () => {
  const names = ['choosing[0]', 'choosing[1]', 'number[0]', 'number[1]', 'turn'];
  const whole = registerLabels(names, (text) => text.length <= 11);
  expect(whole.map(({ below, beside }) => below + beside)).toEqual(names);
  expect(registerLabels(names, (text) => text.length < 11)).toEqual([
    { below: '[0]', beside: 'choosing' },
    { below: '[1]', beside: '' },
    { below: '[0]', beside: 'number' },
    { below: '[1]', beside: '' },
    { below: 'turn', beside: '' },
  ]);
});
