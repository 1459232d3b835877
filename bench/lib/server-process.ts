// A server over one SQLite file, in a process of its own, so that its event loop is measured and not the client's.
// Its model streams `count` words, one every `everyMs`: a message of `stream <count> <everyMs>`; any other asks a person.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentServer, createNodeListener } from '@helix-agents/agent-server';
import type { LLMAdapter, StreamChunk, StreamManager } from '@helix-agents/core';
import { askingModel, benchAgent, FINAL_TEXT } from './agents.ts';
import { executorFor } from './executors.ts';
import { scratch, sqliteStores } from './stores.ts';

export const SERVED_AGENT = 'served';

/** What the server's process did since `measure`, in milliseconds. */
export interface Effort {
  readonly lagP99: number;
  readonly lagMax: number;
  readonly cpu: number;
}

export interface ServerProcess {
  readonly url: string;
  readonly measure: () => Promise<void>;
  readonly effort: () => Promise<Effort>;
  /** Appends to the log of a session that has ended, until its newest chunk has this number. */
  readonly fill: (sessionId: string, head: number) => Promise<void>;
  readonly stop: () => void;
}

export async function startServerProcess(): Promise<ServerProcess> {
  const child = fork(import.meta.filename, [join(scratch(), 'agents.db')], {
    execArgv: process.execArgv,
  });
  const url = (await answerOf(child)) as string;
  return {
    url,
    async measure() {
      child.send('measure');
      await answerOf(child);
    },
    async effort() {
      child.send('effort');
      return (await answerOf(child)) as Effort;
    },
    async fill(sessionId, head) {
      child.send({ sessionId, head });
      await answerOf(child);
    },
    stop: () => void child.kill(),
  };
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const died = (): void => reject(new Error('the server process died'));
    child.once('exit', died);
    child.once('message', (message) => {
      child.off('exit', died);
      resolve(message);
    });
  });
}

export const streamingModel: LLMAdapter = {
  async generateStep(input) {
    const wish = String(input.messages.at(-1)?.content);
    const [, count, everyMs] = /^stream (\d+) (\d+)$/.exec(wish) ?? [];
    if (count === undefined) return askingModel(1).generateStep(input);
    for (let word = 0; word < Number(count); word += 1) {
      await input.callbacks.onTextDelta('word ');
      await delay(Number(everyMs));
    }
    return { type: 'text', content: FINAL_TEXT, shouldStop: true };
  },
};

if (process.send) serve(process.argv[2] ?? '');

function serve(path: string): void {
  // Writes wait for the disk inside the event loop; that is the store's to measure.
  const stores = sqliteStores('normal', path);
  const agent = benchAgent(SERVED_AGENT);
  const server = new AgentServer({
    agents: { [SERVED_AGENT]: agent },
    executor: executorFor(stores, streamingModel, agent),
    ...stores,
    rateLimit: false,
    authenticate: ({ headers }) => headers['authorization'] === 'Bearer bench',
  });
  const http = createServer(createNodeListener(server));
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  let before = process.cpuUsage();
  const answer = async (asked: 'measure' | 'effort' | Fill): Promise<unknown> => {
    if (asked === 'measure') {
      loop.reset();
      loop.enable();
      before = process.cpuUsage();
      return 'measuring';
    }
    if (asked === 'effort') {
      const { user, system } = process.cpuUsage(before);
      const lag = { lagP99: loop.percentile(99) / 1e6, lagMax: loop.max / 1e6 };
      return { ...lag, cpu: (user + system) / 1000 } satisfies Effort;
    }
    return fillLog(stores.streamManager, asked);
  };
  process.on('message', (asked) => {
    void answer(asked as Fill).then((answered) => process.send?.(answered));
  });
}

interface Fill {
  readonly sessionId: string;
  readonly head: number;
}

async function fillLog(streams: StreamManager, { sessionId, head }: Fill): Promise<string> {
  await streams.reactivateStream?.(sessionId);
  const base = { agentId: sessionId, agentType: SERVED_AGENT, step: 1, timestamp: Date.now() };
  const chunk: StreamChunk = { ...base, type: 'text_delta', delta: 'word ' };
  const missing = head - ((await streams.getStreamInfo?.(sessionId))?.head ?? 0);
  for (let left = missing; left > 0; left -= 500) {
    await streams.append?.(
      sessionId,
      Array.from({ length: Math.min(500, left) }, () => ({ chunk })),
    );
  }
  await streams.endStream(sessionId);
  return 'filled';
}
