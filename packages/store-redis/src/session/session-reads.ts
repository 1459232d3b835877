import type { SessionRow } from '@helix-agents/core';
import { isRoot } from '@helix-agents/core/store';
import type { JournalRow, SessionRef, SessionStore, StepRows } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';
import {
  readCallScript,
  readCallsScript,
  readJournalScript,
  readMessageScript,
  readRunsScript,
  readStepScript,
} from '../lua/reads.ts';
import { SESSION_NAMES } from '../rows/columns.ts';
import {
  byOpening,
  bySeq,
  decodeCall,
  decodeCheckpoint,
  decodeInput,
  decodeInterrupt,
  decodeJournal,
  decodeMessage,
  decodeReference,
  decodeRun,
  decodeSession,
} from '../rows/decode.ts';
import { notedRoot } from './locate.ts';
import { callField } from './plan-words.ts';

export type SessionReads = Pick<
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

export function createSessionReads(database: RedisDatabase): SessionReads {
  const { client, keys } = database;
  const keyOf = (kind: string, { rootId, sessionId }: SessionRef): string =>
    `${keys.treeOf(rootId)}:${kind}:${encodeId(sessionId)}`;
  return {
    readSession: (ref) => lookUp(database, ref, readSession),
    readStep: (ref) => lookUp(database, ref, readStep),
    readJournal: (ref, stepId) => readJournal(database, ref, stepId),
    async readMessages(ref, { after = 0, limit } = {}) {
      if (limit === 0) return [];
      const from = Math.max(0, after);
      const last = limit === undefined ? -1 : from + limit - 1;
      const texts = (await client.call('LRANGE', [keyOf('messages', ref), from, last])) as string[];
      return texts.map((text, place) => decodeMessage(ref.sessionId, from + place + 1, text));
    },
    async readMessage({ rootId, sessionId }, messageId) {
      const args = [encodeId(sessionId), encodeId(messageId)];
      const found = await database.onTree(readMessageScript, rootId, 0, args);
      if (found === null) return null;
      const [sequence, text] = found as [string, string];
      return decodeMessage(sessionId, Number(sequence), text);
    },
    async readCalls(rootId, only) {
      if (only) {
        const field = callField(only);
        const text = (await database.onTree(readCallScript, rootId, 0, [field])) as string | null;
        return text === null ? [] : [decodeCall(text)];
      }
      const found = (await database.onTree(readCallsScript, rootId, 0)) as string[][];
      return found.flat().map(decodeCall).sort(byOpening);
    },
    async readReferences(ref) {
      const texts = (await client.call('HVALS', [keyOf('references', ref)])) as string[];
      return texts.map(decodeReference).sort((a, b) => a.stepId - b.stepId || a.index - b.index);
    },
    async readInputs(ref, { inputId, sender } = {}) {
      const key = keyOf('inputs', ref);
      const found =
        inputId === undefined
          ? ((await client.call('HVALS', [key])) as string[])
          : [(await client.call('HGET', [key, encodeId(inputId)])) as string | null];
      return found
        .flatMap((text) => (text === null ? [] : [decodeInput(text)]))
        .filter((row) => sender === undefined || row.sender === sender)
        .sort(bySeq);
    },
    async readRuns(ref, { last = -1 } = {}) {
      const args = [encodeId(ref.sessionId), last];
      const rows = await database.onTree(readRunsScript, ref.rootId, 0, args);
      return (rows as string[][]).map(decodeRun);
    },
    async readCheckpoints(ref, { before, limit = -1 } = {}) {
      const from = before === undefined ? '+inf' : `(${before}`;
      const range = [keyOf('checkpoints', ref), from, '-inf', 'LIMIT', 0, limit];
      return ((await client.call('ZREVRANGEBYSCORE', range)) as string[]).map(decodeCheckpoint);
    },
  };
}

async function readJournal(
  database: RedisDatabase,
  { rootId, sessionId }: SessionRef,
  stepId: number,
): Promise<readonly JournalRow[]> {
  const args = [encodeId(sessionId), stepId];
  const found = await database.onTree(readJournalScript, rootId, 0, args);
  return decodeJournal(sessionId, found as string[]);
}

/** What is not there under the root that was named may be a child, known by its id alone. */
async function lookUp<Found>(
  database: RedisDatabase,
  ref: SessionRef,
  read: (database: RedisDatabase, ref: SessionRef) => Promise<Found | null>,
): Promise<Found | null> {
  const found = await read(database, ref);
  if (found !== null || !isRoot(ref)) return found;
  const rootId = await notedRoot(database, ref.sessionId);
  return rootId === ref.rootId ? null : read(database, { rootId, sessionId: ref.sessionId });
}

async function readSession(database: RedisDatabase, ref: SessionRef): Promise<SessionRow | null> {
  const key = `${database.keys.treeOf(ref.rootId)}:session:${encodeId(ref.sessionId)}`;
  const values = (await database.client.call('HMGET', [key, ...SESSION_NAMES])) as string[];
  return decodeSession(values);
}

type StepReply = readonly [
  row: string[],
  interrupt: string | null,
  journal: string[],
  calls: string[],
  references: string[],
  children: string[][],
  inputs: string[],
];

async function readStep(database: RedisDatabase, ref: SessionRef): Promise<StepRows | null> {
  const args = [encodeId(ref.sessionId)];
  const reply = (await database.onTree(readStepScript, ref.rootId, 0, args)) as StepReply | null;
  if (reply === null) return null;
  const [row, interrupt, journal, calls, references, children, inputs] = reply;
  const session = decodeSession(row) as SessionRow;
  const { sessionId, runId } = session;
  return {
    session,
    interrupt: interrupt === null ? null : decodeInterrupt(sessionId, runId, interrupt),
    journal: decodeJournal(sessionId, journal),
    calls: calls
      .map(decodeCall)
      .filter((call) => call.unitId === session.unitId && call.route.includes(sessionId))
      .sort(byOpening),
    references: references
      .map(decodeReference)
      .sort((a, b) => a.stepId - b.stepId || a.index - b.index),
    children: children.map((values) => decodeSession(values) as SessionRow),
    inputs: inputs.map(decodeInput),
  };
}
