// The command as users run it: the built file, in a child process.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { algorithms, clockAlgorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { logicalClocks } from '../src/causality/index.ts';
import { showCommand } from '../src/cli/commands/show.ts';
import { type SimulateOptions, simulateCommand } from '../src/cli/commands/simulate.ts';
import { clockMutants, mutants, sharedMutants } from '../src/mutants/index.ts';
import { isQuick } from './tiers.ts';

const catalogue = [...algorithms, ...clockAlgorithms, ...sharedAlgorithms];
const wrong = [...mutants, ...clockMutants, ...sharedMutants];

const folder = mkdtempSync(join(tmpdir(), 'baton-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function baton(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['packages/batonjs/dist/cli.cjs', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
function json(...args: string[]) {
  const { status, stdout, stderr } = baton(...args, '--json');
  expect(stderr).toBe('');
  return { status, value: JSON.parse(stdout) };
}
/** Returns the output of a command, run in this process: for tests of every name of the catalogue. */
async function printed(command: () => Promise<number>): Promise<{ status: number; stdout: string }> {
  let stdout = '';
  const log = vi.spyOn(console, 'log').mockImplementation((line) => {
    stdout += `${line}\n`;
  });
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  try {
    return { status: await command(), stdout };
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
}

const file = (name: string, text?: string): string => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

describe('list and show', () => {
  test('list --json has the fields of every algorithm', () => {
    const { status, value } = json('list');
    expect(status).toBe(0);
    expect(value.map(({ name }: { name: string }) => name)).toEqual(catalogue.map(({ name }) => name));
    for (const entry of value) {
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining([
          'name',
          'problem',
          'paper',
          'topology',
          'channels',
          'failures',
          'timing',
          'bounds',
          'mutants',
        ]),
      );
    }
    expect(value.flatMap(({ mutants }: { mutants: string[] }) => mutants).sort()).toEqual(
      wrong.map(({ name }) => name).sort(),
    );
    expect(value.find(({ name }: { name: string }) => name === 'dekker')).toMatchObject({
      topology: 'shared memory',
      channels: null,
      failures: 'none',
    });
    expect(baton('list').stdout).toMatch(/^dekker +mutex +shared memory +none +asynchronous +3$/m);
  });

  test('show prints the source; with --json the object of the list', async () => {
    for (const { name } of [...catalogue, ...wrong, ...logicalClocks]) {
      const { status, stdout } = await printed(() => showCommand(name, {}));
      expect(status).toBe(0);
      expect(stdout).toContain('export const');
      const object = JSON.parse((await printed(() => showCommand(name, { json: true }))).stdout);
      expect(object).toMatchObject({ name, paper: expect.any(String) });
    }
    for (const name of ['bakery', 'berkeley', 'lamport-one-acknowledgement', 'lamport-clock']) {
      const { status, stdout } = baton('show', name);
      expect(status).toBe(0);
      expect(stdout).toContain('export const');
      expect(json('show', name).value.name).toBe(name);
    }
    for (const { name } of logicalClocks) expect(baton('list').stdout).toContain(name);
    expect(json('show', 'bully').value).toEqual(
      json('list').value.find(({ name }: { name: string }) => name === 'bully'),
    );
  });

  test('an alias is listed, and names the same algorithm everywhere', () => {
    expect(baton('list').stdout).toContain('le-lann = active-list-ring');
    expect(baton('show', 'active-list-ring').stdout).toBe(baton('show', 'le-lann').stdout);
    expect(json('show', 'active-list-ring').value).toMatchObject({
      name: 'le-lann',
      aliases: ['active-list-ring'],
    });
    const { status, value } = json('simulate', 'active-list-ring', '--n', '4');
    expect(status).toBe(0);
    expect(value).toMatchObject({ algorithm: 'le-lann', messages: { total: 20 } });
    expect(baton('simulate', 'active-list-rings').stderr).toContain('did you mean active-list-ring');
  });
});

test('show prints the bypass bounds', () => {
  const { stdout } = baton('show', 'ricart-agrawala');
  expect(stdout).toMatch(/once its request was heard +a-1/);
  expect(stdout).toMatch(/from its request +2\(a-1\) +FIFO/);
  expect(json('show', 'maekawa').value.bypass).toMatchObject([
    { from: 'quiet', formula: 'none', when: null },
  ]);
  expect(json('show', 'bully').value).not.toHaveProperty('bypass');
});

describe('simulate', () => {
  test('numbers that an algorithm finds are printed, also where nobody found one', () => {
    const args = 'simulate vitanyi-ring-size --ids 2,1,3 --latency fixed:0'.split(' ');
    expect(baton(...args).stdout).toContain('ring size  3, found by process 1');
    expect(baton(...args, '--limit', '5').stdout).toContain('ring size  not found');
    expect(json(...args).value.found).toEqual([{ what: 'ring size', process: 1, value: 3 }]);
  });

  test('a mutex run prints the bypass', () => {
    const args = 'simulate ricart-agrawala --n 4 --think fixed:0'.split(' ');
    expect(baton(...args).stdout).toContain(
      'others entered 3 times while one waited; 3 once its request was heard, at most 3',
    );
    expect(json(...args).value).toMatchObject({
      bypass: { request: 3, heard: 3 },
      bypassAtMost: { request: null, heard: 3, quiet: null },
    });
  });

  test('--json has the documented fields', () => {
    const { status, value } = json('simulate', 'chang-roberts', '--ids', '4,3,2,1');
    expect(status).toBe(0);
    expect(value).toMatchObject({
      algorithm: 'chang-roberts',
      n: 4,
      seed: 0,
      ok: true,
      violations: [],
      entries: 0,
      leader: 4,
      leaders: [4, 4, 4, 4],
      messages: { total: 14, byType: { election: 10, leader: 4 } },
      bounds: { atLeast: 11, atMost: 14 },
      withinBounds: true,
    });
    expect(value.time).toBeGreaterThan(0);
  });

  test('every name of the catalogue runs, mutants too', async () => {
    const runs = async (name: string, fields: Record<string, string>): Promise<boolean> => {
      const options = { ...fields, json: true } as SimulateOptions;
      const { status, stdout } = await printed(() => simulateCommand(name, options, 'of today'));
      expect([0, 1]).toContain(status);
      expect(JSON.parse(stdout).ok).toBe(status === 0);
      return status === 0;
    };
    for (const { name } of [...algorithms, ...mutants]) await runs(name, { n: '4', limit: '100000' }); // one mutant never stops
    for (const { name } of [...clockAlgorithms, ...sharedAlgorithms]) expect(await runs(name, {})).toBe(true);
    for (const { name } of [...clockMutants, ...sharedMutants]) await runs(name, {});
    for (const name of ['lamport', 'bakery']) expect(json('simulate', name).value.ok).toBe(true);
  });

  test('on shared memory: accesses are counted, crashes and pauses work, the trace replays', () => {
    const trace = file('bakery.trace');
    const line = 'simulate bakery --n 3 --entries 2 --crash 1@20 --restart 1@50 --pause 2@5-9 --trace';
    const { status, stdout } = baton(...line.split(' '), trace);
    expect(status).toBe(0);
    expect(stdout).toMatch(/accesses +\d+: read \d+, write \d+/);
    expect(json('replay', trace).value.ok).toBe(true);
    expect(baton('replay', trace, '--as', 'diagram').stdout).toContain('crash  (reset choosing[1] = 0)');
    const blocked = baton(...'simulate dekker --crash 1@9 --seed 1'.split(' '));
    expect(blocked.status).toBe(1);
    expect(blocked.stdout).toContain('process 0 waits for ever: no write is left that could help');
    expect(blocked.stdout).toContain('□          if turn = i goto L  (read turn = 0)');
    expect(baton('show', 'filter-lock').stdout).toContain('3 for n = 2, 5 for n = 3, 7 for n = 4');
  });

  test('all options at once', () => {
    const { value } = json(
      ...'simulate bully --n 6 --crash 5@0,1@30 --restart 1@90 --start 0,2@40 --latency fixed:3 --clocks 1,2,1,2,1,2 --pause 3@5-9 --seed 3'.split(
        ' ',
      ),
    );
    expect(value).toMatchObject({ n: 6, seed: 3 });
    const { value: mutex } = json(
      ...'simulate helary-plouzeau-raynal --n 6 --topology grid --root 2 --entries 2 --think fixed:1 --hold fixed:2 --channels causal --slow 0-1:40 --partition 0+1@5-60'.split(
        ' ',
      ),
    );
    expect(mutex).toMatchObject({ ok: true, entries: 12 });
    const { value: corrupted } = json(
      ...'simulate dijkstra-k-state --n 3 --corrupt all@0,1@40 --loss 0.1'.split(' '),
    );
    expect(corrupted).toMatchObject({ ok: true, entries: 3 });
    const { value: lossy } = json(...'simulate ricart-agrawala --loss 0.5 --duplication 0.1'.split(' '));
    expect(lossy.ok).toBe(false);
  });

  test('reads a topology from a file', () => {
    const { value } = json(
      'simulate',
      'helary-plouzeau-raynal',
      '--topology',
      file('triangle.txt', '0 1\n1 2\n2 0\n2 3\n'),
    );
    expect(value).toMatchObject({ n: 4, ok: true, entries: 4 });
  });

  test('a violation exits with 1, is drawn, and its trace replays', () => {
    const trace = file('two-inside.trace');
    const { status, stdout } = baton(
      ...'simulate lamport --channels unordered --n 2 --seed 5 --trace'.split(' '),
      trace,
    );
    expect(status).toBe(1);
    expect(stdout).toContain('at most one inside: processes 0 and 1 are inside at the same time');
    expect(stdout).toContain('acknowledge(t=3)  * entered');
    expect(json('replay', trace)).toEqual({
      status: 0,
      value: { ok: true, events: 4, firstDifference: null },
    });
    for (const [form, part] of [
      ['diagram', '●─────▶'],
      ['shiviz', 'p1 {"p0":2,"p1":2}'],
      ['mermaid', 'p0->>p1: acknowledge(t=3)'],
    ] as const) {
      expect(baton('replay', trace, '--as', form).stdout).toContain(part);
    }
  });

  test('stamps: in the trace, in the diagram, and a wrong one is detected', () => {
    const trace = file('stamped.trace');
    const run = baton(
      'simulate',
      'lamport',
      '--n',
      '2',
      '--stamps',
      'vector-clock',
      '--trace',
      trace,
      '--diagram',
    );
    expect(run.stdout).toMatch(/^ +time {2}0 {5}1 {4}vector-clock$/m);
    expect(run.stdout).toMatch(/◆ {5}│ {4}\{0:1\} +request$/m);
    expect(baton('replay', trace, '--as', 'diagram').stdout).toMatch(/◆ {5}│ {4}\{0:1\} +request$/m);
    writeFileSync(trace, readFileSync(trace, 'utf8').replace('@{1:1}', '@{1:2}'));
    const { status, value } = json('replay', trace);
    expect(status).toBe(1);
    expect(value.firstDifference).toMatchObject({ expected: 'stamp {1:2}', actual: 'stamp {1:1}' });
  });

  test('replay finds a change in a trace', () => {
    const trace = file('changed.trace');
    baton('simulate', 'chang-roberts', '--ids', '2,3,1', '--trace', trace);
    const text = readFileSync(trace, 'utf8');
    writeFileSync(trace, text.replace('emit elected(leader=3)', 'emit elected(leader=2)'));
    const { status, value } = json('replay', trace);
    expect(status).toBe(1);
    expect(value.ok).toBe(false);
    expect(value.firstDifference.expected).toContain('elected(leader=2)');
    expect(value.firstDifference.actual).toContain('elected(leader=3)');
  });

  test('repeated options add up, and small probabilities are numbers', () => {
    const { value } = json(
      ...'simulate bully --n 5 --crash 4@0 --crash 3@0 --start 0@1 --loss 1e-9'.split(' '),
    );
    expect(value).toMatchObject({ leader: 2 });
  });

  test('a message to lose that is never sent causes a warning', () => {
    const sent = baton(...'simulate chang-roberts --n 1 --lose 0'.split(' '));
    expect(sent.stderr).toBe('');
    const unsent = baton(...'simulate lamport --n 2 --entries 1 --lose 0,9999 --json'.split(' '));
    const { total } = JSON.parse(unsent.stdout).messages;
    expect(unsent.stderr).toBe(`baton: #9999 was not lost: ${total} messages were sent, from #0 on\n`);
  });

  test('a run that never ends is stopped', () => {
    const { status, value } = json(...'simulate token-ring --n 3 --entries 1000 --limit 500'.split(' '));
    expect([status, value.violations[0].property]).toEqual([1, 'the run ends']);
  });

  test('a run that never ends is given up, unless a limit is given', () => {
    const file = join(folder, 'circulating.mjs');
    writeFileSync(
      file,
      `export default {
        name: 'circulating', problem: 'election', paper: 'none', knows: ['id'], elects: 'any', bounds: [],
        assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
        init: () => ({}),
        calls: { start: (_, p) => p.send(0, { type: 'id', id: p.id }) },
        on: { id: (_, p, m) => p.send(0, m) },
      };`,
    );
    const { status, stdout } = baton('simulate', file, '--n', '3');
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /the run ends: nobody enters or decides in 1,\d{3},000 events; --limit EVENTS lets it go on/,
    );
    const limited = baton('simulate', file, '--n', '3', '--limit', '2000000');
    expect(limited.stdout).toContain('the run ends: it goes on after 2000000 events');
  });

  test('an interrupted run leaves no file', async () => {
    const trace = file('interrupted.trace');
    const args = [
      'packages/batonjs/dist/cli.cjs',
      'simulate',
      'ricart-agrawala',
      '--n',
      '50',
      '--entries',
      '100000',
      '--trace',
      trace,
    ];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const partials = () => readdirSync(folder).filter((name) => name.startsWith('interrupted'));
    while (partials().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    await new Promise((resolve) => child.on('exit', resolve));
    expect(child.signalCode).toBe('SIGINT');
    expect(partials()).toEqual([]);
  });

  test('a pipe that closes early is not an error', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `${process.execPath} packages/batonjs/dist/cli.cjs show lamport | head -1`],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('wrong usage gets one sentence and exit code 2', () => {
  const ring = 'simulate chang-roberts';
  const refusals = [
    [`simulate chang-robert`, /did you mean chang-roberts$/m],
    [`simulate xyzzy`, /^baton: no algorithm is called 'xyzzy': see baton list$/m],
    [`show rikart-agrawala`, /did you mean ricart-agrawala$/m],
    [`${ring} --n 0`, /n must be a whole number from 1 to 10000000, not 0/],
    [`${ring} --n 2.5`, /n must be a whole number/],
    [`${ring} --n many`, /n must be a number, not 'many'/],
    [`${ring} --ids 1,2,1`, /id 1 is given twice/],
    [`${ring} --ids 1,-1`, /the ids of chang-roberts are whole numbers from 0; -1 is not/],
    [`simulate vitanyi --ids 1,0`, /the ids of vitanyi are whole numbers from 1; 0 is not/],
    [`${ring} --ids 1,2 --n 3`, /2 ids for 3 processes/],
    [`${ring} --start 5`, /start: there is no process 5; positions are 0 to 4/],
    [`${ring} --start 1,1`, /to start twice/],
    [`${ring} --topology star`, /chang-roberts runs on a ring network, not on star: try --topology ring/],
    [`simulate lamport --topology ring`, /lamport runs on a complete network/],
    [`simulate lamport --ids 3,1,2`, /go by their positions/],
    [`simulate itai-rodeh --ids 3,1,2`, /have no names/],
    [`simulate helary-plouzeau-raynal --topology strange`, /no topology is called 'strange'/],
    [`simulate helary-plouzeau-raynal --topology random:0`, /mean degree/],
    [`simulate helary-plouzeau-raynal --topology ./missing.txt`, /there is no file .\/missing.txt/],
    [`simulate bully --crash 9@1`, /crash: there is no process 9/],
    [`simulate bully --crash 1`, /write PROCESS@TIME/],
    [`simulate bully --crash 1@9007199254740991`, /crash time must be a whole number/],
    [
      `simulate bully --crash 1@9007199254740992`,
      /crash time must be .* from 0 to \d{16}, not 9007199254740992/,
    ],
    [
      `simulate lamport --think uniform:5:1`,
      /think 'uniform:5:1': its least, 5, is more than its most, 1; write/,
    ],
    [`simulate lamport --think exponential:0`, /think 'exponential:0': its mean must be positive; write/],
    [`simulate lamport --think uniform:1`, /think 'uniform:1': it needs two numbers, not 1; write/],
    [`simulate lamport --think fixed:`, /think 'fixed:': '' is not a whole number from 0; write/],
    [
      `simulate lamport --think fixed:900719925474099`,
      /900719925474099 ticks are too many, at most 999999999999/,
    ],
    [`simulate bully --restart 1@5`, /process 1 does not crash before 5/],
    [`simulate bully --entries 3`, /--entries is for mutual exclusion/],
    [`simulate lamport --root 1`, /--root means nothing to lamport/],
    [`${ring} --n 10000000000`, /n must be a whole number from 1 to 10000000/],
    [`simulate lamport --n 20000`, /n can be 4000 at most/],
    [`simulate lamport --entries 4294967296`, /entries must be a whole number/],
    [`simulate lamport --channels fif`, /did you mean fifo/],
    [`simulate lamport --latency unform:1:2`, /did you mean uniform/],
    [`simulate helary-plouzeau-raynal --topology whel`, /did you mean wheel/],
    [`${ring} --slow 0-2:9`, /there is no link between 0 and 2/],
    [`${ring} --latency fixed:999999999999 --n 10000`, /virtual time ends/],
    [`simulate bully --pause 1@9-3`, /cannot end at 3/],
    [`simulate helary-plouzeau-raynal-relinking --link 0-1@30`, /is there; cut it before, or at 0/],
    [`simulate lamport --cut 0-9@30`, /cut: there is no process 9/],
    [`simulate lamport --cut 0@30`, /write A-B@TIME/],
    [`simulate lamport --corrupt 1@3`, /lamport does not stabilise/],
    [`simulate dijkstra-k-state --corrupt all`, /or all@TIME/],
    [`simulate token-ring+buly`, /no algorithm is called 'buly'; did you mean bully$/m],
    [`simulate chandy-lamport`, /goes beside another algorithm: write token-ring\+chandy-lamport/],
    [`simulate token-ring+lamport`, /lamport is not an election/],
    [`simulate token-ring+afek-gafni`, /takes bully, or an asynchronous one-way ring election/],
    [`${ring} --latency gauss:3`, /is not a duration/],
    [`${ring} --channels tcp`, /no channels are called 'tcp'/],
    [`${ring} --loss 2`, /probability from 0 to 1/],
    [`${ring} --clocks 1,2`, /clocks needs 5 whole numbers/],
    [`${ring} --bananas`, /unknown option '--bananas'/],
    [`${ring} --sed 4`, /Did you mean --seed\?/],
    [`simulte`, /Did you mean simulate\?/],
    [`simulate dekker --n 3`, /dekker is for 2 processes, not 3/],
    [`simulate bakery --channels fifo`, /the processes of bakery share memory: channels means nothing/],
    [`simulate bakery --topology ./missing.txt`, /share memory: topology means nothing/],
    [`simulate bakery --partition 0@1-2`, /share memory: partition means nothing/],
    [`simulate bakey`, /did you mean bakery$/m],
    [`replay`, /missing required argument/],
    [`measure chang-robert`, /did you mean chang-roberts$/m],
    [`measure --problem mutx`, /no problem is called 'mutx'; did you mean mutex: choose mutex or election/],
    [`measure lamport --problem mutex`, /leave it out, or the names/],
    [`measure lamport --sizes 4,x`, /--sizes takes whole numbers from 1 to 10000000, not 'x'/],
    [`measure lamport --sizes 4, --max 8`, /leave out one/],
    [`measure lamport --max 1`, /--max must be 2 or more/],
    [`measure lamport --runs 0`, /--runs takes whole numbers from 1/],
    [`measure lamport --budget much`, /--budget takes whole numbers/],
    [`measure lamport --workers 0`, /--workers takes whole numbers/],
    [`measure lamport --out package.json`, /'package.json' is not a folder/],
    [`measure lamport --out /proc/atlas`, /cannot write to \/proc\/atlas/], // although its permissions allow it for root
    [`measure lamport --sizes 4000000`, /nothing can be measured .* --budget/],
    [`simulate lamport --stamps vector --diagram`, /no clock is called 'vector'; did you mean vector-clock/],
    [`simulate lamport --stamps vector-clock`, /say --trace FILE or --diagram too/],
    [`replay no-such-file`, /there is no file no-such-file/],
    [`replay package.json`, /package.json is not a baton trace/],
  ] as const;
  test.each(isQuick ? refusals.filter((_, k) => k % 5 === 0) : refusals)('baton %s', (line, sentence) => {
    const { status, stdout, stderr } = baton(...line.split(' '));
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n').length, stderr).toBeLessThanOrEqual(2); // commander puts its suggestion on a second line
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('a disconnected graph', () => {
    const { status, stderr } = baton(
      'simulate',
      'helary-plouzeau-raynal',
      '--topology',
      file('two.txt', '0 1\n2 3\n'),
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('not connected')]);
  });

  test('an unknown output format', () => {
    const trace = file('ok.trace');
    baton('simulate', 'lamport', '--trace', trace);
    for (const form of ['constructor', '__proto__', 'digram'])
      expect(baton('replay', trace, '--as', form).status).toBe(2);
    expect(baton('replay', trace, '--as', 'digram').stderr).toContain('did you mean diagram');
  });

  test('a truncated trace', () => {
    const trace = file('cut.trace');
    baton('simulate', 'lamport', '--trace', trace);
    writeFileSync(trace, readFileSync(trace, 'utf8').slice(0, 900));
    expect(baton('replay', trace)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is cut off'),
    });
  });

  test('no partial file is written', () => {
    const trace = file('never.trace');
    expect(baton('simulate', 'lamport', '--n', '0', '--trace', trace).status).toBe(2);
    expect(baton('simulate', 'lamport', '--trace', join(folder, 'no', 'such', 'folder')).status).toBe(2);
    expect(existsSync(trace)).toBe(false);
    expect(baton('simulate', 'lamport', '--trace', folder)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not the name of a file'),
    });
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });
});

describe('check', () => {
  test('a pass prints what was covered and seen, as text and as JSON', () => {
    const { status, stdout } = baton('check', 'ricart-agrawala');
    expect(status).toBe(0);
    expect(stdout).toContain('ricart-agrawala, n = 3: holds in every interleaving');
    expect(stdout).toMatch(/looked at {2}451 states, 524 transitions, depth 18;/);
    expect(stdout).toContain('one is inside while another waits: seen');
    const { value } = json('check', 'ricart-agrawala', '--no-reduction');
    expect(value).toMatchObject({
      ok: true,
      complete: true,
      states: 2879,
      transitions: 9070,
      violation: null,
    });
  });

  test('a violation is reported in one sentence, drawn, and replayed by the printed command', () => {
    const path = join(folder, 'found.trace');
    const { status, stdout } = baton(
      'check',
      'ricart-agrawala-no-tie-break',
      '--no-lemmas',
      '--n',
      '2',
      '--trace',
      path,
    );
    expect(status).toBe(1);
    expect(stdout).toContain('at most one inside: processes 0 and 1 are inside at the same time');
    expect(stdout).toContain('◀─────●    reply  * entered');
    expect(stdout).toContain(`baton replay ${path} runs it again`);
    expect(baton('replay', path).status).toBe(0);
  });

  test('a counterexample says below each event which fields it changed', () => {
    const path = join(folder, 'changes.trace');
    const { stdout } = baton('check', 'raymond-forgets-itself', '--trace', path);
    const changes = [
      '     2  ◀─────●     │    request',
      '        │     ┆     │      holder: self → p1',
      '     3  ●─────▶     │    privilege  * entered',
      '        │     ┃     │      holder: p0 → self, using: false → true, requestQ: [self] → [], asked: true → false',
    ].join('\n');
    expect(stdout).toContain(changes);
    expect(baton('replay', path, '--as', 'diagram').stdout).toContain(changes);
    expect(readFileSync(path, 'utf8')).not.toContain('→');
  });

  test('several threads give the same result as one', () => {
    const large = ['check', 'ricart-agrawala', '--n', '4', '--max-states', '700000'];
    const [one, two] = ['1', '3'].map((threads) => json(...large, '--threads', threads).value);
    const { bytes, seconds, ...report } = one;
    expect(two).toMatchObject(report);
  });

  test('an interrupted search reports what it has seen so far', async () => {
    const words = ['packages/batonjs/dist/cli.cjs', 'check', 'misra-k-tokens', '--max-memory', '1000']; // it has no end of states
    let stdout = '';
    let code: number | null = null;
    for (let ms = 1000; code === null && ms < 60_000; ms *= 4) {
      const child = spawn(process.execPath, words);
      child.stdout.on('data', (text) => {
        stdout += text;
      });
      setTimeout(() => child.kill('SIGINT'), ms);
      [code] = await once(child, 'close'); // null: on a busy machine it had not started yet
    }
    expect(code).toBe(130);
    expect(stdout).toContain('misra-k-tokens, n = 3: not complete');
    expect(stdout).toContain('left out   what comes next');
  });

  test('timers that may fire at any moment wait for room, as the report states', () => {
    const bounded = 'no timer ends while a channel it would send on holds a message';
    expect(json('check', 'dijkstra-k-state').value).toMatchObject({ complete: true, states: 8656, bounded });
    const { stdout } = baton('check', 'dijkstra-k-state', '--n', '2', '--capacity', '2');
    expect(stdout).toContain('bounded    no timer ends while a channel it would send on holds 2 messages');
    expect(json('check', 'token-ring').value.bounded).toBe(null);
  });

  test('an incomplete search reports what was left out', () => {
    const { status, stdout } = baton('check', 'ricart-agrawala', '--n', '4', '--max-states', '5000');
    expect(status).toBe(3);
    expect(stdout).toContain('ricart-agrawala, n = 4: not complete');
    expect(stdout).toContain('left out   more than 5000 states');
    expect(json('check', 'ricart-agrawala', '--max-depth', '5').value).toMatchObject({
      complete: false,
      depth: 4,
      leftOut: 'runs of more than 5 events',
    });
  });

  test.each(['chang-roberts', 'token-ring', 'lamport', 'bully', 'bakery'])('%s, n = 200', (name) => {
    const { status, stdout } = baton('check', name, '--n', '200', '--max-states', '100');
    expect({ status, stdout }).toMatchObject({ status: 3, stdout: expect.stringContaining('n = 200: not') });
  });

  test.each([
    ['chang-roberts --entries 2', '--entries is for mutual exclusion; chang-roberts is an election'],
    [
      'chang-roberts --start 0@5',
      '--start has times, but every moment is tried: name positions only, like 0,2',
    ],
    [
      'raymond --crashes 1 --lemmas',
      'who has crashed has no state for a lemma to look at: ask about lemmas without crashes',
    ],
    ...['chang-roberts --n 100000', 'token-ring --n 20000', 'lamport --n 5000', 'bakery --n 201'].map(
      (args) => [
        `${args} --max-states 100`,
        `n can be 200 at most where every interleaving is tried, not ${args.split(' ')[2]}: baton simulate runs more`,
      ],
    ),
    ['raymond --crashes 99', 'crashes must be a whole number from 0 to 15, not 99'],
    ['dijkstra-k-state --capacity 0', 'capacity must be a whole number from 1, not 0'],
    ['raymond --max-states x', "--max-states must be a whole number from 0, not 'x'"],
    [
      'chang-roberts --bypass',
      'chang-roberts elects: bypass bounds are promised to those who wait for a lock',
    ],
    [
      'lamport --latency fixed:3',
      '--latency means nothing here: lamport is asynchronous, and every timing is tried',
    ],
    [
      'lamport --clocks 1,2,3',
      '--clocks means nothing here: lamport is asynchronous, and every timing is tried',
    ],
    [
      'filter-lock --latency fixed:3',
      '--latency means nothing here: filter-lock is asynchronous, and every timing is tried',
    ],
    ['raymond --threads 0', '--threads must be at least 1'],
    ['bully --latency exponential:3', 'bully counts on a bound for delays: use fixed:D or uniform:A:B'],
  ])('refuses %s', (args, why) => {
    expect(baton('check', ...args.split(' '))).toMatchObject({ status: 2, stderr: `baton: ${why}\n` });
  });
});

describe('clocks', () => {
  test('a run ends with a table of true offsets, estimates and bounds', () => {
    const { status, stdout } = baton('simulate', 'cristian', '--n', '3', '--seed', '1');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /clock, ms +true offset +estimated +it is off by +at most\n +0 +0\.0000 +- +0\.0000 +-\n/,
    );
    expect(stdout).toContain('synchronisations  2');
    const { value } = json('simulate', 'cristian', '--n', '3', '--seed', '1');
    expect(Object.keys(value.clocks[1])).toEqual(['trueOffset', 'estimatedOffset', 'error', 'promised']);
  });

  test('the checker suggests an alternative', () => {
    const { status, stdout, stderr } = baton('check', 'cristian');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      'baton: cristian reads clocks, and every reading is another state: baton simulate tries it, seed by seed\n',
    );
  });

  test('options that do not apply to the algorithm are refused', () => {
    const refused = (...args: string[]) => {
      const { status, stderr } = baton('simulate', ...args);
      expect(status).toBe(2);
      return stderr;
    };
    expect(refused('cristian', '--entries', '2')).toContain('cristian is about clocks');
    expect(refused('cristian', '--clocks', '1,2,3,4,5')).toContain('have offsets and drifts');
    expect(refused('bully', '--drift', '5')).toContain('bully does not');
    expect(refused('bully', '--lie', '0@0:5')).toContain('read no clocks');
    expect(refused('cristian', '--start', '0')).toContain('begins nothing in cristian: it is the root');
    expect(refused('berkeley', '--start', '1')).toContain('it is the root, 0, that begins');
    expect(refused('cristian', '--offsets', '1,2')).toContain('offsets needs 5 whole numbers');
    expect(refused('cristian', '--slow', '0')).toContain('A:B:TICKS');
    expect(refused('cristian', '--lie', '0@5')).toContain('PROCESS@TIME:TICKS');
  });

  test('measure counts their messages too', () => {
    const { status, stdout } = baton('measure', 'berkeley', '--sizes', '8', '--runs', '2', '--workers', '1');
    expect(status).toBe(0);
    expect(stdout).toContain('21');
  });
});

describe('check on shared memory', () => {
  test('checks every interleaving, for any number of requests', () => {
    const { status, value } = json('check', 'peterson-lock', '--entries', 'any', '--lemmas');
    expect(status).toBe(0);
    expect(value).toMatchObject({ n: 2, complete: true, states: 58, violation: null, unused: [] });
  });

  test('a mutant: the run, its diagram and its trace', () => {
    const path = file('dekker.trace');
    const { status, stdout } = baton('check', 'dekker-looks-first', '--no-lemmas', '--trace', path);
    expect(status).toBe(1);
    expect(stdout).toContain('at most one inside: processes 0 and 1 are inside at the same time');
    expect(stdout).toContain('A: c[i] := 0  (write c[1] = 0)  * entered');
    expect(stdout).toContain('c[1]: 1 → 0, at “critical section”');
    expect(baton('replay', path)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('6 events of dekker-looks-first replayed'),
    });
  });

  test('a run that never ends, with its loop', () => {
    const path = file('after-you.trace');
    const { status, stdout } = baton('check', 'dekker-after-you', '--entries', 'any', '--trace', path);
    expect(status).toBe(1);
    expect(stdout).toContain('every request enters: process 0 waits for ever while the run goes round');
    expect(stdout).toContain('loop: from here it goes round for ever');
    expect(baton('replay', path).status).toBe(0);
  });

  test('options that do not apply there are refused', () => {
    expect(baton('check', 'dekker', '--channels', 'fifo')).toMatchObject({
      status: 2,
      stderr: 'baton: the processes of dekker share memory: channels means nothing to them\n',
    });
  });
});

describe('help', () => {
  test('without arguments it lists the commands', () => {
    const { status, stdout } = baton();
    expect(status).toBe(0);
    for (const word of ['list', 'show', 'simulate', 'replay', 'measure', 'Begin with'])
      expect(stdout).toContain(word);
  });

  test.each(['list', 'show', 'simulate', 'replay', 'measure'])('%s --help', (command) => {
    const { status, stdout } = baton(command, '--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--json');
  });
});

describe('check at random', () => {
  test('counts runs and reports what was left out', () => {
    const { status, value } = json('check', 'ricart-agrawala', '--n', '4', '--walk', '20', '--seed', '5');
    expect(status).toBe(0);
    expect(value).toMatchObject({
      verdict: 'incomplete',
      ok: false,
      complete: false,
      runs: 20,
      cutOff: 0,
      violation: null,
    });
    expect(value.leftOut).toBe('everything but 20 random runs');
    expect(baton('check', 'token-ring', '--walk', '2', '--max-depth', '100').stdout).toContain(
      'everything but 2 random runs, 2 of them cut off after 100 events',
    );
  });

  test('writes the run that it found, and reports that there may be a shorter one', () => {
    const path = file('walk.trace');
    const args = [
      'check',
      'ricart-agrawala-no-tie-break',
      '--no-lemmas',
      '--n',
      '4',
      '--walk',
      '50',
      '--trace',
      path,
    ];
    const { status, stdout } = baton(...args);
    expect(status).toBe(1);
    expect(stdout).toMatch(/found +by chance: there may be a shorter run/);
    expect(baton('replay', path).stdout).toContain('at most one inside is violated');
    expect(baton(...args).stdout.replace(/; [\d.]+ s$/m, '')).toBe(stdout.replace(/; [\d.]+ s$/m, ''));
  });

  test.each([
    ['--walk none', /--walk must be a whole number from 0, not 'none'/],
    ['--walk 0', /walk must be a whole number from 1, not 0/],
    ['--walk 5 --max-states 9', /--max-states is for a search/],
    ['--walk 5 --threads 2', /--threads is for a search/],
  ])('%s is refused', (options, why) => {
    expect(baton('check', 'lamport', ...options.split(' '))).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(why),
    });
  });
});
