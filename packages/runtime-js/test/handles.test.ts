// If this fails: each time somebody looks at a run that goes on, the process keeps a little more until it ends.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineAgent, type LLMAdapter } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { JSAgentExecutor } from '../src/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const agent = defineAgent({ name: 'a', systemPrompt: 's', llmConfig: { model: 'm' } });

it('a handle of a run that goes on is kept by nobody but its holder', async () => {
  let finish = (): void => undefined;
  const llmAdapter: LLMAdapter = {
    generateStep: () =>
      new Promise((resolve) => {
        finish = () => resolve({ type: 'text', content: 'done', shouldStop: true });
      }),
  };
  const executor = new JSAgentExecutor({
    stateStore: new InMemoryStateStore(),
    streamManager: new InMemoryStreamManager(),
    llmAdapter,
  });
  const running = await executor.execute(agent, 'x', { sessionId: 's' });
  const look = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n += 1) await executor.getHandle(agent, 's');
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await look(1_000);
  const after = await look(10_000);
  expect(after - before).toBeLessThan(3_000_000);
  const late = await executor.getHandle(agent, 's');
  finish();
  expect(await late?.result()).toMatchObject({ status: 'completed', output: 'done' });
  expect(await running.result()).toMatchObject({ status: 'completed' });
  await executor.shutdown();
});
