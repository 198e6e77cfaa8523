/**
 * Moves labels apart: at least `apart` from one another, between `top` and `bottom`, each as near to its `wanted` height as
 * possible. Returns the heights in the given order.
 */
export function spreadLabels(
  wanted: readonly number[],
  apart: number,
  top: number,
  bottom: number,
): number[] {
  type Block = { readonly members: readonly number[]; readonly centre: number };
  const block = (members: readonly number[]): Block => {
    const mean = members.reduce((sum, i) => sum + wanted[i]!, 0) / members.length;
    const half = ((members.length - 1) / 2) * apart;
    return { members, centre: Math.max(top + half, Math.min(bottom - half, mean)) };
  };
  const overlap = (a: Block, b: Block): boolean =>
    b.centre - a.centre < ((a.members.length + b.members.length) / 2) * apart;

  const blocks: Block[] = [];
  for (const i of wanted.map((_, k) => k).sort((a, b) => wanted[a]! - wanted[b]! || a - b)) {
    let last = block([i]);
    while (blocks.length > 0 && overlap(blocks.at(-1)!, last))
      last = block([...blocks.pop()!.members, ...last.members]);
    blocks.push(last);
  }
  const heights: number[] = [];
  for (const { members, centre } of blocks) {
    members.forEach((i, k) => {
      heights[i] = centre + (k - (members.length - 1) / 2) * apart;
    });
  }
  return heights;
}

export type PixelPoint = readonly [x: number, y: number];

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The first of the places, best first, that no line and no label covers; or else the least covered one. */
export function freestPlace(
  places: readonly Rectangle[],
  lines: readonly (readonly PixelPoint[])[],
  labels: readonly Rectangle[],
): Rectangle | undefined {
  const covered = (place: Rectangle): number => {
    const crossing = lines.flatMap((line) => line.slice(1).filter((to, k) => crosses(place, line[k]!, to)));
    return crossing.length + 100 * labels.filter((label) => overlap(place, label)).length;
  };
  let [found, least] = [places[0], Number.POSITIVE_INFINITY];
  for (const place of places) {
    const cost = covered(place);
    if (cost < least) [found, least] = [place, cost];
    if (cost === 0) break;
  }
  return found;
}

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Whether a part of the segment lies in the rectangle, by clipping it at the four sides (Liang, Barsky). */
export function crosses({ left, top, right, bottom }: Rectangle, from: PixelPoint, to: PixelPoint): boolean {
  let [start, end] = [0, 1];
  for (const [axis, low, high] of [
    [0, left, right],
    [1, top, bottom],
  ] as const) {
    const [at, step] = [from[axis], to[axis] - from[axis]];
    if (step === 0) {
      if (at <= low || at >= high) return false;
      continue;
    }
    const [enters, leaves] = [(low - at) / step, (high - at) / step].sort((a, b) => a - b);
    start = Math.max(start, enters!);
    end = Math.min(end, leaves!);
  }
  return start < end;
}
