import type { ProcessPhase } from './trace-index.ts';

/** The colours of a diagram. Shapes or dashes repeat what each colour means. */
export interface Palette {
  readonly background: string;
  /** Text and events. */
  readonly foreground: string;
  /** Secondary text. */
  readonly muted: string;
  /** Lanes and links. */
  readonly line: string;
  /** A process, by its phase. */
  readonly phases: Readonly<Record<ProcessPhase, string>>;
  /** Messages, by their kind. With more kinds than colours, colours repeat. */
  readonly kinds: readonly string[];
  /** The cut of a snapshot. */
  readonly cut: string;
  /** What breaks a property. */
  readonly wrong: string;
}

// After M. Okabe, K. Ito: Color Universal Design; darker on white, lighter on black.

/** The colours on white. */
export const light: Palette = {
  background: '#ffffff',
  foreground: '#1c1b19',
  muted: '#5f5b54',
  line: '#b9b4aa',
  phases: {
    idle: '#8b867c',
    waiting: '#b36b00',
    inside: '#00805d',
    leader: '#0067a3',
    follower: '#6d7f8c',
    crashed: '#1c1b19',
  },
  kinds: ['#0072b2', '#c24f00', '#00805d', '#a8487f', '#8a6a00', '#2b83ba', '#55514b'],
  cut: '#7a3fb5',
  wrong: '#b3261e',
};

/** The colours on black. */
export const dark: Palette = {
  background: '#191b1f',
  foreground: '#f0eee9',
  muted: '#b3afa6',
  line: '#565a63',
  phases: {
    idle: '#8d929c',
    waiting: '#f0a93b',
    inside: '#3ecfa0',
    leader: '#6bb8f0',
    follower: '#8ea3b3',
    crashed: '#6b6f78',
  },
  kinds: ['#5ab4f0', '#ff9454', '#3ecfa0', '#e89ac7', '#e8c547', '#9cc7ea', '#cfcac1'],
  cut: '#bd93f0',
  wrong: '#ff7b72',
};

const dashes: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/**
 * Returns the style of messages of the k-th kind. Snapshot markers have the colour of the cut.
 * @example
 * import { light, messageStyle } from 'batonjs-lab/diagram';
 *
 * messageStyle(light, 1); // → { colour: '#c24f00', dashes: [7, 3] }
 * messageStyle(light, 1, 'marker').colour === light.cut; // → true
 */
export const messageStyle = (
  palette: Palette,
  k: number,
  kind?: string,
): { colour: string; dashes: readonly number[] } =>
  kind === markerKind
    ? { colour: palette.cut, dashes: [1.5, 3] }
    : { colour: palette.kinds[k % palette.kinds.length]!, dashes: dashes[k % dashes.length]! };

/** The kind of the messages that a snapshot adds to the algorithm's own. */
export const markerKind = 'marker';

/** The phase of a process as a glyph, for readers who cannot see the colour. */
export const glyphs: Readonly<Record<ProcessPhase, string>> = {
  idle: '',
  waiting: '…',
  inside: '●',
  leader: '★',
  follower: '✓',
  crashed: '✕',
};
