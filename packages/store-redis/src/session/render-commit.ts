import type { CommitPlan } from '@helix-agents/core';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';
import { closeStepScript, recordScript } from '../lua/commit-step.ts';
import { commitScript } from '../lua/commit.ts';
import type { Script, ScriptArguments } from '../script.ts';
import { writeStream } from './plan-stream.ts';
import { renderPlan } from './render-plan.ts';
import { renderClose, renderRecord } from './render-step.ts';
import { stepCloseOf } from './step-close.ts';
import { stepRecordOf } from './step-record.ts';

/** The script that applies the plan, with its arguments. The plans of a plain step have scripts of their own. */
export function renderCommit(database: RedisDatabase, plan: CommitPlan): [Script, ScriptArguments] {
  const close = stepCloseOf(plan);
  if (close) {
    const args = beginStep(database, closeStepScript, plan, close.sessionId);
    renderClose(args, plan, close);
    return [closeStepScript, args];
  }
  const record = stepRecordOf(plan);
  if (record) {
    const args = beginStep(database, recordScript, plan, record.sessionId);
    renderRecord(args, plan, record);
    return [recordScript, args];
  }
  const args = database.begin(commitScript, plan.rootId, plan.now);
  args.push(database.newSending());
  renderPlan(args, plan);
  if (plan.stream) writeStream(args, database, plan.rootId, plan.stream);
  return [commitScript, args];
}

function beginStep(
  { keys, onServerClock, newSending }: RedisDatabase,
  script: Script,
  { rootId, now }: CommitPlan,
  sessionId: string,
): ScriptArguments {
  const args = script.begin(keys.treeOf(rootId));
  args.push(encodeId(sessionId), onServerClock ? '' : `${now}`, newSending());
  return args;
}
