import { InvalidRequestError } from '../../errors/request-errors.ts';
import type { JsonValue } from '../../json.ts';
import type { LoopRun } from '../../loop/host.ts';
import type { Message, UserMessage } from '../../messages/message.ts';
import type { MessageRow, SessionRow } from '../../store/rows.ts';
import { readTurnRuns } from '../../store/turn-runs.ts';
import { sameJson } from '../../util/same-json.ts';
import type { EngineContext } from '../context.ts';
import { loopRun } from '../rows/loop-run.ts';

/**
 * What of these messages a session has already, by the ids that their sender gave them. Read after the session row: a
 * claim on the version of that row is refused if one of them was stored since.
 */
export interface SentMessages {
  /** Those that are new. */
  readonly fresh: readonly UserMessage[];
  /** The last one that was stored before. */
  readonly known: MessageRow | null;
}

export async function compareMessages(
  ctx: EngineContext,
  session: SessionRow,
  messages: readonly UserMessage[],
  givenIds: ReadonlySet<string>,
): Promise<SentMessages> {
  const store = ctx.databases.of(session);
  const fresh: UserMessage[] = [];
  let known: MessageRow | null = null;
  for (const message of messages) {
    const { id } = message;
    const row = id !== undefined && givenIds.has(id) ? await store.readMessage(session, id) : null;
    if (!row) fresh.push(message);
    else if (isSame(row.message, message)) known = row;
    else throw idOfAnother(id);
  }
  return { fresh, known };
}

/** Stores keep messages without an id under their number, which a client may have made up. */
function isSame(stored: Message, sent: UserMessage): boolean {
  if (stored.role !== 'user' || stored.id !== sent.id || stored.content !== sent.content)
    return false;
  return sameJson(asJson(stored.files), asJson(sent.files));
}

function asJson(files: UserMessage['files'] = []): JsonValue {
  return files as unknown as JsonValue;
}

function idOfAnother(id: string | undefined): InvalidRequestError {
  const message = `${String(id)} names another message of this session; send it under another id`;
  return new InvalidRequestError([{ path: 'message.id', message }]);
}

/** The newest run of the turn that began with this message; null when none did. */
export async function runOfMessage(
  ctx: EngineContext,
  session: SessionRow,
  row: MessageRow,
): Promise<LoopRun | null> {
  const newest = (await readTurnRuns(ctx.databases.of(session), session, row)).at(-1);
  return newest ? { ...loopRun(session), runId: newest.runId } : null;
}
