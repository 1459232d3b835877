import type { RunStatus } from '@helix-agents/core';
import type {
  InputRow,
  NoticeRefusal,
  PutInputResult,
  PutNoticeResult,
  PutRefusal,
  SessionStore,
} from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';
import { purgeInputsScript, putInputScript, putNoticeScript, reportScript } from '../lua/inputs.ts';
import { INPUT_LINES, INPUT_NAMES, type StoredInput } from '../rows/columns.ts';
import { decodeInput } from '../rows/decode.ts';
import { encodeLines, toJson } from '../rows/encode.ts';

export type InputWrites = Pick<SessionStore, 'putInput' | 'putNotice' | 'report' | 'purgeInputs'>;

/** Each is one atomic script. */
export function createInputWrites(database: RedisDatabase): InputWrites {
  return {
    async putInput(input): Promise<PutInputResult> {
      const { rootId, sessionId, inputId, sender, content, now, person } = input;
      const row = encode({
        rootId,
        sessionId,
        inputId,
        kind: 'message',
        sender,
        content,
        wake: true,
      });
      const user = person?.userId === undefined ? '' : toJson(person.userId);
      const ofPerson = person ? [encodeId(person.messageId), user] : ['', ''];
      const args = [toJson(database.newSending()), encodeId(sessionId), encodeId(inputId), row];
      args.push(...ofPerson);
      return decodePut<PutRefusal>(await database.onTree(putInputScript, rootId, now, args));
    },
    async putNotice(input): Promise<PutNoticeResult> {
      const { rootId, sessionId, inputId, childId, end, content, now } = input;
      const row = encode({
        rootId,
        sessionId,
        inputId,
        kind: 'notice',
        sender: childId,
        content,
        end,
      });
      const args = [toJson(database.newSending()), encodeId(sessionId), encodeId(inputId), row];
      args.push(encodeId(childId), `${end}`);
      return decodePut<NoticeRefusal>(await database.onTree(putNoticeScript, rootId, now, args));
    },
    async report({ rootId, sessionId }, end) {
      await database.onTree(reportScript, rootId, 0, [encodeId(sessionId), end]);
    },
    async purgeInputs({ rootId, sessionId }, now) {
      return (await database.onTree(purgeInputsScript, rootId, now, [
        encodeId(sessionId),
      ])) as number;
    },
  };
}

/** The script fills in the rest. */
function encode(row: Partial<StoredInput>): string {
  return encodeLines<StoredInput>(INPUT_LINES, INPUT_NAMES, { ...row, state: 'waiting' });
}

type Put<Why> =
  | {
      readonly found: true;
      readonly put: boolean;
      readonly row: InputRow;
      readonly status: RunStatus;
    }
  | { readonly found: false; readonly why: Why; readonly status: RunStatus | null };

function decodePut<Why extends string>(reply: unknown): Put<Why> {
  const [word, status, row] = reply as [string, string | undefined, string | undefined];
  const read = status === undefined ? null : (JSON.parse(status) as RunStatus);
  if (row === undefined || read === null) return { found: false, why: word as Why, status: read };
  return { found: true, put: word === 'put', row: decodeInput(row), status: read };
}
