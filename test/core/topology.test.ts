import { expect, test } from 'vitest';
import { buildTopology, fromEdges } from '../../src/core/network-shapes.ts';
import { Topology } from '../../src/core/topology.ts';

test.each([
  ['complete', 6, 15, 1],
  ['ring', 6, 6, 3],
  ['line', 6, 5, 5],
  ['star', 6, 5, 2],
  ['tree', 7, 6, 4],
  ['grid', 9, 12, 4],
  ['grid', 7, 8, 4],
  ['wheel', 6, 10, 2],
])('%s of %i: %i edges, diameter %i', (shape, n, edges, diameter) => {
  const topology = buildTopology(shape, n, 'connected', 0);
  expect([topology.edges, topology.diameter, topology.connected]).toEqual([edges, diameter, true]);
});

test('a message can be answered on the link it arrived on', () => {
  const shapes = ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'wheel', 'random:3'];
  const all = shapes.map((shape) => buildTopology(shape, 9, 'connected', 5));
  for (const topology of [...all, Topology.twoWayRing(1), Topology.twoWayRing(2), Topology.twoWayRing(5)]) {
    for (let i = 0; i < topology.n; i += 1) {
      for (let link = 0; link < topology.degree(i); link += 1) {
        const j = topology.to(i, link);
        const back = topology.arrival(i, link);
        expect([topology.to(j, back), topology.arrival(j, back)]).toEqual([i, link]);
        expect(topology.sender(j, back)).toBe(i);
      }
    }
  }
});

test('random graphs are connected, have the mean degree and depend on the seed', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const graph = buildTopology('random:4', 50, 'connected', seed);
    expect([graph.connected, graph.edges]).toEqual([true, 100]);
    expect(buildTopology('random:4', 50, 'connected', seed).list()).toBe(graph.list());
  }
  expect(buildTopology('random:4', 50, 'connected', 1).list()).not.toBe(
    buildTopology('random:4', 50, 'connected', 2).list(),
  );
  expect(buildTopology('random:99', 5, 'connected', 1).edges).toBe(10);
});

test('one and two processes', () => {
  for (const shape of ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'random:3']) {
    expect(buildTopology(shape, 1, 'connected', 0).edges).toBe(0);
    expect(buildTopology(shape, 2, 'connected', 0).edges).toBe(1);
  }
});

test('parents lead to the root', () => {
  const grid = buildTopology('grid', 9, 'connected', 0);
  const parents = grid.parents(4);
  const towards = (i: number): number => (i === 4 ? 0 : 1 + towards(parents[i]!));
  for (let i = 0; i < 9; i += 1) if (i !== 4) expect(grid.neighbours(i)).toContain(parents[i]);
  expect(Array.from({ length: 9 }, (_, i) => towards(i))).toEqual([2, 1, 2, 1, 0, 1, 2, 1, 2]);
});

test('edges from a file', () => {
  const graph = fromEdges('net.txt', ['# a triangle', '0 1', '1-2', '', '2, 0  # closed', '1 0']);
  expect([graph.n, graph.edges, graph.list()]).toEqual([3, 3, '0-1,0-2,1-2']);
  expect(() => fromEdges('net.txt', ['0 1', 'a b'])).toThrow("net.txt, line 2: 'a b' is not an edge");
  expect(() => fromEdges('net.txt', ['3 3'])).toThrow('process 3 cannot be its own neighbour');
  expect(() => fromEdges('net.txt', ['0 9'], 4)).toThrow('net.txt names process 9, but --n 4 ends at 3');
});

test('a network without some of its processes keeps the positions of the others', () => {
  const shapes = ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'wheel', 'random:3'];
  const all = shapes.map((shape) => buildTopology(shape, 9, 'connected', 5));
  for (const topology of [...all, Topology.twoWayRing(5), Topology.oneWayRing(5), Topology.complete(5)]) {
    const left = topology.without(new Set([1])).without(new Set([3]));
    expect([left.n, left.members, left.leftOut]).toEqual([topology.n, topology.n - 2, [1, 3]]);
    expect([left.degree(1), left.degree(3), left.whole === topology]).toEqual([0, 0, true]);
    for (let i = 0; i < left.n; i += 1) {
      for (let link = 0; link < left.degree(i); link += 1) {
        const j = left.to(i, link);
        expect(left.includes(j)).toBe(true);
        expect(left.sender(j, left.arrival(i, link))).toBe(i);
        if (!left.isRing) expect(left.link(i, j)).toBe(link);
      }
    }
  }
  expect(topologyFigures(Topology.oneWayRing(5).without(new Set([0, 4])))).toEqual([3, 2, true]);
  expect(topologyFigures(Topology.twoWayRing(5).without(new Set([0])))).toEqual([4, 2, true]);
  expect(topologyFigures(Topology.complete(5).without(new Set([0])))).toEqual([6, 1, true]);
  expect(topologyFigures(buildTopology('line', 5, 'connected', 0).without(new Set([0])))).toEqual([
    3,
    3,
    true,
  ]);
  expect(buildTopology('line', 5, 'connected', 0).without(new Set([2])).connected).toBe(false);
});

const topologyFigures = ({ edges, diameter, connected }: Topology) => [edges, diameter, connected];
