import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/core/assert.ts';
import {
  type PageState,
  parsePermalink,
  permalinkOf,
  scenarioFields,
} from '../../src/lab/state/permalink.ts';
import { parseScenario } from '../../src/sim/index.ts';

describe('a permalink', () => {
  const pageState: PageState = {
    algorithm: 'raymond',
    fields: { n: '7', latency: 'uniform:1:10', start: '0,2@50', partition: '0+1@30-80' },
    interventions: [
      { at: 12, do: 'drop', message: 7 },
      { at: 20, do: 'cut', between: [0, 1] },
    ],
    position: 34,
    spacing: 'time',
  };

  test('carries the whole page state, and is readable', () => {
    expect(permalinkOf(pageState)).toBe(
      '#run/raymond?n=7&latency=uniform:1:10&start=0,2@50&partition=0+1@30-80&hand=12:drop:7,20:cut:0-1&spacing=time&at=34',
    );
    expect(parsePermalink(permalinkOf(pageState))).toEqual(pageState);
    const recorded: PageState = { ...pageState, fields: {}, interventions: [], source: 'a-_1', trace: 'b' };
    expect(permalinkOf(recorded)).toBe('#run/raymond?spacing=time&at=34&source=a-_1&trace=b');
    expect(parsePermalink(permalinkOf(recorded))).toEqual(recorded);
    const versioned: PageState = { ...pageState, version: '1a2b3c4d' };
    expect(permalinkOf(versioned)).toBe(`${permalinkOf(pageState)}&version=1a2b3c4d`);
    expect(parsePermalink(permalinkOf(versioned))).toEqual(versioned);
    expect(parsePermalink('#run/raymond')).toMatchObject({
      position: null,
      spacing: 'even',
      fields: {},
      interventions: [],
    });
  });

  test('is null for other fragments; damaged parameters are refused', () => {
    expect(parsePermalink('')).toBe(null);
    expect(parsePermalink('#elsewhere')).toBe(null);
    expect(parsePermalink('#run/raymond?at=-3')).toMatchObject({ position: null });
    expect(() => parsePermalink('#run/raymond?hand=nonsense')).toThrow('is not something one can do');
    expect(() => parsePermalink('#run/%E0%A4%A')).toThrow(
      new InputError("the link is damaged: '%E0%A4%A' names no algorithm"),
    );
  });

  test('reports parameters that it does not know', () => {
    const unknownIn = (query: string) => parsePermalink(`#run/raymond?${query}`)!.unknownParameters;
    expect(unknownIn('n=7&at=3&spacing=even&view=check&check=raymond')).toBeUndefined();
    expect(unknownIn('bogus=1&n=7')).toBe("'bogus=1' in the address means nothing");
    expect(unknownIn('at=abc&bogus=')).toBe("'at=abc', 'bogus=' in the address mean nothing");
    expect(unknownIn('spacing=wide')).toBe("'spacing=wide' in the address means nothing");
    expect(parsePermalink('#run/raymond?bogus=1&n=7')!.fields).toEqual({ n: '7' });
  });

  test('has all fields of a scenario, and no other fields of a trace', () => {
    const read = new Set<string>();
    parseScenario(new Proxy({}, { get: (_, field) => void read.add(`${String(field)}`) }));
    expect([...scenarioFields].sort()).toEqual([...read].sort());
    expect(permalinkOf({ ...pageState, fields: { n: '7', stamps: 'vector-clock' } })).not.toContain('stamps');
  });
});
