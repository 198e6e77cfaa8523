import { describe, expect, test } from 'vitest';
import { bully } from '../../src/algorithms/election/bully.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm, Message } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import { type Input, MessageMachine, noSink } from '../../src/machine/index.ts';
import { mutants } from '../../src/mutants/index.ts';
import { type Fault, prepare, type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToElection } from '../conformance/election.ts';

const crash = (process: number, at = 0): Fault => ({ type: 'crash', process, at });
const restart = (process: number, at: number): Fault => ({ type: 'restart', process, at });
const w4 = { n: 8, faults: [crash(7)], start: [{ process: 4, at: 1 }] };

/**
 * The highest process has crashed, and comes back while process 1 holds an election without it: after the crash was reported everywhere, or
 * before.
 */
function comesBack(seed: number, begin = 100): Scenario {
  const n = 3 + (seed % 3);
  const faults = [crash(n - 1), restart(n - 1, begin + 2 + ((seed * 7) % 60))];
  return { n, faults, start: [{ process: 1, at: begin + 1 }], seed, limit: 50_000 };
}

const crossing: Scenario = {
  n: 3,
  faults: [crash(2), restart(2, 103)],
  start: [{ process: 1, at: 101 }],
  seed: 45,
};
const failsWhenOneComesBack = (algorithm: AnyAlgorithm) =>
  Array.from({ length: 2000 }, (_, seed) => comesBack(seed)).some(
    (scenario) => !simulate(algorithm, scenario).ok,
  );

conformsToElection(bully, {
  hash: 'c830a7e45c828d35',
  reaches: {
    best: { n: 5, start: [{ process: 4 }] },
    worst: { n: 5, faults: [crash(4)], start: [{ process: 0 }] },
  },
  survives: {
    'no duplication': 'a process that receives a message twice sends the same again; only the count grows',
  },
  foundOut: {
    'bully-follows-the-dead': (algorithm) => !check(algorithm, { n: 2 }, { crashes: 1 }).ok,
    'bully-ignores-crashes': (algorithm) => !simulate(algorithm, { n: 3, faults: [crash(2, 100)] }).ok,
    'bully-tells-inferiors': failsWhenOneComesBack,
    'bully-tolerates-inferiors': failsWhenOneComesBack,
  },
  golden: {
    w4: {
      about:
        'W4, examples 1 and 2 of the slides. 0 .. 7, and 7 is dead. 4 holds an election, 5 and 6 tell it to stop and hold theirs;\n6 tells 5 to stop, wins, and tells everyone: 6 + 3 + 7 messages.',
      scenario: w4,
    },
    crossing: {
      about:
        '2 comes back while 1 wins without it. Their announcements cross, and 0 hears of 2 before 1. The victory of 1 reaches 2, which bullies it out.',
      scenario: crossing,
    },
    'er-40': {
      about: 'ER-40. The same, but 2 ignores the victory of a lower process: 0 follows 1 forever.',
      scenario: crossing,
      of: 'bully-tolerates-inferiors',
    },
    'er-01': {
      about: 'ER-01. Only superiors are answered: 0 elects itself although 1 lives.',
      scenario: { n: 2, start: [{ process: 0 }] },
      of: 'bully-answers-superiors',
    },
  },
});

describe('bully', () => {
  test('W4: 16 messages, 6 wins and tells everyone, whatever the delays', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const run = simulate(bully, { ...w4, seed });
      expect(run).toMatchObject({ ok: true, leader: 6 });
      expect(run.messages.byType).toEqual({ election: 6, answer: 3, coordinator: 7 });
    }
  });

  test.each([2, 3, 5, 8, 20])(
    'with only the coordinator dead, n = %i: n^2-n if the lowest starts, n if the second highest',
    (n) => {
      for (let seed = 0; seed < 50; seed += 1) {
        const faults = [crash(n - 1)];
        expect(simulate(bully, { n, faults, start: [{ process: 0 }], seed }).messages.total).toBe(n * n - n);
        expect(simulate(bully, { n, faults, start: [{ process: n - 2 }], seed }).messages.total).toBe(n);
      }
    },
  );

  test.each([1, 2, 3, 5, 7])('the lowest %i of 7 live and all start: (a+1)(n-1) messages', (living) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const faults = Array.from({ length: 7 - living }, (_, k) => crash(living + k));
      const run = simulate(bully, { n: 7, faults, seed });
      expect(run).toMatchObject({ ok: true, leader: living - 1, bounds: { atMost: 6 * (living + 1) } });
      expect(run.messages.total).toBe(6 * (living + 1));
    }
  });

  test('after crashes before, during and after the election the highest survivor leads', () => {
    const random = new Random(1, 'crashes');
    let diedInOffice = 0;
    for (let seed = 0; seed < 5000; seed += 1) {
      const n = 3 + random.below(5);
      const faults = [crash(n - 1, 0), crash(n - 2, random.below(300))];
      if (random.below(2) === 0) faults.push(crash(random.below(n - 2), random.below(300)));
      const clocks = Array.from({ length: n }, () => 1 + random.below(4));
      const start = [{ process: random.below(n - 2), at: 1 }];
      const elected = new Set<number>();
      const record = ({ outputs }: TraceEvent) => {
        for (const output of outputs)
          if (output.kind === 'emit') elected.add((output.event as unknown as { leader: number }).leader);
      };
      const run = simulate(bully, { n, faults, clocks, start, seed, limit: 50_000 }, { record });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      const followers = run.leaders.flatMap((leader, i) => (leader === null ? [] : [i]));
      if (followers.length === 0) continue; // the only process that knew of the election crashed
      expect(run.leader).toBe(Math.max(...followers));
      if (elected.has(n - 2)) diedInOffice += 1;
    }
    expect(diedInOffice).toBeGreaterThan(1000);
  });

  test('a process comes back, and crashes again: a survivor leads, also if announcements crossed', () => {
    for (let seed = 0; seed < 6000; seed += 1) {
      const begin = seed % 2 === 0 ? 100 : 0;
      const { faults, ...rest } = comesBack(seed, begin);
      const again = crash(rest.n! - 1, begin + 62 + new Random(seed, 'again').below(60));
      const run = simulate(bully, { ...rest, faults: [...faults!, again] });
      expect(run.violations, `seed ${seed}`).toEqual([]);
    }
  });

  test('a restarted process takes over from a lower coordinator, also when their announcements cross', () => {
    for (let seed = 0; seed < 6000; seed += 1) {
      const run = simulate(bully, comesBack(seed, seed % 2 === 0 ? 100 : 0));
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.leader).toBe(run.leaders.length - 1);
    }
  });

  test('restarts and late starts cost at most ten times n^2 messages', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const random = new Random(seed, 'restarts');
      const n = 4 + 4 * (seed % 4);
      const faults = Array.from({ length: n }, (_, process) => ({ process, at: random.below(60) }))
        .filter(() => random.below(2) === 0)
        .flatMap(({ process, at }) => [crash(process, at), restart(process, at + 1 + random.below(60))]);
      const start = Array.from({ length: n }, (_, process) => ({ process, at: random.below(100) }));
      const run = simulate(bully, { n, faults, start, seed, limit: 50_000 });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.leader).toBe(n - 1);
      expect(run.messages.total).toBeLessThan(10 * n * n);
    }
  });

  test('a start during an election changes nothing', () => {
    const alone = { n: 3, latency: 'fixed:1', faults: [crash(2, 0)] };
    const start = [{ process: 0, at: 0 }];
    const late = [1, 2, 3, 4].map((at) => ({ process: 1, at }));
    const once = simulate(bully, { ...alone, start });
    for (const one of late) {
      const run = simulate(bully, { ...alone, start: [...start, one] });
      expect(run).toMatchObject({ ok: true, leader: 1, time: once.time, messages: once.messages });
    }
  });

  test.each([
    [4, 46],
    [6, 196],
    [8, 805],
    [10, 2570],
  ])('the short cut, n = %i: up to %i messages in 50 seeds', (n, most) => {
    const mutant = mutants.find(({ name }) => name === 'bully-short-cut')!;
    const totals = (algorithm: AnyAlgorithm) =>
      Array.from({ length: 50 }, (_, seed) => simulate(algorithm, { n, seed }).messages.total);
    expect(Math.max(...totals(mutant))).toBe(most);
    expect(new Set(totals(bully))).toEqual(new Set([n * n - 1]));
  });

  test('clocks may tick at different rates', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const clocks = [1 + (seed % 7), 1, 3, 9, 2];
      const run = simulate(bully, {
        n: 5,
        clocks,
        faults: [crash(4)],
        start: [{ process: 0 }],
        seed,
        limit: 50_000,
      });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      expect(run.messages.total).toBe(20);
    }
  });
});

/**
 * The same, except that a winner tells its application only when it has led for 4D. By then a higher process that lives has bullied it
 * out, so the application never sees two leaders. With two copies, one lost message is not an announcement.
 */
function claimsLate(of: AnyAlgorithm, { copies = 1, delays = 4 } = {}): AnyAlgorithm {
  type P = Parameters<AnyAlgorithm['on'][string]>[1];
  const late = (p: P): P => ({
    ...p,
    send: (to: number, m: Message) => {
      for (let k = m.type === 'coordinator' ? copies : 1; k > 0; k -= 1) p.send(to, m);
    },
    after: (ticks: number, m: Message) => p.after(ticks, m),
    cancel: (type: string) => p.cancel(type),
    emit: (event: { leader: number }) => {
      if (event.leader === p.me) return p.after(delays * p.maxDelay, { type: 'leads' });
      p.cancel('leads');
      p.emit(event);
    },
  });
  const on = Object.entries(of.on).map(([type, handler]): [string, AnyAlgorithm['on'][string]] => [
    type,
    (s, p, m, j) => handler(s, late(p), m, j),
  ]);
  return {
    ...of,
    bounds: [],
    timers: [...of.timers!, 'leads'],
    calls: { start: (s, p) => of.calls.start!(s, late(p)) },
    recover: (s, p) => of.recover!(s, late(p)),
    on: { ...Object.fromEntries(on), leads: (_s, p) => p.emit({ type: 'elected', leader: p.me }) },
  };
}

describe('bully, a lost message', () => {
  const lose = (message: number): Fault => ({ type: 'lose', message });

  test('an election is lost and the lower process wins: the higher one hears of it and takes over', () => {
    const run = simulate(claimsLate(bully), { n: 2, start: [{ process: 0 }], faults: [lose(0)] });
    expect(run).toMatchObject({ ok: true, leaders: [1, 1] });
  });

  test('any one election or answer is lost: in the end all know that the highest living process leads', () => {
    let victories = 0; // of a process that was not the highest
    for (let seed = 0; seed < 1000; seed += 1) {
      const random = new Random(seed, 'loss');
      const n = 2 + random.below(5);
      const faults = Array.from({ length: random.below(n) }, () => crash(random.below(n)));
      const start = [{ process: 0, at: random.below(40) }];
      if (random.below(2) === 0) start.push({ process: 1 + random.below(n - 1), at: random.below(40) });
      const sent: number[] = [];
      const lines: string[] = [];
      const scenario = { n, faults, start, seed, limit: 50_000 };
      simulate(bully, scenario, { trace: (line) => lines.push(line) });
      for (const [, serial] of lines.join('\n').matchAll(/#(\d+) to \d+ (?:election|answer)/g))
        sent.push(Number(serial));
      if (sent.length === 0) continue;
      const lost = lose(sent[random.below(sent.length)]!);
      const run = simulate(claimsLate(bully), { ...scenario, faults: [...faults, lost] });
      expect(run.violations, `seed ${seed}`).toEqual([]);
      if (run.messages.byType.coordinator! > n - 1) victories += 1;
    }
    expect(victories).toBeGreaterThan(100);
  });

  test.each([
    [2, 'uniform:0:1', 1118],
    [2, 'fixed:1', 632],
    [3, 'fixed:1', 31_425],
    [3, 'uniform:0:1', 551_749],
  ])('the same in every interleaving: n = %i, latency %s, %i states', (n, latency, states) => {
    const report = check(claimsLate(bully, { copies: 2 }), { n, latency }, { losses: 1 });
    expect(report).toMatchObject({ violation: null, ok: true, complete: true, states });
  });

  test('a process that was bullied out leads for more than 3 longest delays, and for at most 4', () => {
    const report = check(claimsLate(bully, { copies: 2, delays: 3 }), { n: 2 }, { losses: 1 });
    expect(report.violation).toMatchObject({ property: 'at most one leader' });
  });

  test('an announcement is lost: a process that holds no election does not learn the leader', () => {
    const run = simulate(claimsLate(bully), { n: 2, start: [{ process: 1 }], faults: [lose(0)] });
    expect(run.violations).toMatchObject([{ property: 'everybody learns the leader' }]);
    const waiting = simulate(claimsLate(bully), { n: 2, start: [{ process: 0 }], faults: [lose(2)] });
    expect(waiting).toMatchObject({ ok: true, leaders: [1, 1] }); // its T' expires, and it asks again
  });
});

describe('bully, reports of crashes', () => {
  const machine = new MessageMachine(bully, prepare(bully, { n: 3 }));

  /** A process that follows process 2; `receive` returns the types of messages and timers that its handler sends and sets. */
  function follower() {
    const state = machine.init(0) as { coordinator: number | null; election: string };
    const take = (input: Input) => {
      const done: string[] = [];
      machine.step(0, state, input, {
        ...noSink,
        send: (to, _as, { type }) => done.push(`${type} to ${to}`),
        after: (_ticks, { type }) => done.push(`after ${type}`),
      });
      return done;
    };
    const receive = (type: string, from: number) => take({ kind: 'message', message: { type }, from });
    const timer = (type: string) => take({ kind: 'timer', message: { type } });
    receive('coordinator', 2);
    return { state, receive, timer };
  }

  test('of the coordinator: it holds an election', () => {
    const { state, receive } = follower();
    expect(receive('crashed', 2)).toEqual(['after D', 'election to 1', 'election to 2', 'after T']);
    expect(state.election).toBe('awaiting answers');
  });

  test('of another process: it does nothing', () => {
    const { state, receive } = follower();
    expect(receive('crashed', 1)).toEqual(['after D']);
    expect(state).toMatchObject({ election: 'none', coordinator: 2 });
  });

  test('during an election: it goes on', () => {
    const { receive } = follower();
    receive('crashed', 2);
    receive('answer', 1);
    expect(receive('crashed', 2)).toEqual(['after D']);
  });

  test('that overtake an announcement: it does not follow the process that crashed', () => {
    const { state, receive, timer } = follower();
    receive('crashed', 1);
    expect(receive('coordinator', 1)).toEqual(['election to 1', 'election to 2', 'after T']);
    expect(state.coordinator).toBe(2);
    timer('D'); // what arrives from now on was sent after a restart
    receive('coordinator', 1);
    expect(state.coordinator).toBe(1);
  });
});

describe('bully, every interleaving', () => {
  test.each([
    ['uniform:0:1', 1, 130_987],
    ['uniform:0:1', 2, 142_587],
    ['fixed:1', 2, 20_691],
  ])('with crashes: latency %s, up to %i', (latency, crashes, states) => {
    expect(check(bully, { n: 3, latency }, { crashes })).toMatchObject({ ok: true, complete: true, states });
  });
});

holdsEverywhere(bully, [
  [{ n: 2 }, { bounds: true }, 143],
  [{ n: 3 }, { bounds: true }, 18_201],
]);
