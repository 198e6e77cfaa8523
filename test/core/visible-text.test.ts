import { expect, test } from 'vitest';
import { visibleFields, visibleJson } from '../../src/cli/output/visible-fields.ts';
import { isVisibleText, visibleText } from '../../src/core/visible-text.ts';

test.each([
  ['orders 42 äöü 漢字 🎉', 'orders 42 äöü 漢字 🎉'],
  ['\u001b[2J', '\\u001b[2J'],
  ['a\nb\tc', 'a\\u000ab\\u0009c'],
  ['\u009b31m', '\\u009b31m'],
  ['\u202eabc\u2028', '\\u202eabc\\u2028'],
  ['\ud800', '\\ud800'],
  ['\u{e0001}', '\\u{e0001}'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(isVisibleText(text)).toBe(text === shown);
  expect(isVisibleText(shown)).toBe(true);
});

test('a long text is cut', () => {
  expect(visibleText('x'.repeat(5000))).toHaveLength(1001);
});

test('every text of an inspection is made visible, and JSON keeps it the same to programs', () => {
  const since = new Date(0);
  const found = {
    group: 'g',
    locks: [{ name: 'a\u001b', waiters: [{ label: '\u009b', since }] }],
    n: 1,
    no: null,
  };
  expect(visibleFields(found)).toEqual({
    ...found,
    locks: [{ name: 'a\\u001b', waiters: [{ label: '\\u009b', since }] }],
  });
  expect(visibleJson('\u009b\u202e ä🎉\n')).not.toMatch(/[\u0080-\u009f\u202e]/);
  const text = visibleJson({ ...found, more: '\u202eä 漢 🎉 \ud800' });
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...found, more: '\u202eä 漢 🎉 \ud800' })));
});
