// The state of the page, without a browser.
import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { traceText } from '../../src/core/trace.ts';
import { firstScenario } from '../../src/lab/state/first-scenario.ts';
import { LabStore } from '../../src/lab/state/lab-store.ts';
import { type PageState, parsePermalink } from '../../src/lab/state/permalink.ts';
import {
  limitsAfter,
  type ScheduledIntervention,
  SimulatedTimeline,
  traceOfTimeline,
} from '../../src/timeline/index.ts';
import { InProcessWorker } from './in-process-worker.ts';

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
    lab.seek((k) => lab.traceIndex.events[k]!.outputs.some(({ kind }) => kind === 'emit'));
    await settled(lab);
    expect(lab.traceIndex.phaseAt(lab.traceIndex.events[lab.position - 1]!.process, lab.position)).toBe(
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
    const { asked, granted, allowed } = run.boundsStatusAt(Infinity);
    expect(asked).toBeGreaterThan(granted);
    expect(run.boundsStatusAt(0)).toMatchObject({ asked: 0, granted: 0 });
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
    const { registers } = lab.traceIndex;
    expect(registers.names).toEqual(['Q[0]', 'Q[1]', 'TURN']);
    expect([0, 1, 2].map((k) => registers.valueAt(k, lab.position))).toEqual([0, 1, 1]);
    expect([0, 1, 2].map((k) => registers.changedBy(k, lab.position))).toEqual([null, 1, 2]);
    expect([registers.madeBefore('write', 4), registers.madeBefore('read', 4)]).toEqual([2, 1]);
    expect(lab.traceIndex.phaseAt(1, lab.position)).toBe('inside');
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
    const [first, second] = lab.traceIndex.inFlightAt(lab.position);
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
    const { serial } = lab.traceIndex.inFlightAt(lab.position)[0]!;
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
