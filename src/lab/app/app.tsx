import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { titleOf } from '../../catalogue/index.ts';
import type { AnimationLoop } from '../canvas/animation-loop.ts';
import { RunView } from '../panels/run-view.tsx';
import type { LabStore } from '../state/lab-store.ts';
import { LabContext, useLab } from '../ui/context.ts';
import { useTheme } from '../ui/theme.ts';
import { openFile } from './export.tsx';
import { Header } from './header.tsx';
import { listenToKeys } from './keyboard.ts';
import { LazyView, useCurrentView } from './view-switch.tsx';

export function App({
  lab,
  animationLoop,
}: {
  readonly lab: LabStore;
  readonly animationLoop: AnimationLoop;
}) {
  const { palette, next } = useTheme();
  const view = useCurrentView(lab);
  const [isOpen, setOpen] = useState(false); // the scenario panel on a small screen
  useLayoutEffect(() => listenToKeys(lab), [lab]);
  useEffect(() => listenToDrops((file) => openFile(lab, file)), [lab]);
  return (
    <LabContext.Provider value={{ lab, animationLoop, palette }}>
      <div class="app" data-view={view}>
        <Header toggleTheme={next} isOpen={isOpen} toggleScenario={() => setOpen(!isOpen)} />
        <ChangedText />
        {view === 'run' ? <RunView isOpen={isOpen} /> : <LazyView id={view} />}
      </div>
    </LabContext.Provider>
  );
}

/** Says that a link was made with another text of the algorithm. The element is always there, so that a screen reader announces it. */
function ChangedText() {
  const lab = useLab();
  return (
    <div class="changed" role="status">
      {lab.hasTextChanged && (
        <p class="warning">
          The text of {titleOf(lab.algorithm)} has changed since this link was made. The run may differ from
          the one that was shared.
        </p>
      )}
    </div>
  );
}

/** Opens a file that the user drops anywhere on the page. */
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
