// Rows and plans for tests of stores. Without vitest, so that other processes can use them too.
export { freshCommitId, planFor, recordFor, seed } from './store/plans.ts';
export {
  callRow,
  checkpointRow,
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
