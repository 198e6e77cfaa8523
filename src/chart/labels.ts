/**
 * Heights for labels that want to stand at `wanted` but not on each other: `apart` from one another, between `top` and
 * `bottom`, each as near to its place as the others let it. In the order given.
 */
export function spread(wanted: readonly number[], apart: number, top: number, bottom: number): number[] {
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
