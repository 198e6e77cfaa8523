const key = 'baton-live-token';
let kept: string | null = null;

/** `#token=…` of the address that was printed: kept for this tab, and out of the address before somebody shares it. */
export function takeAccessToken(): void {
  const match = /^#token=([\w-]+)[#&]?(.*)$/s.exec(location.hash);
  if (!match) return;
  kept = match[1]!;
  try {
    sessionStorage.setItem(key, kept);
  } catch {} // a browser that keeps nothing: until the page is loaded again
  history.replaceState(null, '', match[2] === '' ? location.pathname : `#${match[2]}`);
}

export function accessToken(): string | null {
  try {
    return kept ?? sessionStorage.getItem(key);
  } catch {
    return kept;
  }
}

/** Whether the page comes from `baton lab`, which alone has processes to show. */
export const isServed = (): boolean => document.getElementById('lab')!.dataset.live !== undefined;
