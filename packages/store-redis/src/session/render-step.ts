import type { CommitPlan, UsageRow } from '@helix-agents/core';
import { encodeId } from '../keys.ts';
import { toJson } from '../rows/encode.ts';
import type { ScriptArguments } from '../script.ts';
import { interruptField, journalField } from './plan-words.ts';
import type { StepClose } from './step-close.ts';
import type { StepRecord } from './step-record.ts';

/** Adds the arguments of `closeStepScript` behind the name of its sending. */
export function renderClose(
  args: ScriptArguments,
  { now, guard, remove }: CommitPlan,
  { own, set, checkpoint, messages, usage }: StepClose,
): void {
  const { lastCommit, stepId, stepCount, messageCount, ...others } = set;
  const stop = guard.interruptsAbsent?.[0];
  const dropped = remove?.journal?.[0];
  args.push(`${own.version} ${own.epoch} ${own.stepId} ${own.records} "running"`);
  args.push(stop ? interruptField(stop.runId) : '', dropped ? `${dropped.stepId}:` : '');
  args.push(`${checkpoint.version}`, toJson(checkpoint), toJson(lastCommit));
  args.push(`${stepId}`, `${stepCount}`, `${messageCount}`);
  args.push(`${messages.length}`, `${usage.length * 3}`);
  for (const { message } of messages) args.push(toJson(message));
  renderUsage(args, usage, now);
  for (const [column, value] of Object.entries(others)) {
    if (value !== undefined) args.push(column, toJson(value));
  }
}

/** Adds the arguments of `recordScript` behind the name of its sending. */
export function renderRecord(
  args: ScriptArguments,
  { now }: CommitPlan,
  { own, row, usage }: StepRecord,
): void {
  args.push(`${own.epoch} ${own.stepId} "running"`);
  args.push(journalField(row), `${now - row.createdAt}`, toJson(row.data));
  renderUsage(args, usage, now);
}

function renderUsage(args: ScriptArguments, usage: readonly UsageRow[], now: number): void {
  for (const row of usage) args.push(encodeId(row.id), `${now - row.timestamp}`, toJson(row));
}
