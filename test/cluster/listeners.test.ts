// Listeners that throw. Each test runs a separate process, because their errors end up as uncaught exceptions.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { moduleArguments } from './inline-module.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

const timeout = 60_000;

/** Runs code as a module, and returns what it logs, and the messages of uncaught exceptions. */
function run(text: string): { readonly logged: unknown[]; readonly uncaught: string[] } {
  const program = `
    import { join } from 'batonjs';
    import { setTimeout as sleep } from 'node:timers/promises';
    const uncaught = [];
    const logged = [];
    const log = (...values) => logged.push(...values);
    const fails = (name) => () => { log(name); throw new Error(name); };
    process.on('uncaughtException', ({ message }) => uncaught.push(message));
    ${text}
    await sleep(20);
    console.log(JSON.stringify({ logged, uncaught }));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, moduleArguments(program), {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

test('of a lock: the others are called, and the lock is handed on', { timeout }, () => {
  const { logged, uncaught } = run(`
    const [a, b] = [await join('l'), await join('l')];
    const lock = await a.lock('x');
    for (const name of ['first', 'second']) {
      lock.onChange(fails(name));
      lock.signal.addEventListener('abort', fails('abort ' + name));
    }
    const next = b.lock('x');
    await lock.release();
    log((await next).name);
    next.then((held) => held.release());
    const again = await a.lock('x');
    for (const name of ['first', 'second']) {
      again.onChange(fails('lost ' + name));
      again.signal.addEventListener('abort', fails('abort ' + name));
    }
    const last = b.lock('x');
    await a.leave();
    log((await last).state);
    await b.leave();`);
  const first = ['first', 'second'];
  const second = ['abort first', 'abort second', 'lost first', 'lost second'];
  expect(logged).toEqual([...first, 'x', ...second, 'held']);
  expect(uncaught).toEqual([...first, ...second]);
});

test('of a group: every event reaches the others, and the group works on', { timeout }, () => {
  const { logged, uncaught } = run(`
    const group = await join('l', { leaseMs: 1000 });
    const events = ['view', 'doubt', 'out', 'joined', 'lost', 'leader'];
    for (const event of events) for (const name of ['first', 'second']) group.on(event, fails(event + ' ' + name));
    const seen = [];
    for (const event of events) group.on(event, () => seen.push(event));
    const lock = await group.lock('x');
    const { value: term } = await group.election('e').terms().next();
    for (const until = Date.now() + 1200; Date.now() < until; );
    const again = await group.lock('x');
    const { value: next } = await group.election('e').terms().next();
    log('works', lock.state, term.state, again.state, next.state);
    await group.leave();
    log(seen.length);`);
  const count = logged.at(-1) as number;
  const at = logged.indexOf('works');
  expect(logged.slice(at, at + 5)).toEqual(['works', 'lost', 'lost', 'held', 'held']);
  const thrown = logged.filter((one) => /^\w+ (first|second)$/.test(String(one)));
  expect(thrown).toHaveLength(2 * count);
  expect(uncaught).toEqual(thrown);
  for (const event of ['view', 'out', 'joined', 'lost', 'leader'])
    expect(thrown).toContain(`${event} second`);
});

test('of an election: an observer that throws stops only its own loop', { timeout }, () => {
  const { logged, uncaught } = run(`
    const group = await join('l');
    const election = group.election('e');
    group.on('leader', fails('leader'));
    const observe = async (name, shouldThrow) => {
      for await (const leader of election.observe()) {
        log(name + ' ' + (leader === null ? 'none' : 'one'));
        if (shouldThrow && leader !== null) throw new Error(name);
      }
      log(name + ' ended');
    };
    const throwing = observe('a', true).catch(({ message }) => log(message + ' threw'));
    const other = observe('b', false);
    await sleep(5);
    const { value: term } = await election.terms().next();
    await throwing;
    await term.resign();
    await sleep(5);
    await group.leave();
    await other;`);
  expect(logged).toEqual(expect.arrayContaining(['a none', 'a one', 'a threw']));
  expect(logged.filter((one) => String(one).startsWith('b'))).toEqual([
    'b none',
    'b one',
    'b none',
    'b ended',
  ]);
  expect(uncaught).toEqual(['leader', 'leader']);
});

test('a listener that leaves the group in the middle of a grant leaves nothing held or pending', {
  timeout,
}, () => {
  const { logged, uncaught } = run(`
    const [a, b] = [await join('l'), await join('l')];
    let leaving;
    a.on('leader', () => { leaving ??= a.leave({ drainMs: 5 }); });
    const waits = [a.election('e').terms().next(), a.election('e').terms().next()];
    const results = await Promise.all(waits);
    await leaving;
    const states = results.map(({ value }) => value?.state ?? 'none');
    log(states.includes('held'));
    log((await b.election('e').terms().next()).value.state);
    await b.leave();`);
  expect([logged, uncaught]).toEqual([[false, 'held'], []]);
});
