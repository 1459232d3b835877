import {
  SessionNotFoundError,
  StaleStateError,
  StateViewReadonlyError,
} from '../errors/session-errors.ts';
import type { JsonObject } from '../json.ts';
import { diffState } from '../state/diff-state.ts';
import type { SessionUpdate } from '../store/commit-plan.ts';
import type { SessionRow } from '../store/rows.ts';
import { createSession } from './create-session.ts';
import { commitOn, findSession, type FacadeContext, type PlanParts } from './facade-context.ts';
import { plainData } from './plain-data.ts';
import { publicStatus, type SessionState, type SessionStatus } from './session-state.ts';
import { moveTo, readOwnStep, whyNotMoved } from './set-status.ts';
import { stateView } from './state-view.ts';

/** A loaded state, or the part of it that changed. `version` is the one that was loaded. */
export type SavedState = Pick<SessionState<unknown>, 'version'> & Partial<SessionState<unknown>>;

const VIEWS = [
  'pendingClientToolCalls',
  'completedClientToolCalls',
  'clientToolCallOwnership',
  'suspensionContext',
] as const;

const WRITABLE: ReadonlySet<string> = new Set([
  'customState',
  'output',
  'userId',
  'tags',
  'metadata',
  // Checked by the guard, and moved by every write.
  'version',
  'updatedAt',
]);

/**
 * The views of human calls that were returned to callers. An answer may change such a view without a new version, so a saved
 * view is compared with the one that the caller got, not with the current one.
 */
export class ViewsHandedOut {
  readonly #texts = new WeakMap<object, string>();

  remember(state: SessionState): void {
    for (const name of VIEWS) {
      const view = state[name];
      if (view) this.#texts.set(view, JSON.stringify(view));
    }
  }

  /** Whether the state, or the one it was copied from, was loaded here. */
  know(state: SavedState): boolean {
    return VIEWS.some((name) => state[name] && this.#texts.has(state[name]));
  }

  isUnchanged(given: object, current: object | null): boolean {
    const text = this.#texts.get(given);
    return text === undefined ? isSame(current, given) : text === JSON.stringify(given);
  }
}

export async function loadState(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  session: SessionRow,
): Promise<SessionState> {
  const state = stateView(session, await ctx.sessions.readCalls(session.rootId), ctx.now());
  views.remember(state);
  return state;
}

export async function saveState(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  sessionId: string,
  state: SavedState,
): Promise<{ readonly newVersion: number }> {
  const session = await findSession(ctx, sessionId);
  if (!session) return createSaved(ctx, views, sessionId, state);
  const { status = publicStatus(session.status) } = state;
  const set = await fieldsToSave(ctx, views, session, state, status);
  const parts =
    status === publicStatus(session.status)
      ? { set, besideOwner: true as const }
      : await partsToMove(ctx, session, status, set);
  if (!(await commitOn(ctx, session, parts))) throw new StaleStateError({ sessionId });
  return { newVersion: session.version + 1 };
}

/** A state that was built by hand becomes a new session. One that was loaded belongs to a session that was deleted since. */
async function createSaved(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  sessionId: string,
  state: SavedState,
): Promise<{ readonly newVersion: number }> {
  if (views.know(state)) throw new SessionNotFoundError(sessionId);
  const { agentType, customState, userId, tags, metadata } = state;
  const { version } = await createSession(ctx, sessionId, {
    ...(agentType !== undefined && { agentType }),
    ...(customState !== undefined && { customState }),
    ...(typeof userId === 'string' && { userId }),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
  });
  return { newVersion: version };
}

/** A changed status is moved as `compareAndSetStatus` moves it, in the same write. */
async function partsToMove(
  ctx: FacadeContext,
  { sessionId, version }: SessionRow,
  status: SessionStatus,
  set: NonNullable<SessionUpdate['set']>,
): Promise<PlanParts> {
  const rows = await readOwnStep(ctx, sessionId);
  if (rows.session.version !== version) throw new StaleStateError({ sessionId });
  const parts = moveTo(ctx, rows, status, {});
  if (typeof parts === 'string') throw await whyNotMoved(ctx, sessionId, parts);
  return { ...parts, set: { ...parts.set, ...set } };
}

/** What a save may write; throws when it was decided on an older version or changes what it may not. */
export async function fieldsToSave(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  session: SessionRow,
  state: SavedState,
  next: SessionStatus = publicStatus(session.status),
): Promise<NonNullable<SessionUpdate['set']>> {
  const { sessionId } = session;
  if (state.version !== session.version) throw new StaleStateError({ sessionId });
  const current = stateView(session, await ctx.sessions.readCalls(session.rootId), ctx.now());
  const changed = readonlyFieldsChanged(views, current, state).filter(
    (name) =>
      !(name === 'status' && state.status === next) &&
      !(name === 'failureReason' && next === 'failed'),
  );
  if (changed.length > 0) throw new StateViewReadonlyError(sessionId, changed);
  return {
    ...(state.customState !== undefined && {
      customState: plainData(state.customState, 'customState'),
    }),
    ...(state.output !== undefined && { output: plainData(state.output, 'output') }),
    ...(state.userId !== undefined && { userId: state.userId }),
    ...(state.tags !== undefined && { tags: plainData<readonly string[]>(state.tags, 'tags') }),
    ...(state.metadata !== undefined && {
      metadata: plainData<JsonObject>(state.metadata, 'metadata'),
    }),
    ...(next === 'failed' &&
      state.failureReason !== undefined && { failureReason: state.failureReason }),
  };
}

function readonlyFieldsChanged(
  views: ViewsHandedOut,
  current: SessionState,
  given: SavedState,
): string[] {
  const names = (Object.keys(current) as (keyof SessionState)[]).filter(
    (name) => !WRITABLE.has(name),
  );
  return names.filter((name) => {
    const value = given[name];
    if (value === undefined) return false;
    const view = VIEWS.find((known) => known === name);
    return view && typeof value === 'object' && value !== null
      ? !views.isUnchanged(value, current[view])
      : !isSame(current[name], value);
  });
}

function isSame(before: unknown, after: unknown): boolean {
  return diffState(before, after, { arrayDeltas: true, wasAssigned: () => false }).length === 0;
}
