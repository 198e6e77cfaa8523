import { render } from 'preact';
import { InputError } from '../core/assert.ts';
import { parseAddress, type Scene } from './address.ts';
import { App } from './app.tsx';
import { titleOf } from './catalogue.ts';
import { Lab } from './lab.ts';
import { takeToken } from './live/token.ts';
import { Painter } from './painter.ts';
import './styles/base.css';
import './styles/frame.css';
import './styles/panels.css';
import './styles/overlays.css';
import './styles/small.css';

/** A tree of seven, a token, everybody asks: something to look at. */
const welcome: Scene = {
  algorithm: 'raymond',
  fields: { n: '7', entries: '2', seed: '3' },
  interventions: [],
  position: null,
  spacing: 'even',
};

const lab = new Lab();

function open(): void {
  takeToken();
  let scene: Scene | null = null;
  try {
    scene = parseAddress(location.hash);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    lab.problem = error.message;
  }
  if (scene?.source) {
    openWritten(scene);
    return;
  }
  if (scene && lab.load(scene)) return;
  const { problem } = lab;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!lab.show) lab.load({ ...welcome, position: isStill ? 0 : null });
  lab.problem = problem;
}

/** What comes with a text of its own is shown in the editor: nothing runs before somebody has agreed. */
function openWritten(scene: Scene): void {
  if (scene.source === lab.draft?.packed && lab.view === 'edit') return;
  lab.linked = scene;
  if (!lab.show) lab.load({ ...welcome, position: 0 });
  lab.look('edit');
}

open();
render(<App lab={lab} painter={new Painter(lab)} />, document.getElementById('lab')!);

// The address follows what is seen, once it stands still.
let timer = 0;
let title = '';
lab.subscribe(() => {
  clearTimeout(timer);
  const next = `${titleOf(lab.algorithm)} · Baton lab`;
  if (next !== title) document.title = title = next;
  if (lab.isPlaying || (!lab.stage && lab.view === 'run')) return;
  timer = window.setTimeout(() => history.replaceState(null, '', lab.address), 250);
});
window.addEventListener('hashchange', open);
