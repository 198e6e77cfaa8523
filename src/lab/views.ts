import type { ComponentType } from 'preact';

export interface View {
  readonly id: string; // as in the address
  readonly title: string;
  readonly load?: () => Promise<{ readonly View: ComponentType }>; // when it is first opened; the run is always there
}

export const views: readonly View[] = [
  { id: 'run', title: 'Run' },
  { id: 'check', title: 'Check', load: () => import('./check/view.tsx') },
  { id: 'edit', title: 'Edit', load: () => import('./edit/view.tsx') },
  { id: 'measure', title: 'Measure', load: () => import('./measure/view.tsx') },
  { id: 'live', title: 'Live', load: () => import('./live/view.tsx') },
];
