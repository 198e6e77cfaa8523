export { clockFaces } from './clock-faces.ts';
export {
  assumptionsBroken,
  type Intervention,
  interventionsText,
  parseInterventions,
} from './intervention.ts';
export { open, Recorded } from './recorded.ts';
export { Remembered } from './remembered.ts';
export { limitsAt, type SetupOf, type Show, Stage, type Subject, traceText } from './stage.ts';
export { type Account, Tally } from './tally.ts';
