import type { Message, Pid, World } from '../../core/algorithm.ts';
import { isPlainObject } from '../../core/plain-data.ts';
import type { SharedWorld } from '../../core/shared-algorithm.ts';
import { inFlightOfType } from '../../core/world-queries.ts';

/** Is told what a lemma reads. `record` is a local state or, where `process` is null, the shared memory. */
export interface ReadObserver {
  field(record: object, field: string, process: Pid | null): void;
  /** Called when all fields are read, or a state that has none. */
  whole(record: unknown, process: Pid | null): void;
  /** Called when the messages of a type are read; of all types if it is null. */
  messages(type: string | null): void;
}

/** Returns a record that tells of the fields that are read. */
export function observedRecord(record: unknown, process: Pid | null, observer: ReadObserver): unknown {
  if (!isPlainObject(record)) {
    observer.whole(record, process);
    return record;
  }
  const whole = () => observer.whole(record, process);
  return new Proxy(record, {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in Object.prototype)) observer.field(target, key, process);
      return Reflect.get(target, key);
    },
    has: (target, key) => {
      whole();
      return Reflect.has(target, key);
    },
    ownKeys: (target) => {
      whole();
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor: (target, key) => {
      whole();
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
}

/** Returns a world of messages that tells what is read of it. */
export function observedWorld(
  { states, inFlight, meant, sender }: World<unknown, Message>,
  observer: ReadObserver,
): World<unknown, Message> {
  const world = {
    states: states.map((s, process) => observedRecord(s, process, observer)),
    get inFlight() {
      observer.messages(null);
      return inFlight;
    },
    meant,
    sender,
  };
  const ofType = (type: string) => {
    observer.messages(type);
    return inFlight.filter(({ message }) => message.type === type);
  };
  return Object.defineProperty(world, inFlightOfType, { value: ofType });
}

/** Returns a world of shared memory that tells what is read of it. */
export function observedMemory(
  { memory, processes }: SharedWorld<object, unknown, string>,
  observer: ReadObserver,
): SharedWorld<object, unknown, string> {
  return {
    memory: observedRecord(memory, null, observer) as object,
    processes: processes.map((local, process) => ({
      get at() {
        observer.field(local, 'at', process);
        return local.at;
      },
      s: observedRecord(local.s, process, observer),
    })),
  };
}
