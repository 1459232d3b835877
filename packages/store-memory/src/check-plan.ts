import type { CommitInserts, CommitPlan } from '@helix-agents/core';

/**
 * Throws on a plan no store promises to carry: a row named twice, a row of another root, no session
 * at all. SQL stores would quietly do something else with each of these, so a test on this store
 * must not pass.
 */
export function checkPlan(plan: CommitPlan): void {
  const { sessions = [], insert = {}, update = {} } = plan;
  if (sessions.length === 0 && !insert.sessions?.length) {
    fail(plan, 'names no session row; every write moves at least one');
  }
  checkRoots(plan, insert);
  checkRemovals(plan, insert);
  checkNames(plan, 'session', [...sessions, ...(insert.sessions ?? [])], (row) => [row.sessionId]);
  checkNames(plan, 'message', insert.messages, (row) => [row.sessionId, row.sequence]);
  checkNames(plan, 'journal', insert.journal, (row) => [
    row.sessionId,
    row.stepId,
    row.index,
    row.kind,
  ]);
  const calls = [...(insert.calls ?? []), ...(update.calls ?? []).map(({ key }) => key)];
  checkNames(plan, 'call', calls, (row) => [row.toolCallId, row.part]);
  const references = [...(insert.references ?? []), ...(update.references ?? [])];
  checkNames(plan, 'reference', references, (row) => [row.sessionId, row.subSessionId]);
  checkNames(plan, 'checkpoint', insert.checkpoints, (row) => [row.sessionId, row.version]);
  checkNames(plan, 'run', [...(insert.runs ?? []), ...(update.runs ?? [])], (row) => [row.runId]);
  checkNames(plan, 'usage', insert.usage, (row) => [row.id]);
}

/** No row of a table is named twice. */
function checkNames<T>(
  plan: CommitPlan,
  table: string,
  rows: readonly T[] | undefined,
  keyOf: (row: T) => readonly (string | number)[],
): void {
  if (!rows || rows.length < 2) return;
  const seen = new Set<string>();
  for (const row of rows) {
    const name = JSON.stringify([table, ...keyOf(row)]);
    if (seen.has(name)) fail(plan, `names the row ${name} twice`);
    seen.add(name);
  }
}

function checkRoots(plan: CommitPlan, insert: CommitInserts): void {
  const { sessions = [], calls = [], usage = [] } = insert;
  for (const { rootId } of [...sessions, ...calls, ...usage]) {
    if (rootId !== plan.rootId) fail(plan, `holds a row of root ${rootId}`);
  }
}

function checkRemovals(plan: CommitPlan, insert: CommitInserts): void {
  for (const gone of plan.remove?.journal ?? []) {
    const both = insert.journal?.some(
      (row) => row.sessionId === gone.sessionId && row.stepId === gone.stepId,
    );
    if (both) fail(plan, `inserts into and removes the journal of step ${gone.stepId}`);
  }
  for (const gone of plan.remove?.messagesAfter ?? []) {
    const both = insert.messages?.some(
      (row) => row.sessionId === gone.sessionId && row.sequence > gone.sequence,
    );
    if (both) fail(plan, `inserts and removes messages after ${gone.sequence}`);
  }
}

function fail(plan: CommitPlan, what: string): never {
  throw new Error(`commit ${plan.commitId} of root ${plan.rootId} ${what}`);
}
