import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changRoberts } from '../../src/algorithms/index.ts';
import { decode, encode } from '../../src/core/plain.ts';
import { eventLine, messageText, parseTrace } from '../../src/core/trace.ts';
import { traceOf } from '../conformance/conformance.ts';

const text = traceOf(changRoberts, { ids: [2, 3, 1], seed: 7 });

describe('traces', () => {
  test('reading and writing are inverse', () => {
    const { events } = parseTrace(text);
    const lines = text.trimEnd().split('\n');
    expect(events.map(eventLine)).toEqual(lines.slice(lines.indexOf('---') + 1, -1));
  });

  test('so they are where events have stamps', () => {
    const line = '4 0 @{0:1,2:1} recv #0 election(id=1) from 2 => emit elected(leader=3)';
    const stamped = text.replace(/^---\n[\s\S]*?(?=^end)/m, `stamps vector-clock\n---\n${line}\n`);
    const { scenario, events } = parseTrace(stamped.replace(/^end.*$/m, 'end 1 events, 0 messages: ok'));
    expect(scenario.stamps).toBe('vector-clock');
    expect(events[0]).toMatchObject({ time: 4, process: 0, stamp: '{0:1,2:1}', input: { kind: 'recv' } });
    expect(events.map(eventLine)).toEqual([line]);
  });

  test('a trace cut off anywhere is refused', () => {
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
  ])('what is not a trace is refused: %#', (bad, why) => {
    expect(() => parseTrace(bad, 'bad.trace')).toThrow(why);
  });

  test('any plain message keeps to its line and its place', () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]+$/), value), (fields) => {
        const message = messageText({ ...fields, type: 'm' });
        const outputs = [
          { kind: 'send', serial: 0, to: 1, link: null, message },
          { kind: 'emit', event: message },
        ] as const;
        const line = eventLine({ time: 1, process: 0, input: { kind: 'call', name: 'start' }, outputs });
        const [event] = parseTrace(`baton trace 1\n---\n${line}\nend 1 events, 1 messages: ok\n`).events;
        expect(event!.outputs).toEqual(outputs);
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
