// If this fails: of two writers one silently loses its work, or a save undoes a person's answer (ATOM-03).
import {
  AgentAlreadyRunningError,
  SessionNotFoundError,
  SessionSuspendedError,
  StaleStateError,
  StateViewReadonlyError,
  type SessionState,
} from '@helix-agents/core';
import { callKey } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import { seed } from '../store/plans.ts';
import { callRow, HOUR, sessionRow, T0 } from '../store/rows.ts';
import { rejection, type FullStateStore, type OpenStateStore } from './harness.ts';

export function saveIsVersioned(open: OpenStateStore): void {
  describe('saveState', () => {
    it('writes custom state, output, user, tags and metadata, and nothing that was left alone', async () => {
      const { store } = await open();
      await store.createSession('s1', { agentType: 'a', customState: { count: 1 }, userId: 'u1' });
      const state = await load<{ count: number }>(store);
      state.customState.count += 1;
      state.tags.push('new');
      state.metadata = { team: 'x' };
      state.output = { done: true };
      expect(await store.saveState('s1', state)).toEqual({ newVersion: 2 });
      expect(await load(store)).toMatchObject({
        customState: { count: 2 },
        tags: ['new'],
        metadata: { team: 'x' },
        userId: 'u1',
        output: { done: true },
        version: 2,
        agentType: 'a',
        status: 'active',
      });
      await store.saveState('s1', { version: 2, userId: null });
      expect(await load(store)).toMatchObject({ userId: null, customState: { count: 2 } });
    });

    it('has one winner per version and tells the others they are stale', async () => {
      const { store, connections } = await open();
      await store.createSession('s1', { customState: {} });
      for (let version = 1; version <= 5; version += 1) {
        const states = await inParallel(8, async () => load(store));
        const results = await Promise.allSettled(
          states.map((state, racer) => {
            const connection = connections[racer % connections.length] ?? store;
            return connection.saveState('s1', { ...state, customState: { racer } });
          }),
        );
        const lost = results.filter((one) => one.status === 'rejected');
        expect(lost).toHaveLength(7);
        expect(lost.every(({ reason }) => StaleStateError.isInstance(reason))).toBe(true);
        const winner = results.findIndex((one) => one.status === 'fulfilled');
        const now = await load(store);
        expect(now).toMatchObject({ version: version + 1, customState: { racer: winner } });
      }
    });

    it('is stale after any other write, and changes nothing then', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { kept: true } });
      const state = await load(store);
      await store.appendMessages('s1', [{ role: 'user', content: 'hi' }]);
      const error = await rejection(store.saveState('s1', { ...state, customState: {} }));
      expect(StaleStateError.isInstance(error)).toBe(true);
      expect((await load(store)).customState).toEqual({ kept: true });
    });

    it('refuses changes to what only shows other rows', async () => {
      const { store } = await open();
      await seedWaiting(store);
      const loaded = await load(store);
      const changes: Partial<SessionState>[] = [
        { pendingClientToolCalls: {} },
        { clientToolCallOwnership: { a: 'somebody' } },
        { completedClientToolCalls: { b: completed } },
        { stepCount: 9 },
      ];
      for (const change of changes) {
        const error = await rejection(store.saveState('s1', { ...loaded, ...change }));
        expect(StateViewReadonlyError.isInstance(error) && error.fields).toEqual(
          Object.keys(change),
        );
      }
      const pending = loaded.pendingClientToolCalls as { [id: string]: unknown };
      delete pending['a'];
      await expect(store.saveState('s1', loaded)).rejects.toMatchObject({
        code: 'state_view_readonly',
      });
      expect(await load(store)).toMatchObject({ version: 1 });
    });

    it('moves a changed status as compareAndSetStatus does, with what else was changed, in one write', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { n: 1 } });
      const state = await load<{ n: number }>(store);
      state.status = 'failed';
      state.failureReason = 'by hand';
      state.customState.n = 2;
      expect(await store.saveState('s1', state)).toEqual({ newVersion: 2 });
      const failed = await load<{ n: number }>(store);
      expect(failed).toMatchObject({
        status: 'failed',
        failureReason: 'by hand',
        customState: { n: 2 },
      });
      failed.failureReason = 'for another reason';
      await store.saveState('s1', failed);
      expect(await load(store)).toMatchObject({ failureReason: 'for another reason' });
      await store.saveState('s1', { version: 3, status: 'active' });
      const active = await load(store);
      expect(active).toMatchObject({ status: 'active', failureReason: null });
      active.failureReason = 'not failed';
      const error = await rejection(store.saveState('s1', active));
      expect(StateViewReadonlyError.isInstance(error) && error.fields).toEqual(['failureReason']);
    });

    it('moves no session that somebody runs, and none that is in the middle of a step', async () => {
      const { store } = await open();
      const running = { status: 'running', hostKind: 'js', leaseOwner: 'somebody' } as const;
      const leaseUntil = Date.now() + HOUR;
      await seed(store.sessions, { sessions: [sessionRow({ ...running, leaseUntil })] });
      const owned = { ...(await load(store)), status: 'completed' as const };
      const error = await rejection(store.saveState('s1', owned));
      expect(AgentAlreadyRunningError.isInstance(error)).toBe(true);
      const session = sessionRow({
        sessionId: 's2',
        rootId: 's2',
        status: 'suspended_client_tool',
      });
      const call = callRow('a', { rootId: 's2', ownerSessionId: 's2', route: ['s2'] });
      await seed(store.sessions, { sessions: [session], calls: [call] });
      const waiting = await rejection(store.saveState('s2', { version: 1, status: 'completed' }));
      expect(SessionSuspendedError.isInstance(waiting) && waiting.message).toContain('s2');
    });

    it('creates a session that is not there, but none that was deleted after it was loaded', async () => {
      const { store } = await open();
      const made = { version: 0, agentType: 'a', customState: { n: 1 }, userId: 'u', tags: ['t'] };
      expect(await store.saveState('s1', made)).toEqual({ newVersion: 1 });
      const state = await load(store);
      expect(state).toMatchObject({ ...made, version: 1, status: 'active' });
      await store.deleteSession('s1');
      const error = await rejection(store.saveState('s1', { ...state }));
      expect(SessionNotFoundError.isInstance(error)).toBe(true);
      expect(await store.sessionExists('s1')).toBe(false);
    });

    it('takes unchanged views back, copied or answered meanwhile', async () => {
      const { store } = await open();
      await seedWaiting(store);
      const copy = JSON.parse(JSON.stringify(await load(store))) as SessionState;
      await store.saveState('s1', { ...copy, customState: { n: 1 } });
      const seen = await load(store);
      await store.sessions.answerCall({
        key: callKey(callRow('a')),
        outcome: 'answered',
        answer: { kind: 'result', value: 'ok' },
        answeredBy: null,
        now: T0,
      });
      await store.saveState('s1', { ...seen, customState: { n: 2 } });
      const after = await load(store);
      expect(after.customState).toEqual({ n: 2 });
      expect(after.pendingClientToolCalls['a']?.response).toEqual({ kind: 'result', value: 'ok' });
    });
  });
}

const completed = { toolCallId: 'b', toolName: 'x', outcome: null, completedAt: 1 };

async function load<State>(store: FullStateStore): Promise<SessionState<State>> {
  const state = await store.loadState<State>('s1');
  if (!state) throw new Error('session s1 is gone');
  return state;
}

async function seedWaiting(store: FullStateStore): Promise<void> {
  const session = sessionRow({ status: 'suspended_client_tool' });
  await seed(store.sessions, { sessions: [session], calls: [callRow('a')] });
}
