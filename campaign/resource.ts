// The resource that the lock protects: counters that members read and then increment. One counter refuses fences smaller than the largest
// it has seen. The other accepts every write.

interface Counter {
  value: number;
  writes: number;
  lost: number; // updates that a later write has overwritten without having read them
}

interface Resource {
  readonly fenced: Counter;
  readonly plain: Counter;
  fence: number;
  refused: number;
}

const counter = (): Counter => ({ value: 0, writes: 0, lost: 0 });

export class Resources {
  /** Called when a write that had a fence has undone another. */
  onLost: (lock: string) => void = () => {};
  readonly #all = new Map<string, Resource>();

  read(lock: string, fence: number | null): { fenced: number | null; plain: number } {
    const resource = this.#of(lock);
    const isFresh = fence !== null && fence >= resource.fence;
    if (isFresh) resource.fence = fence;
    return { fenced: isFresh ? resource.fenced.value : null, plain: resource.plain.value };
  }

  /** Increments the counters. `fenced` and `plain` are the values read, or null to leave a counter unchanged. */
  write(lock: string, fence: number | null, fenced: number | null, plain: number | null): void {
    const resource = this.#of(lock);
    if (plain !== null) write(resource.plain, plain);
    if (fence === null || fenced === null) return;
    if (fence < resource.fence) {
      resource.refused += 1;
      return;
    }
    resource.fence = fence;
    const { lost } = resource.fenced;
    write(resource.fenced, fenced);
    if (resource.fenced.lost !== lost) this.onLost(lock);
  }

  get sums() {
    const all = [...this.#all.values()];
    const sum = (of: (resource: Resource) => number) => all.reduce((total, one) => total + of(one), 0);
    return {
      fencedWrites: sum(({ fenced }) => fenced.writes),
      fencedLost: sum(({ fenced }) => fenced.lost),
      refused: sum(({ refused }) => refused),
      plainWrites: sum(({ plain }) => plain.writes),
      plainLost: sum(({ plain }) => plain.lost),
    };
  }

  #of(lock: string): Resource {
    let resource = this.#all.get(lock);
    if (resource === undefined) {
      resource = { fenced: counter(), plain: counter(), fence: 0, refused: 0 };
      this.#all.set(lock, resource);
    }
    return resource;
  }
}

function write(one: Counter, read: number): void {
  one.lost += one.value - read;
  one.value = read + 1;
  one.writes += 1;
}
