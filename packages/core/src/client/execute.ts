import { replacedState } from '../define/initial-state.ts';
import { treeOf } from '../define/resolve-agent.ts';
import { readOpenCalls } from '../engine/announce/announce-end.ts';
import { claim } from '../engine/claim/claim.ts';
import { findStep, newRoot, type FoundStep } from '../engine/claim/claimable.ts';
import { compareMessages, runOfMessage } from '../engine/claim/repeated-message.ts';
import { closedForGood, takeOver } from '../engine/claim/resume.ts';
import type { RunAgent } from '../engine/context.ts';
import { parserFor } from '../engine/race.ts';
import { supersede } from '../engine/human/supersede.ts';
import { isSuspended, ownerMayBeDead } from '../engine/rows/session-status.ts';
import { InvalidRequestError, NotRootSessionError } from '../errors/request-errors.ts';
import {
  AgentAlreadyRunningError,
  SessionExistsError,
  SessionNotFoundError,
  SessionSuspendedError,
} from '../errors/session-errors.ts';
import type { JsonObject } from '../json.ts';
import type { LoopRun } from '../loop/host.ts';
import type { UserMessage } from '../messages/message.ts';
import type { SessionRow } from '../store/rows.ts';
import { checkExecuteOptions, checkState } from './check-options.ts';
import { newSession } from './new-session.ts';
import { checkBag } from './option-bags.ts';
import { assertAgentOf } from './required-agent.ts';
import { checkLiveness, startRun, type ClientParts, type StartedRun } from './run-starter.ts';
import type { AgentInput, ExecuteOptions } from './types.ts';
import { checkNewSessionId, checkSessionId, givenIds, toUserMessages } from './user-messages.ts';
import { isRoot, rootRef } from '../store/session-place.ts';
import { isChildId } from '../engine/rows/child-session-id.ts';
import type { EngineContext } from '../engine/context.ts';

/** One turn, as a caller asked for it. */
interface Turn {
  readonly agent: RunAgent;
  readonly messages: readonly UserMessage[];
  /** Ids of messages that their sender chose. */
  readonly givenIds: ReadonlySet<string>;
  readonly state: JsonObject | undefined;
  readonly options: ExecuteOptions;
}

/** Begins a new session, or the next turn of the one that is named, and starts its run. */
export async function executeAgent(
  parts: ClientParts,
  agent: RunAgent,
  input: AgentInput,
  options: ExecuteOptions,
): Promise<StartedRun> {
  parts.starter.assertOpen();
  treeOf(agent.agent);
  const { sessionId } = options;
  if (sessionId !== undefined) checkSessionId(sessionId);
  checkExecuteOptions(options);
  const { message, state } = readInput(input);
  checkState(state);
  checkStateOf(agent.agent, state);
  const messages = toUserMessages(message, parts.ctx.newId);
  const turn = { agent, messages, givenIds: givenIds(message), state, options };
  return sessionId === undefined
    ? startRun(parts, await claimNewId(parts, turn), agent)
    : runTurn(parts, sessionId, turn);
}

function readInput(input: AgentInput): Exclude<AgentInput, string> {
  if (typeof input === 'string') return { message: input };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const message = 'give the user message as a text, or { message, state }';
    throw new InvalidRequestError([{ path: 'input', message }]);
  }
  checkBag('the input of a run', input);
  return input;
}

/** Nothing would check it, and no tool could rely on it. */
function checkStateOf(
  { name, stateSchema }: RunAgent['agent'],
  state: JsonObject | undefined,
): void {
  if (state === undefined || stateSchema) return;
  const message = `the agent "${name}" has no stateSchema; give it one with these fields, or leave the state out`;
  throw new InvalidRequestError([{ path: 'state', message }]);
}

/** Under an id that nobody has, so there is nothing to look for. One that is taken after all is not touched. */
async function claimNewId(parts: ClientParts, turn: Turn): Promise<LoopRun> {
  for (;;) {
    const run = await firstTurn(parts, parts.ctx.newId(), turn);
    if (run) return run;
  }
}

/** Starts the run of a turn that is claimed. A message that was sent before has a run: that one is what is asked for. */
async function runTurn(parts: ClientParts, sessionId: string, turn: Turn): Promise<StartedRun> {
  const { ctx } = parts;
  let sought = turn.givenIds;
  for (; ; sought = idsOf(turn.messages)) {
    const found = await findStep(ctx, rootRef(sessionId), true);
    if (!found) {
      await requireNewId(ctx, sessionId);
      const run = await firstTurn(parts, sessionId, turn);
      if (run) return startRun(parts, run, turn.agent);
      continue;
    }
    const { session } = found;
    assertOwner(session, turn.options.userId);
    if (session.turn > 0 && turn.options.ifExists === 'reject')
      throw new SessionExistsError(sessionId);
    const { fresh, known } = await compareMessages(ctx, session, turn.messages, sought);
    const repeated = known && fresh.length === 0 ? await runOfMessage(ctx, session, known) : null;
    if (repeated) return { run: repeated };
    const run = await nextTurn(parts, found, { ...turn, messages: fresh });
    if (run) return startRun(parts, run, turn.agent);
  }
}

/**
 * After a claim that was refused every message is looked for: it may have been applied, its reply lost, and somebody else may have
 * gone on with the session since.
 */
function idsOf(messages: readonly UserMessage[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ id }) => (id === undefined ? [] : [id])));
}

/** For somebody else the session is not there: the row decides, whatever was looked at before. */
function assertOwner(session: SessionRow, userId: string | undefined): void {
  if (userId !== undefined && isRoot(session) && session.userId !== userId)
    throw new SessionNotFoundError(session.sessionId);
}

/** An id that is kept free for sub-agents may be the one of a sub-agent that is there. */
async function requireNewId(ctx: EngineContext, sessionId: string): Promise<void> {
  const rootId = isChildId(sessionId) ? await ctx.findRoot(sessionId) : null;
  if (rootId !== null) throw new NotRootSessionError(sessionId, rootId);
  checkNewSessionId(sessionId);
}

/** Null: somebody else created it meanwhile. */
async function firstTurn(
  { ctx }: ClientParts,
  sessionId: string,
  { agent, messages, state, options }: Turn,
): Promise<LoopRun | null> {
  const made = await newSession(agent.agent, state, options, parserFor(ctx));
  const root = newRoot(ctx, sessionId, made);
  return claim(ctx, root, { trigger: 'execute', messages, trace: options });
}

/** Adds a message to an existing session as its status allows. Null: it moved, look again. */
async function nextTurn(parts: ClientParts, found: FoundStep, turn: Turn): Promise<LoopRun | null> {
  const { ctx } = parts;
  const { messages, options } = turn;
  const { agent } = turn.agent;
  const session = await checkLiveness(parts, found.session);
  const { sessionId, rootId, customState } = session;
  if (!isRoot(session)) throw new NotRootSessionError(sessionId, rootId);
  if (session.closed) throw closedForGood(session);
  assertAgentOf(session, agent);
  const state = turn.state && (await replacedState(agent, customState, turn.state, parserFor(ctx)));
  // Created by hand and never run: this is its first turn.
  const isRunning = session.status === 'running' && session.turn > 0;
  if (isRunning) return endDeadRun(parts, session, turn.agent);
  if (isSuspended(session) && options.onMessageWhileSuspended !== 'supersede') {
    const open = await readOpenCalls(ctx, session);
    const ids = open.map(({ toolCallId }) => toolCallId);
    throw new SessionSuspendedError(sessionId, ids);
  }
  if (isSuspended(session) || session.status === 'interrupted')
    return supersede(ctx, session, { messages, state, trace: options });
  return claim(ctx, { ...found, session }, { trigger: 'execute', messages, state, trace: options });
}

/** A message comes after the run of a dead owner: that is driven to its end first, then looked at again. */
async function endDeadRun(
  { ctx, starter }: ClientParts,
  session: SessionRow,
  { agent, isGiven }: RunAgent,
): Promise<null> {
  if (!ownerMayBeDead(session))
    throw new AgentAlreadyRunningError(session.sessionId, session.runId);
  const taken = await takeOver(ctx, session);
  if (!taken) return null;
  ctx.agents.bindRun(taken, { agent, isGiven });
  await starter.driveToEnd(taken);
  return null;
}
