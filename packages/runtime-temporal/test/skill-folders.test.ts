// If this fails: skills of folders do not work on Temporal, where only activities may read files, or a session changes with them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineTool, functionModel, type AgentConfig } from '@helix-agents/core';
import { fileSystemSkillProvider } from '@helix-agents/skill-fs';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { describeServer, sharedServerUrl } from '@helix-agents/test-servers';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { bundleAgentWorkflow, createAgentWorker, TemporalAgentExecutor } from '../src/index.ts';
import { quiet } from './shops.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  execute: 'client',
});

const CALLS = [
  { id: 'load', name: 'load_skill', arguments: { name: 'mail' } },
  { id: 'read', name: 'read_skill_file', arguments: { skill: 'mail', path: 'tone.md' } },
  { id: 'ask', name: 'ask', arguments: {} },
];

function writeSkill(root: string, name: string, description: string): void {
  mkdirSync(join(root, name), { recursive: true });
  const head = `---\nname: ${name}\ndescription: ${description}\n---\n`;
  writeFileSync(join(root, name, 'SKILL.md'), `${head}Read tone.md.`);
  writeFileSync(join(root, name, 'tone.md'), 'Friendly.');
}

describeServer('temporal', () => {
  it('SKIL-04 an agent loads skills of a folder in activities, and a session keeps its list over edits', async () => {
    const root = mkdtempSync(join(tmpdir(), 'helix-temporal-skills-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    writeSkill(root, 'mail', 'Writes mails.');
    const model = functionModel(({ messages }) => {
      const next = CALLS[messages.filter(({ role }) => role === 'tool').length];
      if (next) return { type: 'tool_calls', toolCalls: [next] };
      return { type: 'text', content: 'done', shouldStop: true };
    });
    const writer: AgentConfig = defineAgent({
      name: 'writer',
      systemPrompt: 'You write.',
      tools: [ask],
      skills: fileSystemSkillProvider({ roots: [root], stalenessCheckCooldownMs: 0 }),
    });
    const executor = await openExecutor(writer, model);
    const handle = await executor.execute(writer, 'go', { sessionId: 's' });
    expect(await handle.result()).toMatchObject({ status: 'suspended_client_tool' });
    writeSkill(root, 'mail', 'Writes letters.');
    writeSkill(root, 'fax', 'Sends faxes.');
    const answer = { kind: 'client-tool-result', sessionId: 's', toolCallId: 'ask' } as const;
    await executor.submitToolResult({ ...answer, result: 'yes' });
    expect(await (await executor.resume('s')).result()).toMatchObject({ status: 'completed' });
    const prompts = new Set(model.calls.map(({ messages }) => messages[0]?.content));
    expect([...prompts]).toEqual([expect.stringContaining('Writes mails.')]);
    const results = model.calls.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(results?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/Read tone\.md\.[^]*tone\.md \(9 bytes\)/),
      'Friendly.',
      'yes',
    ]);
  }, 300_000);
});

/** An executor and a worker, over memory, until the end of the test. */
async function openExecutor(
  agent: AgentConfig,
  llmAdapter: ReturnType<typeof functionModel>,
): Promise<TemporalAgentExecutor> {
  const address = await sharedServerUrl('temporal');
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const taskQueue = `skills-${crypto.randomUUID()}`;
  const parts = {
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager(),
    agentRegistry: { writer: agent },
    taskQueue,
  };
  const client = new Client({ connection });
  const executor = new TemporalAgentExecutor({ ...parts, client, workflowIdPrefix: taskQueue });
  const worker = await createAgentWorker({
    ...parts,
    connection: native,
    workflowBundle: await bundleAgentWorkflow({ logger: quiet }),
    llmAdapter,
    worker: { shutdownGraceTime: 0 },
  });
  const ended = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await ended;
    await connection.close();
    await native.close();
  });
  return executor;
}
