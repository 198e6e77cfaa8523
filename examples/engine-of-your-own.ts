// An engine of your own, as small as it can be: it keeps everything in the memory of this process, so it serves only groups of this process.
//   node examples/engine-of-your-own.ts
import { randomUUID } from 'node:crypto';
import { join, type OpenStore } from 'batonjs';

interface Stored {
  record: { text: string; revision: string } | null;
  key: string | null;
  readonly leases: Map<string, number>; // until when, by performance.now()
  readonly watchers: Set<() => void>;
}

/** Returns an engine, and a function that removes all that it stores. */
export function memory(): { readonly open: OpenStore; wipe(): Promise<void> } {
  const groups = new Map<string, Stored>();
  const open: OpenStore = async ({ group, leaseMs }) => {
    const stored = () => {
      const found = groups.get(group) ?? { record: null, key: null, leases: new Map(), watchers: new Set() };
      groups.set(group, found);
      return found;
    };
    const own = new Set<() => void>();
    return {
      async read() {
        const { record } = stored();
        return {
          text: record?.text ?? null,
          revision: record?.revision ?? '',
          wallMs: Date.now(),
          precisionMs: 0,
        };
      },
      async swap({ revision }, text) {
        const now = stored();
        if ((now.record?.revision ?? '') !== revision) return false;
        now.record = { text, revision: randomUUID() }; // a counter would begin again after a loss
        for (const changed of now.watchers) changed();
        return true;
      },
      watch(changed) {
        own.add(changed);
        stored().watchers.add(changed);
      },
      async keyOr(key) {
        const now = stored();
        now.key ??= key;
        return now.key;
      },
      async renew(id) {
        stored().leases.set(id, performance.now() + leaseMs);
      },
      async living(ids) {
        return ids.filter((id) => (stored().leases.get(id) ?? 0) > performance.now());
      },
      async forget(id) {
        stored().leases.delete(id);
      },
      async close() {
        for (const changed of own) stored().watchers.delete(changed);
      },
    };
  };
  const wipe = async () => {
    for (const stored of groups.values()) {
      Object.assign(stored, { record: null, key: null });
      stored.leases.clear();
    }
  };
  return { open, wipe };
}

if (process.argv[1] === import.meta.filename) {
  const { open } = memory();
  await using one = await join('orders', { engine: open });
  await using other = await join('orders', { engine: open });
  await one.withLock('invoice-42', (lock) => console.log('one holds it, fence', lock.fence));
  await other.withLock('invoice-42', (lock) => console.log('the other holds it, fence', lock.fence));
}
