export { EntryRates } from './entry-rates.ts';
export * from './lab-protocol.ts';
export { type HandledReport, LiveTraceBuilder, type ProcessReport } from './live-trace-builder.ts';
