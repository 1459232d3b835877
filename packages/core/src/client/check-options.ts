import { SESSION_LIMITS } from '../define/session-limits.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { JsonObject } from '../json.ts';
import { TRACE_NAMES, type TraceContext } from '../trace/trace-context.ts';
import { parseTraceParent } from '../trace/traceparent.ts';
import { toJsonValue } from '../util/to-json-value.ts';
import { checkBag } from './option-bags.ts';
import type { AbortOptions, ExecuteOptions, ResumeOptions } from './types.ts';

export function checkExecuteOptions(options: ExecuteOptions): void {
  checkBag('execute', options);
  checkName('userId', options.userId);
  checkWord('ifExists', options.ifExists, ['continue', 'reject']);
  checkWord('onMessageWhileSuspended', options.onMessageWhileSuspended, ['reject', 'supersede']);
  checkTags(options.tags);
  checkMetadata('metadata', options.metadata);
  checkTrace(options);
}

/** The state that is given. Its shape is the agent's schema's to check, after this. */
export function checkState(state: JsonObject | undefined): void {
  checkBytes('state', state, SESSION_LIMITS.stateBytes);
}

/** Of a session, or of a message. */
export function checkMetadata(path: string, metadata: object | null | undefined): void {
  const { metadataBytes, metadataEntries } = SESSION_LIMITS;
  if (metadata === undefined || metadata === null) return;
  if (Object.keys(metadata).length > metadataEntries)
    refuse(path, `must have at most ${metadataEntries} entries`);
  for (const name of TRACE_NAMES)
    if (Object.hasOwn(metadata, name))
      refuse(
        `${path}.${name}`,
        'is kept for the trace of a turn; give traceparent as an option of its own',
      );
  checkBytes(path, metadata, metadataBytes);
}

function checkTags(tags: readonly string[] | null | undefined): void {
  if (tags === undefined || tags === null) return;
  if (tags.length > SESSION_LIMITS.tags) refuse('tags', `must be at most ${SESSION_LIMITS.tags}`);
  const at = tags.findIndex(
    (tag) => typeof tag !== 'string' || tag.length > SESSION_LIMITS.tagLength,
  );
  if (at !== -1)
    refuse(`tags.${at}`, `must be a text of at most ${SESSION_LIMITS.tagLength} characters`);
}

function checkBytes(path: string, value: unknown, maxBytes: number): void {
  const converted = toJsonValue(value, maxBytes);
  if (converted.ok) return;
  if (converted.isTooLarge) refuse(path, `must be at most ${maxBytes} bytes as JSON`);
  const at = converted.path === '' ? path : `${path}.${converted.path}`;
  refuse(at, `must be JSON: ${converted.reason}`);
}

function refuse(path: string, message: string): never {
  throw new InvalidRequestError([{ path, message }]);
}

export function checkAbortOptions(options: AbortOptions): void {
  checkBag('abort', options);
  const { close = false, runId, userId } = options;
  if (typeof close !== 'boolean') refuse('close', 'must be true or false');
  if (close && runId !== undefined)
    refuse('runId', 'a session is closed whatever runs; leave it out');
  if (!close && userId !== undefined) refuse('userId', 'belongs to close: true; leave it out');
  checkName('userId', userId);
}

export function checkResumeOptions(options: ResumeOptions): void {
  checkBag('resume', options);
  checkWord('mode', options.mode, ['continue', 'with_message']);
  checkWord('ifRunning', options.ifRunning, ['reject', 'attach']);
  checkWord('onMessageWhileSuspended', options.onMessageWhileSuspended, ['reject', 'supersede']);
  checkMessage(options);
  checkTrace(options);
}

const MAX_TRACESTATE = 512;

function checkTrace({ traceparent, tracestate }: TraceContext): void {
  if (traceparent !== undefined && !parseTraceParent(traceparent))
    refuse('traceparent', 'must be a W3C traceparent: 00-<32 hex digits>-<16 hex digits>-<2>');
  if (tracestate === undefined) return;
  if (traceparent === undefined) refuse('tracestate', 'belongs to a traceparent; give that, too');
  if (typeof tracestate !== 'string' || tracestate.length > MAX_TRACESTATE)
    refuse('tracestate', `must be a text of at most ${MAX_TRACESTATE} characters`);
}

/** A word that is none of these decides nothing: what it was meant to prevent must not happen. */
function checkWord<Word extends string>(
  path: string,
  given: Word | null | undefined,
  words: readonly Word[],
): void {
  if (given === undefined || given === null || words.includes(given)) return;
  const message = `must be ${words.map((word) => `'${word}'`).join(' or ')}, not ${JSON.stringify(given)}`;
  throw new InvalidRequestError([{ path, message }]);
}

/** A user id, where one is given, is a string: stores differ in what they make of a number. */
export function checkName(path: string, name: unknown): void {
  if (name === undefined || name === null || typeof name === 'string') return;
  throw new InvalidRequestError([{ path, message: `must be a string, not a ${typeof name}` }]);
}

/** A message and the mode that takes it come together, and without a checkpoint: nothing is lost without a word. */
function checkMessage({ mode, message, checkpointId }: ResumeOptions): void {
  if (message !== undefined && checkpointId !== undefined) {
    const problem =
      'a message is not added at a checkpoint; copy the session up to it with branchSession() and send the message to the copy';
    throw new InvalidRequestError([{ path: 'checkpointId', message: problem }]);
  }
  if ((mode === 'with_message') === (message !== undefined)) return;
  const problem =
    message === undefined
      ? 'mode "with_message" needs a message'
      : 'add mode: "with_message" to go on with this message instead of the missing answers';
  throw new InvalidRequestError([{ path: 'message', message: problem }]);
}
