import type { CommitPlan } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { commitScript } from '../lua/commit.ts';
import type { ScriptArguments } from '../script.ts';
import { writeStream } from './plan-stream.ts';
import { renderPlan } from './render-plan.ts';

/** The arguments with which the commit script applies the plan. */
export function renderCommit(database: RedisDatabase, plan: CommitPlan): ScriptArguments {
  const args = database.begin(commitScript, plan.rootId, plan.now);
  args.push(database.newSending());
  renderPlan(args, plan);
  if (plan.stream) writeStream(args, database, plan.rootId, plan.stream);
  return args;
}
