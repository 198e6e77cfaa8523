import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { algorithmInfo } from '../../catalogue/index.ts';
import type { Palette } from '../../diagram/index.ts';
import type { AnimationLoop } from '../canvas/animation-loop.ts';
import type { LabStore } from '../state/lab-store.ts';
import type { EventNames } from './event-text.ts';

export interface LabContextValue {
  readonly lab: LabStore;
  readonly animationLoop: AnimationLoop;
  readonly palette: Palette;
}

export const LabContext = createContext<LabContextValue | null>(null);

export const useLabContext = (): LabContextValue => useContext(LabContext)!;

/** Returns the store and re-renders the component when the store changes. */
export function useLab(): LabStore {
  const { lab } = useLabContext();
  const [, redraw] = useState(0);
  useLayoutEffect(() => lab.subscribe(() => redraw((count) => count + 1)), [lab]);
  return lab;
}

/** Returns the kinds of messages or accesses, in the order of their colours. */
export const kindsOf = ({ algorithm }: Pick<LabStore, 'algorithm'>): readonly string[] =>
  algorithmInfo(algorithm).kinds;

/** Returns a function that names a process by its position, with its id if it has one. */
export const processNames =
  ({ run }: LabStore) =>
  (process: number): string =>
    run.head.ids ? `p${process} (${run.setup.ids[process]})` : `p${process}`;

/** Returns how sentences about the run name processes, messages and leaders. */
export const eventNames = (lab: LabStore): EventNames => {
  const process = processNames(lab);
  const { head, setup, stateText } = lab.run;
  const leader = (id: number) => {
    const position = head.ids ? Array.from(setup.ids).indexOf(id) : id;
    return position < 0 ? `${id}` : process(position);
  };
  return { process, message: stateText.message, leader };
};
