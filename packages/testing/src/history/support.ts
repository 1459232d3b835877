import type { JsonValue, OpenCallRow, StoredChunk, ToolMessage } from '@helix-agents/core';
import type {
  CallAnswer,
  MessageRow,
  ParsedInput,
  PlannedCall,
  StepRecord,
} from '@helix-agents/core/store';
import type {
  History,
  DumpedSession,
  StoreDump,
  StoreWrite,
  StreamDump,
  Violation,
} from './types.ts';

/** One rule: its id, and what it finds wrong in a history. */
export interface Rule {
  readonly id: string;
  readonly check: (history: History) => readonly string[];
}

export function violationsOf(rule: Rule, history: History): Violation[] {
  return rule.check(history).map((detail) => ({ rule: rule.id, detail }));
}

export function sessionsOf(dump: StoreDump): DumpedSession[] {
  return dump.trees.flatMap((tree) => tree.sessions);
}

export function isTerminal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

export function isSuspended(status: string): boolean {
  return status.startsWith('suspended_');
}

export function toolMessages(messages: readonly MessageRow[], callId: string): ToolMessage[] {
  return messages.flatMap(({ message }) =>
    message.role === 'tool' && message.toolCallId === callId ? [message] : [],
  );
}

export type AppliedCommit = Extract<StoreWrite, { kind: 'commit' }>;

export function appliedCommits(history: History): AppliedCommit[] {
  return history.writes.filter(
    (write): write is AppliedCommit => write.kind === 'commit' && write.applied,
  );
}

export type TakenAnswer = Extract<StoreWrite, { kind: 'answer' }>;

/** Answers that changed a row, in order. */
export function takenAnswers(history: History): TakenAnswer[] {
  return history.writes.filter(
    (write): write is TakenAnswer => write.kind === 'answer' && write.taken,
  );
}

export interface RecordedPlan {
  readonly at: number;
  readonly process: string;
  readonly sessionId: string;
  readonly stepId: number;
  readonly plan: StepRecord;
}

/** Every plan that was recorded in a journal. */
export function recordedPlans(history: History): RecordedPlan[] {
  return appliedCommits(history).flatMap(({ at, process, plan }) =>
    (plan.insert?.journal ?? []).flatMap((row) =>
      row.kind === 'plan'
        ? [{ at, process, sessionId: row.sessionId, stepId: row.stepId, plan: row.data }]
        : [],
    ),
  );
}

export interface KnownCall {
  readonly sessionId: string;
  readonly stepId: number;
  readonly call: PlannedCall;
}

/** Calls of recorded plans by session and call id. */
export function knownCalls(history: History): Map<string, KnownCall> {
  const known = new Map<string, KnownCall>();
  for (const { sessionId, stepId, plan } of recordedPlans(history)) {
    for (const call of plan.calls)
      known.set(callName(sessionId, call.callId), { sessionId, stepId, call });
  }
  return known;
}

/** What a person made of a proposed input, raw and as its schema read it; null where they left it as it was shown. */
export function editOf(
  row: Pick<OpenCallRow, 'input' | 'rawInput'>,
  answer: CallAnswer,
): { readonly raw: JsonValue; readonly read: JsonValue } | null {
  if (answer.kind !== 'approved' || answer.input === undefined) return null;
  const { input: raw, parsed } = answer;
  if (sameJson(raw, row.input) || sameJson(raw, row.rawInput ?? row.input)) return null;
  return { raw, read: readOf(raw, parsed) };
}

/** A raw input as its schema read it. */
export function readOf(raw: JsonValue, parsed: ParsedInput | undefined): JsonValue {
  return parsed === undefined || parsed.kind === 'same' ? raw : parsed.value;
}

export function callName(sessionId: string, callId: string): string {
  return `${sessionId}/${callId}`;
}

/** Equal as JSON, whatever the order of keys; a missing field is an undefined one. */
export function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? 'undefined'
  );
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Chunks of steps that were not withdrawn after them. */
export function standingChunks(stream: StreamDump): StoredChunk[] {
  const withdrawn = new Map<string, number>();
  const place = ({ chunk }: StoredChunk): string => callName(chunk.agentId, String(chunk.step));
  for (const stored of stream.chunks)
    if (stored.chunk.type === 'step_discarded') withdrawn.set(place(stored), stored.sequence);
  return stream.chunks.filter((stored) => stored.sequence > (withdrawn.get(place(stored)) ?? 0));
}
