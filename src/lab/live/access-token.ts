const key = 'baton-live-token';
let token: string | null = null;

/** Keeps the `#token=…` of the printed address for this tab, and removes it from the address so that nobody shares it. */
export function takeAccessToken(): void {
  const match = /^#token=([\w-]+)[#&]?(.*)$/s.exec(location.hash);
  if (!match) return;
  token = match[1]!;
  try {
    sessionStorage.setItem(key, token);
  } catch {} // the browser stores nothing: the token lasts until a reload
  history.replaceState(null, '', match[2] === '' ? location.pathname : `#${match[2]}`);
}

export function accessToken(): string | null {
  try {
    return token ?? sessionStorage.getItem(key);
  } catch {
    return token;
  }
}

/** Whether `baton lab` serves the page. Only then are there real processes to show. */
export const isServed = (): boolean => document.getElementById('lab')!.dataset.live !== undefined;
