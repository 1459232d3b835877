import { gzipSync } from 'node:zlib';
import { handleChatSnapshot, handleChatStream, type ChatDependencies } from '@helix-agents/ai-sdk';
import { createHelixChatTransport } from '@helix-agents/ai-sdk/client';
import { functionModel } from '@helix-agents/core';
import type { StreamEntry } from '@helix-agents/core/store';
import { build } from 'vite';
import type { Api } from '../../examples/chat/src/api.ts';
import { openSubmitPage } from '../../examples/chat/test/support/submit-times.ts';
import { benchAgent } from '../lib/agents.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import {
  cpu,
  interleave,
  median,
  percentile,
  round,
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
    return [deltas, ...first, await bundleSize()];
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

/** The same message by the transport alone and in the page, in turn. */
async function firstWords({ quick }: BenchOptions): Promise<readonly Result[]> {
  const deps = parts();
  const api: Api = { handle: (request) => serve(deps, request) };
  const page = await openSubmitPage(api);
  const inPage: number[] = [];
  const samples = await interleave(quick ? 10 : 50, {
    transport: () => firstDelta(`${page.url}api/chat`),
    async page() {
      inPage.push(await page.submit());
    },
  });
  await page.close();
  deps.close();
  const times = inPage.slice(-samples.page.length);
  const transport = samples.transport.map((one) => one.wallMs);
  const about = { case: 'chat', unit: 'ms' } as const;
  const p95 = (values: readonly number[]): string => `p95 ${round(percentile(values, 0.95))}`;
  return [
    {
      ...about,
      name: 'message sent to first word received, HTTP',
      value: median(transport),
      detail: `${p95(transport)}; model of zero latency; text is flushed every 25 ms`,
    },
    {
      ...about,
      name: 'message sent to first word in the page, Chromium',
      value: median(times),
      detail: `${p95(times)} over ${times.length} messages, in the same rounds; the built page of examples/chat`,
    },
  ];
}

function serve(deps: ChatDependencies, request: Request): Promise<Response> {
  const [, , area, sessionId = '', what] = new URL(request.url).pathname.split('/');
  if (area === 'overview') {
    return Promise.resolve(Response.json({ pid: process.pid, sessions: [], inbox: [] }));
  }
  if (what === 'snapshot') return handleChatSnapshot(deps, { request, sessionId });
  return handleChatStream(deps, { request, ...(sessionId && { sessionId }) });
}

async function firstDelta(api: string): Promise<void> {
  const transport = createHelixChatTransport({ api });
  const stream = await transport.sendMessages({
    chatId: freshId(),
    messages: [{ id: freshId(), role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  const reader = stream.getReader();
  for (let type = ''; type !== 'text-delta';) type = (await reader.read()).value?.type ?? '';
  await reader.cancel();
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
