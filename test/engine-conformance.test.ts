// The tests for engines of others: an honest store passes, and a store with a mistake does not.
import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { memory } from '../examples/engine-of-your-own.ts';
import type { OpenStore, Store } from '../src/cluster/index.ts';
import { type ConformanceTest, type StoreSetup, storeConformance } from '../src/engine-conformance/index.ts';
import { inOwnDirectory } from './cluster/temporary-directory.ts';
import { thorough } from './tiers.ts';

inOwnDirectory();

describe('a store in memory passes', () => {
  for (const { name, run } of storeConformance(memory())) test(name, run);
});

/** Changes the methods of a store. */
type Mistake = (store: Store) => Partial<Store>;

const mistakes: Record<string, Mistake> = {
  'swaps whatever the record is': (store) => ({
    swap: async (_, text) => store.swap(await store.read(), text),
  }),
  'has revisions that follow the text': (store) => ({
    read: async () => {
      const { text, ...rest } = await store.read();
      return { ...rest, text, revision: text ?? '' };
    },
    swap: async ({ text }, next) => {
      const now = await store.read();
      return text === now.text && store.swap(now, next);
    },
  }),
  'reads what is a moment old': (store) => {
    let last: ReturnType<Store['read']> | null = null;
    return {
      read: () => {
        const before = last ?? store.read();
        last = store.read();
        return before;
      },
    };
  },
  'returns the key that was asked for': () => ({ keyOr: async (key) => key }),
  'has one key for all groups': () => ({ keyOr: async () => 'key-1' }),
  'ends leases early': (store) => {
    const renewed = new Map<string, number>();
    return {
      renew: (id) => {
        renewed.set(id, performance.now());
        return store.renew(id);
      },
      living: async (ids) =>
        (await store.living(ids)).filter((id) => (renewed.get(id) ?? Infinity) > performance.now() - 300),
    };
  },
  'never ends leases': (store) => {
    const all = new Set<string>();
    return {
      renew: async (id) => {
        all.add(id);
        await store.renew(id);
      },
      living: async (ids) => [...new Set([...(await store.living(ids)), ...ids.filter((id) => all.has(id))])],
    };
  },
  'does not forget': () => ({ forget: async () => {} }),
  'tells all that live': (store) => {
    const all = new Set<string>();
    return {
      renew: async (id) => {
        all.add(id);
        await store.renew(id);
      },
      living: (ids) => store.living([...new Set([...ids, ...all])]),
    };
  },
  'is silent to watchers': () => ({ watch: () => {} }),
  'has a clock that stands': (store) => ({
    read: async () => ({ ...(await store.read()), wallMs: Date.UTC(2026, 9, 1) }),
  }),
  'cuts long records': (store) => ({ swap: (before, text) => store.swap(before, text.slice(0, 65_535)) }),
};

describe.each(Object.entries(mistakes))('a store that %s', (_, mistake) => {
  thorough('is found out', async () => {
    const setup = (): StoreSetup => {
      const { open, wipe } = memory();
      const wrong: OpenStore = async (options) => {
        const store = await open(options);
        return { ...store, ...mistake(store) };
      };
      return { open: wrong, wipe, leaseMs: 600 };
    };
    const isShort = ({ name }: ConformanceTest) => !name.startsWith('a group meets'); // members of a wrong store may wait for each other
    const names = storeConformance(setup()).filter(isShort);
    const errors = await Promise.all(
      names.map((_, k) =>
        storeConformance(setup())
          .filter(isShort)
          [k]!.run()
          .then(
            () => null,
            (error: unknown) => error,
          ),
      ),
    );
    expect(errors.some((error) => error instanceof AssertionError)).toBe(true);
  });
});
