// If this fails: a question to a person is lost, or the transcript holds a call without a result.
import { SessionSuspendedError } from '@helix-agents/core';
import { callKey, type PlannedCall } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { callRow, messageRow, planRow, resultRow, sessionRow, T0 } from '../store/rows.ts';
import { rejection, type FullStateStore, type OpenStateStore } from './harness.ts';

export function waitingStepIsLeftAlone(open: OpenStateStore): void {
  describe('a step that waits for a person', () => {
    it('shows the results it has so far after the transcript, in call order', async () => {
      const { store } = await open();
      await seedWaiting(store);
      const all = await store.getAllMessages('s1');
      expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
      expect(all.slice(2)).toMatchObject([
        { toolCallId: 'settled', success: false },
        { toolCallId: 'server', content: 'found', success: true },
      ]);
      expect(await store.getMessages('s1', { offset: 1, limit: 2 })).toEqual({
        messages: all.slice(1, 3),
        total: 4,
        hasMore: true,
      });
      expect(await store.getMessages('s1', { offset: 3, limit: 5 })).toEqual({
        messages: all.slice(3),
        total: 4,
        hasMore: false,
      });
      expect(await store.sessions.readMessages(sessionRow())).toHaveLength(2);
    });

    it('is not ended, reopened, written to or run by hand', async () => {
      const { store } = await open();
      await seedWaiting(store);
      for (const next of ['active', 'completed', 'failed'] as const) {
        expect(await store.compareAndSetStatus('s1', ['active'], next)).toMatchObject({
          ok: false,
          reason: 'unsettled',
          currentVersion: 1,
        });
      }
      const message = { role: 'user', content: 'hi' } as const;
      const refused = [
        () => store.updateStatus('s1', 'failed'),
        () => store.appendMessages('s1', [message]),
        () => store.truncateMessages('s1', 0),
        () => store.createRun('s1'),
        () => store.stageChanges('s1', 1, { toolCallId: 'x' }),
      ];
      for (const write of refused) {
        const error = await rejection(write());
        expect(SessionSuspendedError.isInstance(error) && error.toolCallIds).toEqual(['client']);
      }
    });

    it('stops waiting when it is interrupted; an answer that came first is kept', async () => {
      const { store } = await open();
      await seedWaiting(store);
      const moved = store.compareAndSetStatus('s1', ['paused'], 'interrupted');
      expect(await moved).toEqual({ ok: true, newVersion: 2 });
      expect(await store.loadState('s1')).toMatchObject({
        status: 'interrupted',
        pendingClientToolCalls: {},
        clientToolCallOwnership: {},
      });
      expect(await store.compareAndSetStatus('s1', ['paused'], 'interrupted')).toMatchObject({
        ok: false,
        reason: 'mismatch',
        currentStatus: 'interrupted',
      });
      const answered = await store.sessions.answerCall({
        key: callKey(callRow('client')),
        outcome: 'answered',
        answer: { kind: 'result', value: 'late' },
        answeredBy: null,
        now: T0,
      });
      expect(answered).toMatchObject({ taken: false });
    });

    it('below the root is moved by its parent only', async () => {
      const { store } = await open();
      const child = sessionRow({ sessionId: 's1-sub-1-0', rootId: 's1' });
      await seed(store.sessions, { sessions: [sessionRow(), child] });
      await expect(
        store.compareAndSetStatus(child.sessionId, ['active'], 'failed'),
      ).rejects.toMatchObject({ code: 'NOT_ROOT_SESSION' });
    });
  });
}

async function seedWaiting(store: FullStateStore): Promise<void> {
  const error = { code: 'tool_not_found', message: 'no such tool' };
  const call = (index: number, callId: string, given: Partial<PlannedCall>): PlannedCall => ({
    index,
    callId,
    toolName: callId,
    class: 'server',
    execution: 'retry',
    timeoutMs: null,
    input: {},
    ...given,
  });
  const calls = [
    call(0, 'client', { class: 'client' }),
    call(1, 'settled', { class: 'settled', result: { outcome: { success: false, error } } }),
    call(2, 'server', {}),
  ];
  const toolCalls = calls.map(({ callId }) => ({ id: callId, name: callId, arguments: {} }));
  const assistant = { role: 'assistant', content: '', toolCalls } as const;
  await seed(store.sessions, {
    sessions: [sessionRow({ status: 'suspended_client_tool', messageCount: 2, stepMessage: 2 })],
    messages: [messageRow(1), messageRow(2, { message: assistant })],
    journal: [
      planRow({ data: { message: assistant, calls, stop: false } }),
      resultRow('found', { index: 2 }),
    ],
    calls: [callRow('client')],
  });
}
