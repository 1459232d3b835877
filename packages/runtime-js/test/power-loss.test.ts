// If this fails: a loss of power takes an answer, or a resume whose handle was given out.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  AgentRegistry,
  canRelax,
  defineAgent,
  defineTool,
  functionModel,
  type LLMAdapter,
  type RelaxedCommits,
  type SessionStore,
  type ToolMessage,
} from '@helix-agents/core';
import { openSqlite, type Sqlite } from '@helix-agents/store-sqlite';
import { JSAgentExecutor } from '../src/index.ts';

const inputSchema = z.object({});
const ask = defineTool({ name: 'ask', inputSchema, execute: 'client' });
const send = defineTool({
  name: 'send',
  inputSchema,
  requireApproval: true,
  execute: async () => 'sent',
});
const agent = defineAgent({
  name: 'asks',
  systemPrompt: 'asks',
  tools: [ask, send],
  llmConfig: { model: 'scripted' },
});

/** Calls the tool, then waits for `go` before it says its last word. */
function model(toolName: string, go: Promise<void> = Promise.resolve()): LLMAdapter {
  return functionModel(async ({ messages }) => {
    if (!messages.some(({ role }) => role === 'tool')) {
      const toolCalls = [{ id: 'c', name: toolName, arguments: {} }];
      return { type: 'tool_calls', toolCalls };
    }
    await go;
    return { type: 'text', content: 'done', shouldStop: true };
  });
}

function executorOn(stores: Sqlite, llmAdapter: LLMAdapter): JSAgentExecutor {
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(agent);
  const { stateStore, streamManager } = stores;
  return new JSAgentExecutor(stateStore, streamManager, llmAdapter, { agentRegistry });
}

function relaxing({ stateStore }: Sqlite): SessionStore & RelaxedCommits {
  if (!canRelax(stateStore.sessions)) throw new Error('full sync is the default');
  return stateStore.sessions;
}

function scratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'helix-power-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function open(path: string): Sqlite {
  const stores = openSqlite(path);
  onTestFinished(() => stores.close());
  return stores;
}

/** What the disk holds when no more of the log than this has reached it. */
function withoutPower(from: string, to: string, logBytes: number): void {
  copyFileSync(from, to);
  writeFileSync(`${to}-wal`, readFileSync(`${from}-wal`).subarray(0, logBytes));
}

it('takes back a claim that did not reach the disk, and not the answer: it can be resumed again', async () => {
  const directory = scratch();
  const path = join(directory, 'a.db');
  const stores = open(path);
  const begun = executorOn(stores, model('ask'));
  await (await begun.execute(agent, 'go', { sessionId: 's' })).result();
  await begun.submitToolResult({ sessionId: 's', toolCallId: 'c', result: 'yes' });
  const onDisk = statSync(`${path}-wal`).size;

  const go = Promise.withResolvers<void>();
  const commit = vi.spyOn(relaxing(stores), 'commit');
  const resumed = await executorOn(stores, model('ask', go.promise)).resume('s');
  expect(commit.mock.calls.map(([plan]) => plan.relaxed)).toEqual([true]);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(onDisk);
  const copy = join(directory, 'b.db');
  withoutPower(path, copy, onDisk);
  go.resolve();
  await resumed.result();

  const after = open(copy);
  const again = executorOn(after, model('ask'));
  expect(await again.canResume('s')).toMatchObject({
    canResume: true,
    state: { status: 'suspended_client_tool', resumeCount: 0 },
  });
  expect(await (await again.resume('s')).result()).toMatchObject({ status: 'completed' });
  const messages = await after.stateStore.sessions.readMessages({ rootId: 's', sessionId: 's' });
  const results = messages.filter((row) => row.message.role === 'tool');
  expect(results.map(({ message }) => (message as ToolMessage).content)).toEqual(['yes']);
});

it('gives out the handle of a resume when its claim is on the disk; the run is at work meanwhile', async () => {
  const stores = open(join(scratch(), 'a.db'));
  const begun = executorOn(stores, model('ask'));
  await (await begun.execute(agent, 'go', { sessionId: 's' })).result();
  await begun.submitToolResult({ sessionId: 's', toolCallId: 'c', result: 'yes' });
  const sessions = relaxing(stores);
  const synced = Promise.withResolvers<void>();
  vi.spyOn(sessions, 'flush').mockReturnValue(synced.promise);

  const go = Promise.withResolvers<void>();
  const asked = vi.fn();
  const second = model('ask', go.promise);
  const resumed = executorOn(stores, {
    generateStep: (input) => {
      asked();
      return second.generateStep(input);
    },
  }).resume('s');
  const heard = vi.fn();
  const told = resumed.then(heard);
  await nextTurn();
  expect(asked).toHaveBeenCalledOnce();
  expect(heard).not.toHaveBeenCalled();
  synced.resolve();
  await told;
  expect(heard).toHaveBeenCalledOnce();
  go.resolve();
  expect(await (await resumed).result()).toMatchObject({ status: 'completed' });
});

it('waits for the disk before an approved tool is started', async () => {
  const stores = open(join(scratch(), 'a.db'));
  const sessions = relaxing(stores);
  const executor = executorOn(stores, model('send'));
  await (await executor.execute(agent, 'go', { sessionId: 's' })).result();
  const commit = vi.spyOn(sessions, 'commit');
  const approval = { kind: 'approval-response', approved: true } as const;
  await executor.submitToolResult({ ...approval, sessionId: 's', toolCallId: 'c' });
  await (await executor.resume('s')).result();
  const starts = commit.mock.calls.filter(([plan]) =>
    plan.insert?.journal?.some(({ kind }) => kind === 'start'),
  );
  expect(starts.map(([plan]) => plan.relaxed ?? false)).toEqual([false]);
});
