import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/core/assert.ts';
import {
  type PageState,
  parsePermalink,
  permalinkOf,
  scenarioFields,
} from '../../src/lab/state/permalink.ts';
import { parseScenario } from '../../src/sim/index.ts';

describe('addresses', () => {
  const scene: PageState = {
    algorithm: 'raymond',
    fields: { n: '7', latency: 'uniform:1:10', start: '0,2@50', partition: '0+1@30-80' },
    interventions: [
      { at: 12, do: 'drop', message: 7 },
      { at: 20, do: 'cut', between: [0, 1] },
    ],
    position: 34,
    spacing: 'time',
  };

  test('carry the whole scene, and can be read', () => {
    expect(permalinkOf(scene)).toBe(
      '#run/raymond?n=7&latency=uniform:1:10&start=0,2@50&partition=0+1@30-80&hand=12:drop:7,20:cut:0-1&spacing=time&at=34',
    );
    expect(parsePermalink(permalinkOf(scene))).toEqual(scene);
    const recorded: PageState = { ...scene, fields: {}, interventions: [], source: 'a-_1', trace: 'b' };
    expect(permalinkOf(recorded)).toBe('#run/raymond?spacing=time&at=34&source=a-_1&trace=b');
    expect(parsePermalink(permalinkOf(recorded))).toEqual(recorded);
    expect(parsePermalink('#run/raymond')).toMatchObject({
      position: null,
      spacing: 'even',
      fields: {},
      interventions: [],
    });
  });

  test('of something else are none', () => {
    expect(parsePermalink('')).toBe(null);
    expect(parsePermalink('#elsewhere')).toBe(null);
    expect(parsePermalink('#run/raymond?at=-3')).toMatchObject({ position: null });
    expect(() => parsePermalink('#run/raymond?hand=nonsense')).toThrow('is not something one can do');
    expect(() => parsePermalink('#run/%E0%A4%A')).toThrow(
      new InputError("the link is damaged: '%E0%A4%A' names no algorithm"),
    );
  });

  test('say what of them means nothing', () => {
    const unread = (query: string) => parsePermalink(`#run/raymond?${query}`)!.unknownParameters;
    expect(unread('n=7&at=3&spacing=even&view=check&check=raymond')).toBeUndefined();
    expect(unread('bogus=1&n=7')).toBe("'bogus=1' in the address means nothing");
    expect(unread('at=abc&bogus=')).toBe("'at=abc', 'bogus=' in the address mean nothing");
    expect(unread('spacing=wide')).toBe("'spacing=wide' in the address means nothing");
    expect(parsePermalink('#run/raymond?bogus=1&n=7')!.fields).toEqual({ n: '7' });
  });

  test('have all fields of a scenario, and no others of a trace', () => {
    const asked = new Set<string>();
    parseScenario(new Proxy({}, { get: (_, field) => void asked.add(`${String(field)}`) }));
    expect([...scenarioFields].sort()).toEqual([...asked].sort());
    expect(permalinkOf({ ...scene, fields: { n: '7', stamps: 'vector-clock' } })).not.toContain('stamps');
  });
});
