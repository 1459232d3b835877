import { callKeyText, userMessageId } from '@helix-agents/core/store';
import type {
  CallKey,
  CallUpdate,
  ChildReferenceRow,
  CommitInserts,
  CommitPlan,
  InputUpdate,
  JournalRow,
  MessageRow,
  UsageRow,
} from '@helix-agents/core/store';

/**
 * Throws on an invalid plan: a row named twice, a row of another root, or no session at all. Other stores would silently do something
 * else with each of these, so a test on this store must fail.
 */
export function checkPlan(plan: CommitPlan): void {
  const { sessions, insert = {}, update = {} } = plan;
  if (!sessions?.length && !insert.sessions?.length) {
    fail(plan, 'names no session row; every write moves at least one');
  }
  checkRoots(plan, insert.sessions);
  checkRoots(plan, insert.calls);
  checkRoots(plan, insert.usage);
  checkRemovals(plan, insert);
  checkNames(plan, 'session', (row) => row.sessionId, sessions, insert.sessions);
  checkNames(plan, 'message', (row) => `${row.sequence} ${row.sessionId}`, insert.messages);
  checkNames(plan, 'message', messageName, insert.messages?.filter(hasId));
  checkNames(plan, 'journal', journalName, insert.journal);
  checkNames(plan, 'call', callName, insert.calls, update.calls);
  checkNames(plan, 'reference', referenceName, insert.references, update.references);
  checkNames(plan, 'checkpoint', (row) => `${row.version} ${row.sessionId}`, insert.checkpoints);
  checkNames(plan, 'run', (row) => row.runId, insert.runs, update.runs);
  checkNames(plan, 'input', inputName, update.inputs);
  checkNames(plan, 'usage', usageName, insert.usage);
}

// Ids may contain any character, so they cannot be joined with a separator.

function journalName(row: JournalRow): string {
  return `${row.stepId} ${row.index} ${row.kind} ${row.sessionId}`;
}

function hasId(row: MessageRow): boolean {
  return userMessageId(row.message) !== undefined;
}

function messageName(row: MessageRow): string {
  return JSON.stringify([row.sessionId, userMessageId(row.message)]);
}

function callName(row: CallKey | CallUpdate): string {
  return callKeyText('key' in row ? row.key : row);
}

function referenceName(row: Pick<ChildReferenceRow, 'sessionId' | 'subSessionId'>): string {
  return JSON.stringify([row.sessionId, row.subSessionId]);
}

function inputName(row: Pick<InputUpdate, 'sessionId' | 'inputId'>): string {
  return JSON.stringify([row.sessionId, row.inputId]);
}

function usageName(row: Pick<UsageRow, 'sessionId' | 'id'>): string {
  return JSON.stringify([row.sessionId, row.id]);
}

/** No row of a table is named twice. */
function checkNames<A, B = A>(
  plan: CommitPlan,
  table: string,
  nameOf: (row: A | B) => string,
  inserted: readonly A[] = [],
  updated: readonly B[] = [],
): void {
  if (inserted.length + updated.length < 2) return;
  const seen = new Set<string>();
  for (const rows of [inserted, updated]) {
    for (const row of rows) {
      const name = nameOf(row);
      if (seen.has(name)) fail(plan, `names the ${table} ${name} twice`);
      seen.add(name);
    }
  }
}

function checkRoots(plan: CommitPlan, rows: readonly { readonly rootId: string }[] = []): void {
  for (const { rootId } of rows) {
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
}

function fail(plan: CommitPlan, what: string): never {
  throw new Error(`commit ${plan.commitId} of root ${plan.rootId} ${what}`);
}
