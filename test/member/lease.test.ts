import { expect, test } from 'vitest';
import { Lease } from '../../src/member/index.ts';

class Clocks {
  now = 0;
  stepped = 0;
  monotonic = () => this.now;
  wall = () => 1e6 + this.now + this.stepped;
}

function lease(lasts = 100) {
  const clocks = new Clocks();
  return { clocks, lease: new Lease(clocks, lasts) };
}

test('it is over before the first renewal, and starts with it', () => {
  const { lease: one } = lease();
  expect(one.isOver).toBe(true);
  one.renewed(one.startRenewal());
  expect(one.isOver).toBe(false);
});

test('it is counted from the moment the renewal was sent', () => {
  const { clocks, lease: one } = lease();
  one.renewed(one.startRenewal());
  const sent = one.startRenewal();
  clocks.now = 90;
  one.renewed(sent);
  clocks.now = 100;
  expect(one.isOver).toBe(true);
});

test('a renewal that arrives after the end has no effect, even if the lease was not checked in between', () => {
  const { clocks, lease: one } = lease();
  one.renewed(one.startRenewal());
  clocks.now = 50;
  const sent = one.startRenewal();
  clocks.now = 120; // expired at 100; the engine may have given the locks away
  one.renewed(sent);
  expect(one.isOver).toBe(true);
});

test('renewals that arrive out of order do not shorten it', () => {
  const { clocks, lease: one } = lease();
  const first = one.startRenewal();
  clocks.now = 40;
  one.renewed(one.startRenewal());
  one.renewed(first);
  clocks.now = 130;
  expect(one.isOver).toBe(false);
});

test('it ends while the computer sleeps', () => {
  const { clocks, lease: one } = lease();
  one.renewed(one.startRenewal());
  clocks.stepped = 100;
  expect(one.isOver).toBe(true);
});

test('after the wall clock was set back, the next renewal counts from its new time', () => {
  const { clocks, lease: one } = lease();
  one.renewed(one.startRenewal());
  clocks.stepped = -1000;
  clocks.now = 50;
  one.renewed(one.startRenewal());
  clocks.stepped += 100; // asleep
  expect(one.isOver).toBe(true);
});

test('it is doubtful after half its duration without a renewal', () => {
  const { clocks, lease: one } = lease();
  one.renewed(one.startRenewal());
  clocks.now = 49;
  expect(one.isDoubtful).toBe(false);
  clocks.now = 50;
  expect(one.isDoubtful).toBe(true);
});
