// If this fails: a chat message waits for more reads of the store than it needs before anything is sent back.
import { handleChatStream } from '@helix-agents/ai-sdk';
import type { StreamManager } from '@helix-agents/core';
import {
  createStateStoreFacade,
  type SessionStateStoreFacade,
} from '@helix-agents/core/state-store';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { AgentServer } from '../src/index.ts';
import { agents, scripted } from './agents.ts';

const READ = /^(read|list|find|getStreamInfo|create(Resumable)?Reader)/;

/** The same object; every call of a method that reads is noted. */
function noting<T extends object>(target: T, reads: string[]): T {
  return new Proxy(target, {
    get(inner, key) {
      const value: unknown = Reflect.get(inner, key, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (READ.test(String(key))) reads.push(String(key));
        return Reflect.apply(value, inner, args);
      };
    },
  });
}

interface Chat {
  /** Sends a message as a user of the server; says what was read before the first byte, and the whole answer. */
  say(message: string): Promise<{ readonly before: string[]; readonly rest: Promise<string> }>;
}

function openChat(): Chat {
  const reads: string[] = [];
  const stores = openSqlite(':memory:', { pollMs: 5 });
  const { sessions, index } = stores.stateStore;
  const stateStore: SessionStateStoreFacade = createStateStoreFacade({
    sessions: noting(sessions, reads),
    index: noting(index, reads),
  });
  const streamManager: StreamManager = noting(stores.streamManager, reads);
  const parts = { stateStore, streamManager };
  const executor = new JSAgentExecutor({ ...parts, llmAdapter: scripted, agentRegistry: agents });
  // Nothing is made ahead of the reader: then it is known what was read before the first byte.
  const deps = { ...parts, executor, agent: agents['painter']!, bufferBytes: 0 };
  const server = new AgentServer({
    ...parts,
    executor,
    agents,
    authenticate: () => ({ ok: true, principal: { id: 'ada' } }),
    chatHandler: (params) => handleChatStream(deps, params),
  });
  onTestFinished(async () => {
    await server.close({ graceMs: 100 });
    await executor.shutdown({ graceMs: 0 });
    stores.close();
  });
  let count = 0;
  return {
    async say(message) {
      const content = [{ type: 'text', text: message }];
      const messages = [{ id: `m${(count += 1)}`, role: 'user', parts: content }];
      reads.length = 0;
      const response = await server.fetch(
        new Request('http://x/chat', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: 'c1', trigger: 'submit-message', messages }),
        }),
      );
      const reader = response.body!.getReader();
      const { value } = await reader.read();
      const before = [...reads];
      const first = new TextDecoder().decode(value);
      expect(first).toContain('"type":"start"');
      return { before, rest: restOf(reader) };
    },
  };
}

async function restOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

it('a chat message of a user makes at most 5 reads before the first byte of its answer', async () => {
  const chat = openChat();
  // Whether an id that is not there is a sub-agent's costs one more; there is no transcript to read.
  const first = await chat.say('hello');
  expect(first.before.length, first.before.join()).toBeLessThanOrEqual(4);
  expect(await first.rest).toContain('"type":"finish"');
  for (let turn = 0; turn < 5; turn += 1) {
    const { before, rest } = await chat.say('hello');
    expect(before.length, before.join()).toBeLessThanOrEqual(5);
    expect(before.filter((name) => name === 'readSession')).toHaveLength(1);
    expect(await rest).toContain('"type":"finish"');
  }
});
