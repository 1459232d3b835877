import {
  defineAgent,
  defineTool,
  functionModel,
  type AgentConfig,
  type FunctionModel,
} from '@helix-agents/sdk';
import { z } from 'zod';

/** The server has no code for these: the client that reads the stream is asked to run them. */
const listFiles = defineTool({
  name: 'list_files',
  description: "Lists a folder on the user's machine.",
  inputSchema: z.object({ folder: z.string() }),
  outputSchema: z.object({ files: z.array(z.string()) }),
  execute: 'client',
  clientToolTimeoutMs: 10 * 60_000,
});

const readClock = defineTool({
  name: 'read_clock',
  description: "Says the time zone of the user's machine.",
  inputSchema: z.object({}),
  outputSchema: z.object({ timeZone: z.string() }),
  execute: 'client',
});

export const archivist: AgentConfig = defineAgent({
  name: 'archivist',
  systemPrompt: 'You tell users what they have on their machine.',
  tools: [listFiles, readClock],
  llmConfig: { model: 'scripted' },
});

/** Plays the part of a language model: asks both tools at once, then says what it learned. Put a real one here (docs: models). */
export const model: FunctionModel = functionModel(({ messages }) => {
  const results = messages.filter((message) => message.role === 'tool');
  if (results.length === 0) {
    return {
      type: 'tool_calls',
      toolCalls: [
        { id: 'files', name: 'list_files', arguments: { folder: 'papers' } },
        { id: 'clock', name: 'read_clock', arguments: {} },
      ],
    };
  }
  const [files = '', clock = ''] = ['list_files', 'read_clock'].map(
    (name) => results.find(({ toolName }) => toolName === name)?.content,
  );
  const count = (JSON.parse(files) as { files: string[] }).files.length;
  const { timeZone } = JSON.parse(clock) as { timeZone: string };
  return { type: 'text', content: `You have ${count} papers, in ${timeZone}.`, shouldStop: true };
});
