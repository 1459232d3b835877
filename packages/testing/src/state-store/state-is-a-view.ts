// If this fails: what an application sees of a session is not what its rows say.
import { findExpiredPending } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from '../store/rows.ts';
import type { OpenStateStore } from './harness.ts';

export function stateIsAView(open: OpenStateStore): void {
  describe('loadState', () => {
    it('shows human calls at their owner, and at the root who owns them', async () => {
      const { store } = await open();
      const childId = 's1-sub-1-0';
      await seed(store.sessions, {
        sessions: [
          sessionRow({ status: 'suspended_client_tool' }),
          sessionRow({ sessionId: childId, rootId: 's1', status: 'suspended_client_tool' }),
        ],
        calls: [
          callRow('open', { deadlineAt: T0 + HOUR }),
          callRow('answered', {
            kind: 'approval',
            approvalId: 'run::answered',
            state: 'answered',
            outcome: 'approved',
            answer: { kind: 'approved' },
            answeredAt: T0 + 1,
            ownerIndex: 1,
          }),
          callRow('below', { ownerSessionId: childId, route: ['s1', childId], ownerIndex: 2 }),
          settledCallRow('done', {
            ownerIndex: 3,
            answeredBy: 'ann',
            answeredAt: T0,
            purgeAt: Date.now() + HOUR,
          }),
          settledCallRow('forgotten', { ownerIndex: 4, purgeAt: Date.now() - 1 }),
          callRow('withdrawn', { ownerIndex: 5, state: 'answered', outcome: 'cancelled' }),
        ],
      });
      const root = await store.loadState('s1');
      expect(root?.pendingClientToolCalls).toEqual({
        open: {
          toolCallId: 'open',
          toolName: 'pickFile',
          kind: 'client',
          input: { path: '/tmp' },
          approvalId: null,
          deadlineAt: T0 + HOUR,
          openedAt: T0,
        },
        answered: {
          toolCallId: 'answered',
          toolName: 'pickFile',
          kind: 'approval',
          input: { path: '/tmp' },
          approvalId: 'run::answered',
          deadlineAt: null,
          openedAt: T0,
          submittedAt: T0 + 1,
          outcome: 'approved',
          response: { kind: 'approved' },
        },
      });
      expect(root?.clientToolCallOwnership).toEqual({ open: 's1', answered: 's1', below: childId });
      expect(Object.keys(root?.completedClientToolCalls ?? {})).toEqual(['done']);
      expect(root?.completedClientToolCalls).toMatchObject({
        done: { completedAt: T0, answeredBy: 'ann', answeredAt: T0 },
      });
      expect(root).toMatchObject({ status: 'active', runStatus: 'suspended_client_tool' });
      expect(root?.suspensionContext).toEqual({
        suspendedStepId: root?.stepId,
        suspendedAwaitingChildren: [childId],
        tracingContext: { userId: root?.userId, tags: root?.tags, metadata: root?.metadata },
        expiresAt: T0 + HOUR,
        failureReason: null,
      });

      const child = await store.loadState(childId);
      expect(Object.keys(child?.pendingClientToolCalls ?? {})).toEqual(['below']);
      expect(child).toMatchObject({ rootSessionId: 's1', clientToolCallOwnership: {} });
    });

    it('shows an interrupted session as one that waits for nothing, except for calls that are still open', async () => {
      const { store } = await open();
      await seed(store.sessions, {
        sessions: [sessionRow({ status: 'interrupted' })],
        calls: [
          callRow('open'),
          callRow('given', { ownerIndex: 1, state: 'answered', outcome: 'answered' }),
          callRow('withdrawn', { ownerIndex: 2, state: 'answered', outcome: 'cancelled' }),
        ],
      });
      const state = await store.loadState('s1');
      expect(Object.keys(state?.pendingClientToolCalls ?? {})).toEqual(['open']);
      expect(state).toMatchObject({
        clientToolCallOwnership: { open: 's1' },
        suspensionContext: null,
      });
    });

    it('finds the calls whose deadline is over and that nobody answered', async () => {
      const { store } = await open();
      const answered = { state: 'answered', outcome: 'answered', answeredAt: T0 } as const;
      await seed(store.sessions, {
        sessions: [sessionRow({ status: 'suspended_client_tool' })],
        calls: [
          callRow('over', { deadlineAt: T0 - 1 }),
          callRow('now', { deadlineAt: T0, ownerIndex: 1 }),
          callRow('ahead', { deadlineAt: T0 + 1, ownerIndex: 2 }),
          callRow('never', { ownerIndex: 3 }),
          callRow('answered', { deadlineAt: T0 - 1, ownerIndex: 4, ...answered }),
        ],
      });
      const state = await store.loadState('s1');
      const found = state && findExpiredPending(state, T0).map((call) => call.toolCallId);
      expect(found?.toSorted()).toEqual(['now', 'over']);
      const waits = Object.values(state?.pendingClientToolCalls ?? {}).find(
        ({ toolCallId }) => toolCallId === 'over',
      );
      if (!waits) throw new Error('It is not pending.');
      const past = { ...waits, deadlineAt: Date.now() - 1 };
      const ahead = { ...past, deadlineAt: Date.now() + HOUR };
      expect(findExpiredPending({ pendingClientToolCalls: { past, ahead } }), 'by now').toEqual([
        past,
      ]);
    });

    it('says how a session ended', async () => {
      const { store } = await open();
      const error = { code: 'run_aborted', message: 'enough' };
      const failed = { status: 'failed', error, failureReason: 'aborted' } as const;
      await seed(store.sessions, { sessions: [sessionRow(failed)] });
      expect(await store.loadState('s1')).toMatchObject({
        status: 'failed',
        error,
        failureReason: 'aborted',
        aborted: true,
        abortReason: 'enough',
      });
      expect(await store.loadState('nobody')).toBeNull();
    });
  });
}
