import { utf8Length } from '@helix-agents/core';

const MAX_BYTES = 16_384;
const MAX_WORD = 512;

/**
 * All that may cross the loop: ids, enums and counters, and the short text of an error. A new field has to be one of those to
 * be added here.
 */
const FIELDS = new Set([
  'rootId',
  'sessionId',
  'runId',
  'epoch',
  'agentType',
  'loopVersion',
  'isTakeover',
  'index',
  'callId',
  'class',
  'timeoutMs',
  'execution',
  'ok',
  'code',
  'calls',
  'next',
  'status',
  'kind',
  'run',
  'usedMs',
  'detail',
  'message',
]);

/** The value as an engine would hand it back: through JSON. Throws when an engine could not keep it. */
export function throughJson<T>(what: string, value: T): T {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new Error(`${what} has no JSON form`);
  const bytes = utf8Length(text);
  if (bytes > MAX_BYTES) throw new Error(`${what} has ${bytes} bytes; engines keep ${MAX_BYTES}`);
  const copy: T = JSON.parse(text);
  checkPlain(what, copy);
  return copy;
}

function checkPlain(what: string, value: unknown): void {
  if (typeof value === 'string' && value.length > MAX_WORD) {
    throw new Error(
      `${what} holds a text of ${value.length} characters; only ids and enums may pass`,
    );
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && !FIELDS.has(name)) {
      throw new Error(`${what} holds "${name}"; only ids, enums and counters may pass`);
    }
    checkPlain(`${what}.${name}`, inner);
  }
}
