import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { handleChatStream, type ChatDependencies } from '@helix-agents/ai-sdk';
import { createWebResponseExpressMiddleware } from '@helix-agents/ai-sdk/adapters/express';
import { createHelixChatTransport } from '@helix-agents/ai-sdk/client';
import { functionModel, type StreamEntry } from '@helix-agents/core';
import { build } from 'vite';
import { benchAgent } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import {
  cpu,
  interleave,
  round,
  wall,
  type BenchCase,
  type BenchOptions,
  type Result,
} from '../lib/measure.ts';
import { memoryStores } from '../lib/stores.ts';

const DELTAS = 5_000;

/** The chat handler over the stream it reads; a message sent and its first word in the page; what a browser loads. */
export const chat: BenchCase = {
  name: 'chat',
  async run(options) {
    options.progress('chat: deltas');
    const deltas = await deltaCost(options);
    options.progress('chat: first words');
    const first = await firstWords(options);
    options.progress('chat: bundle');
    return [deltas, first, await bundleSize()];
  },
};

function parts(): ChatDependencies & { close(): void } {
  const stores = memoryStores();
  const agent = benchAgent('chat');
  const model = functionModel(() => ({ type: 'text', content: 'Hello', shouldStop: true }));
  const executor = executorFor(stores, model, agent);
  return { ...stores, executor, agent, close: () => stores.close() } as never;
}

/** A turn with that many text chunks, none of them joined. */
async function storeDeltas(deps: ChatDependencies, sessionId: string): Promise<void> {
  await runTurn(deps.executor as never, deps.agent, sessionId);
  const { streamManager } = deps;
  const base = { agentId: sessionId, agentType: 'chat', timestamp: 0, step: 1 };
  const entries = Array.from({ length: DELTAS }, (): StreamEntry => ({
    chunk: { type: 'text_delta', ...base, delta: 'word ' },
  }));
  await streamManager.reactivateStream?.(sessionId);
  await streamManager.append?.(sessionId, entries);
  await streamManager.endStream(sessionId);
}

async function deltaCost({ quick }: BenchOptions): Promise<Result> {
  const deps = parts();
  const sessionId = freshId();
  await storeDeltas(deps, sessionId);
  const samples = await interleave(quick ? 10 : 40, {
    async stream() {
      const reader = await deps.streamManager.createResumableReader?.(sessionId);
      let sequence = 0;
      for await (const stored of reader ?? []) ({ sequence } = stored);
      if (sequence < DELTAS) throw new Error('chunks are missing');
    },
    async chat() {
      const response = await handleChatStream(deps, { sessionId });
      let bytes = 0;
      for await (const piece of response.body ?? []) bytes += piece.length;
      if (bytes < DELTAS * 20) throw new Error('chunks are missing');
    },
  });
  deps.close();
  const per = (milliseconds: number): number => (milliseconds * 1000) / DELTAS;
  return {
    case: 'chat',
    name: 'a text delta through the handler',
    value: per(cpu(samples.chat) - cpu(samples.stream)),
    unit: 'µs CPU more',
    target: { atMost: 2 },
    detail: `${round(per(cpu(samples.stream)))} µs by the stream itself`,
  };
}

async function firstWords({ quick }: BenchOptions): Promise<Result> {
  const deps = parts();
  const handle = createWebResponseExpressMiddleware((request) =>
    handleChatStream(deps, { request }),
  );
  const server = createServer((request, response) =>
    handle(request as never, response, () => response.end()),
  );
  const api = await listen(server);
  const samples = await interleave(quick ? 10 : 40, {
    async page() {
      const transport = createHelixChatTransport({ api, aiSdk: 7 });
      const message = {
        id: freshId(),
        role: 'user',
        parts: [{ type: 'text', text: 'Hi' }],
      } as const;
      const stream = await transport.sendMessages({
        chatId: freshId(),
        messages: [{ ...message, parts: [...message.parts] }],
        trigger: 'submit-message',
        messageId: undefined,
        abortSignal: undefined,
      });
      const reader = stream.getReader();
      for (let type = ''; type !== 'text-delta';) type = (await reader.read()).value?.type ?? '';
      await reader.cancel();
    },
  });
  server.closeAllConnections();
  server.close();
  deps.close();
  return {
    case: 'chat',
    name: 'message sent to first word received, HTTP',
    value: wall(samples.page),
    unit: 'ms',
    detail: 'model of zero latency; text is flushed every 25 ms',
  };
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/chat`);
    });
  });
}

async function bundleSize(): Promise<Result> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@helix-agents/source', 'browser', 'import'] },
    build: {
      write: false,
      minify: true,
      lib: { entry: 'packages/ai-sdk/src/react.ts', formats: ['es'] },
      rollupOptions: { external: [/^react/, /^ai$/, /^@ai-sdk\//] },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  const code =
    output && 'output' in output
      ? output.output.map((one) => ('code' in one ? one.code : '')).join('')
      : '';
  return {
    case: 'chat',
    name: '@helix-agents/ai-sdk/react without its peers',
    value: gzipSync(code).length / 1000,
    unit: 'kB gzip',
    target: { atMost: 8 },
    detail: `${round(code.length / 1000)} kB minified`,
  };
}
