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
import { InProcessWorker, noVersion } from './in-process-worker.ts';

describe('the lab store', () => {
  const pageState: PageState = {
    algorithm: 'ricart-agrawala',
    fields: { n: '3', seed: '1' },
    interventions: [],
    position: 4,
    spacing: 'even',
  };
  const createLab = () => new LabStore(() => new InProcessWorker(), noVersion);
  const loadedLab = async () => {
    const lab = createLab();
    expect(await lab.load(pageState)).toBe(true);
    return lab;
  };
  /** Advances frames until the whole run is known and playback has ended. */
  const settle = async (lab: LabStore) => {
    for (let k = 0; k < 1000 && (lab.isPlaying || !lab.run.isOver); k += 1) {
      lab.advanceFrame(100, false);
      await new Promise((resolve) => setTimeout(resolve));
    }
  };

  test('steps forward and back, seeks, plays to the end', async () => {
    const lab = await loadedLab();
    lab.step(1);
    lab.step(-2);
    expect(lab.position).toBe(3);
    lab.seek((k) => lab.traceIndex.events[k]!.outputs.some(({ kind }) => kind === 'emit'));
    await settle(lab);
    expect(lab.traceIndex.phaseAt(lab.traceIndex.events[lab.position - 1]!.process, lab.position)).toBe(
      'inside',
    );
    lab.play(true);
    await settle(lab);
    expect(lab.position).toBe(lab.run.events.length);
    lab.play(true);
    expect(lab.position).toBe(0);
    lab.play(false);
    lab.seek(() => false);
    expect(lab.problem).toBe('there is no other until the end');
  });

  test('goes to a position or to the end when it becomes known', async () => {
    const lab = createLab();
    await lab.load({ ...pageState, fields: { n: '5', entries: '3' }, position: 0 });
    const known = lab.run.events.length;
    lab.goTo(known + 7);
    expect(lab.position).toBe(known);
    await settle(lab);
    expect(lab.position).toBe(known + 7);
    await lab.load({ ...pageState, fields: { n: '5', entries: '3' }, position: 0 });
    lab.goToEnd();
    expect(lab.position).toBe(0);
    await settle(lab);
    expect([lab.position, lab.run.verdict]).toEqual([lab.run.events.length, 'ok']);
    await lab.load({ ...pageState, fields: { n: '5', entries: '3' }, position: 0 });
    lab.goToEnd();
    lab.step(1); // the user changes the target
    await settle(lab);
    expect(lab.position).toBe(1);
  });

  test('its run equals a simulated timeline: events, states, refusals, bounds', async () => {
    const lab = createLab();
    const interventions: ScheduledIntervention[] = [
      { at: 2, do: 'deliver', message: 99 },
      { at: 9, do: 'crash', process: 1 },
    ];
    await lab.load({ ...pageState, algorithm: 'lamport', fields: { n: '4', entries: '2' }, interventions });
    await settle(lab);
    const { run } = lab;
    const timeline = new SimulatedTimeline(resolve('lamport'), { n: 4, entries: 2 }, interventions);
    timeline.advanceTo(10_000);
    expect(traceText(traceOfTimeline(run))).toBe(traceText(traceOfTimeline(timeline)));
    expect([...run.refused.values()]).toEqual([...timeline.refused.values()]);
    for (let position = 0; position <= timeline.events.length; position += 1)
      for (let process = 0; process < 4; process += 1)
        expect(run.stateAt(process, position)).toEqual(timeline.stateAt(process, position));
    const { asked, granted, allowed } = run.boundsStatusAt(Infinity);
    expect(asked).toBeGreaterThan(granted);
    expect(run.boundsStatusAt(0)).toMatchObject({ asked: 0, granted: 0 });
    const [limits] = limitsAfter(timeline, 4, asked, granted);
    expect(allowed[0]).toMatchObject({ atMost: limits!.atMost, atLeast: limits!.atLeast });
  });

  test('interventions that were not possible have a reason: refused, or after the end of the run', async () => {
    const lab = createLab();
    const interventions: ScheduledIntervention[] = [
      { at: 3, do: 'drop', message: 999 },
      { at: 5, do: 'pause', process: 1 },
      { at: 9999, do: 'drop', message: 1 },
    ];
    await lab.load({ ...pageState, interventions });
    await settle(lab);
    expect(lab.run.interventions.map((one) => lab.run.refusalReason(one))).toEqual([
      'message #999 is not on its way',
      null,
      'the run is over before',
    ]);
  });

  test('shared memory: values of registers, their writers, and counts of accesses', async () => {
    const lab = createLab();
    await lab.load({ ...pageState, algorithm: 'peterson-lock', fields: { start: 'none' }, position: 0 });
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
    expect(lab.spaceTime.nearest(3, 4, 0.4, 0.4)).toBe(2); // the end of an access arrow counts as its event
  });

  test('an alias and a composition run like any other algorithm', async () => {
    const lab = await loadedLab();
    expect(await lab.load({ ...pageState, algorithm: 'active-list-ring' })).toBe(true);
    expect(lab.permalink).toMatch(/^#run\/le-lann/);
    for (const algorithm of ['token-ring+bully', 'raymond+bully+chandy-lamport', 'berkeley+bully']) {
      const fields = firstScenario(resolve(algorithm));
      expect(await lab.load({ ...pageState, algorithm, fields }), lab.problem ?? '').toBe(true);
      await settle(lab);
      expect(lab.run.events.length).toBeGreaterThan(20);
      expect(Object.keys(lab.run.stateAt(0, 9)).length).toBeGreaterThan(1);
      expect(lab.permalink).toContain(`#run/${algorithm}?`);
      expect(parsePermalink(lab.permalink!)!.algorithm).toBe(algorithm);
    }
  });

  test('refuses an unknown algorithm with a sentence', async () => {
    const lab = await loadedLab();
    const why = async (algorithm: string) => {
      expect(await lab.load({ ...pageState, algorithm })).toBe(false);
      return lab.problem;
    };
    expect(await why('raimond')).toBe("no algorithm is called 'raimond'; did you mean raymond");
    expect(await why('no-such+bully')).toBe("no algorithm is called 'no-such': see baton list");
    expect(await why('cristian+chandy-lamport')).toBe(
      'the lab shows no snapshots of algorithms that synchronise clocks: baton simulate cristian+chandy-lamport takes one',
    );
    expect(await why('raymond+')).toBe("'raymond+': write LOCK+ELECTION, as in token-ring+bully");
  });

  test('reports an invalid action and keeps the current run', async () => {
    const lab = await loadedLab();
    const { run } = lab;
    expect(await lab.setScenario({ n: '0' })).toBe(false);
    expect(lab.problem).toContain('n must be a whole number');
    await lab.intervene({ do: 'deliver', message: 99 });
    expect(lab.problem).toBe('message #99 is not on its way');
    expect(lab.run).toBe(run);
    await lab.openTrace('nonsense', 'a file');
    expect(lab.problem).toContain('a file is not a baton trace');
    await settle(lab); // the worker still has the run
    expect(lab.run.verdict).toBe('ok');
  });

  test('reports unknown parameters of a link and loads the rest', async () => {
    const lab = createLab();
    expect(await lab.load(parsePermalink('#run/lamport?n=4&bogus=1&at=5')!)).toBe(true);
    expect([lab.run.setup.n, lab.position]).toEqual([4, 5]);
    expect(lab.problem).toBe("'bogus=1' in the address means nothing");
    expect(lab.permalink).toBe('#run/lamport?n=4&at=5');
    await lab.load(parsePermalink(lab.permalink!)!);
    expect(lab.problem).toBe(null);
  });

  test('the last of several loads wins; two interventions at once are both applied', async () => {
    const lab = await loadedLab();
    const loads = ['raymond', 'lamport', 'maekawa'].map((algorithm) => lab.load({ ...pageState, algorithm }));
    expect(lab.algorithm.name).toBe('ricart-agrawala');
    expect(await lab.intervene({ do: 'crash', process: 0 })).toBe(false); // it was meant for the run that is being replaced
    lab.openView('measure'); // a view opened meanwhile stays open
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

  test('keeps a check request that is made while a run is loading', async () => {
    const lab = await loadedLab();
    const requests: string[] = [];
    for (const request of ['lamport', 'lamport;n:2']) {
      lab.checkRequest = 'raymond;n:3'; // of the run before
      const load = lab.load({ ...pageState, algorithm: 'lamport', view: 'check' });
      lab.checkRequest = request;
      await load;
      requests.push(lab.checkRequest);
      expect(lab.isCheckPending).toBe(false);
    }
    expect(requests).toEqual(['', 'lamport;n:2']);
  });

  test('known events stay when their worker has ended', async () => {
    const workers: InProcessWorker[] = [];
    const lab = new LabStore(() => workers[workers.push(new InProcessWorker()) - 1]!, noVersion);
    await lab.load({ ...pageState, fields: { n: '5', entries: '3' } });
    const worker = workers[0]!;
    worker.request = async () => ({ kind: 'refused', why: 'it was ended' });
    worker.hasEnded = true;
    lab.goToEnd();
    lab.advanceFrame(10, false);
    await new Promise((resolve) => setTimeout(resolve));
    expect([lab.problem, lab.run.isLost, lab.position]).toEqual(['it was ended', true, 4]);
    expect(await lab.intervene({ do: 'crash', process: 0 })).toBe(true);
    await settle(lab);
    expect([workers.length, lab.run.interventions.length, lab.run.isOver]).toEqual([2, 1, true]);
  });

  test('a permalink restores the same run; so does a trace', async () => {
    const lab = await loadedLab();
    const { serial } = lab.traceIndex.inFlightAt(lab.position)[0]!;
    await lab.intervene({ do: 'drop', message: serial });
    const other = createLab();
    expect(await other.load(parsePermalink(lab.permalink!)!)).toBe(true);
    expect(other.permalink).toBe(lab.permalink);
    await settle(lab);
    await settle(other);
    expect(traceText(traceOfTimeline(other.run))).toBe(traceText(traceOfTimeline(lab.run)));
    const third = createLab();
    await third.openTrace(traceText(traceOfTimeline(lab.run)), 'it');
    expect(third.run.interventions).toEqual(lab.run.interventions);
    await lab.undo(lab.run.interventions[0]!);
    expect(lab.run.interventions).toEqual([]);
  });

  test('a link has the version of the text, and one with another version is recognised', async () => {
    const lab = new LabStore(
      () => new InProcessWorker(),
      async () => '1a2b3c4d',
    );
    const link = '#run/lamport?n=4&at=5';
    const open = async (fragment: string) => {
      await lab.load(parsePermalink(fragment)!);
      await Promise.resolve();
      return lab.hasTextChanged;
    };
    expect(await open(link)).toBe(false); // from before links had one
    expect(lab.permalink).toBe(`${link}&version=1a2b3c4d`);
    expect(await open(`${link}&version=1a2b3c4d`)).toBe(false);
    expect(await open(`${link}&version=00000000`)).toBe(true);
    expect(lab.permalink).toBe(`${link}&version=00000000`); // until another run is opened
    await lab.setScenario({ n: '3' });
    expect(lab.hasTextChanged).toBe(false);
    expect(lab.permalink).toBe('#run/lamport?n=3&at=0&version=1a2b3c4d');
  });
});
