import { AgentServer } from '@helix-agents/agent-server';
import { handleChatStream } from '@helix-agents/ai-sdk';
import { functionModel } from '@helix-agents/core';
import { createStateStoreFacade } from '@helix-agents/core/state-store';
import { benchAgent } from './agents.ts';
import { countingStore, countingStreams, type Counts } from './counting.ts';
import { executorFor } from './executors.ts';
import { memoryStores } from './stores.ts';

/** What a chat message of a known user in an existing session asks of the stores before the first byte of its answer. */
export async function chatReads(): Promise<Counts> {
  const counts: Counts = new Map();
  const stores = memoryStores();
  const stateStore = createStateStoreFacade(countingStore(stores.stateStore, counts));
  const streamManager = countingStreams(stores.streamManager, counts);
  const agent = benchAgent('chat');
  const model = functionModel(() => ({ type: 'text', content: 'Hello', shouldStop: true }));
  const executor = executorFor({ stateStore, streamManager, close: stores.close }, model, agent);
  const parts = { executor, stateStore, streamManager };
  const server = new AgentServer({
    ...parts,
    authenticate: () => ({ ok: true, principal: { id: 'user' } }),
    chatHandler: (params) => handleChatStream({ ...parts, agent }, params),
  });
  await send(server, 'first', () => undefined);
  counts.clear();
  let before: Counts = new Map();
  await send(server, 'second', () => {
    before = new Map(counts);
  });
  await executor.shutdown();
  stores.close();
  for (const name of before.keys()) if (!IS_READ.test(name)) before.delete(name);
  return before;
}

const IS_READ = /(^|\.)(read|list|find|getStreamInfo|create(Resumable)?Reader)/;

async function send(server: AgentServer, id: string, onFirstByte: () => void): Promise<void> {
  const messages = [{ id, role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const response = await server.fetch(
    new Request('http://server/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat', messages }),
    }),
  );
  const reader = response.body?.getReader();
  if (response.status !== 200 || !reader) throw new Error(`answered ${response.status}`);
  await reader.read();
  onFirstByte();
  while (!(await reader.read()).done);
}
