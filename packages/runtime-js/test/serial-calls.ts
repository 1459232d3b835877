import { defineAgent, defineTool, functionModel } from '@helix-agents/core';
import { openSqlite } from '@helix-agents/store-sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { JSAgentExecutor } from '../src/index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PER_HOUR = 60;
const SWEEP_EVERY = 10;

/**
 * IDEM-02 at length: one session on SQLite asks a person again and again, one answer a minute, settled rows kept for an
 * hour. Says what is wrong; nothing when the rows stay within what the retention holds.
 */
export async function serialCalls(options: {
  readonly calls: number;
  readonly onProgress?: (answered: number) => void;
}): Promise<string[]> {
  const { calls } = options;
  const folder = mkdtempSync(join(tmpdir(), 'helix-serial-'));
  let now = Date.now();
  const clock = {
    now: () => now,
    setTimer: (ms: number, callback: () => void): (() => void) => {
      const timer = setTimeout(callback, Math.min(ms, HOUR)).unref();
      return () => clearTimeout(timer);
    },
  };
  const store = openSqlite(join(folder, 'agents.db'), { synchronous: 'normal', now: clock.now });
  let asked = 0;
  const model = functionModel(() => {
    asked += 1;
    return asked > calls
      ? { type: 'text', content: 'done', shouldStop: true }
      : { type: 'tool_calls', toolCalls: [{ id: `c${asked}`, name: 'pick', arguments: {} }] };
  });
  const agent = defineAgent({
    name: 'asker',
    systemPrompt: 'ask',
    llmConfig: { model: 'scripted' },
    maxSteps: calls + 1,
    completedTombstoneRetentionMs: HOUR,
    tools: [defineTool({ name: 'pick', inputSchema: z.object({}), execute: 'client' })],
  });
  const faults: string[] = [];
  try {
    const executor = new JSAgentExecutor({ ...store, llmAdapter: model, clock });
    let handle = await executor.execute(agent, 'go', { sessionId: 's' });
    for (let answered = 0; answered < calls && faults.length === 0; answered += 1) {
      await handle.result();
      const call = { sessionId: 's', toolCallId: `c${answered + 1}` };
      const answer = { kind: 'client-tool-result', ...call, result: answered } as const;
      const { status } = await executor.submitToolResult(answer);
      if (status !== 'accepted') faults.push(`answer ${answered} was ${status}`);
      now += MINUTE;
      handle = await executor.resume(agent, 's');
      if (answered % SWEEP_EVERY === 0) {
        await executor.sweep();
        const kept = (await store.stateStore.sessions.readCalls('s')).length;
        if (kept > PER_HOUR + SWEEP_EVERY + 2)
          faults.push(`${kept} rows after ${answered} answers`);
      }
      options.onProgress?.(answered + 1);
    }
    const { status } = await handle.result();
    if (status !== 'completed') faults.push(`the session is ${status}`);
    return faults;
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
