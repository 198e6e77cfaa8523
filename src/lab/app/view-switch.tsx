import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { LabStore } from '../state/lab-store.ts';
import { useLabContext } from '../ui/context.ts';
import { labViews } from './view-list.ts';

/** Returns the current view and re-renders the component when it changes. */
export function useCurrentView(lab: LabStore): string {
  const [view, setView] = useState(lab.view);
  useLayoutEffect(() => lab.subscribe(() => setView(lab.view)), [lab]);
  return view;
}

export function ViewTabs() {
  const { lab } = useLabContext();
  const shown = useCurrentView(lab);
  return (
    <nav class="views" aria-label="Views">
      {labViews.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-current={shown === id ? 'page' : undefined}
          onClick={() => lab.openView(id)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

/** Loads and shows a view other than the run. */
export function LazyView({ id }: { readonly id: string }) {
  const [loaded, setLoaded] = useState<{ readonly id: string; readonly View: ComponentType } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const load = labViews.find((view) => view.id === id)?.load;
    if (!load) setProblem(`There is no view called '${id}'.`);
    load?.().then(
      (View) => setLoaded({ id, View }),
      () => setProblem('This part of the lab could not be loaded. Is it still being served?'),
    );
  }, [id]);
  if (loaded?.id === id) return <loaded.View />;
  return (
    <main class="other" aria-busy={problem === null}>
      {problem !== null && <p class="problem">{problem}</p>}
    </main>
  );
}
