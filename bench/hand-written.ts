/** Runs Chang-Roberts only, with ids, flags and a timing wheel of 16 buckets in typed arrays. Returns the number of messages. */
export function handWritten(n: number, seed: number): number {
  let x = seed || 1;
  const random = (): number => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
  const ids = new Int32Array(n);
  for (let i = 0; i < n; i += 1) ids[i] = i + 1;
  for (let i = n - 1; i > 0; i -= 1) {
    const j = random() % (i + 1);
    const id = ids[i]!;
    ids[i] = ids[j]!;
    ids[j] = id;
  }
  const participating = new Uint8Array(n);
  const leader = new Int32Array(n);
  const head = new Int32Array(16).fill(-1);
  const tail = new Int32Array(16).fill(-1);
  const next = new Int32Array(n + 1);
  const to = new Int32Array(n + 1);
  const value = new Int32Array(n + 1); // an id; negative for an announcement
  let free = -1;
  let used = 0;
  let now = 0;
  let onTheWay = 0;
  let messages = 0;

  const send = (process: number, id: number): void => {
    let slot = free;
    if (slot >= 0) free = next[slot]!;
    else {
      slot = used;
      used += 1;
    }
    const bucket = (now + 1 + (random() % 10)) & 15;
    to[slot] = process;
    value[slot] = id;
    next[slot] = -1;
    if (head[bucket]! < 0) head[bucket] = slot;
    else next[tail[bucket]!] = slot;
    tail[bucket] = slot;
    messages += 1;
    onTheWay += 1;
  };

  for (let i = 0; i < n; i += 1) {
    participating[i] = 1;
    send(i + 1 === n ? 0 : i + 1, ids[i]!);
  }
  for (; onTheWay > 0; now += 1) {
    const bucket = now & 15;
    for (let slot = head[bucket]!; slot >= 0; slot = head[bucket]!) {
      head[bucket] = next[slot]!;
      const process = to[slot]!;
      const id = value[slot]!;
      next[slot] = free;
      free = slot;
      onTheWay -= 1;
      const following = process + 1 === n ? 0 : process + 1;
      const own = ids[process]!;
      if (id > own) send(following, id);
      else if (id === own) {
        leader[process] = own;
        send(following, -own);
      } else if (id > 0) {
        if (participating[process] === 0) {
          participating[process] = 1;
          send(following, own);
        }
      } else if (-id !== own) {
        leader[process] = -id;
        send(following, id);
      }
    }
  }
  return messages;
}
