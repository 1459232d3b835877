import { deleteOneJournal } from './commit/removals.ts';
import { resumeUpdates } from './commit/resume-updates.ts';
import { insertOne } from './commit/row-statements.ts';
import type { Dialect } from './dialect.ts';
import { memoize } from './memoize.ts';
import { checkpoints, journal, messages, openCalls, runs, usage } from './rows/tables.ts';
import { textOfAnswer } from './session/call-writes.ts';
import { textsOfStep } from './session/read-step.ts';
import { readTexts } from './session/session-reads.ts';
import { statusTexts } from './stream/status-statements.ts';
import { chunkTexts } from './stream/stream-statements.ts';

/**
 * What nearly every turn runs, for a driver that can stop and prepares ahead, on the caller's clock. Of the updates,
 * whose texts depend on what a plan sets, those of a resume: the rest of a turn runs after a model has answered.
 */
export const commonTexts: (dialect: Dialect) => readonly string[] = memoize((dialect: Dialect) => [
  ...textsOfStep(dialect),
  readTexts.messages,
  readTexts.call,
  textOfAnswer(dialect),
  insertOne(messages),
  insertOne(journal),
  insertOne(openCalls),
  insertOne(checkpoints),
  insertOne(runs),
  insertOne(usage),
  deleteOneJournal,
  ...resumeUpdates,
  ...chunkTexts,
  ...statusTexts,
]);
