import type { CommitPlan } from '@helix-agents/core';
import { encodeId } from '../keys.ts';
import { toJson } from '../rows/encode.ts';
import { interruptField } from './plan-words.ts';
import type { StepClose } from './step-close.ts';

/** Adds the arguments of lua/commit-step.ts. */
export function renderStep(
  args: (string | number)[],
  { now, guard, remove }: CommitPlan,
  { sessionId, own, set, checkpoint, messages, usage }: StepClose,
  { sending, onServerClock }: { readonly sending: string; readonly onServerClock: boolean },
): void {
  const { lastCommit, stepId, stepCount, messageCount, ...others } = set;
  const stop = guard.interruptsAbsent?.[0];
  const dropped = remove?.journal?.[0];
  args.push(encodeId(sessionId), onServerClock ? '' : `${now}`, sending);
  args.push(`${own.version} ${own.epoch} ${own.stepId} ${own.records} "running"`);
  args.push(stop ? interruptField(stop.runId) : '', dropped ? `${dropped.stepId}:` : '');
  args.push(`${checkpoint.version}`, toJson(checkpoint), toJson(lastCommit));
  args.push(`${stepId}`, `${stepCount}`, `${messageCount}`);
  args.push(`${messages.length}`, `${usage.length * 3}`);
  for (const { message } of messages) args.push(toJson(message));
  for (const row of usage) args.push(encodeId(row.id), `${now - row.timestamp}`, toJson(row));
  for (const [column, value] of Object.entries(others)) {
    if (value !== undefined) args.push(column, toJson(value));
  }
}
