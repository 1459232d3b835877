// If this fails: a process that has just opened the file waits for SQLite to prepare the updates of a resume one by one. Their
// texts follow what the engine sets: `resumeUpdates` of store-sql is to be brought up to it.
import { AgentRegistry, defineAgent, defineTool, functionModel } from '@helix-agents/core';
import { openSqlite, type Sqlite } from '@helix-agents/store-sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const pick = defineTool({
  name: 'pick',
  description: 'Asks the page.',
  inputSchema: z.object({}),
  execute: 'client',
});

const agent = defineAgent({
  name: 'support',
  systemPrompt: 'You help.',
  tools: [pick],
  llmConfig: { model: 'none' },
  durability: 'step',
});

const model = functionModel(({ messages }) =>
  messages.some((message) => message.role === 'tool')
    ? { type: 'text', content: 'done', shouldStop: true }
    : { type: 'tool_calls', toolCalls: [{ id: 'call', name: 'pick', arguments: {} }] },
);

function start({ stateStore, streamManager }: Sqlite): JSAgentExecutor {
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(agent);
  return new JSAgentExecutor(stateStore, streamManager, model, { agentRegistry });
}

it('has all statements of an answer and of the resume that completes ready when the file is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helix-prepared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'agents.db');
  const first = openSqlite(path);
  await (await start(first).execute(agent, 'go', { sessionId: 's' })).result();
  first.close();

  const second = openSqlite(path);
  onTestFinished(() => second.close());
  await second.stateStore.sessions.readMessages({ rootId: 's', sessionId: 's' });
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const executor = start(second);
  const call = { sessionId: 's', toolCallId: 'call' };
  await executor.submitToolResult({ kind: 'client-tool-result', ...call, result: 1 });
  const result = await (await executor.resume('s')).result();
  expect(result).toEqual({ status: 'completed', output: 'done' });
  expect(prepare.mock.calls.map(([sql]) => sql)).toEqual([]);
});
