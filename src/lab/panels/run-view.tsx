import { useState } from 'preact/hooks';
import { NetworkCanvas } from '../canvas/network-canvas.tsx';
import { SpaceTimeCanvas } from '../canvas/spacetime-canvas.tsx';
import { useLab } from '../ui/context.ts';
import { SpacingChoice } from '../ui/spacing-choice.tsx';
import { useMedia } from '../ui/use-media.ts';
import { ZoomButtons } from '../ui/zoom-buttons.tsx';
import { ClocksPanel } from './clocks.tsx';
import { CountersPanel } from './counters.tsx';
import { FoundPanel } from './found.tsx';
import { InFlightPanel } from './in-flight.tsx';
import { MeasuresPanel } from './measures.tsx';
import { Narration } from './narration.tsx';
import { PlaybackControls } from './playback-controls.tsx';
import { ProcessesPanel } from './processes.tsx';
import { RegistersPanel } from './registers.tsx';
import { ScenarioPanel } from './scenario.tsx';
import { SnapshotPanel } from './snapshot.tsx';
import { SourcePanel } from './source.tsx';

export function RunView({ isOpen }: { readonly isOpen: boolean }) {
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
          <MeasuresPanel />
          <FoundPanel />
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

function SpaceTimeToolbar() {
  const lab = useLab();
  const zoom = (by: number) => lab.zoomTo((lab.zoom === 'fit' ? 1 : lab.zoom) * by);
  return (
    <div class="head">
      <ZoomButtons zoom={zoom} fit={() => lab.zoomTo('fit')} what="diagram" />
      <SpacingChoice name="spacing" spacing={lab.spacing} set={(spacing) => lab.setSpacing(spacing)} />
    </div>
  );
}

function InspectorTabs({ isWide }: { readonly isWide: boolean }) {
  const lab = useLab();
  const [chosen, choose] = useState('states');
  const count = lab.traceIndex.inFlightAt(lab.position).length;
  const tabs = [
    { id: 'states', title: 'States', content: <ProcessesPanel /> },
    lab.traceIndex.registers.names.length > 0
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
