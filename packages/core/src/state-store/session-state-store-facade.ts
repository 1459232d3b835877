import type { JsonValue } from '../json.ts';
import type { Message } from '../messages/message.ts';
import type { RunRow } from '../store/rows.ts';
import type { SessionIndex, SessionStore } from '../store/session-store.ts';
import type { StateStore } from '../store/state-store.ts';
import {
  getCheckpoint,
  getLatestCheckpoint,
  listCheckpoints,
  sessionOfCheckpoint,
  type Checkpoint,
  type CheckpointsPage,
  type CheckpointsRange,
} from './checkpoints.ts';
import { increment } from './counters.ts';
import { createSession, type CreateSessionOptions } from './create-session.ts';
import { findSession, type FacadeContext } from './facade-context.ts';
import {
  checkInterruptFlag,
  clearInterruptFlag,
  setInterruptFlag,
  type InterruptFlag,
} from './interrupt-flags.ts';
import {
  appendMessages,
  getMessages,
  truncateMessages,
  type MessagesPage,
  type MessagesRange,
  type TruncateOptions,
} from './messages.ts';
import { createRun, type CreateRunOptions } from './runs.ts';
import { loadState, saveState, ViewsHandedOut, type SavedState } from './save-state.ts';
import type { SessionState } from './session-state.ts';
import type { SessionStateStore, Written } from './session-state-store.ts';
import {
  compareAndSetStatus,
  updateStatus,
  type CompareAndSetOptions,
  type CompareAndSetResult,
  type ExpectedStatus,
  type SetStatusOptions,
} from './set-status.ts';
import {
  discardStaging,
  promoteStaging,
  saveStateAndPromoteStaging,
  stageChanges,
  type Promoted,
  type PromoteOptions,
  type StagedChanges,
} from './staging.ts';
import { listSubSessions, type SubSessionRef } from './sub-sessions.ts';

export interface FacadeOptions {
  readonly now?: () => number;
  /** Never the same twice. */
  readonly newId?: () => string;
}

/** The long surface over the two small contracts, the same for every store. Holds no rows of its own. */
export class SessionStateStoreFacade implements SessionStateStore, StateStore {
  readonly sessions: SessionStore;
  readonly index: SessionIndex;
  readonly #ctx: FacadeContext;
  readonly #views = new ViewsHandedOut();

  constructor(store: StateStore, options: FacadeOptions = {}) {
    this.sessions = store.sessions;
    this.index = store.index;
    this.#ctx = {
      sessions: store.sessions,
      now: options.now ?? (() => Date.now()),
      newId: options.newId ?? (() => crypto.randomUUID()),
    };
  }

  async createSession(
    sessionId: string,
    options: CreateSessionOptions = {},
  ): Promise<SessionState> {
    const state = await createSession(this.#ctx, sessionId, options);
    this.#views.remember(state);
    return state;
  }

  async sessionExists(sessionId: string): Promise<boolean> {
    return (await findSession(this.#ctx, sessionId)) !== null;
  }

  async deleteSession(sessionId: string): Promise<void> {
    const session = await findSession(this.#ctx, sessionId);
    if (session) await this.sessions.deleteSession(session);
  }

  deleteState(sessionId: string): Promise<void> {
    return this.deleteSession(sessionId);
  }

  async loadState<State = JsonValue>(sessionId: string): Promise<SessionState<State> | null> {
    const session = await findSession(this.#ctx, sessionId);
    if (!session) return null;
    return (await loadState(this.#ctx, this.#views, session)) as SessionState<State>;
  }

  saveState(sessionId: string, state: SavedState): Promise<Written> {
    return saveState(this.#ctx, this.#views, sessionId, state);
  }

  updateStatus(
    sessionId: string,
    status: ExpectedStatus,
    options: SetStatusOptions = {},
  ): Promise<Written> {
    return updateStatus(this.#ctx, sessionId, status, options);
  }

  compareAndSetStatus(
    sessionId: string,
    expected: readonly ExpectedStatus[],
    next: ExpectedStatus,
    options: CompareAndSetOptions = {},
  ): Promise<CompareAndSetResult> {
    return compareAndSetStatus(this.#ctx, sessionId, expected, next, options);
  }

  appendMessages(
    sessionId: string,
    messages: readonly Message[],
  ): Promise<Written & { readonly messageCount: number }> {
    return appendMessages(this.#ctx, sessionId, messages);
  }

  getMessages(sessionId: string, range: MessagesRange = {}): Promise<MessagesPage> {
    return getMessages(this.#ctx, sessionId, range);
  }

  async getAllMessages(sessionId: string): Promise<readonly Message[]> {
    return (await getMessages(this.#ctx, sessionId, {})).messages;
  }

  truncateMessages(
    sessionId: string,
    count: number,
    options: TruncateOptions = {},
  ): Promise<Written & { readonly messageCount: number }> {
    return truncateMessages(this.#ctx, sessionId, count, options);
  }

  incrementStepCount(sessionId: string): Promise<number> {
    return increment(this.#ctx, sessionId, 'stepCount');
  }

  incrementResumeCount(sessionId: string): Promise<number> {
    return increment(this.#ctx, sessionId, 'resumeCount');
  }

  stageChanges(sessionId: string, stepId: number, changes: StagedChanges): Promise<void> {
    return stageChanges(this.#ctx, sessionId, stepId, changes);
  }

  promoteStaging(sessionId: string, options: PromoteOptions): Promise<Promoted> {
    return promoteStaging(this.#ctx, sessionId, options);
  }

  discardStaging(sessionId: string, stepId: number): Promise<void> {
    return discardStaging(this.#ctx, sessionId, stepId);
  }

  saveStateAndPromoteStaging(
    sessionId: string,
    state: SavedState,
    options: PromoteOptions,
  ): Promise<Promoted> {
    return saveStateAndPromoteStaging(this.#ctx, this.#views, sessionId, state, options);
  }

  listCheckpoints(sessionId: string, range: CheckpointsRange = {}): Promise<CheckpointsPage> {
    return listCheckpoints(this.#ctx, sessionId, range);
  }

  getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null> {
    return getLatestCheckpoint(this.#ctx, sessionId);
  }

  async getCheckpoint(first: string, checkpointId?: string): Promise<Checkpoint | null> {
    if (checkpointId !== undefined) return getCheckpoint(this.#ctx, first, checkpointId);
    const sessionId = sessionOfCheckpoint(first);
    return sessionId === null ? null : getCheckpoint(this.#ctx, sessionId, first);
  }

  createRun(sessionId: string, options: CreateRunOptions = {}): Promise<RunRow> {
    return createRun(this.#ctx, sessionId, options);
  }

  async getCurrentRun(sessionId: string): Promise<RunRow | null> {
    const session = await findSession(this.#ctx, sessionId);
    if (!session) return null;
    const [run] = await this.sessions.readRuns(session, { last: 1 });
    return run ?? null;
  }

  async listRuns(
    sessionId: string,
    range: { readonly last?: number } = {},
  ): Promise<{ readonly runs: readonly RunRow[] }> {
    const session = await findSession(this.#ctx, sessionId);
    return { runs: session ? await this.sessions.readRuns(session, range) : [] };
  }

  setInterruptFlag(sessionId: string, reason?: string): Promise<boolean> {
    return setInterruptFlag(this.#ctx, sessionId, reason);
  }

  checkInterruptFlag(sessionId: string): Promise<InterruptFlag | null> {
    return checkInterruptFlag(this.#ctx, sessionId);
  }

  clearInterruptFlag(sessionId: string): Promise<void> {
    return clearInterruptFlag(this.#ctx, sessionId);
  }

  listSubSessions(sessionId: string): Promise<readonly SubSessionRef[]> {
    return listSubSessions(this.#ctx, sessionId);
  }
}

/** The facade over any store: `createStateStoreFacade(executorStore).loadState(id)`. */
export function createStateStoreFacade(
  store: StateStore,
  options: FacadeOptions = {},
): SessionStateStoreFacade {
  return new SessionStateStoreFacade(store, options);
}
