import type { CapabilityNote, StepAdditions } from '../../capability/types.ts';
import type { UserMessage } from '../../messages/message.ts';
import { findUnknownKey, unknownKeyText, type KnownKeys } from '../../util/known-keys.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { describeFault, toJsonValue } from '../../util/to-json-value.ts';

const ADDITIONS: KnownKeys<StepAdditions> = { notes: true };
const NOTE: KnownKeys<CapabilityNote> = { content: true, metadata: true };

/** What the notes of one capability may add to the transcript in one step. */
const MAX_NOTES = 100;
const MAX_NOTES_BYTES = 1_000_000;

/** The messages that `beforeStep` asks for. Throws where it returned anything else. */
export function toNotes(capability: string, returned: unknown): readonly UserMessage[] {
  if (returned === undefined || returned === null) return [];
  checkShape('`beforeStep`', returned, ADDITIONS);
  const { notes = [] } = returned as StepAdditions;
  if (!Array.isArray(notes)) throw new TypeError('`notes` of `beforeStep` must be a list.');
  if (notes.length > MAX_NOTES)
    throw new RangeError(`\`beforeStep\` returned more than ${MAX_NOTES} notes.`);
  const messages = (notes as readonly unknown[]).map((note) => noteMessage(capability, note));
  const size = toJsonValue(messages, MAX_NOTES_BYTES);
  if (size.ok) return frozenCopy(messages);
  throw size.isTooLarge
    ? new RangeError(`\`beforeStep\` returned notes of more than ${MAX_NOTES_BYTES} bytes.`)
    : new TypeError(`A note of \`beforeStep\` is no plain data: ${describeFault(size)}`);
}

/** Read by the model, not shown to people. */
function noteMessage(capability: string, note: unknown): UserMessage {
  checkShape('A note', note, NOTE);
  const { content, metadata } = note as CapabilityNote;
  if (typeof content !== 'string' || content === '')
    throw new TypeError('A note needs `content`, a text that is not empty.');
  if (metadata !== undefined && !isRecord(metadata))
    throw new TypeError('`metadata` of a note must be an object.');
  return { role: 'user', content, metadata: { ...metadata, capability, hidden: true } };
}

function checkShape(what: string, value: unknown, known: object): void {
  if (!isRecord(value)) throw new TypeError(`${what} must be an object.`);
  const unknown = findUnknownKey(value, known);
  if (unknown) throw new TypeError(`\`${unknown.key}\` ${unknownKeyText(unknown, what, known)}`);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
