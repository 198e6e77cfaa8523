import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { about } from '../catalogue/index.ts';
import { dark, light, type Palette } from '../diagram/index.ts';
import type { Lab } from './lab.ts';
import type { Painter } from './painter.ts';

export interface Shared {
  readonly lab: Lab;
  readonly painter: Painter;
  readonly palette: Palette;
}

export const Context = createContext<Shared | null>(null);

export const useShared = (): Shared => useContext(Context)!;

/** The lab; who uses it is drawn again when it has changed. */
export function useLab(): Lab {
  const { lab } = useShared();
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
  const [theme, set] = useState<Theme>(remembered);
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

function remembered(): Theme {
  try {
    const theme = localStorage.getItem('baton-theme');
    return theme === 'light' || theme === 'dark' ? theme : 'system';
  } catch {
    return 'system';
  }
}

/** The kinds of messages or accesses, in the order of their looks. */
export const kindsOf = ({ algorithm }: Pick<Lab, 'algorithm'>): readonly string[] => about(algorithm).kinds;

/** What processes are called: by position, with the id where they have one. */
export const nameOf =
  ({ show }: Lab) =>
  (process: number): string =>
    show.head.ids ? `p${process} (${show.setup.ids[process]})` : `p${process}`;
