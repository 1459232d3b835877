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

/** A resume reads the whole transcript, so a session is left for the next after this many. */
const PER_SESSION = 250;

/**
 * IDEM-02 at length: sessions on SQLite ask a person again and again, one answer a minute, settled rows kept for an
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
  const executor = new JSAgentExecutor({ ...store, llmAdapter: model, clock });
  const faults: string[] = [];
  try {
    for (let answered = 0; answered < calls && faults.length === 0; answered += 1) {
      const sessionId = `s${Math.floor(answered / PER_SESSION)}`;
      if (answered % PER_SESSION === 0) {
        await (await executor.execute(asker, 'go', { sessionId })).result();
      }
      const toolCallId = `c${(answered % PER_SESSION) + 1}`;
      const address = { kind: 'client-tool-result', sessionId, toolCallId } as const;
      const { status } = await executor.submitToolResult({ ...address, result: answered });
      if (status !== 'accepted') faults.push(`answer ${answered} was ${status}`);
      now += MINUTE;
      await (await executor.resume(asker, sessionId)).result();
      if (answered % SWEEP_EVERY === 0) {
        await executor.sweep();
        const kept = (await store.stateStore.sessions.readCalls(sessionId)).length;
        if (kept > PER_HOUR + SWEEP_EVERY + 2)
          faults.push(`${kept} rows after ${answered} answers`);
      }
      options.onProgress?.(answered + 1);
    }
    return faults;
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const model = functionModel(({ messages }) => {
  const id = `c${messages.filter(({ role }) => role === 'assistant').length + 1}`;
  return { type: 'tool_calls', toolCalls: [{ id, name: 'pick', arguments: {} }] };
});

const asker = defineAgent({
  name: 'asker',
  systemPrompt: 'ask',
  llmConfig: { model: 'scripted' },
  maxSteps: PER_SESSION + 2,
  completedTombstoneRetentionMs: HOUR,
  tools: [defineTool({ name: 'pick', inputSchema: z.object({}), execute: 'client' })],
});
