import { isRoot } from '@helix-agents/core/store';
import type { RunStatus } from '@helix-agents/core';
import type { CommitPlan } from '@helix-agents/core/store';

/** What one commit is for, told by what it writes. */
export type CommitPurpose =
  | 'create'
  | 'claim'
  | 'takeover'
  | 'supersede'
  | 'begin'
  | 'plan'
  | 'start'
  | 'result'
  | 'child-create'
  | 'child-claim'
  | 'continuation'
  | 'raise'
  | 'collect'
  | 'close'
  | 'suspend'
  | 'interrupt'
  | 'end'
  | 'close-child'
  | 'other';

/** One call out of a process: to the store, the stream, the model or a tool. The places where it can die. */
export interface Boundary {
  readonly place: 'store' | 'index' | 'stream' | 'model' | 'tool';
  /** Method, agent type or tool name. */
  readonly what: string;
  readonly purpose?: CommitPurpose;
  /** It writes to a session below the root. */
  readonly below?: boolean;
  /** Index of the call whose record this is. */
  readonly index?: number;
  /** Human calls this commit opens or settles. */
  readonly calls?: number;
  /** Types of the chunks that are appended, or carried by a commit. */
  readonly chunks?: readonly string[];
  /** A client's command that has not been committed yet: the process acts for it, not for a run. */
  readonly command: string | null;
  /** How many model calls and tools were under way in this process. */
  readonly thinking: number;
  readonly executing: number;
}

export interface PlanFacts {
  readonly purpose: CommitPurpose;
  readonly below: boolean;
  readonly index?: number;
  readonly calls: number;
  readonly chunks?: readonly string[];
}

/** Reads off a plan what it is for. */
export function factsOfPlan(plan: CommitPlan): PlanFacts {
  const { insert = {}, update = {}, sessions = [] } = plan;
  const record = insert.journal?.find((row) => row.kind !== 'plan');
  const touched = sessions.at(-1) ?? insert.sessions?.[0];
  return {
    purpose: purposeOf(plan),
    below: touched !== undefined && touched.sessionId !== plan.rootId,
    calls: count(insert.calls) + count(update.calls),
    ...(record ? { index: record.index } : {}),
    ...(plan.stream ? { chunks: plan.stream.entries.map(({ chunk }) => chunk.type) } : {}),
  };
}

function count(rows: readonly unknown[] | undefined): number {
  return rows ? rows.length : 0;
}

const BY_STATUS: { readonly [S in RunStatus]?: CommitPurpose } = {
  suspended_client_tool: 'suspend',
  suspended_awaiting_children: 'suspend',
  suspended_step_partial: 'suspend',
  interrupted: 'interrupt',
  completed: 'end',
  failed: 'end',
};

function purposeOf(plan: CommitPlan): CommitPurpose {
  const { insert = {}, sessions = [] } = plan;
  if (count(insert.runs) > 0) return claimPurpose(plan);
  const set = sessions.map((update) => update.set ?? {});
  if (set.some((fields) => fields.closed) || count(insert.sessions) > 0) return 'close-child';
  const status = set.find((fields) => fields.status !== undefined)?.status;
  if (status === 'running') return set.length > 1 ? 'child-claim' : 'takeover';
  const ended = status && BY_STATUS[status];
  if (ended) return ended;
  if (set.some((fields) => fields.stepId !== undefined)) return 'close';
  return set.some((fields) => fields.started) ? 'begin' : recordPurpose(plan);
}

function claimPurpose({ rootId, insert = {}, remove = {} }: CommitPlan): CommitPurpose {
  const created = insert.sessions?.[0];
  if (created) return isRoot(created) ? 'create' : 'child-create';
  if (count(remove.journal) > 0) return 'supersede';
  return insert.runs?.some((run) => run.sessionId !== rootId) ? 'child-claim' : 'claim';
}

function recordPurpose({ insert = {}, update = {} }: CommitPlan): CommitPurpose {
  const kinds = (insert.journal ?? []).map((row) => row.kind);
  if (kinds.includes('plan')) return 'plan';
  if (kinds.includes('start')) return 'start';
  const references = count(update.references);
  if (kinds.includes('result')) return references > 0 ? 'collect' : 'result';
  if (references > 0) return 'continuation';
  return count(insert.calls) + count(update.calls) > 0 ? 'raise' : 'other';
}

/** A boundary as one short line, for reports. */
export function describeBoundary(boundary: Boundary): string {
  const { place, what, purpose, below, index, chunks, thinking, executing } = boundary;
  const parts = [
    `${place}.${what}`,
    purpose,
    below ? 'below' : undefined,
    index === undefined ? undefined : `call ${index}`,
    chunks?.length ? `[${chunks.join(' ')}]` : undefined,
    thinking > 0 ? 'in a model call' : undefined,
    executing > 0 ? `${executing} tools running` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}
