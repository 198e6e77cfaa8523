// What an algorithm counts on, taken away.
import { describe, expect, test } from 'vitest';
import { Check, check } from '../../src/check/index.ts';
import { isShared } from '../../src/core/shared.ts';
import { assumptionsFor, questionWithout, voided } from '../../src/lab/assumptions.ts';
import { catalogue, find, friendly } from '../../src/lab/catalogue.ts';
import { asked, parseQuestion } from '../../src/lab/check/question.ts';
import { setupFor } from '../../src/lab/next.ts';

describe('assumptions as switches', () => {
  const named = (name: string) => find(name)!;

  test('are those that the algorithm makes', () => {
    const says = (name: string) => assumptionsFor(named(name)).map((one) => one.says);
    expect(says('lamport')).toEqual([
      'channels keep order',
      'no message is lost',
      'no message comes twice',
      'nobody crashes',
    ]);
    expect(says('bully')).toEqual([
      'no message is lost',
      'no message comes twice',
      'messages arrive before timers end',
    ]);
    expect(says('peterson-lock')).toEqual(['nobody crashes']);
    expect(says('bakery')).toEqual([]);
    expect(says('misra')).not.toContain('no message is lost');
    expect(says('vitanyi')).toContain('clocks run alike');
  });

  test.each(catalogue.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: each can be taken away, here and in the checker',
    (_, algorithm) => {
      const { n = '4' } = isShared(algorithm) ? friendly(algorithm) : {};
      const before = setupFor({ algorithm, fields: { n } });
      for (const one of assumptionsFor(algorithm)) {
        expect(one.isGone(before), one.says).toBe(false);
        const setup = setupFor({ algorithm, fields: { n, [one.field]: one.value(Number(n)) } });
        expect(one.isGone(setup), one.says).toBe(true);
        if (algorithm.problem === 'clocks') continue; // which the checker does not take
        const { subject, space, options } = asked(parseQuestion(questionWithout(setup, [one])));
        expect(() => new Check(subject, space, options)).not.toThrow();
      }
    },
  );

  test('what holds in a small world need not hold in a larger one', () => {
    const holds = (question: string) => {
      const { subject, space, options } = asked(parseQuestion(question));
      return check(subject, space, options).ok;
    };
    expect(holds('peterson;n:3;channels:unordered')).toBe(true);
    expect(holds('peterson;ids:1,2,4,3;channels:unordered')).toBe(false);
  });

  test('what is void is said, and the checker is asked about something small', () => {
    const lamport = named('lamport');
    const [order, loss] = assumptionsFor(lamport);
    expect(voided(lamport, [order!, loss!])).toBe(
      'No longer true: channels keep order, no message is lost. What is promised is void: that at most one is inside, and that whoever asks enters.',
    );
    const setup = setupFor({ algorithm: lamport, fields: { n: '9', entries: '5' } });
    expect(questionWithout(setup, [order!, loss!])).toBe('lamport;n:3;entries:2;channels:unordered;losses:1');
    const vitanyi = named('vitanyi');
    expect(voided(vitanyi, [assumptionsFor(vitanyi).at(-1)!])).toBe(
      'No longer true: clocks run alike. The bound on messages grows with the ratio of the clocks.',
    );
  });
});
