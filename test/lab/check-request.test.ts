import { describe, expect, test } from 'vitest';
import { listed } from '../../src/catalogue/index.ts';
import { check } from '../../src/check/index.ts';
import {
  checkArguments,
  checkableAlgorithms,
  checkCommandLine,
  checkRequestText,
  coverageText,
  parseCheckRequest,
  subjectOf,
} from '../../src/lab/check/check-request.ts';

describe('a check request', () => {
  const text = 'lamport;n:2;ids:3,1;latency:uniform:0:1;channels:unordered;reduction:off;bounds:on';

  test('survives its text', () => {
    expect(checkRequestText(parseCheckRequest(text))).toBe(text);
    expect(() => parseCheckRequest('lamport;speed:9')).toThrow("'speed:9' is nothing that the checker");
    expect(() => parseCheckRequest('nothing')).toThrow("no algorithm is called 'nothing'");
  });

  test('becomes arguments of the checker', () => {
    const { subject, space, options } = checkArguments(
      parseCheckRequest('lamport;n:2;losses:1;lemmas:on;reduction:off'),
    );
    expect(subject.name).toBe('lamport');
    expect(space).toEqual({ n: 2 });
    expect(options).toMatchObject({ losses: 1, lemmas: true, reduction: false, maxStates: 1_000_000 });
    expect(checkArguments(parseCheckRequest('dekker;entries:any')).space.entries).toBe(Infinity);
    expect(checkArguments(parseCheckRequest('bully;timing:off')).subject.assumes).toMatchObject({
      timing: 'asynchronous',
    });
    expect(() => checkArguments(parseCheckRequest('lamport;losses:x'))).toThrow(
      'losses must be a whole number',
    );
    expect(() => checkArguments(parseCheckRequest('lamport;start:0@3'))).toThrow('every moment is tried');
  });

  test('has a command line and a description', () => {
    const request = parseCheckRequest('lamport;n:2;losses:1;lemmas:on;reduction:off;maxStates:5');
    expect(checkCommandLine(request)).toBe(
      'baton check lamport --n 2 --losses 1 --lemmas --no-reduction --max-states 5',
    );
    expect(checkCommandLine(parseCheckRequest('bully;timing:off'))).toBe(null);
    expect(coverageText(request, 2)).toBe(
      'Each of 2 processes asks once, at any moment, or never; channels that keep order, up to 1 lost message.',
    );
    expect(coverageText(parseCheckRequest('dekker;entries:any'), 2)).toBe(
      'Each of 2 processes asks again and again, at any moment, or never; every order of reads and writes.',
    );
  });
});

test('all algorithms but those for clocks can be checked, also compositions', () => {
  expect(checkableAlgorithms.length).toBe(new Set(checkableAlgorithms.map(({ name }) => name)).size);
  for (const { name, problem } of listed)
    expect(checkableAlgorithms.some((subject) => subject.name === name)).toBe(problem !== 'clocks');
  expect(parseCheckRequest('raymond+chandy-lamport;n:2').algorithm).toBe('raymond+chandy-lamport');
  expect(parseCheckRequest('active-list-ring').algorithm).toBe('le-lann');
  const { subject, space, options } = checkArguments(parseCheckRequest('raymond+bully;n:2;maxStates:500'));
  expect(check(subject, space, options)).toMatchObject({ verdict: 'incomplete', states: 500 });
  for (const name of ['cristian', 'berkeley+bully'])
    expect(() => parseCheckRequest(name)).toThrow(`${name} reads clocks`);
});

test('the name of an algorithm from the editor means that one, whatever the catalogue has', () => {
  const { lamport } = Object.fromEntries(checkableAlgorithms.map((algorithm) => [algorithm.name, algorithm]));
  const custom = (name: string) => ({ algorithm: { ...lamport!, name }, code: '', text: '', packed: '' });
  const request = parseCheckRequest('my-ring;n:2', custom('my-ring'));
  expect(subjectOf(request).name).toBe('my-ring');
  expect(checkCommandLine(request)).toBe('baton check ./my-ring.ts --n 2');
  expect(coverageText(request, 2)).toContain('Each of 2 processes asks once');
  expect(parseCheckRequest('lamport', custom('lamport')).custom).toBeDefined();
  expect(parseCheckRequest('raymond', custom('my-ring')).custom).toBeUndefined();
});
