// What an engine stores is input, too: a record that no member can have written is damaged, and never used.
import { expect, test } from 'vitest';
import { labelOf, parseRecord, serializeView } from '../../src/cluster/engines/view-record.ts';
import { lastEpoch, mostMembers, type Peer, protocolVersion, type View } from '../../src/member/index.ts';

const peer = (change: Partial<Peer> = {}): Peer => ({
  ...{ id: 'a', address: '127.0.0.1:1', label: 'host:1', priority: 0 },
  ...change,
});
const view = (change: object = {}): View => ({
  epoch: 7,
  algorithm: 'raymond',
  members: [peer()],
  ...change,
});
const read = (change: object) => parseRecord(serializeView(view(change))).is;
const members = (n: number) => Array.from({ length: n }, (_, k) => peer({ id: `m${k}` }));

test('a view names the epoch that it replaced, and what is known of its members', () => {
  const full = view({
    after: 6,
    members: [peer({ speaks: protocolVersion }), peer({ id: 'b', speaks: 7, isSilent: true })],
  });
  expect(parseRecord(serializeView(full))).toEqual({ is: 'view', view: full, boot: '' });
  expect(read({ after: 0 })).toBe('view');
});

test('a record of an older version has neither, and no field is added to it', () => {
  const older = { format: 2, boot: '', ...view() };
  const { is, view: parsed } = parseRecord(JSON.stringify(older)) as { is: string; view: View };
  expect([is, Object.keys(parsed), Object.keys(parsed.members[0]!)]).toEqual([
    'view',
    ['epoch', 'algorithm', 'members'],
    ['id', 'address', 'label', 'priority'],
  ]);
  const first = parseRecord(JSON.stringify({ ...older, format: 1, after: 3 })) as { is: string; view: View };
  expect([first.is, first.view.after]).toEqual(['of format 1', undefined]);
});

test('a view survives a round trip', () => {
  expect(parseRecord(serializeView(view(), 'boot'))).toEqual({ is: 'view', view: view(), boot: 'boot' });
  expect(read({ epoch: lastEpoch })).toBe('view');
  expect(read({ members: members(mostMembers) })).toBe('view');
  expect(read({ members: [] })).toBe('view');
});

test.each<[string, object]>([
  ['an epoch after the last', { epoch: lastEpoch + 1 }],
  ['an epoch of 2^52', { epoch: 2 ** 52 }],
  ['a negative epoch', { epoch: -1 }],
  ['an epoch that is no number', { epoch: '7' }],
  ['a member twice', { members: [peer(), peer({ address: '127.0.0.1:2' })] }],
  ['too many members', { members: members(mostMembers + 1) }],
  ['members that are no list', { members: { length: 0 } }],
  ['a member that is null', { members: [null] }],
  ['an escape sequence in a label', { members: [peer({ label: '\u001b[2J' })] }],
  ['a long label', { members: [peer({ label: 'x'.repeat(301) })] }],
  ['an escape sequence in an address', { members: [peer({ address: '\u009b' })] }],
  ['a long address', { members: [peer({ address: 'x'.repeat(1001) })] }],
  ['an id that is a path', { members: [peer({ id: '../a' })] }],
  ['a priority that is no number', { members: [peer({ priority: '1' as never })] }],
  ['an algorithm with a line break', { algorithm: 'a\nb' }],
  ['a replaced epoch that is no number', { after: '6' }],
  ['a negative replaced epoch', { after: -1 }],
  ['a replaced epoch after the last', { after: lastEpoch + 1 }],
  ['a version that is no number', { members: [peer({ speaks: '6' as never })] }],
  ['a version that is no integer', { members: [peer({ speaks: 6.5 })] }],
  ['a negative version', { members: [peer({ speaks: -1 })] }],
  ['a member that is silent by a number', { members: [peer({ isSilent: 1 as never })] }],
])('%s is damaged', (_, change) => {
  expect(read(change)).toBe('damaged');
});

test('the label of any host can be read again', () => {
  for (const host of ['db1', 'x'.repeat(5000), '\u001b[2J', '\u001b'.repeat(500)])
    expect(read({ members: [peer({ label: labelOf(host, 4711) })] })).toBe('view');
  expect(labelOf('db1', 4711)).toBe('db1:4711');
});
