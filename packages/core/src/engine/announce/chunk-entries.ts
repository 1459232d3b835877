import type { JsonValue } from '../../json.ts';
import type {
  CallOutcome,
  LeftStep,
  OpenCallRow,
  RunRow,
  SessionRow,
  StoppedText,
} from '../../store/rows.ts';
import type { ChunkBodies, ChunkType, StreamChunk } from '../../stream/chunks.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { callName } from '../../store/call-key.ts';
import { editableInput } from '../../store/editable-input.ts';

/** The session and step that a chunk belongs to. */
export interface Speaker {
  readonly agentId: string;
  readonly agentType: string;
  readonly step: number;
}

export function speakerOf(session: SessionRow, stepId: number = session.stepId): Speaker {
  return { agentId: session.sessionId, agentType: session.agentType, step: stepId };
}

/** One chunk. With a dedupe key it may be announced any number of times and appears once. */
export function entry<T extends ChunkType>(
  speaker: Speaker,
  timestamp: number,
  type: T,
  body: ChunkBodies[T],
  dedupeKey?: string,
): StreamEntry {
  const { agentId, agentType, step } = speaker;
  const chunk = { type, agentId, agentType, step, timestamp, ...body } as unknown as StreamChunk;
  return dedupeKey === undefined ? { chunk } : { chunk, dedupeKey };
}

/** Withdraws what was streamed of a step that is asked again. Once per owner and reason. */
export function discardEntry(session: SessionRow, timestamp: number, reason: string): StreamEntry {
  const key = `discard:${session.sessionId}:${session.stepId}:${session.epoch}:${reason}`;
  return entry(speakerOf(session), timestamp, 'step_discarded', { reason }, key);
}

/** The text of a stopped model stays. */
export function stoppedEntry(
  session: SessionRow,
  { step }: Pick<StoppedText, 'step'>,
  timestamp: number,
): StreamEntry {
  const key = `stopped:${session.sessionId}:${step}`;
  const body = { reason: session.failureReason };
  return entry(speakerOf(session, step), timestamp, 'step_stopped', body, key);
}

/** Withdraws a step that ended without an answer. It never streams again, so this may come late and from several processes. */
export function withdrawEntry(
  session: SessionRow,
  { step, reason }: LeftStep,
  timestamp: number,
): StreamEntry {
  const key = `discard:${session.sessionId}:${step}:${reason}`;
  return entry(speakerOf(session, step), timestamp, 'step_discarded', { reason }, key);
}

/** Asks clients to run or approve a call. Announced only after its row is at the root. */
export function askEntry(row: OpenCallRow, timestamp: number): StreamEntry {
  const speaker = {
    agentId: row.ownerSessionId,
    agentType: row.ownerAgentType,
    step: row.ownerStepId,
  };
  const key = `ask:${callName(row)}`;
  const common = { toolCallId: row.toolCallId, toolName: row.toolName, deadlineAt: row.deadlineAt };
  if (row.kind === 'approval') {
    const { input } = row;
    const rawInput = editableInput(row);
    const toEdit = rawInput === input ? {} : { rawInput };
    const body = { ...common, approvalId: row.approvalId ?? '', input, ...toEdit };
    return entry(speaker, timestamp, 'tool_approval_request', body, key);
  }
  const body = { ...common, arguments: row.input, execute: 'client' as const };
  return entry(speaker, timestamp, 'tool_start', body, key);
}

/** With an epoch the next owner announces it again: the step is only in memory and is repeated after a crash. */
export function startEntry(
  speaker: Speaker,
  timestamp: number,
  call: { readonly callId: string; readonly toolName: string },
  input: JsonValue,
  epoch: number | null,
): StreamEntry {
  const body = { toolCallId: call.callId, toolName: call.toolName, arguments: input };
  const key = `start:${call.callId}${epoch === null ? '' : `@${epoch}`}`;
  return entry(speaker, timestamp, 'tool_start', body, key);
}

/** The end of a call. A denial or a dispatch failure has a `tool_error` before it. */
export function endEntries(
  speaker: Speaker,
  timestamp: number,
  call: { readonly callId: string; readonly toolName: string },
  outcome: CallOutcome,
): StreamEntry[] {
  const { callId: toolCallId, toolName } = call;
  const key = `end:${toolCallId}`;
  if (outcome.success) {
    const body = { toolCallId, toolName, success: true, result: outcome.value };
    return [entry(speaker, timestamp, 'tool_end', body, key)];
  }
  const common = { toolCallId, toolName };
  const { code, message } = outcome.error;
  const entries: StreamEntry[] = [];
  if (code === 'tool_approval_denied' || code === 'subagent_dispatch_failed') {
    const body = { ...common, error: message, errorCode: code };
    entries.push(entry(speaker, timestamp, 'tool_error', body, `error:${call.callId}`));
  }
  const error = code === 'client_tool_timeout' ? code : message;
  const body = { ...common, success: false, error, errorCode: code };
  entries.push(entry(speaker, timestamp, 'tool_end', body, key));
  return entries;
}

/** A step is in the transcript. */
export function committedEntry(
  speaker: Speaker,
  timestamp: number,
  version: number,
  messageCount: number,
): StreamEntry {
  const key = `step:${speaker.agentId}:${speaker.step}`;
  return entry(speaker, timestamp, 'step_committed', { version, messageCount }, key);
}

/** `record` is that of the session's current run. */
export function runBeganEntry(
  session: SessionRow,
  record: RunRow | undefined,
  timestamp: number,
): StreamEntry {
  const speaker = speakerOf(session);
  const key = `run:${session.runId}:start`;
  const body = { runId: session.runId, turn: session.turn };
  const previousRunId = record?.previousRunId ?? null;
  return record?.trigger === 'resume'
    ? entry(speaker, timestamp, 'run_resumed', { ...body, previousRunId }, key)
    : entry(speaker, timestamp, 'run_started', body, key);
}
