import { callRow, messageRow, sessionRow, T0 } from '@helix-agents/testing/rows';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SqliteStateStore } from '../src/index.ts';
import { seedOf } from './rows.ts';

it('the view __agents_states answers the queries of the documents', async () => {
  const database = new DatabaseSync(':memory:');
  const { sessions } = new SqliteStateStore(database);
  const seed = seedOf(
    sessionRow({ status: 'suspended_client_tool', tags: ['a'], metadata: { team: 'x' } }),
    sessionRow({ sessionId: 'kid', rootId: 's1' }),
  );
  await sessions.commit({
    ...seed,
    insert: {
      ...seed.insert,
      calls: [
        callRow('mine', { deadlineAt: T0 + 5 }),
        callRow('theirs', { ownerSessionId: 'kid', route: ['s1', 'kid'] }),
        callRow('done', { state: 'settled', outcome: 'answered', settledAt: T0 }),
      ],
      messages: [
        messageRow(1),
        {
          ...messageRow(2),
          message: {
            role: 'tool',
            id: 'm2',
            toolCallId: 'mine',
            toolName: 'x',
            content: '',
            format: 'text',
            success: true,
          },
        },
      ],
    },
  });
  await sessions.commit(
    seedOf(
      sessionRow({
        sessionId: 's2',
        runId: 'run-2',
        status: 'failed',
        failureReason: 'timeout',
        error: { code: 'x', message: 'it broke' },
      }),
    ),
  );

  const state = (id: string): Record<string, unknown> =>
    database.prepare('SELECT * FROM __agents_states WHERE session_id = ?').get(id)!;
  const parsed = (id: string, column: string): unknown => JSON.parse(String(state(id)[column]));

  expect(state('s1')).toMatchObject({ status: 'active', tags: '["a"]', version: 1, step_count: 1 });
  expect(parsed('s1', 'client_tool_call_ownership')).toEqual({ mine: 's1', theirs: 'kid' });
  expect(Object.keys(parsed('s1', 'pending_client_tool_calls') as object)).toEqual(['mine']);
  expect(parsed('s1', 'pending_client_tool_calls')).toMatchObject({ mine: { deadlineAt: T0 + 5 } });
  expect(Object.keys(parsed('s1', 'completed_client_tool_calls') as object)).toEqual(['done']);
  expect(Object.keys(parsed('kid', 'pending_client_tool_calls') as object)).toEqual(['theirs']);
  expect(state('s2')).toMatchObject({
    status: 'failed',
    error: 'it broke',
    failure_reason: 'timeout',
    pending_client_tool_calls: '{}',
    completed_client_tool_calls: '{}',
    client_tool_call_ownership: '{}',
    suspension_context: null,
  });
  const tools = `SELECT session_id, tool_call_id, message_id FROM __agents_messages WHERE role = 'tool'`;
  expect(database.prepare(tools).all()).toEqual([
    { session_id: 's1', tool_call_id: 'mine', message_id: 'm2' },
  ]);
});
