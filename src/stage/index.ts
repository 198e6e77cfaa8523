export { type Bend, ClockHistory } from './clock-history.ts';
export {
  assumptionsBroken,
  type Intervention,
  interventionsText,
  parseInterventions,
} from './intervention.ts';
export { open, Recorded } from './recorded.ts';
export { Remembered } from './remembered.ts';
export { type Recording, recordingAt } from './snapshot.ts';
export { limitsAt, type Show, Stage, traceFrom } from './stage.ts';
export { type Account, Tally } from './tally.ts';
