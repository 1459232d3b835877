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
  const memo = { sessionId, agentType, runId };
  const pairs = (['sessionId', 'agentType'] as const).flatMap((label) => {
    const name = names[label];
    return name ? [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value: run[label] }] : [];
  });
  return { memo, ...(pairs[0] && { typedSearchAttributes: new TypedSearchAttributes(pairs) }) };
}
