import { readFileSync } from 'node:fs';
import { defineAgent, defineTool, functionModel, type Schema } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { describeServer } from '@helix-agents/test-servers';
import { seed, sessionRow } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { openPostgres, type Postgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();
  const ask = async (sql: string): Promise<Row[]> =>
    (await postgres.pool.query<Row>(sql.replaceAll(`:'root'`, `'done'`))).rows;

  it('the queries of the guides work on rows of the engine', async () => {
    const stores = openPostgres(postgres.pool);
    await fill(stores);
    stores.close();

    const answers = [];
    for (const sql of queriesOf('runbook', '-- Postgres\n')) answers.push(await ask(sql));
    const [open, answered, states, owners, expired, who, messages, health, usage] = answers;
    expect(answers).toHaveLength(9);
    expect(open).toMatchObject([{ root_id: 'waiting' }, { root_id: 'waiting' }]);
    expect(open?.[0]?.['opened']).toBeInstanceOf(Date);
    expect(answered).toMatchObject([
      { root_id: 'answered', answered_by: 'grace' },
      { root_id: 'answered', answered_by: 'grace' },
    ]);
    expect(states).toMatchObject([{ session_id: 'done', status: 'completed' }]);
    expect(owners).toMatchObject([{ session_id: 'dead' }]);
    expect(expired).toEqual([]);
    expect(Number(owners?.[0]?.['lease_seconds_left'])).toBeLessThan(-50);
    expect(who).toContainEqual(
      expect.objectContaining({ tool_name: 'book', outcome: 'approved', edited: '{"nights":2}' }),
    );
    expect(messages).toMatchObject([
      { tool: 'pick', answered_by: 'grace', code: null },
      { tool: 'book', answered_by: 'grace', executed_input: '{"nights":2}' },
    ]);
    expect(health).toEqual([{ overdue: '0', not_taken_in: '2', without_owner: '1', open: '2' }]);
    const metrics = usage?.map((row) => [row['metric'], row['tool_name'], Number(row['entries'])]);
    expect(metrics?.toSorted()).toEqual([
      ['client_tool_wait_ms', 'book', 1],
      ['client_tool_wait_ms', 'pick', 1],
    ]);
    for (const row of usage ?? []) expect(Number(row['total'])).toBeGreaterThanOrEqual(0);

    const more = [];
    for (const sql of queriesOf('store-postgres')) more.push(await ask(sql));
    expect(more).toMatchObject([
      [{ session_id: 'dead' }],
      [{ root_id: 'answered' }, { root_id: 'answered' }],
      [{ session_id: expect.any(String) }, { session_id: expect.any(String) }],
    ]);
  });
});

interface Row {
  readonly [column: string]: unknown;
}

function queriesOf(guide: string, mark = ''): string[] {
  const url = new URL(`../../../docs/guides/${guide}.md`, import.meta.url);
  const blocks = readFileSync(url, 'utf8').matchAll(/```sql\n(.*?)```/gs);
  return [...blocks].map(([, sql = '']) => sql).filter((sql) => sql.startsWith(mark));
}

/** One session that is done, one with answers nobody took in, one that waits, one whose process died. */
async function fill({ stateStore, streamManager, usageStore }: Postgres): Promise<void> {
  const desk = defineAgent({
    name: 'desk',
    systemPrompt: 'You book.',
    llmConfig: { model: 'scripted' },
    tools: [
      defineTool({ name: 'pick', inputSchema: anyObject, execute: 'client' }),
      defineTool({
        name: 'book',
        inputSchema: anyObject,
        requireApproval: true,
        execute: () => 'booked',
      }),
    ],
  });
  const llmAdapter = functionModel(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { type: 'text', content: 'Done.', shouldStop: true }
      : {
          type: 'tool_calls',
          toolCalls: [
            { id: 'p', name: 'pick', arguments: {} },
            { id: 'b', name: 'book', arguments: { nights: 3 } },
          ],
        },
  );
  const executor = new JSAgentExecutor({
    stateStore,
    streamManager,
    usageStore,
    llmAdapter,
    agentRegistry: { desk },
  });
  for (const sessionId of ['done', 'answered', 'waiting']) {
    await (await executor.execute(desk, 'Lisbon.', { sessionId })).result();
    if (sessionId === 'waiting') continue;
    const by = { answeredBy: 'grace' };
    const { items } = await executor.listOpenCalls({ rootSessionId: sessionId });
    for (const { kind, toolCallId } of items) {
      const call = { sessionId, toolCallId };
      const approval = { approved: true, input: { nights: 2 } };
      await executor.submitToolResult(
        kind === 'approval'
          ? { kind: 'approval-response', ...call, ...approval }
          : { kind: 'client-tool-result', ...call, result: '12A' },
        by,
      );
    }
    if (sessionId === 'done') await (await executor.resume(sessionId)).result();
  }
  const leaseUntil = Date.now() - 60_000;
  await seed(stateStore.sessions, {
    sessions: [sessionRow({ sessionId: 'dead', leaseOwner: 'gone', leaseUntil })],
  });
}

const standard = {
  version: 1 as const,
  vendor: 'test',
  jsonSchema: { input: () => ({ type: 'object' }) },
  validate: (value: unknown) => ({ value: value as object }),
};
const anyObject: Schema<object> = { '~standard': standard };
