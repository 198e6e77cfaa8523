export { type BoundsStatus, BoundsTracker, limitsAfter } from './bounds-tracker.ts';
export { ClockHistory, type OffsetPoint } from './clock-history.ts';
export { MeasureHistory, type MeasuringPlan, measuringPlanOf } from './measure-history.ts';
export { type RecordedSnapshot, recordedSnapshotAt } from './recorded-snapshot.ts';
export { openTrace, ReplayedTimeline } from './replayed-timeline.ts';
export {
  assumptionsDropped,
  interventionsText,
  parseInterventions,
  type ScheduledIntervention,
} from './scheduled-intervention.ts';
export { type StateFields, StateHistory } from './state-history.ts';
export { changesText, type FieldChange, StateText } from './state-text.ts';
export { SimulatedTimeline, type Timeline, traceOfTimeline } from './timeline.ts';
