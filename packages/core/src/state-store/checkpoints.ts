import type { JsonValue } from '../json.ts';
import type { Message } from '../messages/message.ts';
import type { CheckpointRow, RunStatus, SessionRow } from '../store/rows.ts';
import { findSession, requireSession, type FacadeContext } from './facade-context.ts';
import { publicStatus, type SessionStatus } from './session-state.ts';

export interface CheckpointMeta {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly version: number;
  readonly stepId: number;
  readonly stepCount: number;
  readonly status: SessionStatus;
  readonly runStatus: RunStatus;
  readonly messageCount: number;
  readonly streamSequence: number;
  readonly timestamp: number;
}

/** A checkpoint with the session as it was then. */
export interface Checkpoint extends CheckpointMeta {
  readonly state: { readonly customState: JsonValue; readonly messages: readonly Message[] };
}

export interface CheckpointsRange {
  /** Default 50. */
  readonly limit?: number;
  readonly offset?: number;
  /** Where the page before ended; instead of `offset`. */
  readonly cursor?: string;
}

export interface CheckpointsPage {
  /** Newest first. */
  readonly items: readonly CheckpointMeta[];
  readonly total: number;
  readonly hasMore: boolean;
  /** For the next page; null on the last one. */
  readonly cursor: string | null;
}

const DEFAULT_LIMIT = 50;
/** Rows hold whole states, so a long history is read in pages. */
const PIECE = 100;

export async function listCheckpoints(
  ctx: FacadeContext,
  sessionId: string,
  range: CheckpointsRange,
): Promise<CheckpointsPage> {
  const { limit = DEFAULT_LIMIT, offset = 0, cursor } = range;
  const session = await requireSession(ctx, sessionId);
  const before = cursor === undefined ? Infinity : Number(cursor);
  const items: CheckpointMeta[] = [];
  let total = 0;
  let skipped = 0;
  for await (const row of allCheckpoints(ctx, session)) {
    total += 1;
    if (!(row.version < before)) continue;
    if (skipped < offset) skipped += 1;
    else if (items.length <= limit) items.push(metaOf(row));
  }
  const hasMore = items.length > limit;
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, total, hasMore, cursor: hasMore && last ? String(last.version) : null };
}

export async function getLatestCheckpoint(
  ctx: FacadeContext,
  sessionId: string,
): Promise<Checkpoint | null> {
  const session = await findSession(ctx, sessionId);
  if (!session) return null;
  const [row] = await ctx.sessions.readCheckpoints(session, { limit: 1 });
  return row ? withState(ctx, session, row) : null;
}

export async function getCheckpoint(
  ctx: FacadeContext,
  sessionId: string,
  checkpointId: string,
): Promise<Checkpoint | null> {
  const session = await findSession(ctx, sessionId);
  if (!session) return null;
  const row = await newestCheckpoint(ctx, session, (one) => one.checkpointId === checkpointId);
  return row && withState(ctx, session, row);
}

/** Null if none matches. */
export async function newestCheckpoint(
  ctx: FacadeContext,
  session: SessionRow,
  wanted: (row: CheckpointRow) => boolean,
): Promise<CheckpointRow | null> {
  for await (const row of allCheckpoints(ctx, session)) if (wanted(row)) return row;
  return null;
}

/** The session a checkpoint's id names: `cpv1-{session}-s{step}-t{time}-{6 characters}`. */
export function sessionOfCheckpoint(checkpointId: string): string | null {
  return /^cpv1-(.+)-s\d+-t\d+-.{6}$/s.exec(checkpointId)?.[1] ?? null;
}

async function* allCheckpoints(
  ctx: FacadeContext,
  session: SessionRow,
): AsyncGenerator<CheckpointRow> {
  let before: number | undefined;
  for (;;) {
    const range = { limit: PIECE, ...(before !== undefined && { before }) };
    const rows = await ctx.sessions.readCheckpoints(session, range);
    yield* rows;
    if (rows.length < PIECE) return;
    before = rows.at(-1)?.version;
  }
}

async function withState(
  ctx: FacadeContext,
  session: SessionRow,
  row: CheckpointRow,
): Promise<Checkpoint> {
  const rows =
    row.messageCount > 0
      ? await ctx.sessions.readMessages(session, { limit: row.messageCount })
      : [];
  const messages = rows.map(({ message }) => message);
  return { ...metaOf(row), state: { customState: structuredClone(row.customState), messages } };
}

function metaOf(row: CheckpointRow): CheckpointMeta {
  const { checkpointId: id, customState: _, status, ...rest } = row;
  return { ...rest, id, status: publicStatus(status), runStatus: status };
}
