import type { SessionRow } from '@helix-agents/core';
import type { DueWork, SessionIndex } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { decodeId, encodeId } from '../keys.ts';
import { findDueScript } from '../lua/reads.ts';
import { decodeSession } from '../rows/decode.ts';
import { toJson } from '../rows/encode.ts';

type AreaReply = readonly [
  overdue: string[],
  remindable: string[],
  purgeable: string[],
  dead: string[][],
  answered: string[][],
  /** Members and scores alternate. */
  closing: string[],
];

export async function findDue(
  database: RedisDatabase,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): Promise<DueWork> {
  const replies = (await database.onAreas(findDueScript, now, [
    toJson(hostKind),
    limit,
    ...except.map(encodeId),
  ])) as AreaReply[];
  const roots = (place: 0 | 1 | 2): string[] =>
    replies
      .flatMap((reply) => reply[place])
      .slice(0, limit)
      .map(decodeId);
  const rows = (place: 3 | 4): SessionRow[] =>
    replies
      .flatMap((reply) => reply[place])
      .flatMap((values) => decodeSession(values) ?? [])
      .sort((a, b) => a.updatedAt - b.updatedAt)
      .slice(0, limit);
  return {
    overdueRoots: roots(0),
    deadRoots: rows(3),
    remindableRoots: roots(1),
    answeredRoots: rows(4),
    closing: replies
      .flatMap((reply) => pairs(reply[5]))
      .sort((a, b) => a.startedAt - b.startedAt)
      .slice(0, limit)
      .map(({ member }) => {
        const [rootId = '', sessionId = '', subSessionId = ''] = member.split(':').map(decodeId);
        return { parent: { rootId, sessionId }, subSessionId };
      }),
    purgeableRoots: roots(2),
  };
}

function pairs(flat: readonly string[]): { member: string; startedAt: number }[] {
  return flat.flatMap((member, at) =>
    at % 2 === 0 ? [{ member, startedAt: Number(flat[at + 1]) }] : [],
  );
}
