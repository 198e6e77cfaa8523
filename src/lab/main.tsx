import { render } from 'preact';
import { titleOf } from '../catalogue/index.ts';
import { InputError } from '../core/assert.ts';
import { parseAddress, type Scene } from './address.ts';
import { App } from './app.tsx';
import { Lab } from './lab.ts';
import { takeToken } from './live/token.ts';
import { Painter } from './painter.ts';
import { WorkerThread } from './run/worker-thread.ts';
import './styles/base.css';
import './styles/frame.css';
import './styles/panels.css';
import './styles/time.css';
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

/** What is in the catalogue ends; what somebody wrote need not. */
const lab = new Lab((isWritten) => {
  const worker = new Worker(new URL('./run/run.worker.ts', import.meta.url), { type: 'module' });
  return new WorkerThread(worker, isWritten);
});

async function open(): Promise<void> {
  takeToken();
  let scene: Scene | null = null;
  try {
    scene = parseAddress(location.hash);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    lab.problem = error.message;
  }
  if (scene?.source) {
    await openWritten(scene);
    return;
  }
  if (scene && ((await lab.load(scene)) || lab.problem === null)) return;
  const { problem } = lab;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!lab.show) await lab.load({ ...welcome, position: isStill ? 0 : null });
  lab.problem ??= problem;
  lab.changed();
}

/** What comes with a text of its own is shown in the editor: nothing runs before somebody has agreed. */
async function openWritten(scene: Scene): Promise<void> {
  if (scene.source === lab.draft?.packed && lab.view === 'edit') return;
  lab.linked = scene;
  if (!lab.show) await lab.load({ ...welcome, position: 0, view: 'edit' });
  lab.look('edit');
}

/** Once there is a run to be seen. */
function begin(): void {
  const root = document.getElementById('lab')!;
  if (!lab.show) {
    root.textContent = `The lab could not begin: ${lab.problem}`;
    return;
  }
  render(<App lab={lab} painter={new Painter(lab)} />, root);
  lab.subscribe(follow);
  follow();
  window.addEventListener('hashchange', open);
}

// The address follows what is seen, once it stands still.
let timer = 0;
let title = '';
function follow(): void {
  clearTimeout(timer);
  const next = `${titleOf(lab.algorithm)} · Baton lab`;
  if (next !== title) document.title = title = next;
  const { address } = lab;
  if (lab.isPlaying || address === null) return;
  timer = window.setTimeout(() => history.replaceState(null, '', address), 250);
}

open().then(begin);
