import { InputError } from '../../core/assert.ts';
import { fromEdges, type Topology } from '../../core/topology.ts';
import type { Fault } from './faults.ts';

/** The links that are gone in the end, as `a-b`. Only one that is there can go, and only one that has gone can appear. */
export function removedLinks(inOrder: readonly Fault[]): Set<string> {
  const gone = new Set<string>();
  for (const fault of inOrder) {
    if (!('between' in fault)) continue;
    const [a, b] = fault.between;
    const link = a < b ? `${a}-${b}` : `${b}-${a}`;
    if (gone.has(link) === (fault.type === 'cut')) {
      const why = fault.type === 'cut' ? 'has gone already' : 'is there; cut it before, or at 0';
      throw new InputError(`${fault.type}: at ${fault.at} the link ${link} ${why}`);
    }
    if (fault.type === 'cut') gone.add(link);
    else gone.delete(link);
  }
  return gone;
}

/** Whether everybody can reach everybody once the last link has changed. */
export function isConnectedAfter(faults: readonly Fault[], topology: Topology): boolean {
  const gone = removedLinks(faults);
  if (gone.size === 0) return true;
  const left = topology
    .list()
    .split(',')
    .filter((link) => !gone.has(link));
  return fromEdges('edges', left, topology.n).connected;
}
