import type { AgentConfig } from '../define/types.ts';
import { claim } from '../engine/claim/claim.ts';
import { readRootStep, type FoundStep } from '../engine/claim/claimable.ts';
import { claimResume, closedForGood, howItEnded, resumeRefusal } from '../engine/claim/resume.ts';
import type { EngineContext, RunAgent } from '../engine/context.ts';
import { expireOverdue } from '../engine/human/sweep.ts';
import { claimFromCheckpoint } from '../engine/human/time-travel.ts';
import { loopRun } from '../engine/rows/loop-run.ts';
import { isTerminal, ownerIsDead, ownerMayBeDead } from '../engine/rows/session-status.ts';
import { errorMessage } from '../errors/helix-error.ts';
import { NotRootSessionError } from '../errors/request-errors.ts';
import {
  AgentAlreadyRunningError,
  NotResumableError,
  SessionNotFoundError,
} from '../errors/session-errors.ts';
import type { LoopRun } from '../loop/host.ts';
import type { SessionRow } from '../store/rows.ts';
import { checkResumeOptions } from './check-options.ts';
import { executeAgent } from './execute.ts';
import { agentFor } from './required-agent.ts';
import { checkLiveness, startRun, type ClientParts, type StartedRun } from './run-starter.ts';
import type { CanResume, ResumeOptions } from './types.ts';
import { isRoot } from '../store/session-place.ts';
import { findSession } from '../store/find-session.ts';

/** Goes on with a session that waits, was stopped or lost its owner. `given` is the agent that the caller takes it for. */
export async function resumeSession(
  parts: ClientParts,
  sessionId: string,
  options: ResumeOptions,
  given?: AgentConfig,
): Promise<StartedRun> {
  parts.starter.assertOpen();
  checkResumeOptions(options);
  for (;;) {
    const read = await readRootStep(parts.ctx, sessionId);
    const found = { ...read, session: await checkLiveness(parts, read.session) };
    if (found.session.closed) throw closedForGood(found.session);
    const agent = agentFor(parts.ctx, found.session, given);
    const runAgent = { agent, isGiven: given !== undefined };
    if (options.mode === 'with_message') return withMessage(parts, runAgent, found, options);
    const run = await claimOrAttach(parts.ctx, found, options);
    if (run === 'runs') return { run: loopRun(found.session) };
    if (run) return startRun(parts, run, runAgent);
  }
}

/** `runs`: somebody runs it, and the caller wants a handle of that run. Never instead of going back to a checkpoint. */
async function claimOrAttach(
  ctx: EngineContext,
  found: FoundStep,
  options: ResumeOptions,
): Promise<LoopRun | 'runs' | null> {
  try {
    return await claimWaiting(ctx, found, options);
  } catch (error) {
    const { ifRunning, checkpointId } = options;
    const attaches = ifRunning === 'attach' && checkpointId === undefined;
    const runs = found.session.status === 'running';
    if (attaches && runs && AgentAlreadyRunningError.isInstance(error)) return 'runs';
    throw error;
  }
}

async function claimWaiting(
  ctx: EngineContext,
  found: FoundStep,
  { checkpointId, traceparent }: ResumeOptions,
): Promise<LoopRun | null> {
  const { session, step } = found;
  if (checkpointId !== undefined) return claimFromCheckpoint(ctx, session, checkpointId);
  const refusal = resumeRefusal(session, ownerMayBeDead(session));
  if (refusal) throw refusal;
  const mayBeLate = step.calls.some((row) => row.state === 'open' && row.deadlineAt !== null);
  if (mayBeLate && (await expireOverdue(ctx, session)) > 0) return null;
  return claimResume(ctx, found, traceparent);
}

async function withMessage(
  parts: ClientParts,
  agent: RunAgent,
  { session }: FoundStep,
  { message = '', onMessageWhileSuspended, traceparent }: ResumeOptions,
): Promise<StartedRun> {
  const { sessionId } = session;
  if (isTerminal(session)) throw new NotResumableError(sessionId, howItEnded(session));
  const policy = onMessageWhileSuspended === undefined ? {} : { onMessageWhileSuspended };
  return executeAgent(
    parts,
    agent,
    { message },
    {
      sessionId,
      ...policy,
      ...(traceparent !== undefined && { traceparent }),
    },
  );
}

/** Starts a failed session again where it failed: its step was closed, so it begins with the model. */
export async function retrySession(
  parts: ClientParts,
  sessionId: string,
  given?: AgentConfig,
): Promise<StartedRun> {
  parts.starter.assertOpen();
  for (;;) {
    const found = await readRootStep(parts.ctx, sessionId);
    const { session } = found;
    if (session.closed) throw closedForGood(session);
    const agent = agentFor(parts.ctx, session, given);
    if (session.status === 'running') throw new AgentAlreadyRunningError(sessionId);
    if (session.status !== 'failed') throw notFailed(session);
    const run = await claim(parts.ctx, found, { trigger: 'retry' });
    if (run) return startRun(parts, run, { agent, isGiven: given !== undefined });
  }
}

function notFailed({ sessionId, status }: SessionRow): NotResumableError {
  const remedy =
    status === 'completed' ? 'send a message to start its next turn' : 'resume it to go on';
  const message = `Session ${sessionId} cannot be retried: it has not failed (${status}); ${remedy}.`;
  return new NotResumableError(sessionId, `${status}, not failed`, message);
}

/** Whether `resumeSession` with the same arguments would be refused, and why. Changes and remembers nothing. */
export async function canResume(
  parts: ClientParts,
  sessionId: string,
  given?: AgentConfig,
): Promise<CanResume> {
  const { ctx } = parts;
  const row = await findSession((ref) => ctx.databases.of(ref), ctx, sessionId);
  if (!row) return { canResume: false, reason: new SessionNotFoundError(sessionId).message };
  const state = await checkLiveness(parts, row);
  try {
    assertResumable(ctx, state, given);
    return { canResume: true, state };
  } catch (error) {
    return { canResume: false, reason: errorMessage(error), state };
  }
}

function assertResumable(
  ctx: EngineContext,
  session: SessionRow,
  given: AgentConfig | undefined,
): void {
  if (!isRoot(session)) throw new NotRootSessionError(session.sessionId, session.rootId);
  if (session.closed) throw closedForGood(session);
  agentFor(ctx, session, given);
  const refusal = resumeRefusal(session, ownerIsDead(session, ctx.clock.now()));
  if (refusal) throw refusal;
}
