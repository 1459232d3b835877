// If this fails: a session that was deleted while it was being started leaves a stream that nothing deletes.
import { defineAgent, functionModel, type StreamManager } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { JSAgentExecutor } from '../src/index.ts';

it('a session that is deleted between its claim and the opening of its stream, which is in another store, leaves no stream', async () => {
  const stateStore = new InMemoryStateStore();
  const streams = new InMemoryStreamManager();
  let isDeleted = false;
  const streamManager: StreamManager = new Proxy(streams, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        if (key === 'openStream' && !isDeleted) {
          isDeleted = true;
          await stateStore.deleteSession('s');
          await streams.deleteStream('s');
        }
        return Reflect.apply(value, target, args);
      };
    },
  });
  const agent = defineAgent({
    name: 'talker',
    systemPrompt: 'Talk.',
    llmConfig: { model: 'function' },
  });
  const llmAdapter = functionModel(() => ({ type: 'text', content: 'hello', shouldStop: true }));
  const executor = new JSAgentExecutor({ stateStore, streamManager, llmAdapter });
  const handle = await executor.execute(agent, 'go', { sessionId: 's' });
  await Promise.allSettled([handle.result()]);
  await executor.shutdown({ graceMs: 0 });
  expect(isDeleted).toBe(true);
  expect(await stateStore.sessionExists('s')).toBe(false);
  expect(await streams.getStreamInfo('s')).toBeNull();
});
