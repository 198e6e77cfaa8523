import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AnimationLoop } from '../canvas/animation-loop.ts';
import { NetworkCanvas, ZoomButtons } from '../canvas/network-canvas.tsx';
import { SpaceTimeCanvas } from '../canvas/spacetime-canvas.tsx';
import { ClocksPanel } from '../panels/clocks.tsx';
import { CountersPanel } from '../panels/counters.tsx';
import { InFlightPanel } from '../panels/in-flight.tsx';
import { PlaybackControls } from '../panels/playback-controls.tsx';
import { ProcessesPanel } from '../panels/processes.tsx';
import { RegistersPanel } from '../panels/registers.tsx';
import { ScenarioPanel } from '../panels/scenario.tsx';
import { SnapshotPanel } from '../panels/snapshot.tsx';
import { SourcePanel } from '../panels/source.tsx';
import type { LabStore } from '../state/lab-store.ts';
import { LabContext, processNames, useLab, useMedia, useTheme } from '../ui/context.ts';
import { eventSentence } from '../ui/event-text.ts';
import { Icon } from '../ui/icons.tsx';
import { AlgorithmPicker } from './algorithm-picker.tsx';
import { ExportMenu, openFile, ShareButton } from './export.tsx';
import { keyHelp, listenToKeys } from './keyboard.ts';
import { LazyView, useCurrentView, ViewTabs } from './view-switch.tsx';

export function App({ lab, painter }: { readonly lab: LabStore; readonly painter: AnimationLoop }) {
  const { palette, next } = useTheme();
  const view = useCurrentView(lab);
  const [isOpen, setOpen] = useState(false); // the scenario, on a small screen
  useLayoutEffect(() => listenToKeys(lab), [lab]);
  useEffect(() => listenToDrops((file) => openFile(lab, file)), [lab]);
  return (
    <LabContext.Provider value={{ lab, painter, palette }}>
      <div class="app" data-view={view}>
        <Header toggleTheme={next} isOpen={isOpen} toggleScenario={() => setOpen(!isOpen)} />
        {view === 'run' ? <RunView isOpen={isOpen} /> : <LazyView id={view} />}
      </div>
    </LabContext.Provider>
  );
}

function RunView({ isOpen }: { readonly isOpen: boolean }) {
  const isWide = useMedia('(min-width: 1400px)');
  return (
    <>
      <main class={isWide ? 'wide' : ''}>
        <aside class={`left ${isOpen ? 'open' : ''}`} id="scenario" aria-label="Scenario">
          <ScenarioPanel />
        </aside>
        <div class="pictures">
          <NetworkCanvas />
          <div class="between">
            <Narration />
            <SpaceTimeToolbar />
          </div>
          <SpaceTimeCanvas />
        </div>
        <aside class="right" aria-label="Inside the run">
          <CountersPanel />
          <ClocksPanel />
          <SnapshotPanel />
          <InspectorTabs isWide={isWide} />
        </aside>
        {isWide && (
          <aside class="text" aria-label="Source">
            <SourcePanel />
          </aside>
        )}
      </main>
      <PlaybackControls />
    </>
  );
}

/** A file may be dropped anywhere. */
function listenToDrops(open: (file: File | undefined) => void): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    open(event.dataTransfer?.files[0]);
  };
  document.addEventListener('dragover', over);
  document.addEventListener('drop', drop);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('drop', drop);
  };
}

interface HeaderProps {
  readonly toggleTheme: () => void;
  readonly isOpen: boolean;
  readonly toggleScenario: () => void;
}

function Header({ toggleTheme, isOpen, toggleScenario }: HeaderProps) {
  const help = useRef<HTMLDialogElement>(null);
  return (
    <header>
      <h1>
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <title>a baton</title>
          <g transform="rotate(-45 16 16)">
            <rect x="2" y="12" width="28" height="8" rx="4" class="baton" />
            <rect x="11" y="12" width="10" height="8" fill="#e69f00" />
          </g>
        </svg>
        Baton <span>lab</span>
      </h1>
      <AlgorithmPicker />
      <ViewTabs />
      <button
        type="button"
        class="to-scenario"
        aria-controls="scenario"
        aria-expanded={isOpen}
        onClick={toggleScenario}
      >
        Scenario
      </button>
      <span class="spacer" />
      <ShareButton />
      <ExportMenu />
      <button
        type="button"
        class="icon"
        data-key="d"
        aria-label="Light or dark"
        title="Light or dark (d)"
        onClick={toggleTheme}
      >
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="icon help"
        data-key="?"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => help.current!.showModal()}
      >
        ?
      </button>
      <Help dialog={help} />
    </header>
  );
}

const marks: readonly (readonly [string, string])[] = [
  ['…', 'waiting'],
  ['●', 'inside'],
  ['★', 'leads'],
  ['✓', 'knows the leader'],
  ['‖', 'paused'],
  ['✕', 'crashed; or lost'],
  ['◇', 'a call of the application'],
  ['↓ ↑', 'a write to a register; a read'],
];

function Help({ dialog }: { readonly dialog: { current: HTMLDialogElement | null } }) {
  const rows = (title: string, pairs: readonly (readonly [string, string])[]) => (
    <>
      <h2>{title}</h2>
      <dl>
        {pairs.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return (
    <dialog ref={dialog} aria-label="Keys" class="keys">
      <form method="dialog">
        {rows('Keys', keyHelp)}
        {rows('Marks', marks)}
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

/** What has just happened, in words; or how it ended, or what cannot be done. */
function Narration() {
  const lab = useLab();
  const { position, run, problem } = lab;
  const event = run.events[position - 1];
  const isEnd = run.isOver && position === run.events.length;
  const isBad = isEnd && run.verdict!.includes(' is violated');
  const isFromFuture = run.cut?.inconsistent.some(({ ended }) => ended === position - 1);
  return (
    <div class="narration" role="status" aria-live={lab.isPlaying ? 'off' : 'polite'}>
      <p>
        <span class="quiet time">{event ? `time ${event.time}` : 'time 0'}</span>
        {event ? eventSentence(event, processNames(lab)) : 'Nothing has happened yet.'}
      </p>
      {run.head.loop === `${position}` && <p>From here it goes round for ever.</p>}
      {problem === null && !isBad && isFromFuture && (
        <p class="problem">It was sent after the cut and comes before it: the snapshot is not consistent.</p>
      )}
      {problem !== null && <p class="problem">Not done: {problem}.</p>}
      {problem === null && isBad && (
        <p class="problem">Violated: {run.verdict!.replace(' is violated', '')}.</p>
      )}
      {problem === null && isEnd && run.verdict === 'ok' && (
        <p class="fine">The run is over, and everything promised held.</p>
      )}
    </div>
  );
}

/** How the space-time diagram is laid out. */
function SpaceTimeToolbar() {
  const lab = useLab();
  const zoom = (by: number) => lab.zoomTo((lab.zoom === 'fit' ? 1 : lab.zoom) * by);
  return (
    <div class="head">
      <ZoomButtons zoom={zoom} fit={() => lab.zoomTo('fit')} what="diagram" />
      <SpacingChoice lab={lab} />
    </div>
  );
}

function SpacingChoice({ lab }: { readonly lab: LabStore }) {
  return (
    <div class="spacing" role="radiogroup" aria-label="Spacing of events">
      {(['even', 'time'] as const).map((spacing) => (
        <label key={spacing}>
          <input
            type="radio"
            name="spacing"
            checked={lab.spacing === spacing}
            onChange={() => lab.setSpacing(spacing)}
          />
          <span>{spacing === 'even' ? 'Step by step' : 'As in time'}</span>
        </label>
      ))}
    </div>
  );
}

function InspectorTabs({ isWide }: { readonly isWide: boolean }) {
  const lab = useLab();
  const [chosen, choose] = useState('states');
  const count = lab.chronicle.inFlightAt(lab.position).length;
  const tabs = [
    { id: 'states', title: 'States', content: <ProcessesPanel /> },
    lab.chronicle.registers.names.length > 0
      ? { id: 'registers', title: 'Registers', content: <RegistersPanel /> }
      : { id: 'way', title: `On the way (${count})`, content: <InFlightPanel /> },
    ...(isWide ? [] : [{ id: 'source', title: 'Source', content: <SourcePanel /> }]),
  ];
  const shown = tabs.find(({ id }) => id === chosen) ?? tabs[0]!;
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const next = tabs[(tabs.indexOf(shown) + by + tabs.length) % tabs.length]!;
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <section class="panel tabs">
      <div role="tablist" aria-label="Inside the run" onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === shown.id}
            aria-controls="tab-content"
            tabIndex={id === shown.id ? 0 : -1}
            onClick={() => choose(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-content" aria-labelledby={`tab-${shown.id}`}>
        {shown.content}
      </div>
    </section>
  );
}
