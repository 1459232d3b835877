import { defineAgent, defineTool, functionModel, type Clock } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

/** If this fails: a stop through a handle waits for the next look at the store, though the run is in this process. */

/** No timer ever fires: only who is told hears of anything. */
const deaf: Clock = { now: () => 0, setTimer: () => () => {} };

describe('a stop through a handle', () => {
  it.each(['interrupt', 'abort'] as const)(
    'reaches a run of this process at once: %s',
    async (stop) => {
      const began = Promise.withResolvers<void>();
      const slow = defineTool({
        name: 'slow',
        inputSchema: z.object({}),
        execute: (_input, { abortSignal }) =>
          new Promise<never>((_, reject) => {
            abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
            began.resolve();
          }),
      });
      const agent = defineAgent({
        name: 'worker',
        systemPrompt: 'work',
        llmConfig: { model: 'm' },
        tools: [slow],
      });
      const executor = new JSAgentExecutor({
        stateStore: new InMemoryStateStore(),
        streamManager: new InMemoryStreamManager(),
        llmAdapter: functionModel(() => ({
          type: 'tool_calls',
          toolCalls: [{ id: 'c', name: 'slow', arguments: {} }],
        })),
        clock: deaf,
      });
      const handle = await executor.execute(agent, 'go');
      await began.promise;
      await handle[stop]('enough');
      const { status } = await handle.result();
      expect(status).toBe(stop === 'interrupt' ? 'interrupted' : 'failed');
    },
  );
});
