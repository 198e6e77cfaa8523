import { render } from 'preact';
import { resolve, titleOf } from '../catalogue/index.ts';
import { InputError } from '../core/assert.ts';
import { App } from './app/app.tsx';
import { AnimationLoop } from './canvas/animation-loop.ts';
import { takeAccessToken } from './live/access-token.ts';
import { WorkerConnection } from './run-worker/worker-connection.ts';
import { firstScenario } from './state/first-scenario.ts';
import { LabStore } from './state/lab-store.ts';
import { type PageState, parsePermalink } from './state/permalink.ts';
import { versionOf } from './state/source-texts.ts';
import './styles/base.css';
import './styles/page-layout.css';
import './styles/panels.css';
import './styles/clocks-and-snapshot.css';
import './styles/overlays.css';
import './styles/screen-sizes.css';

/** Shown when the page opens without a link: seven processes on a tree share a token. */
const welcomePage: PageState = {
  algorithm: 'raymond',
  fields: { n: '7', entries: '2', seed: '3' },
  interventions: [],
  position: null,
  spacing: 'even',
};

/** Only custom algorithms need a watchdog: those of the catalogue terminate. */
const lab = new LabStore((isCustom) => {
  const worker = new Worker(new URL('./run-worker/run.worker.ts', import.meta.url), { type: 'module' });
  return new WorkerConnection(worker, isCustom);
}, versionOf);

async function open(): Promise<void> {
  takeAccessToken();
  let pageState: PageState | null = null;
  try {
    pageState = withFirstScenario(parsePermalink(location.hash));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    lab.problem = error.message;
  }
  if (pageState?.source) {
    await openCustomAlgorithm(pageState);
    return;
  }
  if (pageState && ((await lab.load(pageState)) || lab.problem === null)) return;
  const { problem } = lab;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!lab.run) await lab.load({ ...welcomePage, position: isStill ? 0 : null });
  lab.problem ??= problem;
  lab.notify();
}

/** A link that only names an algorithm opens the same run as choosing it in the list. */
function withFirstScenario(pageState: PageState | null): PageState | null {
  if (!pageState || pageState.source || pageState.trace || Object.keys(pageState.fields).length > 0)
    return pageState;
  return { ...pageState, fields: firstScenario(resolve(pageState.algorithm)) };
}

/** Opens the algorithm of a link in the editor. Nothing runs before the user agrees. */
async function openCustomAlgorithm(pageState: PageState): Promise<void> {
  if (pageState.source === lab.draft?.packed && lab.view === 'edit') return;
  lab.unconfirmedLink = pageState;
  if (!lab.run) await lab.load({ ...welcomePage, position: 0, view: 'edit' });
  lab.openView('edit');
}

/** Renders the page when there is a run to display. */
function renderApp(): void {
  const root = document.getElementById('lab')!;
  if (!lab.run) {
    root.textContent = `The lab could not begin: ${lab.problem}`;
    return;
  }
  render(<App lab={lab} animationLoop={new AnimationLoop(lab)} />, root);
  lab.subscribe(syncLocation);
  syncLocation();
  window.addEventListener('hashchange', open);
}

// The address bar follows the page while it is not playing.
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
