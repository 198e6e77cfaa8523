import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changRoberts } from '../../src/algorithms/index.ts';
import { decode, encode } from '../../src/core/plain-data.ts';
import {
  eventLine,
  messageText,
  parseMessage,
  parseTrace,
  type TraceOutput,
  traceText,
} from '../../src/core/trace.ts';
import { traceOf } from '../conformance/conformance.ts';

const text = traceOf(changRoberts, { ids: [2, 3, 1], seed: 7 });

describe('traces', () => {
  test('parsing and writing are inverse', () => {
    const { events } = parseTrace(text);
    const lines = text.trimEnd().split('\n');
    expect(events.map(eventLine)).toEqual(lines.slice(lines.indexOf('---') + 1, -1));
  });

  test('parsing and writing are inverse with stamps', () => {
    const line = '4 0 @{0:1,2:1} recv #0 election(id=1) from 2 => emit elected(leader=3)';
    const stamped = text.replace(/^---\n[\s\S]*?(?=^end)/m, `stamps vector-clock\n---\n${line}\n`);
    const { scenario, events } = parseTrace(stamped.replace(/^end.*$/m, 'end 1 events, 0 messages: ok'));
    expect(scenario.stamps).toBe('vector-clock');
    expect(events[0]).toMatchObject({ time: 4, process: 0, stamp: '{0:1,2:1}', input: { kind: 'recv' } });
    expect(events.map(eventLine)).toEqual([line]);
  });

  test('a truncated trace is rejected', () => {
    for (let length = 0; length < text.length - 2; length += 7) {
      expect(() => parseTrace(text.slice(0, length), 'cut.trace'), `${length}`).toThrow(/cut\.trace/);
    }
  });

  test.each([
    ['', 'is not a baton trace'],
    ['#!/bin/sh\necho', 'is not a baton trace'],
    ['baton trace 1\nn 3\n', 'is cut off'],
    [text.replace('recv', 'received'), 'is not an event'],
    [text.replace('emit', 'omit'), 'is not an event'],
  ])('invalid traces are rejected: %#', (bad, why) => {
    expect(() => parseTrace(bad, 'bad.trace')).toThrow(why);
  });

  test.each([
    'm(',
    'm)',
    'm(a)',
    'm(a=)',
    'm(a=1',
    'm(a=1,)',
    'm(a=1}',
    'm(a=1},{b=2)',
    'm(a=x)',
    'm(a="x)',
    'm(a=1 b=2)',
    'm(type="n")',
    'm n',
    '"m',
    '',
  ])('invalid messages are rejected: %s', (bad) => {
    expect(parseMessage(bad)).toBe(null);
    const lines = [`0 0 timer ${bad}`, `0 0 recv #0 ${bad} from 1`];
    const outputs = [`emit ${bad}`, `#0 to 1 ${bad}`, `after 1 ${bad}`].map(
      (output) => `0 0 begin => ${output}`,
    );
    for (const line of [...lines, ...outputs])
      expect(() =>
        parseTrace(`baton trace 1\n---\n${line}\nend 1 events, 0 messages: ok\n`, 'bad.trace'),
      ).toThrow(`bad.trace, line 3: '${line}' is not an event of a trace`);
  });

  test('a message survives writing and parsing, anywhere in an event', () => {
    const hard = [
      'a) from 1',
      'x=1,y=2',
      '(',
      '"',
      '\\',
      '"},{"',
      ' => ',
      '; ',
      '\u2028',
      '\n',
      '',
      '#1 to 2 m',
    ];
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hard));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0), // there is no -0 in a trace
        text,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    const name = fc.oneof(fc.stringMatching(/^[\w'-]+$/), text);
    const message = fc
      .tuple(name, fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }))
      .map(([type, { type: _, ...fields }]) => ({ type, ...fields }));
    fc.assert(
      fc.property(message, message, text, (a, b, why) => {
        expect(parseMessage(messageText(a))).toEqual(a);
        const outputs: TraceOutput[] = [
          { kind: 'send', serial: 0, to: 1, link: null, message: a },
          { kind: 'send', serial: 1, to: 1, link: 2, message: b },
          { kind: 'emit', event: a },
          { kind: 'after', ticks: 3, message: b },
          { kind: 'fail', why },
        ];
        const events = [
          { time: 1, process: 0, input: { kind: 'recv', serial: 0, message: b, from: 1 }, outputs },
          { time: 2, process: 1, input: { kind: 'timer', message: a }, outputs: [] },
        ] as const;
        const trace = { scenario: { n: '2' }, events, verdict: 'ok' };
        expect(parseTrace(traceText(trace))).toEqual({ ...trace, firstLine: 4 });
      }),
    );
  });
});

test('encoding is canonical', () => {
  expect(encode({ b: 1, a: [true, null, 'x'] })).toBe('{"a":[true,null,"x"],"b":1}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decode(encode(value))).toEqual(decode(JSON.stringify(value)));
    }),
  );
  for (const wrong of [Number.NaN, Infinity, undefined, new Map(), () => {}])
    expect(() => encode(wrong)).toThrow('not plain data');
});
