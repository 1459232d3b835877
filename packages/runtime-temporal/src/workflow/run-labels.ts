import type { LoopRun } from '@helix-agents/core/loop';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { SearchAttributeNames } from '../workflow-contract.ts';

export interface RunLabels {
  readonly memo: { readonly sessionId: string; readonly agentType: string; readonly runId: string };
  readonly typedSearchAttributes?: TypedSearchAttributes;
}

/** How a run shows up in Temporal's lists: a memo always, search attributes where names were given. */
export function describeRun(run: LoopRun, names: SearchAttributeNames = {}): RunLabels {
  const { sessionId, agentType, runId } = run;
  const pairs = [
    [names.sessionId, sessionId],
    [names.agentType, agentType],
  ].flatMap(([name, value]) =>
    name === undefined || value === undefined
      ? []
      : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }],
  );
  const memo = { sessionId, agentType, runId };
  return pairs.length === 0
    ? { memo }
    : { memo, typedSearchAttributes: new TypedSearchAttributes(pairs) };
}
