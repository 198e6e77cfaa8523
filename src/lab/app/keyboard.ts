import { seekEntry } from '../panels/playback-controls.tsx';
import { type LabStore, speeds } from '../state/lab-store.ts';

export const keyHelp: readonly (readonly [string, string])[] = [
  ['space', 'play or pause'],
  ['← →', 'one event back or on; with shift, ten'],
  ['Home End', 'to the beginning, to the end'],
  ['n N', 'next or previous entry'],
  ['[ ]', 'slower, faster'],
  ['t', 'events one step apart, or as in time'],
  ['Ctrl Enter', 'run the text, check, or play from the beginning'],
  ['/', 'choose an algorithm'],
  ['d', 'light or dark'],
  ['?', 'this help'],
];

/** Handles keys everywhere on the page except in text fields. */
export function listenToKeys(lab: LabStore): () => void {
  const press = (selector: string) =>
    document.querySelector<HTMLElement>(`[data-key="${selector}"]`)?.click();
  const globalKeys = { '/': () => press('/'), d: () => press('d'), '?': () => press('?') }; // in every view
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ' ': () => lab.play(),
    ArrowLeft: ({ shiftKey }) => lab.step(shiftKey ? -10 : -1),
    ArrowRight: ({ shiftKey }) => lab.step(shiftKey ? 10 : 1),
    Home: () => lab.goTo(0),
    End: () => lab.goToEnd(),
    n: () => seekEntry(lab),
    N: () => seekEntry(lab, -1),
    '[': () => changeSpeed(lab, -1),
    ']': () => changeSpeed(lab, 1),
    t: () => lab.setSpacing(lab.spacing === 'even' ? 'time' : 'even'),
    ...globalKeys,
    Escape: () => lab.select(null),
  };
  const listen = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const isField =
      target.closest('input:not([type="range"]), select, textarea, .code-editor, dialog[open]') !== null;
    const isTab = event.key.startsWith('Arrow') && target.closest('[role="tablist"]') !== null;
    const isPressed = event.key === ' ' && target.closest('button, summary') !== null;
    const act = keys[event.key];
    const isHere = lab.view === 'run' || event.key in globalKeys;
    if (!act || !isHere || isField || isTab || isPressed || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    act(event);
  };
  // In fields and in the editor, too: they get the key afterwards.
  const listenEverywhere = (event: KeyboardEvent) => {
    const isCommand = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!isCommand || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    if (lab.view === 'run') {
      lab.goTo(0);
      lab.play(true);
    } else setTimeout(() => press('Ctrl+Enter')); // after a field has committed its text
  };
  document.addEventListener('keydown', listenEverywhere, true);
  document.addEventListener('keydown', listen);
  return () => {
    document.removeEventListener('keydown', listenEverywhere, true);
    document.removeEventListener('keydown', listen);
  };
}

function changeSpeed(lab: LabStore, by: number): void {
  const at = speeds.indexOf(lab.speed as (typeof speeds)[number]);
  lab.speed = speeds[Math.max(0, Math.min(speeds.length - 1, at + by))]!;
  lab.notify();
}
