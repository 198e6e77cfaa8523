// One process taking one step: its facts, the receivers of its messages, and the actions that reach the host.
import { describe, expect, test } from 'vitest';
import { algorithms, bakery, raymond } from '../../src/algorithms/index.ts';
import type { Address, AnyAlgorithm, Message, Pid } from '../../src/core/algorithm.ts';
import { buildTopology, defaultShape } from '../../src/core/network-shapes.ts';
import {
  addressing,
  declared,
  type Input,
  MemoryMachine,
  MessageMachine,
  machineOf,
  mediumOf,
  noSink,
  Overlay,
  RestrictedProcess,
  type Sink,
} from '../../src/machine/index.ts';

const networks = ['complete', 'ring', 'two-way ring', 'tree', 'connected'] as const;

/** Sends to every neighbour at a request, and stores its facts. */
const chatty = (topology: (typeof networks)[number], knows: AnyAlgorithm['knows']): AnyAlgorithm => ({
  name: 'chatty',
  problem: 'election',
  paper: 'none',
  assumes: { topology, channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows,
  bounds: [],
  init: (place) => ({ knows: Object.keys(place) }),
  calls: {
    start(_s, p) {
      for (const j of p.neighbours) p.send(j, { type: 'hello', to: j });
    },
  },
  on: { hello() {} },
});

function sentBy(machine: MessageMachine, i: Pid, input: Input = { kind: 'call', name: 'start' }) {
  const sent: { to: Pid; arrivesAs: Address; message: Message; link: number }[] = [];
  const send: Sink['send'] = (to, arrivesAs, message, _kind, link) =>
    sent.push({ to, arrivesAs, message, link });
  machine.step(i, machine.init(i), input, { ...noSink, send });
  return sent;
}

describe.each(networks)('on a %s network', (network) => {
  const n = 7;
  const topology = buildTopology(defaultShape(network), n, network, 3);
  const setting = { topology, ids: [7, 6, 5, 4, 3, 2, 1], root: 2, maxDelay: () => 9 };

  test.each([
    ['by name', ['me', 'neighbours']],
    ['by link', ['neighbours']],
  ] as const)('addresses %s lead to the neighbour, and back', (_, knows) => {
    const algorithm = chatty(network, knows);
    const machine = new MessageMachine(algorithm, setting);
    const { meant, sender } = addressing(algorithm, topology);
    for (let i = 0; i < n; i += 1) {
      const sent = sentBy(machine, i);
      expect(sent.map(({ link }) => link)).toEqual(Array.from({ length: topology.degree(i) }, (_, k) => k));
      for (const { to, arrivesAs, message } of sent) {
        expect(meant(i, (message as Message & { to: Address }).to)).toBe(to);
        expect(sender(to, arrivesAs)).toBe(i);
        expect(machine.senderOf(to, arrivesAs)).toBe(i);
      }
    }
  });

  test('a process knows only the facts that its algorithm declares', () => {
    const machine = new MessageMachine(chatty(network, ['id', 'n', 'root']), setting);
    expect(machine.init(2)).toEqual({ knows: ['id', 'n', 'root'] });
  });
});

test('a step inside a step has its own sink', () => {
  const topology = buildTopology('complete', 3, 'complete', 0);
  const setting = { topology, ids: [1, 2, 3], root: 0, maxDelay: () => 1 };
  const machine = new MessageMachine(chatty('complete', ['me', 'neighbours']), setting);
  const sent: string[] = [];
  const state = machine.init(0);
  const inner: Sink = { ...noSink, send: (to) => sent.push(`inner ${to}`) };
  const send: Sink['send'] = (to) => {
    sent.push(`outer ${to}`);
    if (to === 1) machine.step(0, state, { kind: 'call', name: 'start' }, inner);
  };
  machine.step(0, state, { kind: 'call', name: 'start' }, { ...noSink, send });
  expect(sent).toEqual(['outer 1', 'inner 1', 'inner 2', 'outer 2']);
});

test('an overlay makes one machine for each group and root', () => {
  const overlay = new Overlay(raymond as AnyAlgorithm, () => 0);
  const members = { ids: [4, 8, 9], maxDelay: 5 };
  expect(overlay.machine({ ...members, root: 1 })).toBe(overlay.machine({ ...members, root: 1 }));
  expect(overlay.machine({ ...members, root: 1 })).not.toBe(overlay.machine({ ...members, root: 0 }));
});

test('a restricted process sees only the facts it may know', () => {
  const seen: unknown[] = [];
  const curious: AnyAlgorithm = {
    ...chatty('ring', ['n']),
    calls: { start: (_s, p) => seen.push(p.n, p.me, p.neighbours) },
  };
  curious.calls.start!(null, new RestrictedProcess(curious).at({ n: 3, me: 1, neighbours: [0] }));
  expect(seen).toEqual([3, undefined, undefined]);
});

describe('shared memory', () => {
  test('has the same interface: a line makes one access, and the process continues', () => {
    const machine = new MemoryMachine(bakery, { n: 2 });
    const done: string[] = [];
    const sink: Sink = {
      ...noSink,
      access: ({ kind, register, value }) => done.push(`${kind} ${register} = ${value}`),
      continueAt: (line) => done.push(line),
    };
    const state = machine.init(0);
    machine.step(0, state, { kind: 'call', name: 'request' }, sink);
    const line = done.pop()!;
    machine.step(0, state, { kind: 'step', line }, sink);
    expect(done).toEqual(['write choosing[0] = 1', expect.any(String)]);
    expect(() => machine.step(0, state, { kind: 'step', line }, sink)).toThrow("process 0 is at '");
    expect(() => machine.step(0, state, { kind: 'begin' }, sink)).toThrow(
      'there is no begin where memory is shared',
    );
  });

  test('has the same declarations as message passing', () => {
    expect(declared(bakery)).toMatchObject({ knows: ['me', 'n'], assumes: { timing: 'asynchronous' } });
    expect(declared(declared(bakery))).toBe(declared(bakery));
    expect(mediumOf(bakery)).toBe('memory');
    for (const algorithm of algorithms) expect(declared(algorithm)).toBe(algorithm);
  });

  test('machineOf makes the machine that an algorithm needs', () => {
    const topology = buildTopology('complete', 2, 'complete', 0);
    const setting = { n: 2, topology, ids: [1, 2], root: 0, maxDelay: () => 1 };
    expect(machineOf(declared(bakery), setting)).toBeInstanceOf(MemoryMachine);
    expect(machineOf(declared(raymond as AnyAlgorithm), setting)).toBeInstanceOf(MessageMachine);
  });
});
