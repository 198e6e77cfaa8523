import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Clocks } from './clocks.tsx';
import { Context, nameOf, useLab, useMedia, useTheme } from './context.ts';
import { Counters } from './counters.tsx';
import { Export, openFile, Share } from './export.tsx';
import { Icon } from './icons.tsx';
import { keyHelp, listenToKeys } from './keys.ts';
import type { Lab } from './lab.ts';
import { Network, Zoom } from './network.tsx';
import { OnTheWay } from './on-the-way.tsx';
import { OtherView, useView, ViewTabs } from './other-view.tsx';
import type { Painter } from './painter.ts';
import { Picker } from './picker.tsx';
import { Processes } from './processes.tsx';
import { Registers } from './registers.tsx';
import { Setup } from './setup.tsx';
import { Snapshot } from './snapshot.tsx';
import { Source } from './source.tsx';
import { SpaceTimeDiagram } from './spacetime.tsx';
import { Transport } from './transport.tsx';
import { sentence } from './words.ts';

export function App({ lab, painter }: { readonly lab: Lab; readonly painter: Painter }) {
  const { palette, next } = useTheme();
  const view = useView(lab);
  const [isOpen, setOpen] = useState(false); // the scenario, on a small screen
  useLayoutEffect(() => listenToKeys(lab), [lab]);
  useEffect(() => listenToDrops((file) => openFile(lab, file)), [lab]);
  return (
    <Context.Provider value={{ lab, painter, palette }}>
      <div class="app" data-view={view}>
        <Header toggleTheme={next} isOpen={isOpen} toggleScenario={() => setOpen(!isOpen)} />
        {view === 'run' ? <Run isOpen={isOpen} /> : <OtherView id={view} />}
      </div>
    </Context.Provider>
  );
}

function Run({ isOpen }: { readonly isOpen: boolean }) {
  const isWide = useMedia('(min-width: 1400px)');
  return (
    <>
      <main class={isWide ? 'wide' : ''}>
        <aside class={`left ${isOpen ? 'open' : ''}`} id="scenario" aria-label="Scenario">
          <Setup />
        </aside>
        <div class="pictures">
          <Network />
          <div class="between">
            <Narration />
            <SpaceTimeHead />
          </div>
          <SpaceTimeDiagram />
        </div>
        <aside class="right" aria-label="Inside the run">
          <Counters />
          <Clocks />
          <Snapshot />
          <Tabs isWide={isWide} />
        </aside>
        {isWide && (
          <aside class="text" aria-label="Source">
            <Source />
          </aside>
        )}
      </main>
      <Transport />
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
      <Picker />
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
      <Share />
      <Export />
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
  const { position, show, problem } = lab;
  const event = show.events[position - 1];
  const isEnd = show.isOver && position === show.events.length;
  const isBad = isEnd && show.verdict!.includes(' is violated');
  const isFromFuture = show.cut?.culprits.some(({ ended }) => ended === position - 1);
  return (
    <div class="narration" role="status" aria-live={lab.isPlaying ? 'off' : 'polite'}>
      <p>
        <span class="quiet time">{event ? `time ${event.time}` : 'time 0'}</span>
        {event ? sentence(event, nameOf(lab)) : 'Nothing has happened yet.'}
      </p>
      {show.head.loop === `${position}` && <p>From here it goes round for ever.</p>}
      {problem === null && !isBad && isFromFuture && (
        <p class="problem">It was sent after the cut and comes before it: the snapshot is not consistent.</p>
      )}
      {problem !== null && <p class="problem">Not done: {problem}.</p>}
      {problem === null && isBad && (
        <p class="problem">Violated: {show.verdict!.replace(' is violated', '')}.</p>
      )}
      {problem === null && isEnd && show.verdict === 'ok' && (
        <p class="fine">The run is over, and everything promised held.</p>
      )}
    </div>
  );
}

/** How the space-time diagram is laid out. */
function SpaceTimeHead() {
  const lab = useLab();
  const zoom = (by: number) => lab.zoomTo((lab.zoom === 'fit' ? 1 : lab.zoom) * by);
  return (
    <div class="head">
      <Zoom zoom={zoom} fit={() => lab.zoomTo('fit')} what="diagram" />
      <SpacingChoice lab={lab} />
    </div>
  );
}

function SpacingChoice({ lab }: { readonly lab: Lab }) {
  return (
    <div class="spacing" role="radiogroup" aria-label="Spacing of events">
      {(['even', 'time'] as const).map((spacing) => (
        <label key={spacing}>
          <input
            type="radio"
            name="spacing"
            checked={lab.spacing === spacing}
            onChange={() => lab.arrange(spacing)}
          />
          <span>{spacing === 'even' ? 'Step by step' : 'As in time'}</span>
        </label>
      ))}
    </div>
  );
}

function Tabs({ isWide }: { readonly isWide: boolean }) {
  const lab = useLab();
  const [chosen, choose] = useState('states');
  const count = lab.chronicle.onTheWay(lab.position).length;
  const tabs = [
    { id: 'states', title: 'States', content: <Processes /> },
    lab.chronicle.registers.names.length > 0
      ? { id: 'registers', title: 'Registers', content: <Registers /> }
      : { id: 'way', title: `On the way (${count})`, content: <OnTheWay /> },
    ...(isWide ? [] : [{ id: 'source', title: 'Source', content: <Source /> }]),
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
