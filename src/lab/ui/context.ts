import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { algorithmInfo } from '../../catalogue/index.ts';
import { dark, light, type Palette } from '../../diagram/index.ts';
import type { AnimationLoop } from '../canvas/animation-loop.ts';
import type { LabStore } from '../state/lab-store.ts';

export interface LabContextValue {
  readonly lab: LabStore;
  readonly painter: AnimationLoop;
  readonly palette: Palette;
}

export const LabContext = createContext<LabContextValue | null>(null);

export const useLabContext = (): LabContextValue => useContext(LabContext)!;

/** The lab; who uses it is drawn again when it has changed. */
export function useLab(): LabStore {
  const { lab } = useLabContext();
  const [, redraw] = useState(0);
  useLayoutEffect(() => lab.subscribe(() => redraw((count) => count + 1)), [lab]);
  return lab;
}

export function useMedia(query: string): boolean {
  const [matches, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const listen = () => set(media.matches);
    listen();
    media.addEventListener('change', listen);
    return () => media.removeEventListener('change', listen);
  }, [query]);
  return matches;
}

export type Theme = 'system' | 'light' | 'dark';

/** What the user chose, here or in the system; kept where the browser lets us. */
export function useTheme(): { readonly theme: Theme; readonly palette: Palette; readonly next: () => void } {
  const [theme, set] = useState<Theme>(storedTheme);
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const shown = theme === 'system' ? (isDark ? 'dark' : 'light') : theme;
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = shown;
  }, [shown]);
  const next = () => {
    const other = shown === 'dark' ? 'light' : 'dark';
    set(other);
    try {
      localStorage.setItem('baton-theme', other);
    } catch {} // a browser that keeps nothing
  };
  return { theme, palette: shown === 'dark' ? dark : light, next };
}

function storedTheme(): Theme {
  try {
    const theme = localStorage.getItem('baton-theme');
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

/** The kinds of messages or accesses, in the order of their looks. */
export const kindsOf = ({ algorithm }: Pick<LabStore, 'algorithm'>): readonly string[] =>
  algorithmInfo(algorithm).kinds;

/** What processes are called: by position, with the id where they have one. */
export const processNames =
  ({ run }: LabStore) =>
  (process: number): string =>
    run.head.ids ? `p${process} (${run.setup.ids[process]})` : `p${process}`;
