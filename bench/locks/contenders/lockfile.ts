// proper-lockfile, with its own retries. It takes over a lock if no process has touched the file for `stale`.
import { type Client, leaseMs, load, retryMs } from './contender.js';

type Release = () => Promise<void>;

interface Lockfile {
  lock(file: string, options: object): Promise<Release>;
}

const retries = {
  forever: true,
  randomize: true, // up to twice the time
  factor: 1,
  minTimeout: retryMs.least,
  maxTimeout: retryMs.most,
};

export async function connect(where: string, run: string): Promise<Client<Release>> {
  const { lock } = load<Lockfile>('proper-lockfile');
  const options = { realpath: false, stale: leaseMs, retries };
  return {
    acquire: (name) => lock(`${where}/${run}-${name}`, options),
    release: (release) => release(),
    close: async () => {},
  };
}
