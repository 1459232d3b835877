export { killStorm, type KillStormOptions, type KillStormReport } from './kill-storm.ts';
export { memoryWorld } from './memory-world.ts';
export { soak, type SoakOptions, type SoakProgress } from './soak/soak.ts';
export type { SoakCounts, SoakReport } from './soak/check-soak.ts';
export type { SharedStoreOptions } from './shared-store.ts';
export type { StoreAddress, Stores } from './store-address.ts';
export { testKillStorm } from './test-kill-storm.ts';
export { testSigkill } from './test-sigkill.ts';
export { testTwoProcesses } from './test-two-processes.ts';
