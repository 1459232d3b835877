import type { SessionRow } from '@helix-agents/core';
import type { DueWork, SessionIndex, SessionRef } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { decodeId, encodeId } from '../keys.ts';
import { findDueScript } from '../lua/find-due.ts';
import { decodeSession } from '../rows/decode.ts';
import { toJson } from '../rows/encode.ts';

/** Roots and ids alternate in the lists of tops, members and scores in that of closing references. */
type AreaReply = readonly [
  overdue: string[],
  remindable: string[],
  purgeable: string[],
  dead: string[][],
  answered: string[][],
  wakeable: string[][],
  unreported: string[][],
  closing: string[],
];

export async function findDue(
  database: RedisDatabase,
  { now, hostKind, limit, except = [] }: Parameters<SessionIndex['findDue']>[0],
): Promise<DueWork> {
  const replies = (await database.onAreas(findDueScript, now, [
    toJson(hostKind),
    limit,
    ...except.flatMap((id) => [encodeId(id), toJson(id)]),
  ])) as AreaReply[];
  const tops = (place: 0 | 1 | 2): SessionRef[] =>
    replies
      .flatMap((reply) => pairs(reply[place]))
      .slice(0, limit)
      .map(([root, name]) => ({ rootId: decodeId(root), sessionId: JSON.parse(name) as string }));
  const rows = (place: 3 | 4 | 5 | 6, timeOf: (row: SessionRow) => number): SessionRow[] =>
    replies
      .flatMap((reply) => reply[place])
      .flatMap((values) => decodeSession(values) ?? [])
      .sort((a, b) => timeOf(a) - timeOf(b))
      .slice(0, limit);
  return {
    overdueTops: tops(0),
    deadTops: rows(3, updatedAt),
    remindableTops: tops(1),
    answeredTops: rows(4, updatedAt),
    wakeableTops: rows(5, ({ wakeAt }) => wakeAt ?? 0),
    unreportedTops: rows(6, updatedAt),
    closing: replies
      .flatMap((reply) => pairs(reply[7]))
      .sort(([, a], [, b]) => Number(a) - Number(b))
      .slice(0, limit)
      .map(([member]) => {
        const [rootId = '', sessionId = '', subSessionId = ''] = member.split(':').map(decodeId);
        return { parent: { rootId, sessionId }, subSessionId };
      }),
    purgeableTops: tops(2),
  };
}

function updatedAt(row: SessionRow): number {
  return row.updatedAt;
}

function pairs(flat: readonly string[]): (readonly [string, string])[] {
  return flat.flatMap((first, at) =>
    at % 2 === 0 ? [[first, flat[at + 1] as string] as const] : [],
  );
}
