export type {
  SessionStoreUnderTest,
  StoreCapabilities,
  TestSessionStoreOptions,
} from './store/harness.ts';
export { freshCommitId, planFor, recordFor, seed } from './store/plans.ts';
export {
  callRow,
  checkpointRow,
  keyOf,
  messageRow,
  planRow,
  referenceRow,
  refOf,
  resultRow,
  runRow,
  sessionRow,
  settledCallRow,
  startRow,
  T0,
  usageRow,
} from './store/rows.ts';
export { testSessionStore } from './store/test-session-store.ts';
