import { StaleStateError, StateViewReadonlyError } from '../errors/session-errors.ts';
import type { JsonObject } from '../json.ts';
import { diffState } from '../state/diff-state.ts';
import type { SessionUpdate } from '../store/commit-plan.ts';
import type { SessionRow } from '../store/rows.ts';
import { commitOn, requireSession, type FacadeContext } from './facade-context.ts';
import { plainData } from './plain-data.ts';
import type { SessionState } from './session-state.ts';
import { stateView } from './state-view.ts';

/** A loaded state, or the part of it that changed. `version` is the one that was loaded. */
export type SavedState = Pick<SessionState<unknown>, 'version'> & Partial<SessionState<unknown>>;

const VIEWS = [
  'pendingClientToolCalls',
  'completedClientToolCalls',
  'clientToolCallOwnership',
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
 * The maps of human calls as they were handed out. An answer may change what they show without a new version, so a map
 * is compared with what its reader saw, not with what is so now.
 */
export class ViewsHandedOut {
  readonly #texts = new WeakMap<object, string>();

  remember(state: SessionState): void {
    for (const name of VIEWS) this.#texts.set(state[name], JSON.stringify(state[name]));
  }

  isUnchanged(given: object, current: object): boolean {
    const text = this.#texts.get(given);
    return text === undefined ? isSame(current, given) : text === JSON.stringify(given);
  }
}

export async function loadState(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  session: SessionRow,
): Promise<SessionState> {
  const state = stateView(session, await ctx.sessions.readCalls(session.rootId));
  views.remember(state);
  return state;
}

export async function saveState(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  sessionId: string,
  state: SavedState,
): Promise<{ readonly newVersion: number }> {
  const session = await requireSession(ctx, sessionId);
  const set = await fieldsToSave(ctx, views, session, state);
  if (!(await commitOn(ctx, session, { set, besideOwner: true })))
    throw new StaleStateError({ sessionId });
  return { newVersion: session.version + 1 };
}

/** What a save may write; throws when it was decided on an older version or changes what it may not. */
export async function fieldsToSave(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  session: SessionRow,
  state: SavedState,
): Promise<NonNullable<SessionUpdate['set']>> {
  const { sessionId } = session;
  if (state.version !== session.version) throw new StaleStateError({ sessionId });
  const current = stateView(session, await ctx.sessions.readCalls(session.rootId));
  const changed = readonlyFieldsChanged(views, current, state);
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
