export {
  assumptionsBroken,
  type Intervention,
  interventionsText,
  parseInterventions,
} from './intervention.ts';
export { open, Recorded } from './recorded.ts';
export { limitsAt, type Show, Stage, traceText } from './stage.ts';
