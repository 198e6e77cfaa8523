// The parts of the lab that need no browser.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms, cristian, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { algorithmInfo, isMutant, listed, resolve } from '../../src/catalogue/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { InputError } from '../../src/core/assert.ts';
import { traceText } from '../../src/core/trace.ts';
import { TraceIndex } from '../../src/diagram/index.ts';
import { registerLabels } from '../../src/lab/canvas/draw-register-boxes.ts';
import { handlerLines } from '../../src/lab/panels/handler-lines.ts';
import { describeAlgorithm, stubAlgorithm } from '../../src/lab/run-worker/algorithm-stub.ts';
import { firstScenario } from '../../src/lab/state/first-scenario.ts';
import { LabStore } from '../../src/lab/state/lab-store.ts';
import {
  type PageState,
  parsePermalink,
  permalinkOf,
  scenarioFields,
} from '../../src/lab/state/permalink.ts';
import { setupFor } from '../../src/lab/state/run-spec.ts';
import { kindsOf } from '../../src/lab/ui/context.ts';
import { eventSentence, valueText } from '../../src/lab/ui/event-text.ts';
import { parseScenario, type Setup } from '../../src/sim/index.ts';
import {
  ClockHistory,
  limitsAfter,
  type ScheduledIntervention,
  SimulatedTimeline,
  traceOfTimeline,
} from '../../src/timeline/index.ts';
import { InProcessWorker } from './in-process-worker.ts';

const each = algorithms.map((algorithm) => [algorithm.name, algorithm] as const);

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

describe('the catalogue', () => {
  test.each(
    listed
      .filter((algorithm) => !isMutant(algorithm) && algorithm.problem === 'clocks')
      .map((algorithm) => [algorithm.name, algorithm] as const),
  )('%s: its first scenario ends well, with clocks that are nearer than they were', (_, algorithm) => {
    const stage = new SimulatedTimeline(algorithm, parseScenario(firstScenario(algorithm)));
    stage.advanceTo(5000);
    expect(stage.verdict).toBe('ok');
    const clocks = new ClockHistory(stage.setup as Setup);
    for (const event of stage.events) clocks.add(event);
    const worst = (position: number) =>
      Math.max(...clocks.report(position).map(({ error }) => Math.abs(error) / 1_000_000));
    expect(worst(0)).toBeGreaterThan(150);
    expect(worst(stage.events.length)).toBeLessThan(25);
  });

  test.each(each)('%s runs on every network offered', (_, algorithm) => {
    for (const topology of algorithmInfo(algorithm).shapes) {
      const stage = new SimulatedTimeline(algorithm, { n: 6, topology });
      expect(stage.advanceTo(3)).toBe(true);
    }
  });

  const composed = ['token-ring+bully', 'raymond+chandy-lamport', 'raymond+bully+chandy-lamport'].map(
    resolve,
  );
  test.each(
    [...listed, ...composed]
      .filter((algorithm) => algorithmInfo(algorithm).token && !isMutant(algorithm))
      .map((algorithm) => [algorithm.name, algorithm] as const),
  )('%s: the token is seen in one place, always', (_, algorithm) => {
    const token = algorithmInfo(algorithm).token!;
    const stage = new SimulatedTimeline(algorithm, { n: 5, entries: 2, seed: 2 });
    stage.advanceTo(400);
    const chronicle = new TraceIndex(5);
    const seen = new Set<number>();
    for (let position = 0; position <= stage.events.length; position += 1) {
      if (position > 0) chronicle.add(stage.events[position - 1]!);
      const held = [0, 1, 2, 3, 4].filter((i) => token.isHeld(stage.stateAt(i, position))).length;
      const onTheWay = chronicle.inFlightAt(position).filter(({ message }) => token.isIn(message)).length;
      if (stage.events[position]?.input.kind !== 'begin') seen.add(held + onTheWay);
    }
    expect([...seen]).toEqual([1]);
  });
});

function sourceOf(
  { problem, name }: Pick<AnyAlgorithm, 'problem' | 'name'>,
  folder: string = problem,
): string[] {
  const words = name.split('-');
  for (let length = words.length; length > 0; length -= 1) {
    const path = `src/algorithms/${folder}/${words.slice(0, length).join('-')}.ts`;
    if (existsSync(path)) return readFileSync(path, 'utf8').trimEnd().split('\n');
  }
  throw new Error(name);
}

describe('the text of a handler', () => {
  test.each(each)('%s: every handler is found', (name, algorithm) => {
    const source = sourceOf(algorithm);
    const inherits = source.some((line) => /^ {2}\.\.\.\w+,$/.test(line));
    for (const call of Object.keys(algorithm.calls)) {
      const lines = handlerLines(source, name, { kind: 'call', name: call });
      if (!inherits) expect(lines, call).not.toBe(null);
    }
    for (const kind of Object.keys(algorithm.on)) {
      const lines = handlerLines(source, name, { kind: 'recv', serial: 0, message: { type: kind }, from: 0 });
      if (inherits && lines === null) continue;
      expect(lines, kind).not.toBe(null);
    }
  });

  test.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s: every line of its program is found, and what a call begins with',
    (name, algorithm) => {
      const source = sourceOf(algorithm, 'shared');
      for (const line of Object.keys(algorithm.program({ me: 0, n: 2 }))) {
        const lines = handlerLines(source, name, { kind: 'step', line })!;
        expect(source[lines.first]).toContain(`'${line}': {`);
      }
      const { first, last } = handlerLines(source, name, { kind: 'call', name: 'release' })!;
      expect(source.slice(first, last + 1)).toEqual([`  release: '${algorithm.release}',`]);
    },
  );

  test('of several programs in one text, only the lines of its own are found', () => {
    const source = readFileSync('src/mutants/dekker.ts', 'utf8').split('\n');
    const at = (name: string, line: string) =>
      handlerLines(source, name, { kind: 'step', line })?.first ?? null;
    const waits = 'L: if c[j] = 0';
    const found = ['dekker-looks-first', 'dekker-insists', 'dekker-after-you'].map((name) => at(name, waits));
    expect(new Set(found).size).toBe(3);
    expect(at('dekker-insists', 'A: c[i] := 0')).toBe(null);
    expect(at('dekker-insists', 'c[i] := 1')).toBe(null);
  });

  test('from its first line to its last', () => {
    const source = sourceOf(ricartAgrawala);
    const { first, last } = handlerLines(source, 'ricart-agrawala', {
      kind: 'recv',
      serial: 0,
      message: { type: 'reply' },
      from: 0,
    })!;
    expect(source.slice(first, last + 1).join('\n')).toMatch(/^ {4}reply\(s, p\) \{[\s\S]*\n {4}\},$/);
    expect(handlerLines(source, 'ricart-agrawala', { kind: 'crash' })).toBe(null);
  });
});

describe('the lab', () => {
  const scene: PageState = {
    algorithm: 'ricart-agrawala',
    fields: { n: '3', seed: '1' },
    interventions: [],
    position: 4,
    spacing: 'even',
  };
  const made = () => new LabStore(() => new InProcessWorker());
  const begun = async () => {
    const lab = made();
    expect(await lab.load(scene)).toBe(true);
    return lab;
  };
  /** Frames go by, until all is known and nothing moves. */
  const settled = async (lab: LabStore) => {
    for (let k = 0; k < 1000 && (lab.isPlaying || !lab.run.isOver); k += 1) {
      lab.advanceFrame(100, false);
      await new Promise((resolve) => setTimeout(resolve));
    }
  };

  test('steps forward and back, seeks, plays to the end', async () => {
    const lab = await begun();
    lab.step(1);
    lab.step(-2);
    expect(lab.position).toBe(3);
    lab.seek((k) => lab.chronicle.events[k]!.outputs.some(({ kind }) => kind === 'emit'));
    await settled(lab);
    expect(lab.chronicle.phaseAt(lab.chronicle.events[lab.position - 1]!.process, lab.position)).toBe(
      'inside',
    );
    lab.play(true);
    await settled(lab);
    expect(lab.position).toBe(lab.run.events.length);
    lab.play(true);
    expect(lab.position).toBe(0);
    lab.play(false);
    lab.seek(() => false);
    expect(lab.problem).toBe('there is no other until the end');
  });

  test('what is not known yet is waited for: the end, a place, the next of a kind', async () => {
    const lab = made();
    await lab.load({ ...scene, fields: { n: '5', entries: '3' }, position: 0 });
    const known = lab.run.events.length;
    lab.goTo(known + 7);
    expect(lab.position).toBe(known);
    await settled(lab);
    expect(lab.position).toBe(known + 7);
    await lab.load({ ...scene, fields: { n: '5', entries: '3' }, position: 0 });
    lab.goToEnd();
    expect(lab.position).toBe(0);
    await settled(lab);
    expect([lab.position, lab.run.verdict]).toEqual([lab.run.events.length, 'ok']);
    await lab.load({ ...scene, fields: { n: '5', entries: '3' }, position: 0 });
    lab.goToEnd();
    lab.step(1); // somebody thought better of it
    await settled(lab);
    expect(lab.position).toBe(1);
  });

  test('is the run that a stage has: events, states, refusals, bounds', async () => {
    const lab = made();
    const interventions: ScheduledIntervention[] = [
      { at: 2, do: 'deliver', message: 99 },
      { at: 9, do: 'crash', process: 1 },
    ];
    await lab.load({ ...scene, algorithm: 'lamport', fields: { n: '4', entries: '2' }, interventions });
    await settled(lab);
    const { run } = lab;
    const stage = new SimulatedTimeline(resolve('lamport'), { n: 4, entries: 2 }, interventions);
    stage.advanceTo(10_000);
    expect(traceText(traceOfTimeline(run))).toBe(traceText(traceOfTimeline(stage)));
    expect([...run.refused.values()]).toEqual([...stage.refused.values()]);
    for (let position = 0; position <= stage.events.length; position += 1)
      for (let process = 0; process < 4; process += 1)
        expect(run.stateAt(process, position)).toEqual(stage.stateAt(process, position));
    const { asked, granted, allowed } = run.accountAt(Infinity);
    expect(asked).toBeGreaterThan(granted);
    expect(run.accountAt(0)).toMatchObject({ asked: 0, granted: 0 });
    const [limits] = limitsAfter(stage, 4, asked, granted);
    expect(allowed[0]).toMatchObject({ atMost: limits!.atMost, atLeast: limits!.atLeast });
  });

  test('what was not done is said to be not done: refused, or the run is over before', async () => {
    const lab = made();
    const interventions: ScheduledIntervention[] = [
      { at: 3, do: 'drop', message: 999 },
      { at: 5, do: 'pause', process: 1 },
      { at: 9999, do: 'drop', message: 1 },
    ];
    await lab.load({ ...scene, interventions });
    await settled(lab);
    expect(lab.run.interventions.map((one) => lab.run.refusalReason(one))).toEqual([
      'message #999 is not on its way',
      null,
      'the run is over before',
    ]);
  });

  test('shared memory: what each register holds and who wrote it, and how often it was accessed', async () => {
    const lab = made();
    await lab.load({ ...scene, algorithm: 'peterson-lock', fields: { start: 'none' }, position: 0 });
    for (const action of [
      { do: 'ask', process: 1 },
      { do: 'step', process: 1 },
      { do: 'step', process: 1 },
      { do: 'step', process: 1 },
    ] as const)
      expect(await lab.intervene(action), lab.problem ?? '').toBe(true);
    const { registers } = lab.chronicle;
    expect(registers.names).toEqual(['Q[0]', 'Q[1]', 'TURN']);
    expect([0, 1, 2].map((k) => registers.valueAt(k, lab.position))).toEqual([0, 1, 1]);
    expect([0, 1, 2].map((k) => registers.changedBy(k, lab.position))).toEqual([null, 1, 2]);
    expect([registers.madeBefore('write', 4), registers.madeBefore('read', 4)]).toEqual([2, 1]);
    expect(lab.chronicle.phaseAt(1, lab.position)).toBe('inside');
    await lab.intervene({ do: 'step', process: 1 });
    expect(lab.problem).toBe('process 1 is at none of its lines');
    expect(lab.spaceTime.nearest(3, 4, 0.4, 0.4)).toBe(2); // an arrow is pointed at where it ends, too
  });

  test('an alias and a composition run like any other algorithm', async () => {
    const lab = await begun();
    expect(await lab.load({ ...scene, algorithm: 'active-list-ring' })).toBe(true);
    expect(lab.permalink).toMatch(/^#run\/le-lann/);
    for (const algorithm of ['token-ring+bully', 'raymond+bully+chandy-lamport', 'berkeley+bully']) {
      const fields = firstScenario(resolve(algorithm));
      expect(await lab.load({ ...scene, algorithm, fields }), lab.problem ?? '').toBe(true);
      await settled(lab);
      expect(lab.run.events.length).toBeGreaterThan(20);
      expect(Object.keys(lab.run.stateAt(0, 9)).length).toBeGreaterThan(1);
      expect(lab.permalink).toContain(`#run/${algorithm}?`);
      expect(parsePermalink(lab.permalink!)!.algorithm).toBe(algorithm);
    }
  });

  test('what names no algorithm is refused in a sentence', async () => {
    const lab = await begun();
    const why = async (algorithm: string) => {
      expect(await lab.load({ ...scene, algorithm })).toBe(false);
      return lab.problem;
    };
    expect(await why('raimond')).toBe("no algorithm is called 'raimond'; did you mean raymond");
    expect(await why('no-such+bully')).toBe("no algorithm is called 'no-such': see baton list");
    expect(await why('cristian+chandy-lamport')).toBe(
      'the lab shows no snapshots of algorithms that synchronise clocks: baton simulate cristian+chandy-lamport takes one',
    );
    expect(await why('raymond+')).toBe("'raymond+': write LOCK+ELECTION, as in token-ring+bully");
  });

  test('what cannot be is said, and everything stays as it was', async () => {
    const lab = await begun();
    const { run } = lab;
    expect(await lab.setScenario({ n: '0' })).toBe(false);
    expect(lab.problem).toContain('n must be a whole number');
    await lab.intervene({ do: 'deliver', message: 99 });
    expect(lab.problem).toBe('message #99 is not on its way');
    expect(lab.run).toBe(run);
    await lab.openTrace('nonsense', 'a file');
    expect(lab.problem).toContain('a file is not a baton trace');
    await settled(lab); // its run has not been forgotten
    expect(lab.run.verdict).toBe('ok');
  });

  test('what means nothing in an address is said, and the rest of it is shown', async () => {
    const lab = made();
    expect(await lab.load(parsePermalink('#run/lamport?n=4&bogus=1&at=5')!)).toBe(true);
    expect([lab.run.setup.n, lab.position]).toEqual([4, 5]);
    expect(lab.problem).toBe("'bogus=1' in the address means nothing");
    expect(lab.permalink).toBe('#run/lamport?n=4&at=5');
    await lab.load(parsePermalink(lab.permalink!)!);
    expect(lab.problem).toBe(null);
  });

  test('of several things asked for at once the last is shown; what is done twice is done twice', async () => {
    const lab = await begun();
    const loads = ['raymond', 'lamport', 'maekawa'].map((algorithm) => lab.load({ ...scene, algorithm }));
    expect(lab.algorithm.name).toBe('ricart-agrawala');
    expect(await lab.intervene({ do: 'crash', process: 0 })).toBe(false); // it was meant for what is about to go
    lab.openView('measure'); // and whoever looks elsewhere meanwhile stays there
    expect(await Promise.all(loads)).toEqual([false, false, true]);
    expect([lab.algorithm.name, lab.view]).toEqual(['maekawa', 'measure']);
    const [first, second] = lab.chronicle.inFlightAt(lab.position);
    await Promise.all([
      lab.intervene({ do: 'drop', message: first!.serial }),
      lab.intervene({ do: 'drop', message: second!.serial }),
    ]);
    expect(lab.run.interventions.map((one) => 'message' in one && one.message)).toEqual([
      first!.serial,
      second!.serial,
    ]);
  });

  test('what is asked of the checker while a run comes stays asked', async () => {
    const lab = await begun();
    const questions: string[] = [];
    for (const question of ['lamport', 'lamport;n:2']) {
      lab.checkRequest = 'raymond;n:3'; // of what was there before
      const load = lab.load({ ...scene, algorithm: 'lamport', view: 'check' });
      lab.checkRequest = question;
      await load;
      questions.push(lab.checkRequest);
      expect(lab.isCheckPending).toBe(false);
    }
    expect(questions).toEqual(['', 'lamport;n:2']);
  });

  test('a thread that has ended takes nothing with it that is known', async () => {
    const threads: InProcessWorker[] = [];
    const lab = new LabStore(() => threads[threads.push(new InProcessWorker()) - 1]!);
    await lab.load({ ...scene, fields: { n: '5', entries: '3' } });
    const thread = threads[0]!;
    thread.request = async () => ({ kind: 'refused', why: 'it was ended' });
    thread.hasEnded = true;
    lab.goToEnd();
    lab.advanceFrame(10, false);
    await new Promise((resolve) => setTimeout(resolve));
    expect([lab.problem, lab.run.isLost, lab.position]).toEqual(['it was ended', true, 4]);
    expect(await lab.intervene({ do: 'crash', process: 0 })).toBe(true);
    await settled(lab);
    expect([threads.length, lab.run.interventions.length, lab.run.isOver]).toEqual([2, 1, true]);
  });

  test('an address opens as the same picture; so does a trace', async () => {
    const lab = await begun();
    const { serial } = lab.chronicle.inFlightAt(lab.position)[0]!;
    await lab.intervene({ do: 'drop', message: serial });
    const other = made();
    expect(await other.load(parsePermalink(lab.permalink!)!)).toBe(true);
    expect(other.permalink).toBe(lab.permalink);
    await settled(lab);
    await settled(other);
    expect(traceText(traceOfTimeline(other.run))).toBe(traceText(traceOfTimeline(lab.run)));
    const third = made();
    await third.openTrace(traceText(traceOfTimeline(lab.run)), 'it');
    expect(third.run.interventions).toEqual(lab.run.interventions);
    await lab.undo(lab.run.interventions[0]!);
    expect(lab.run.interventions).toEqual([]);
  });
});

test('of an algorithm that somebody wrote, the page has no function', () => {
  for (const name of ['dijkstra-k-state', 'bakery']) {
    const given = resolve(name);
    const described = describeAlgorithm(given);
    expect(structuredClone(described)).toEqual(described);
    const algorithm = stubAlgorithm(described);
    expect(setupFor({ algorithm, fields: { n: '4' } }).n).toBe(4);
    expect(kindsOf({ algorithm })).toEqual(kindsOf({ algorithm: given }));
    expect(() => algorithm.init({ me: 0, n: 4 })).toThrow('in a thread of its own');
  }
});

test('events and values in words', () => {
  const stage = new SimulatedTimeline(ricartAgrawala, { n: 3, start: [{ process: 1, at: 0 }] });
  stage.advanceTo(2);
  const name = (i: number) => `p${i}`;
  expect(eventSentence(stage.events[0]!, name)).toBe('p1 asks for the lock: sends request(k=1) to p0, p2.');
  expect(eventSentence(stage.events[1]!, name)).toMatch(
    /^p\d receives request\(k=1\) from p1: sends reply to p1\.$/,
  );
  const lock = new SimulatedTimeline(resolve('peterson-lock'), { start: [{ process: 1, at: 0 }] });
  lock.advanceTo(4);
  expect(lock.events.slice(1, 4).map((event) => eventSentence(event, name))).toEqual([
    'p1 writes 1 to Q[1], at “Q[i] := true”.',
    'p1 writes 1 to TURN, at “TURN := i”.',
    'p1 reads 0 from Q[0], enters, at “wait until not Q[j]”.',
  ]);
  const clocks = new SimulatedTimeline(cristian, {
    n: 2,
    seed: 1,
    offsets: [0, 40],
    drift: 0,
    latency: 'fixed:2',
  });
  clocks.advanceTo(1000);
  expect(eventSentence(clocks.events.at(-1)!, name)).toMatch(
    /^p1 receives tell\(time=\d+\) from p0: is to add −40\.0 ms to its clock, give or take 0\.0 ms\.$/,
  );
  expect(valueText({ a: [1, 'x', null] })).toBe('{a: [1, “x”, null]}');
});

test('registers have their names below them; in a crowd, an array is named once', () => {
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
