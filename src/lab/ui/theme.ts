import { useLayoutEffect, useState } from 'preact/hooks';
import { dark, light, type Palette } from '../../diagram/index.ts';
import { useMedia } from './use-media.ts';

export type Theme = 'system' | 'light' | 'dark';

/** Returns the theme that the user chose on the page or in the system. Stores it if the browser permits. */
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
    } catch {} // the browser stores nothing
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
