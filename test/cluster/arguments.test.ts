// Arguments of the API: times, signals, names and options, valid and invalid.
import { getEventListeners } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Group, inspectGroup, inspectGroupConsistently, join } from '../../src/cluster/index.ts';
import { codeFrom, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

describe('lock', () => {
  test('rejects with an aborted signal even if the lock is free', async () => {
    const [group] = (await members(1)) as [Group];
    await (await group.lock('a')).release();
    const signal = AbortSignal.abort();
    expect(await codeFrom(group.lock('a', { signal }))).toBe('aborted');
    expect(await codeFrom(group.tryLock('a', { signal }))).toBe('aborted');
    expect(await codeFrom(group.lockAll(['a', 'b'], { signal }))).toBe('aborted');
    expect((await group.inspect()).locks.filter(({ holder }) => holder !== null)).toEqual([]);
  });

  test('many calls may share a signal and stop listening when served; many may listen to the signal of a lock', async () => {
    const [group] = (await members(1)) as [Group];
    const warnings: string[] = [];
    const warned = ({ name }: Error) => warnings.push(name);
    process.on('warning', warned);
    const stop = new AbortController();
    const { signal } = stop;
    const held = await group.lock('a');
    const served = group.lock('a', { signal });
    const waits = Array.from({ length: 30 }, () => codeFrom(group.lock('a', { signal })));
    await held.release();
    const lock = await served;
    stop.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
    expect(lock.state).toBe('held');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await using all = await group.lockAll(['b', 'c']);
    for (const one of [lock.signal, all.signal])
      for (let i = 0; i < 30; i += 1) one.addEventListener('abort', () => {});
    await sleep(1);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('an invalid timeout is refused; a timeout of months or Infinity is accepted', async () => {
    const warnings: string[] = [];
    const warned = ({ name }: Error) => warnings.push(name);
    process.on('warning', warned);
    const [group] = (await members(1)) as [Group];
    const held = await group.lockAll(['a', 'b']);
    for (const timeoutMs of [Number.NaN, -5, 'abc', '5', null, {}] as number[])
      for (const call of [
        () => group.lock('a', { timeoutMs }),
        () => group.tryLock('c', { timeoutMs }),
        () => group.lockAll(['a', 'b'], { timeoutMs }),
      ])
        await expect(call()).rejects.toThrow(
          expect.objectContaining({
            code: 'input',
            message: expect.stringMatching(/^timeoutMs is a number of milliseconds/),
          }),
        );
    const waits = [Infinity, 3e9, 2 ** 31].flatMap((timeoutMs) => [
      group.lock('a', { timeoutMs }),
      group.lockAll(['a', 'b'], { timeoutMs }),
    ]);
    expect(await Promise.race([...waits.map(codeFrom), sleep(50)])).toBeUndefined();
    await held.release();
    for (const wait of waits) await (await wait).release();
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('invalid names are refused with a sentence', async () => {
    const [group] = (await members(1)) as [Group];
    for (const name of ['', '\u0001a', 'x'.repeat(201)]) {
      await expect(group.lock(name)).rejects.toMatchObject({ code: 'input' });
      await expect(group.tryLock(name)).rejects.toThrow(/1 to 200 characters/);
    }
    for (const name of ['__proto__', 'constructor', 'ä ö/..']) await (await group.lock(name)).release();
  });
});

describe('an invalid value is refused with a sentence', () => {
  const refused = async (call: () => Promise<unknown>, message: RegExp) =>
    expect(await call().catch((error) => [error.name, error.code, error.message])).toEqual([
      'BatonError',
      'input',
      expect.stringMatching(message),
    ]);
  const any = (value: unknown) => value as never;
  const engine = 'redis://127.0.0.1:1';

  test.each([undefined, null, 42, ['a'], {}, '', 'a\0b', 'a\n', '\ud800', 'x'.repeat(201)])(
    'as the name of a group: %j',
    async (name) => {
      const sentence = /^a group's name has 1 to 200 characters, none of them a control character, not ./;
      for (const options of [{}, { engine }]) {
        await refused(() => join(any(name), options), sentence);
        await refused(() => inspectGroup(any(name), options), sentence);
      }
    },
  );

  test.each([undefined, null, 42, ['a'], {}])('as the name of a lock: %j', async (name) => {
    const [group] = (await members(1)) as [Group];
    const sentence = /^a name has 1 to 200 characters/;
    await refused(() => group.lock(any(name)), sentence);
    await refused(() => group.tryLock(any(name)), sentence);
    await refused(() => group.lockAll(['a', any(name)]), sentence);
    await refused(async () => group.election(any(name)), sentence);
    expect(await group.tryLock('a')).not.toBeNull();
  });

  test('as options', async () => {
    const [group] = (await members(1)) as [Group];
    await refused(() => group.lockAll(any('ab')), /^names are an array/);
    for (const options of [null, 5, 'a', ['a'], new AbortController().signal]) {
      await refused(() => join('a', any(options)), /^options are an object/);
      await refused(() => group.lock('a', any(options)), /^options are an object/);
      await refused(() => group.election('a').terms(any(options)).next(), /^options are an object/);
    }
    for (const signal of [{}, null, 5, () => {}]) {
      const sentence = /^signal is an AbortSignal, not /;
      await refused(() => join('a', { signal: any(signal) }), sentence);
      await refused(() => group.lock('a', { signal: any(signal) }), sentence);
      await refused(() => group.lockAll(['a'], { signal: any(signal) }), sentence);
      await refused(
        () =>
          group
            .election('a')
            .terms({ signal: any(signal) })
            .next(),
        sentence,
      );
      await refused(
        () =>
          group
            .election('a')
            .observe({ signal: any(signal) })
            .next(),
        sentence,
      );
    }
    for (const algorithm of [{}, 5, () => {}, { problem: 'mutex' }])
      await refused(() => join('a', { algorithm: any(algorithm) }), /algorithm/);
    for (const algorithm of [{}, 5])
      await refused(() => group.lock('a', { algorithm: any(algorithm) }), /algorithm/);
    await refused(() => join('a', { leaseMs: any('1000') }), /^leaseMs must be at least/);
    await refused(() => join('a', { priority: any('1') }), /^priority must be a number/);
    for (const name of ['engine', 'listen', 'advertise'])
      for (const value of [42, Symbol('a'), Object.create(null), null]) {
        await refused(
          () => join('a', { [name]: value }),
          /^\w+ is an address in a string, (or what .* return, )?not ./,
        );
        await refused(
          () => inspectGroup('a', { [name]: value }),
          /^\w+ is an address in a string, (or what .* return, )?not ./,
        );
      }
    await refused(() => join('a', { engine, unsafe: any('yes') }), /^unsafe is true or false, not "yes"/);
    await refused(() => join('a', { local: any(1) }), /^local is true or false, not 1/);
    await refused(
      () => join('a', { engine, secret: any(42) }),
      /^secret is a string of at least 16 characters, or a list/,
    );
    await refused(() => join('a', { engine, tls: any('pem') }), /^tls is an object with key, cert and ca/);
    expect(await group.tryLock('a')).not.toBeNull();
  });
});

describe('an unknown option is refused with the one that was meant', () => {
  const any = (options: object) => options as never;
  const sentence = async (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      (error) => [error.name, error.code, error.message].join(' '),
    );

  test('by every call that has options', async () => {
    const [group] = (await members(1)) as [Group];
    const election = group.election('a');
    const said = [
      group.lock('a', any({ timeout: 100 })),
      group.tryLock('a', any({ Signal: AbortSignal.abort() })),
      group.lockAll(['a'], any({ timeoutMS: 100 })),
      group.withLock('a', any({ timeOutMs: 100 }), () => {}),
      group.leave(any({ drain: 100 })),
      election.terms(any({ timeoutMs: 100 })).next(),
      election.observe(any({ signals: [] })).next(),
      join('a', any({ lease: 500 })),
      inspectGroup('a', any({ engines: 'etcd://127.0.0.1' })),
      inspectGroupConsistently('a', any({ leaseMs: 500 })),
      join('a', any({ engine: 'etcd://127.0.0.1', tls: { key: 'a', cert: 'b', ca: 'c', passphrase: 'd' } })),
    ];
    expect(await Promise.all(said.map(sentence))).toEqual([
      "BatonError input lock has no option 'timeout': did you mean timeoutMs?",
      "BatonError input tryLock has no option 'Signal': did you mean signal?",
      "BatonError input lockAll has no option 'timeoutMS': did you mean timeoutMs?",
      "BatonError input withLock has no option 'timeOutMs': did you mean timeoutMs?",
      "BatonError input leave has no option 'drain': did you mean drainMs?",
      "BatonError input terms has no option 'timeoutMs': its options are signal",
      "BatonError input observe has no option 'signals': did you mean signal?",
      "BatonError input join has no option 'lease': did you mean leaseMs?",
      "BatonError input inspectGroup has no option 'engines': did you mean engine?",
      expect.stringMatching(/^BatonError input inspectGroupConsistently has no option 'leaseMs': /),
      "BatonError input tls has no option 'passphrase': its options are key, cert, ca",
    ]);
    expect(await group.tryLock('a')).not.toBeNull(); // none of the calls has taken it
  });

  test('but not one without a value, or one that a prototype has', async () => {
    const [group] = (await members(1)) as [Group];
    const inherited = Object.assign(Object.create({ unknown: 1 }), { timeoutMs: 100 });
    for (const options of [{ timeoutMs: undefined, timeout: undefined }, inherited])
      await (await group.lock('a', options)).release();
  });
});

describe('in Kubernetes, a group without an engine', () => {
  const { BATON_DIR } = process.env;
  const set = (variables: NodeJS.ProcessEnv) => {
    for (const [name, value] of Object.entries(variables))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  afterEach(() => set({ BATON_DIR, KUBERNETES_SERVICE_HOST: undefined, BATON_LOCAL: undefined }));
  const pod = { BATON_DIR: undefined, KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  const refusal = {
    name: 'BatonError',
    code: 'input',
    message: expect.stringMatching(/each pod .* group of its own, and all of them would lead: .*local: true/),
  };

  test('is refused, with the reason', async () => {
    set(pod);
    await expect(join('kubernetes-refused')).rejects.toMatchObject(refusal);
    await expect(join('kubernetes-refused', { local: false })).rejects.toMatchObject(refusal);
    set({ BATON_LOCAL: '0' });
    await expect(join('kubernetes-refused')).rejects.toMatchObject(refusal);
    expect(await inspectGroup('kubernetes-refused')).toBeNull(); // looking harms nobody
  });

  test('is joined with local: true, BATON_LOCAL=1 or BATON_DIR, and outside of Kubernetes', async () => {
    const joins = async (options = {}) => (await join('kubernetes-joined', options)).leave();
    set(pod);
    await joins({ local: true });
    set({ BATON_LOCAL: '1' });
    await joins();
    set({ BATON_DIR, BATON_LOCAL: undefined });
    await joins();
    set({ BATON_DIR: undefined, KUBERNETES_SERVICE_HOST: '' });
    await joins();
  });

  test('cannot be local and have an engine', async () => {
    const both = { engine: 'redis://127.0.0.1:1', local: true };
    await expect(join('a', both)).rejects.toMatchObject({
      code: 'input',
      message: 'local: true is for a group without an engine: leave out one of them',
    });
  });
});

describe('join', () => {
  test('is not tried with an aborted signal', async () => {
    const reason = new Error('enough');
    await expect(join('never', { signal: AbortSignal.abort(reason) })).rejects.toThrow(
      expect.objectContaining({ name: 'BatonError', code: 'aborted', cause: reason }),
    );
  });

  test.each(['redis', 'postgres', 'etcd'])(
    'aborts at once while %s does not answer, and closes its connections',
    { timeout: 30_000 },
    async (scheme) => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => {
        sockets.add(socket);
        socket
          .on('close', () => sockets.delete(socket))
          .on('error', () => {})
          .resume();
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      const signal = AbortSignal.timeout(300);
      let abortedAt = Infinity;
      signal.addEventListener('abort', () => {
        abortedAt = performance.now(); // loading the package of a client may delay it
      });
      expect(await codeFrom(join('never', { engine: `${scheme}://127.0.0.1:${port}`, signal }))).toBe(
        'aborted',
      );
      expect(performance.now() - abortedAt).toBeLessThan(1000);
      await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(0);
      silent.close();
    },
  );
});
