// What must hold of every session whatever happened to it: without it a provider refuses the history, a client sees a
// call that nobody can answer, or a number of the stream means two things.
import { isRoot } from '@helix-agents/core/store';
import {
  assertValidTranscript,
  type Message,
  type OpenCallRow,
  type SessionRow,
  type StoredChunk,
} from '@helix-agents/core';
import { expect } from 'vitest';
import type { World } from './world.ts';

export async function checkInvariants(world: World): Promise<void> {
  const sessions = await world.sessions();
  for (const session of sessions) {
    await checkMessages(world, session);
    await checkRuns(world, session);
    await checkRest(world, session);
  }
  for (const root of sessions.filter(isRoot)) {
    await checkStream(world, root);
  }
}

async function checkMessages(world: World, session: SessionRow): Promise<void> {
  const { sessionId, messageCount, stepMessage, closed } = session;
  const rows = await world.storeOf(session).readMessages(session);
  expect(
    rows.map((row) => row.sequence),
    `${sessionId}: messages are contiguous`,
  ).toEqual(rows.map((_, position) => position + 1));
  expect(rows, `${sessionId}: messageCount`).toHaveLength(messageCount);
  if (closed && rows.length === 0) return;
  // The step in progress has committed its assistant message and has no results yet.
  const settled = stepMessage === null ? rows : rows.slice(0, stepMessage - 1);
  assertValidTranscript(settled.map((row) => row.message).filter((one) => !isStoppedThought(one)));
}

/** Kept for people to read; prompts leave it out. */
function isStoppedThought(message: Message): boolean {
  return message.role === 'assistant' && message.stopped === true && message.content.trim() === '';
}

async function checkRuns(world: World, session: SessionRow): Promise<void> {
  const { sessionId, status, runId } = session;
  const runs = await world.runs(sessionId);
  expect(
    runs.map((run) => run.turn),
    `${sessionId}: runs are numbered`,
  ).toEqual(runs.map((_, position) => position + 1));
  for (const [position, run] of runs.entries()) {
    expect(run.previousRunId, `${sessionId}: chain`).toBe(runs[position - 1]?.runId ?? null);
  }
  const open = runs.filter((run) => run.completedAt === null).map((run) => run.runId);
  expect(open, `${sessionId}: open runs`).toEqual(status === 'running' ? [runId] : []);
  if (runs.length > 0) expect(runs.at(-1)?.runId, `${sessionId}: current run`).toBe(runId);
}

/** A session that has ended leaves nothing behind; one that nobody runs has no stop waiting for it. */
async function checkRest(world: World, session: SessionRow): Promise<void> {
  const { sessionId, status } = session;
  const step = await world.step(sessionId);
  if (status !== 'running') expect(step.interrupt, `${sessionId}: stop left behind`).toBeNull();
  const calls = await world.storeOf(session).readCalls(session.rootId);
  const below = calls.filter((row) => row.route.includes(sessionId) && row.state !== 'settled');
  checkDeadlines(world, session, calls);
  if (status.startsWith('suspended_')) {
    const waits = step.calls.length > 0 || session.error !== null;
    expect(waits, `${sessionId}: suspended over nothing`).toBe(true);
  }
  if (status !== 'completed' && status !== 'failed') return;
  const left = step.journal.filter(({ kind }) => kind !== 'withdrawn');
  expect(left, `${sessionId}: journal left behind`).toEqual([]);
  expect(
    below.map((row) => row.toolCallId),
    `${sessionId}: calls left behind`,
  ).toEqual([]);
  const references = await world.storeOf(session).readReferences(session);
  const unclosed = references
    .filter((row) => row.state !== 'closed')
    .map((row) => row.subSessionId);
  expect(unclosed, `${sessionId}: children left behind`).toEqual([]);
}

/** The row at the root decides when a call expires: a copy that had a deadline of its own would be swept by itself. */
function checkDeadlines(
  { storeOf }: World,
  session: SessionRow,
  calls: readonly OpenCallRow[],
): void {
  const { sessionId, rootId } = session;
  if (storeOf(session) === storeOf({ rootId, sessionId: rootId })) return;
  const timed = calls.filter((row) => row.deadlineAt !== null || row.remindAt !== null);
  expect(timed, `${sessionId}: deadlines away from the root`).toEqual([]);
}

async function checkStream(world: World, root: SessionRow): Promise<void> {
  const chunks = await world.chunks(root.streamId);
  expect(
    chunks.map((stored) => stored.sequence),
    `${root.sessionId}: stream numbers`,
  ).toEqual(chunks.map((_, position) => position + 1));
  const said = standing(chunks).flatMap(saidOnce);
  const twice = said.filter((key, position) => said.indexOf(key) !== position);
  expect(twice, `${root.sessionId}: said twice`).toEqual([]);
}

/** What is left when each withdrawal has taken back the chunks of its agent and step that came before it. */
export function standing(chunks: readonly StoredChunk[]): StoredChunk[] {
  const withdrawnUpTo = new Map<string, number>();
  const stepOf = ({ chunk }: StoredChunk): string => `${chunk.agentId} ${chunk.step}`;
  for (const stored of chunks) {
    if (stored.chunk.type === 'step_discarded') withdrawnUpTo.set(stepOf(stored), stored.sequence);
  }
  return chunks.filter((stored) => stored.sequence > (withdrawnUpTo.get(stepOf(stored)) ?? 0));
}

/** Chunks that may appear once per call, once per run, once per step. */
const ONCE_PER_CALL = new Set([
  'tool_start',
  'tool_end',
  'tool_approval_request',
  'subagent_start',
  'subagent_end',
]);

function saidOnce({ chunk }: StoredChunk): string[] {
  if ('toolCallId' in chunk && ONCE_PER_CALL.has(chunk.type))
    return [`${chunk.type} ${chunk.toolCallId}`];
  if ('runId' in chunk) return [`${chunk.type} ${chunk.runId}`];
  if (chunk.type === 'step_committed') return [`${chunk.type} ${chunk.agentId} ${chunk.step}`];
  return [];
}
