// If this fails: an agent does not get the skills of its folders, or an edit changes a session that has begun.
import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
  type StepResult,
} from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fileSystemSkillProvider } from '../src/index.ts';
import { openFolder, skillText } from './folder.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  execute: 'client',
});

it('SKIL-04 an agent loads skills of a folder, and a session that has begun keeps its list over edits and processes', async () => {
  const { path, write } = openFolder();
  write('mail/SKILL.md', skillText('mail', 'Writes mails.', 'Be short. Read tone.md.'));
  write('mail/tone.md', 'Friendly.');
  const stores = [new InMemoryStateStore(), new InMemoryStreamManager()] as const;
  const model = scripted([
    calls('load_skill', { name: 'mail' }),
    calls('read_skill_file', { skill: 'mail', path: 'tone.md' }),
    calls('ask', {}),
    calls('load_skill', { name: 'mail', reload: true }),
    calls('read_skill_file', { skill: 'mail', path: '../mail/tone.md' }),
    { type: 'text', content: 'done', shouldStop: true },
  ]);
  /** As another process has it: a provider of its own. */
  const openProcess = (): { agent: AgentConfig; executor: JSAgentExecutor } => {
    const agent = defineAgent({
      name: 'writer',
      systemPrompt: 'You write.',
      tools: [ask],
      skills: fileSystemSkillProvider({ roots: [path], stalenessCheckCooldownMs: 0 }),
    });
    return { agent, executor: new JSAgentExecutor(...stores, model) };
  };

  const first = openProcess();
  const run = await first.executor.execute(first.agent, 'go', { sessionId: 's' });
  expect(await run.result()).toMatchObject({ status: 'suspended_client_tool' });
  write('mail/SKILL.md', skillText('mail', 'Writes letters.', 'Be long.'));
  write('fax/SKILL.md', skillText('fax'));

  const second = openProcess();
  await second.executor.submitToolResult({
    kind: 'client-tool-result',
    sessionId: 's',
    toolCallId: 'call_2',
    result: 'yes',
  });
  expect(await (await second.executor.resume(second.agent, 's')).result()).toMatchObject({
    status: 'completed',
  });

  const prompts = model.calls.map(({ messages }) => messages[0]?.content);
  expect(new Set(prompts).size).toBe(1);
  expect(prompts[0]).toContain('Writes mails.');
  expect(prompts[0]).not.toContain('fax');
  const results = model.calls.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results.map(({ content }) => String(content))).toEqual([
    expect.stringMatching(/Be short\. Read tone\.md\.[^]*tone\.md \(9 bytes\)/),
    'Friendly.',
    'yes',
    expect.stringContaining('Be long.'),
    expect.stringContaining('has no file'),
  ]);
});

function scripted(steps: readonly StepResult[]): FunctionModel {
  let next = 0;
  return functionModel(() => steps[next++] ?? { type: 'text', content: 'done', shouldStop: true });
}

let ids = 0;
function calls(name: string, given: object): StepResult {
  return {
    type: 'tool_calls',
    toolCalls: [{ id: `call_${ids++}`, name, arguments: { ...given } }],
  };
}
