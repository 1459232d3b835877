import type { SessionRow } from '@helix-agents/core';
import { refuseNotice, refusePut } from '@helix-agents/core/store';
import type {
  ChildReferenceRow,
  InputRow,
  PutInput,
  PutInputResult,
  PutNotice,
  PutNoticeResult,
  SessionStore,
} from '@helix-agents/core/store';
import { nowParam, type SqlClock } from '../clock.ts';
import type { SqlDriver, SqlParam, Statement } from '../driver.ts';
import { columnNames, decodeAll } from '../rows/column.ts';
import { inputs, references, sessions } from '../rows/tables.ts';
import { inputTextsOf, type InputTexts, type PutText } from './input-texts.ts';

export type InputWrites = Pick<SessionStore, 'putInput' | 'putNotice' | 'report' | 'purgeInputs'>;

export function createInputWrites(driver: SqlDriver, clock: SqlClock): InputWrites {
  const texts = inputTextsOf(driver.dialect)(clock);
  return {
    putInput: (input) => putInput(driver, texts, input, nowParam(clock, input.now)),
    putNotice: (input) => putNotice(driver, texts, input, nowParam(clock, input.now)),
    async report({ sessionId }, end) {
      await driver.batch([{ sql: texts.report, params: [sessionId, end] }], { writer: sessionId });
    },
    async purgeInputs({ sessionId }, now) {
      const params = [sessionId, nowParam(clock, now)];
      const [purged] = await driver.batch([{ sql: texts.purge, params }]);
      return purged?.changes ?? 0;
    },
  };
}

/** After a miss the rows say why. If they have changed meanwhile, so that nothing is in the way, it is tried again. */
async function putInput(
  driver: SqlDriver,
  texts: InputTexts,
  input: PutInput,
  now: number,
): Promise<PutInputResult> {
  const { sessionId, inputId, sender, content, person } = input;
  const common = [sessionId, inputId, now, sender, JSON.stringify(content)];
  const { text, params } = ofSender(texts, person);
  for (;;) {
    const put = await write(driver, text, [...common, ...params]);
    if (put) return { found: true, put: true, ...put };
    const [receivers, known, counts = []] = await driver.readBatch([
      { sql: readSession, params: [sessionId] },
      { sql: readInput, params: [sessionId, inputId] },
      { sql: countFor, params: [sessionId, person?.messageId ?? ''] },
    ]);
    const [receiver = null] = decodeAll(sessions, receivers);
    const [row] = decodeAll(inputs, known);
    if (receiver && row) return { found: true, put: false, row, status: receiver.status };
    const why = refusePut(receiver, input, {
      waitingMessages: Number(counts[0]?.['waiting']),
      isInTranscript: Number(counts[0]?.['told']) > 0,
    });
    if (why !== null) return { found: false, why, status: receiver?.status ?? null };
  }
}

/** The text for who sends a message, and the parameters that only this text has. */
function ofSender(
  texts: InputTexts,
  person: PutInput['person'],
): { readonly text: PutText; readonly params: readonly SqlParam[] } {
  if (!person) return { text: texts.putMessage, params: [] };
  const { messageId, userId } = person;
  if (userId === undefined) return { text: texts.putPersons, params: [messageId] };
  return { text: texts.putUsers, params: [messageId, userId] };
}

async function putNotice(
  driver: SqlDriver,
  texts: InputTexts,
  input: PutNotice,
  now: number,
): Promise<PutNoticeResult> {
  const { sessionId, inputId, childId, end, content } = input;
  const params = [sessionId, inputId, now, childId, JSON.stringify(content), end];
  for (;;) {
    const put = await write(driver, texts.putNotice, params);
    if (put) return { found: true, put: true, ...put };
    const [parents, known, live] = await driver.readBatch([
      { sql: readSession, params: [sessionId] },
      { sql: readInput, params: [sessionId, inputId] },
      { sql: readReference, params: [sessionId, childId] },
    ]);
    const [parent = null] = decodeAll<SessionRow>(sessions, parents);
    const [row] = decodeAll<InputRow>(inputs, known);
    if (parent && row) return { found: true, put: false, row, status: parent.status };
    const [reference = null] = decodeAll<ChildReferenceRow>(references, live);
    const why = refuseNotice(parent, reference, input);
    if (why !== null) return { found: false, why, status: parent?.status ?? null };
  }
}

/** The row that was put and the status of its receiver; null if a condition missed or the id was there. */
async function write(
  driver: SqlDriver,
  text: PutText,
  params: readonly SqlParam[],
): Promise<Pick<PutInputResult & { found: true }, 'row' | 'status'> | null> {
  const [sessionId, inputId, now] = params as [string, string, number];
  const statements: Statement[] = [{ sql: text.put, params }];
  if (text.raise !== null) statements.push({ sql: text.raise, params: [sessionId, inputId, now] });
  try {
    const results = await driver.batch(statements, { writer: sessionId });
    const [row] = decodeAll(inputs, results[0]?.rows);
    const status = results.at(-1)?.rows[0]?.['receiver_status'];
    return row ? { row, status: status as SessionRow['status'] } : null;
  } catch (error) {
    if (driver.isUniqueViolation(error)) return null;
    throw error;
  }
}

const readSession = `select ${columnNames(sessions)} from __agents_sessions where session_id = ?1`;
const readInput = `select ${columnNames(inputs)} from __agents_inputs
  where session_id = ?1 and input_id = ?2`;
const readReference = `select ${columnNames(references)} from __agents_sub_session_refs
  where session_id = ?1 and sub_session_id = ?2`;
const countFor = `select (select count(*) from __agents_inputs
    where session_id = ?1 and state = 'waiting' and kind = 'message') as waiting,
  (select count(*) from __agents_messages
    where session_id = ?1 and message_id = ?2 and role = 'user') as told`;
