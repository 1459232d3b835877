import type { DeleteGuard, InterruptRow, SessionRef, SessionStore } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { decodeId, encodeId } from '../keys.ts';
import {
  answerCallScript,
  expireCallsScript,
  purgeCallsScript,
  takeRemindersScript,
} from '../lua/call-writes.ts';
import { commitScript } from '../lua/commit.ts';
import {
  deleteSessionScript,
  renewLeaseScript,
  requestInterruptScript,
} from '../lua/session-writes.ts';
import { deleteStreamScript } from '../lua/streams.ts';
import { byOpening, decodeCall, decodeInterrupt } from '../rows/decode.ts';
import { toJson } from '../rows/encode.ts';
import { createInputWrites } from './input-writes.ts';
import { forgetRoot, noteRoots } from './locate.ts';
import { callField } from './plan-words.ts';
import { renderCommit } from './render-commit.ts';
import type { SessionReads } from './session-reads.ts';

/** Each is one atomic script; `deleteSession` cleans up in other hash slots after it. */
export function createSessionWrites(
  database: RedisDatabase,
): Omit<SessionStore, keyof SessionReads> {
  return {
    async commit(plan) {
      if (plan.insert) await noteRoots(database, plan.insert);
      return (await commitScript.send(database.client, renderCommit(database, plan))) === 1;
    },
    async answerCall({ key, outcome, answer, answeredBy, submissionId, now, only }) {
      const given = [toJson(outcome), toJson(answer), toJson(answeredBy)];
      const { kind, approvalId } = only ?? {};
      const wanted = [kind, approvalId].map((one) => (one === undefined ? '' : toJson(one)));
      const args = [toJson(database.newSending()), callField(key), ...given, ...wanted];
      args.push(toJson(submissionId ?? null));
      const reply = await database.onTree(answerCallScript, key.rootId, now, args);
      if (reply === null) return { found: false };
      const [taken, row] = reply as [number, string];
      return { found: true, taken: taken === 1, row: decodeCall(row) };
    },
    async expireCalls({ rootId, sessionId }, now) {
      const args = [toJson(sessionId)];
      const rows = (await database.onTree(expireCallsScript, rootId, now, args)) as string[];
      return rows.map(decodeCall).sort(byOpening);
    },
    async takeReminders({ rootId, sessionId }, now) {
      const args = [toJson(sessionId)];
      const rows = (await database.onTree(takeRemindersScript, rootId, now, args)) as string[];
      return rows.map(decodeCall).sort(byOpening);
    },
    async purgeCalls({ rootId, sessionId }, now) {
      const args = [toJson(sessionId)];
      return (await database.onTree(purgeCallsScript, rootId, now, args)) as number;
    },
    ...createInputWrites(database),
    async requestInterrupt(ref, reason, now, only = {}): Promise<InterruptRow | null> {
      const { rootId, sessionId } = ref;
      const { runId: wanted, scope = 'tree' } = only;
      const run = wanted === undefined ? '' : toJson(wanted);
      const args = [encodeId(sessionId), toJson(reason), run, toJson(scope)];
      const reply = await database.onTree(requestInterruptScript, rootId, now, args);
      if (reply === null) return null;
      const [runId, stored] = reply as [string, string];
      return decodeInterrupt(sessionId, JSON.parse(runId) as string, stored);
    },
    async renewLease({ rootId, sessionId, epoch, owner, extendMs, now }) {
      const args = [encodeId(sessionId), epoch, toJson(owner), extendMs ?? ''];
      const reply = await database.onTree(renewLeaseScript, rootId, now, args);
      const [owned, interrupted] = reply as [number, number];
      return { owned: owned === 1, interrupted: interrupted === 1 };
    },
    deleteSession: (ref, guard) => deleteSession(database, ref, guard),
  };
}

/** Deletes the tree, then what is in other slots, then the record of what was left to delete. */
async function deleteSession(
  database: RedisDatabase,
  { rootId, sessionId }: SessionRef,
  guard: DeleteGuard | undefined,
): Promise<boolean> {
  const { client, keys } = database;
  const id = encodeId(sessionId);
  const args = [id, guard?.version ?? '', database.newSending()];
  const reply = await database.onTree(deleteSessionScript, rootId, 0, args);
  if (reply === null) return false;
  const [streams, gone, existed] = reply as [string[], string[], number];
  await Promise.all([
    ...streams.map((name) =>
      deleteStreamScript.run(client, keys.treeOf(JSON.parse(name) as string), []),
    ),
    ...gone.map((one) => forgetRoot(database, { rootId, sessionId: decodeId(one) })),
  ]);
  await client.call('DEL', [`${keys.treeOf(rootId)}:deleted:${id}`]);
  return existed === 1;
}
