export { clocksWithRecovery } from './clock-master-recovery.ts';
export { crashTolerantRing } from './crash-tolerant-ring.ts';
export { lockWithRecovery } from './lock-recovery.ts';
export { repeatedElection } from './repeated-election.ts';
export { withRecovery } from './with-recovery.ts';
export { withSnapshots } from './with-snapshots.ts';
