import { render } from 'preact';
import { titleOf } from '../catalogue/index.ts';
import { InputError } from '../core/assert.ts';
import { App } from './app/app.tsx';
import { AnimationLoop } from './canvas/animation-loop.ts';
import { takeAccessToken } from './live/access-token.ts';
import { WorkerConnection } from './run-worker/worker-connection.ts';
import { LabStore } from './state/lab-store.ts';
import { type PageState, parsePermalink } from './state/permalink.ts';
import './styles/base.css';
import './styles/page-layout.css';
import './styles/panels.css';
import './styles/clocks-and-snapshot.css';
import './styles/overlays.css';
import './styles/screen-sizes.css';

/** A tree of seven, a token, everybody asks: something to look at. */
const welcomePage: PageState = {
  algorithm: 'raymond',
  fields: { n: '7', entries: '2', seed: '3' },
  interventions: [],
  position: null,
  spacing: 'even',
};

/** What is in the catalogue ends; what somebody wrote need not. */
const lab = new LabStore((isWritten) => {
  const worker = new Worker(new URL('./run-worker/run.worker.ts', import.meta.url), { type: 'module' });
  return new WorkerConnection(worker, isWritten);
});

async function open(): Promise<void> {
  takeAccessToken();
  let scene: PageState | null = null;
  try {
    scene = parsePermalink(location.hash);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    lab.problem = error.message;
  }
  if (scene?.source) {
    await openCustomAlgorithm(scene);
    return;
  }
  if (scene && ((await lab.load(scene)) || lab.problem === null)) return;
  const { problem } = lab;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!lab.run) await lab.load({ ...welcomePage, position: isStill ? 0 : null });
  lab.problem ??= problem;
  lab.notify();
}

/** What comes with a text of its own is shown in the editor: nothing runs before somebody has agreed. */
async function openCustomAlgorithm(scene: PageState): Promise<void> {
  if (scene.source === lab.draft?.packed && lab.view === 'edit') return;
  lab.unconfirmedLink = scene;
  if (!lab.run) await lab.load({ ...welcomePage, position: 0, view: 'edit' });
  lab.openView('edit');
}

/** Once there is a run to be seen. */
function renderApp(): void {
  const root = document.getElementById('lab')!;
  if (!lab.run) {
    root.textContent = `The lab could not begin: ${lab.problem}`;
    return;
  }
  render(<App lab={lab} painter={new AnimationLoop(lab)} />, root);
  lab.subscribe(syncLocation);
  syncLocation();
  window.addEventListener('hashchange', open);
}

// The address follows what is seen, once it stands still.
let timer = 0;
let title = '';
function syncLocation(): void {
  clearTimeout(timer);
  const next = `${titleOf(lab.algorithm)} · Baton lab`;
  if (next !== title) document.title = title = next;
  const { permalink } = lab;
  if (lab.isPlaying || permalink === null) return;
  timer = window.setTimeout(() => history.replaceState(null, '', permalink), 250);
}

open().then(renderApp);
