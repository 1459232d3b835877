import type { CommitInserts, CommitPlan, CommitUpdates } from '@helix-agents/core';

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
  const seen = new Set<string>();
  for (const name of [
    ...sessions.map((row) => nameOf('session', row.sessionId)),
    ...insertedNames(insert),
    ...updatedNames(update),
  ]) {
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

function insertedNames(insert: CommitInserts): string[] {
  const { sessions = [], messages = [], journal = [], calls = [], references = [] } = insert;
  const { checkpoints = [], runs = [], usage = [] } = insert;
  return [
    ...sessions.map((row) => nameOf('session', row.sessionId)),
    ...messages.map((row) => nameOf('message', row.sessionId, row.sequence)),
    ...journal.map((row) => nameOf('journal', row.sessionId, row.stepId, row.index, row.kind)),
    ...calls.map((row) => nameOf('call', row.toolCallId, row.part)),
    ...references.map((row) => nameOf('reference', row.sessionId, row.subSessionId)),
    ...checkpoints.map((row) => nameOf('checkpoint', row.sessionId, row.version)),
    ...runs.map((row) => nameOf('run', row.runId)),
    ...usage.map((row) => nameOf('usage', row.id)),
  ];
}

function updatedNames(update: CommitUpdates): string[] {
  const { calls = [], references = [], runs = [] } = update;
  return [
    ...calls.map(({ key }) => nameOf('call', key.toolCallId, key.part)),
    ...references.map((row) => nameOf('reference', row.sessionId, row.subSessionId)),
    ...runs.map((row) => nameOf('run', row.runId)),
  ];
}

function nameOf(...key: readonly (string | number)[]): string {
  return JSON.stringify(key);
}

function fail(plan: CommitPlan, what: string): never {
  throw new Error(`commit ${plan.commitId} of root ${plan.rootId} ${what}`);
}
