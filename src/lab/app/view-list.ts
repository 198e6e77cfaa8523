import type { ComponentType } from 'preact';

export interface LabView {
  readonly id: string; // as in a permalink
  readonly title: string;
  readonly load?: () => Promise<ComponentType>; // called when the view opens; the run view is part of the page
}

export const labViews: readonly LabView[] = [
  { id: 'run', title: 'Run' },
  {
    id: 'check',
    title: 'Check',
    load: () => import('../check/check-view.tsx').then(({ CheckView }) => CheckView),
  },
  { id: 'edit', title: 'Edit', load: () => import('../edit/edit-view.tsx').then(({ EditView }) => EditView) },
  {
    id: 'measure',
    title: 'Measure',
    load: () => import('../measure/measure-view.tsx').then(({ MeasureView }) => MeasureView),
  },
  { id: 'live', title: 'Live', load: () => import('../live/live-view.tsx').then(({ LiveView }) => LiveView) },
];
