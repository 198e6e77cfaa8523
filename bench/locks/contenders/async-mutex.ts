// async-mutex, within one process: the cost of awaiting a lock without any other process.
import { type Client, load } from './contender.js';

type Release = () => void;

interface Mutex {
  acquire(): Promise<Release>;
}

export async function connect(): Promise<Client<Release>> {
  const { Mutex } = load<{ Mutex: new () => Mutex }>('async-mutex');
  const mutexes = new Map<string, Mutex>();
  const create = (name: string) => {
    const mutex = new Mutex();
    mutexes.set(name, mutex);
    return mutex;
  };
  return {
    acquire: (name) => (mutexes.get(name) ?? create(name)).acquire(),
    release: (release) => release(),
    close: async () => {},
  };
}
