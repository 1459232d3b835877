import type { Operations } from '@helix-agents/core';

/** What the operations of core answer with. */
export type OperationResults = {
  readonly [Name in keyof Operations]: Awaited<ReturnType<Operations[Name]>>;
};
