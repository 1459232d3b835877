import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type {
  CarryingSessions,
  SessionIndex,
  SessionRef,
  SessionStore,
  StepRows,
} from '@helix-agents/core/store';
import { applyPlan } from './apply-plan.ts';
import { checkPlan } from './check-plan.ts';
import { deleteTree } from './delete-tree.ts';
import { inputsOf, purgeInputs, putInput, putNotice, report, waitingInputs } from './inputs.ts';
import type { MemoryDatabase, SessionTables } from './memory-database.ts';
import { findCall, tablesOf } from './memory-database.ts';
import { answerCall, expireCalls, purgeCalls, takeReminders } from './open-calls.ts';
import { memorySessionIndex } from './session-index.ts';

/**
 * Sessions in the memory of one process.
 *
 * Owns: rows and their atomicity.
 * Does not own: a clock (the `now` of each call is the time), and the rules of the engine.
 *
 * I1. No method awaits between reading and writing, so each is atomic.
 * I2. A plan is checked, and what it writes is copied, before it is applied; applying cannot fail.
 * I3. Rows are frozen, so that callers cannot change what is stored.
 * I4. Session ids are unique, so a session is also found under a wrong root; its row then names the right one.
 */
export function createMemorySessionStore(
  database: MemoryDatabase,
): SessionStore & SessionIndex & CarryingSessions {
  return {
    database,
    ...memorySessionIndex(database),
    ...sessionReads(database),
    ...sessionWrites(database),
  };
}

type SessionReads = Pick<
  SessionStore,
  | 'readSession'
  | 'readStep'
  | 'readJournal'
  | 'readMessages'
  | 'readMessage'
  | 'readCalls'
  | 'readReferences'
  | 'readInputs'
  | 'readRuns'
  | 'readCheckpoints'
>;

function sessionReads(database: MemoryDatabase): SessionReads {
  const tablesIn = (ref: SessionRef): SessionTables | undefined =>
    database.tables.get(ref.sessionId);
  return {
    async readSession(ref) {
      return database.sessions.get(ref.sessionId) ?? null;
    },
    async readStep(ref) {
      return readStep(database, ref);
    },
    async readJournal(ref, stepId) {
      return [...(tablesIn(ref)?.journal.get(stepId)?.values() ?? [])].sort(
        (a, b) => a.index - b.index,
      );
    },
    async readMessages(ref, range = {}) {
      return tablesIn(ref)?.messages.after(range.after ?? 0, range.limit) ?? [];
    },
    async readMessage(ref, messageId) {
      const tables = tablesIn(ref);
      const sequence = tables?.messageIds.get(messageId);
      return sequence === undefined ? null : (tables?.messages.after(sequence - 1, 1)[0] ?? null);
    },
    async readCalls(rootId, only) {
      if (only) {
        const row = findCall(database, { rootId, toolCallId: only.toolCallId, part: only.part });
        return row ? [row] : [];
      }
      const calls = database.calls.get(rootId);
      const rows = [...(calls?.live.values() ?? []), ...(calls?.settled.values() ?? [])];
      return rows.sort(byOpening);
    },
    async readReferences(ref) {
      return [...(tablesIn(ref)?.references.values() ?? [])];
    },
    async readInputs(ref, { inputId, sender } = {}) {
      return inputsOf(database, ref).filter(
        (row) =>
          (inputId === undefined || row.inputId === inputId) &&
          (sender === undefined || row.sender === sender),
      );
    },
    async readRuns(ref, range = {}) {
      const runIds = [...(tablesIn(ref)?.runIds ?? [])];
      return runIds
        .map((runId) => database.runs.get(runId) as RunRow)
        .sort((a, b) => a.turn - b.turn)
        .slice(Math.max(0, runIds.length - (range.last ?? runIds.length)));
    },
    async readCheckpoints(ref, range = {}) {
      return tablesIn(ref)?.checkpoints.before(range.before ?? Infinity, range.limit) ?? [];
    },
  };
}

function sessionWrites(database: MemoryDatabase): Omit<SessionStore, keyof SessionReads> {
  return {
    async commit(plan) {
      checkPlan(plan);
      return applyPlan(database, plan);
    },
    async answerCall(input) {
      return answerCall(database, input);
    },
    async expireCalls(top, now) {
      return expireCalls(database, top, now);
    },
    async takeReminders(top, now) {
      return takeReminders(database, top, now);
    },
    async purgeCalls(top, now) {
      return purgeCalls(database, top, now);
    },
    ...inputWrites(database),
    async requestInterrupt(ref, reason, now, only = {}) {
      const session = database.sessions.get(ref.sessionId);
      if (session?.status !== 'running') return null;
      if (only.runId !== undefined && session.runId !== only.runId) return null;
      const { interrupts } = tablesOf(database, ref.sessionId);
      const { sessionId, runId } = session;
      const { scope = 'tree' } = only;
      const row =
        interrupts.get(runId) ?? Object.freeze({ sessionId, runId, reason, scope, timestamp: now });
      interrupts.set(runId, row);
      return row;
    },
    async renewLease(input) {
      const session = database.sessions.get(input.sessionId);
      if (!session) return { owned: false, interrupted: false };
      const owned = session.status === 'running' && session.epoch === input.epoch;
      // The owner is compared too: a lease that was handed over must not be extended by its former owner.
      if (owned && input.extendMs !== null && session.leaseOwner === input.owner) {
        const renewed = { leaseUntil: input.now + input.extendMs, updatedAt: input.now };
        database.sessions.set(session.sessionId, Object.freeze({ ...session, ...renewed }));
      }
      const interrupts = database.tables.get(session.sessionId)?.interrupts;
      return { owned, interrupted: interrupts?.has(session.runId) ?? false };
    },
    async deleteSession(ref, guard) {
      const session = database.sessions.get(ref.sessionId);
      if (!session || (guard && session.version !== guard.version)) return false;
      deleteTree(database, ref.sessionId);
      return true;
    },
  };
}

function inputWrites(
  database: MemoryDatabase,
): Pick<SessionStore, 'putInput' | 'putNotice' | 'report' | 'purgeInputs'> {
  return {
    async putInput(input) {
      return putInput(database, input);
    },
    async putNotice(input) {
      return putNotice(database, input);
    },
    async report(ref, end) {
      report(database, ref, end);
    },
    async purgeInputs(top, now) {
      return purgeInputs(database, top, now);
    },
  };
}

function readStep(database: MemoryDatabase, ref: SessionRef): StepRows | null {
  const session = database.sessions.get(ref.sessionId);
  if (!session) return null;
  const tables = database.tables.get(ref.sessionId);
  const live = database.calls.get(session.rootId)?.live.values() ?? [];
  const references = [...(tables?.references.values() ?? [])].filter(
    (row) => row.stepId === session.stepId || row.state !== 'closed',
  );
  return {
    session,
    interrupt: tables?.interrupts.get(session.runId) ?? null,
    journal: [...(tables?.journal.get(session.stepId)?.values() ?? [])],
    calls: [...live].filter((row) => concerns(row, session)).sort(byOpening),
    references,
    children: references.flatMap((row) => database.sessions.get(row.subSessionId) ?? []),
    inputs: waitingInputs(database, ref),
  };
}

function concerns(call: OpenCallRow, { sessionId, unitId }: SessionRow): boolean {
  return call.unitId === unitId && call.route.includes(sessionId);
}

function byOpening(a: OpenCallRow, b: OpenCallRow): number {
  return a.openedAt - b.openedAt;
}
