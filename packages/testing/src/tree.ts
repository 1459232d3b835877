// Without vitest: for programs that run, and are killed, outside of a test.
export { factsOfPlan } from './crash/boundary.ts';
export type { CommitPurpose, PlanFacts } from './crash/boundary.ts';
export { checkTree } from './crash/check-tree.ts';
export { dumpTree } from './crash/tree-dump.ts';
export type { SessionDump, TreeDump, TreeSource } from './crash/tree-dump.ts';
